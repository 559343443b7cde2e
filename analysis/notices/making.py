"""Make a notice: write its letter in every format, enclose the evidence, and store the record.

The files are written into a folder next to their target, which is renamed when it is complete; then the
notice is stored. A kill leaves at most an unreferenced folder and a number that is not used again.
"""

import mimetypes
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from analysis.evidence.package import export_package
from analysis.notices.case_events import record_made
from analysis.notices.documents import Letter, write_letter
from analysis.notices.enclosing import existing_package_number
from analysis.notices.facts import Enclosure, FactsMissing, NoticeFacts, missing_facts
from analysis.notices.files import NoticeFiles, new_folder
from analysis.notices.gathering import NoticeRequest, confirmed_matches, gather
from analysis.notices.mail import Attachment, write_mail
from analysis.notices.word_file import word_file
from analysis.words.printing import PrinterMissing, PrintingFailed, print_pdf
from storage.collections.notices import notice_id
from storage.collections.stores import Stores
from storage.records import Case, Notice
from storage.settings.results import NoticeSettings
from system.errors import PindnaError
from tracker.runtime import Runtime

_MEGABYTE = 1024 * 1024


class TooLargeToAttach(PindnaError):
    """The enclosures are too large for one mail, and no download address is configured.

    Attributes:
        name: name of the notice.
        limit: megabytes that one mail may have.
    """

    template = (
        "The attachments of {name} exceed {limit} MB. Publish the evidence package for download "
        "and set analysis.notices.evidence_url, or raise analysis.notices.attach_megabytes."
    )


