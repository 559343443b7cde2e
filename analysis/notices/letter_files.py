"""Write the files of a letter: its formats, the mail with the attachments, and the evidence package."""

import mimetypes
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from analysis.evidence.package import export_package
from analysis.notices.documents import Letter
from analysis.notices.enclosing import existing_package_number
from analysis.notices.facts import Enclosure, NoticeFacts
from analysis.notices.files import NoticeFiles
from analysis.notices.infringements import confirmed_matches
from analysis.notices.mail import Attachment, write_mail
from analysis.notices.word_file import word_file
from analysis.words.printing import PrinterMissing, PrintingFailed, print_pdf
from storage.collections.stores import Stores
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


def enclose_evidence(
    facts: NoticeFacts, runtime: Runtime, files: NoticeFiles, package_file: Path | None, *, by: str
) -> Enclosure:
    """Make the evidence package of a notice, or copy an existing one into its folder.

    Outsiders receive only the copied stretches of the works; the holder's counsel receives whole passages.
    """
    named = {match for infringement in facts.infringements for match in infringement.matches}
    matches = [
        match
        for subject in facts.subjects
        for match in confirmed_matches(subject.case, runtime.stores)
        if match.name in named
    ]
    is_outside = facts.addressee.role != "counsel"
    if package_file is None:
        package = export_package(
            matches, runtime, path=files.folder, by=by, excerpts=is_outside, now=facts.made
        )
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


def write_formats(
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
    addresses = facts.address_list.bytes if facts.address_list else 0
    return evidence + addresses + sum(document.bytes for document in facts.documents)


def _attachments(facts: NoticeFacts, files: NoticeFiles, stores: Stores) -> Iterator[Attachment]:
    """Yield the attachments of the mail: the letter, its addresses, the holder's documents, the evidence."""
    form = "pdf" if "pdf" in files.written else "docx"
    yield _attachment(files.folder / Path(files.written[form].path).name)
    if facts.address_list is not None:
        yield _attachment(files.folder / facts.address_list.file_name)
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
    more = len(facts.subjects) - 1
    if letter.language == "zh":
        works = f"《{facts.work.title}》" + (f"等 {more + 1} 部作品" if more else "")
        return f"{letter.title}（{facts.name}）：{facts.site} 传播{works}"
    works = f"“{facts.work.title}”" + (f" and {more} more" if more else "")
    return f"{letter.title} ({facts.name}): {works} on {facts.site}"
