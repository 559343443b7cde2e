"""Makes a notice: its letter in every format, the evidence that goes with it, and its record.

The files are written into a folder beside their place, which is renamed when they are whole; then the notice
is stored. A kill leaves at most a folder that no notice names, and a number that is never given again.
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
    """A notice is too large for one mail, and there is no place to link to. Data: ``name``, ``limit``."""

    template = (
        "What goes with {name} is larger than {limit} MB. Put the evidence package where it can be fetched "
        "and set analysis.notices.evidence_url, or raise analysis.notices.attach_megabytes."
    )


@dataclass(frozen=True, slots=True)
class MadeNotice:
    """A notice that was made.

    Attributes:
        missing: codes of the facts that a draft marks.
        problems: why a format is not there, one line each.
        left_out: addresses that were gone at the last look and are not named.
    """

    notice: Notice
    missing: tuple[str, ...]
    problems: tuple[PindnaError, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class NoticePreview:
    """What a notice would be.

    Attributes:
        facts: that it rests on; its name is not given yet.
        letter: with what is missing marked.
        missing: codes of the facts that it lacks.
    """

    facts: NoticeFacts
    letter: Letter
    missing: tuple[str, ...]


def preview_notice(case: Case, request: NoticeRequest, runtime: Runtime, *, now: datetime) -> NoticePreview:
    """Return what a notice about a case would be; nothing is made, and no number is taken.

    Args:
        case: what it would be about.
        request: what a person asks for.
        runtime: the open services.
        now: its date.

    Raises:
        NoHolder, TooManyAddresses, BadTemplate: it cannot be made at all.
    """
    stores, settings = runtime.stores, runtime.settings.analysis.notices
    facts, missing = _plan(case, request, stores, settings, made=now)
    timezone = runtime.settings.tracker.timezone
    letter = write_letter(facts, timezone=timezone, own_templates=settings.templates, is_draft=True)
    return NoticePreview(facts, letter, missing)


def _plan(
    case: Case, request: NoticeRequest, stores: Stores, settings: NoticeSettings, *, made: datetime
) -> tuple[NoticeFacts, tuple[str, ...]]:
    """Return what a notice would rest on, and the codes of what it would lack; its evidence comes with it.

    Raises:
        NoHolder, TooManyAddresses: it cannot be made at all.
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
        case: what it is about.
        request: what a person asks for.
        runtime: the open services.
        by: who makes it.
        now: its date.
        is_draft: missing facts are marked; such a notice is never sent.
        evidence: a package that was made before; None: one is made.

    Raises:
        FactsMissing: facts are missing, and it is no draft.
        NoHolder, TooManyAddresses, TooLargeToAttach, BadTemplate, BadMailbox: it cannot be made so.
        NotAPackage, OtherEvidence, WholeTexts: ``evidence`` is not the evidence for it.
        CannotKeep: the disk is full, or the place is not ours.
        IndexUnusable, LogBroken …: no evidence package can be made, see
            :func:`analysis.evidence.package.export_package`.
    """
    stores, settings = runtime.stores, runtime.settings.analysis.notices
    _, missing = _plan(case, request, stores, settings, made=now)
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
    notice = _record(facts, letter, files, case, message_id=message_id, number=number, by=by)
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
    """Return the evidence package that goes with a notice, made or copied into its folder.

    Outsiders get the stretches of the work that were found, one's own counsel gets all of it.
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
    """Write the letter in every format; return why one of them is not there."""
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
    """Write the mail, where both sides have an address.

    Raises:
        TooLargeToAttach: it has too much to carry.
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
    """Return how much goes with a letter."""
    evidence = facts.evidence.bytes if facts.evidence and not facts.evidence.link else 0
    return evidence + sum(document.bytes for document in facts.documents)


def _attachments(facts: NoticeFacts, files: NoticeFiles, stores: Stores) -> Iterator[Attachment]:
    """Yield what goes with the mail: the letter, the holder's documents, the evidence."""
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


def _record(
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