@dataclass(frozen=True, slots=True)
class MadeNotice:
    """A notice that was made.

    Attributes:
        missing: codes of the facts that a draft marks as missing.
        problems: why a format is absent, one line each.
        left_out: addresses that were gone at the last look and are not listed.
    """

    notice: Notice
    missing: tuple[str, ...]
    problems: tuple[PindnaError, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class NoticePreview:
    """A preview of a notice.

    Attributes:
        facts: its facts; it has no name yet.
        letter: the letter, with missing facts marked.
        missing: codes of the missing facts.
    """

    facts: NoticeFacts
    letter: Letter
    missing: tuple[str, ...]


def preview_notice(case: Case, request: NoticeRequest, runtime: Runtime, *, now: datetime) -> NoticePreview:
    """Return a preview of a notice about a case, without storing anything or using a number.

    Args:
        case: the case.
        request: the user's request.
        runtime: the open services.
        now: date of the notice.

    Raises:
        NoHolder, TooManyAddresses, BadTemplate: the notice cannot be made.
    """
    stores, settings = runtime.stores, runtime.settings.analysis.notices
    facts, missing = _gather_facts(case, request, stores, settings, made=now)
    timezone = runtime.settings.tracker.timezone
    letter = write_letter(facts, timezone=timezone, own_templates=settings.templates, is_draft=True)
    return NoticePreview(facts, letter, missing)


def _gather_facts(
    case: Case, request: NoticeRequest, stores: Stores, settings: NoticeSettings, *, made: datetime
) -> tuple[NoticeFacts, tuple[str, ...]]:
    """Return the facts of a notice and the codes of missing ones, apart from the evidence package.

    Raises:
        NoHolder, TooManyAddresses: the notice cannot be made.
    """
    facts = gather(case, request, stores, name="n0", reply_days=settings.reply_days, made=made)
    promised = Enclosure(number="", sha256="", bytes=0, file_name="")
    return facts, missing_facts(replace(facts, evidence=promised if facts.infringements else None))


def make_notice(
    case: Case,
    request: NoticeRequest,
    runtime: Runtime,
    *,
    by: str,
    now: datetime,
    is_draft: bool = False,
    evidence: Path | None = None,
) -> MadeNotice:
    """Make a notice and store it.

    Args:
        case: the case.
        request: the user's request.
        runtime: the open services.
        by: the user who makes it.
        now: date of the notice.
        is_draft: mark missing facts; a draft is never sent.
        evidence: an existing package; None: make one.

    Raises:
        FactsMissing: facts are missing, and the notice is not a draft.
        NoHolder, TooManyAddresses, TooLargeToAttach, BadTemplate, BadMailbox: the notice cannot be made.
        NotAPackage, OtherEvidence, WholeTexts: ``evidence`` does not fit the notice.
        CannotKeep: the disk is full, or the folder is not writable.
        IndexUnusable, LogBroken …: no evidence package can be made, see
            :func:`analysis.evidence.package.export_package`.
    """
    stores, settings = runtime.stores, runtime.settings.analysis.notices
    _, missing = _gather_facts(case, request, stores, settings, made=now)
    if missing and not is_draft:
        raise FactsMissing(count=len(missing), codes=missing)
    number = stores.notices.new_number()
    name = notice_id(number)
    facts = gather(case, request, stores, name=name, reply_days=settings.reply_days, made=now)
    with new_folder(settings.folder, name) as (folder, target):
        files = NoticeFiles(folder, target)
        if facts.infringements and not is_draft:
            facts = replace(facts, evidence=_enclose(case, facts, runtime, files, evidence, by=by, now=now))
        letter = write_letter(
            facts,
            timezone=runtime.settings.tracker.timezone,
            own_templates=settings.templates,
            is_draft=bool(missing) or is_draft,
        )
        message_id = f"<{name}.{secrets.token_hex(8)}@pindna.invalid>"
        problems = _write_formats(facts, letter, runtime, files, message_id=message_id, is_draft=is_draft)
    notice = _make_record(facts, letter, files, case, message_id=message_id, number=number, by=by)
    notice = replace(notice, is_draft=is_draft)
    stores.notices.add(notice)
    record_made(notice, stores)
    return MadeNotice(notice, missing, problems, facts.left_out)


def _enclose(
    case: Case,
    facts: NoticeFacts,
    runtime: Runtime,
    files: NoticeFiles,
    package_file: Path | None,
    *,
    by: str,
    now: datetime,
) -> Enclosure:
    """Make the evidence package of a notice, or copy an existing one into its folder.

    Outsiders receive only the copied stretches of the work; the holder's own counsel receives whole passages.
    """
    named = {match for infringement in facts.infringements for match in infringement.matches}
    matches = [match for match in confirmed_matches(case, runtime.stores) if match.name in named]
    is_outside = facts.addressee.role != "counsel"
    if package_file is None:
        package = export_package(matches, runtime, path=files.folder, by=by, excerpts=is_outside, now=now)
        number, sha256, size, name = package.number, package.sha256, package.size, package.path.name
    else:
        names = {match.id: match.name for match in matches}
        number = existing_package_number(package_file, names=names, is_outside=is_outside)
        name = f"{number}.zip"
        sha256, size = files.copy(package_file, name)
    files.note("evidence", name, sha256=sha256, size=size)
    settings = runtime.settings.analysis.notices
    enclosure = Enclosure(number=number, sha256=sha256, bytes=size, file_name=name)
    is_attached = _enclosed_bytes(replace(facts, evidence=enclosure)) <= settings.attach_megabytes * _MEGABYTE
    base = settings.evidence_url.rstrip("/")
    return enclosure if is_attached or not base else replace(enclosure, link=f"{base}/{name}")


def _write_formats(
    facts: NoticeFacts,
    letter: Letter,
    runtime: Runtime,
    files: NoticeFiles,
    *,
    message_id: str,
    is_draft: bool,
) -> tuple[PindnaError, ...]:
    """Write the letter in every format, and return the reason for each format that is absent."""
    title = f"{letter.title}-{facts.name}".replace("/", " ")
    problems: list[PindnaError] = []
    docx = word_file(letter, made=facts.made, author=facts.holder.name, footer=title)
    files.write("docx", f"{title}.docx", docx)
    files.write("txt", f"{title}.txt", letter.text().encode())
    try:
        files.write("pdf", f"{title}.pdf", print_pdf(letter.html, runtime.settings.crawler, footer=title))
    except (PrinterMissing, PrintingFailed) as error:
        problems.append(error)
    if not is_draft:
        _write_mail(facts, letter, runtime, files, title=title, message_id=message_id)
    return tuple(problems)


def _write_mail(
    facts: NoticeFacts, letter: Letter, runtime: Runtime, files: NoticeFiles, *, title: str, message_id: str
) -> None:
    """Write the mail if both parties have an address.

    Raises:
        TooLargeToAttach: the attachments are too large.
    """
    settings = runtime.settings.analysis.notices
    sender = settings.sender or facts.holder.email
    if not sender or not facts.addressee.email:
        return
    limit = settings.attach_megabytes
    if _enclosed_bytes(facts) > limit * _MEGABYTE:
        raise TooLargeToAttach(name=facts.name, limit=limit)
    mail = write_mail(
        sender=(facts.holder.name, sender),
        to=(facts.addressee.name, facts.addressee.email),
        subject=subject_of(facts, letter),
        text=letter.text(),
        attachments=list(_attachments(facts, files, runtime.stores)),
        message_id=message_id,
        made=facts.made,
    )
    files.write("eml", f"{title}.eml", mail)


def _enclosed_bytes(facts: NoticeFacts) -> int:
    evidence = facts.evidence.bytes if facts.evidence and not facts.evidence.link else 0
    return evidence + sum(document.bytes for document in facts.documents)


def _attachments(facts: NoticeFacts, files: NoticeFiles, stores: Stores) -> Iterator[Attachment]:
    """Yield the attachments of the mail: the letter, the holder's documents, the evidence."""
    form = "pdf" if "pdf" in files.written else "docx"
    yield _attachment(files.folder / Path(files.written[form].path).name)
    for document in facts.documents:
        yield Attachment(document.name, stores.holders.file(document.sha256), _media_type(document.name))
    if facts.evidence is not None and not facts.evidence.link:
        yield _attachment(files.folder / facts.evidence.file_name)


def _attachment(path: Path) -> Attachment:
    return Attachment(path.name, path.read_bytes(), _media_type(path.name))


def _media_type(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def subject_of(facts: NoticeFacts, letter: Letter) -> str:
    """Return the subject of a notice's mail."""
    if letter.language == "zh":
        return f"{letter.title}（{facts.name}）：{facts.case.site} 传播《{facts.work.title}》"
    return f"{letter.title} ({facts.name}): “{facts.work.title}” on {facts.case.site}"


def _make_record(
    facts: NoticeFacts,
    letter: Letter,
    files: NoticeFiles,
    case: Case,
    *,
    message_id: str,
    number: int,
    by: str,
) -> Notice:
    evidence = facts.evidence
    return Notice(
        id=notice_id(number),
        number=number,
        case=case.number,
        work_id=case.work_id,
        work_title=case.work_title,
        site=case.site,
        kind=facts.kind,
        holder=facts.holder.name,
        addressee=facts.addressee,
        subject=subject_of(facts, letter),
        text=letter.text(),
        urls=tuple(infringement.url for infringement in facts.infringements),
        message_id=message_id,
        evidence_number=evidence.number if evidence else "",
        evidence_sha256=evidence.sha256 if evidence else "",
        files=files.written,
        made=facts.made,
        by=by,
        reminds=facts.earlier.id if facts.earlier and facts.kind == "reminder" else "",
    )
