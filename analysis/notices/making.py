"""Make notices: write each letter in every format, enclose the evidence, and store the records.

The files are written into a folder next to their target, which is renamed when it is complete; then the
notice is stored. A kill leaves at most an unreferenced folder and a number that is not used again.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from analysis.notices.address_list import address_file_name, address_workbook
from analysis.notices.case_events import record_made
from analysis.notices.documents import Letter, write_letter
from analysis.notices.facts import (
    AddressList,
    Enclosure,
    FactsMissing,
    NoticeFacts,
    NoticeSubject,
    missing_facts,
    works_without,
)
from analysis.notices.files import NoticeFiles, new_folder, remove_folder, sha256_of
from analysis.notices.gathering import NoticeRequest, gather
from analysis.notices.letter_files import enclose_evidence, subject_of, write_formats
from analysis.notices.splitting import split_letters
from storage.collections.notices import notice_id
from storage.records import Case, Notice, NoticeCase, NoticeKind
from storage.settings.results import NoticeSettings
from system.errors import PindnaError
from tracker.runtime import Runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterOptions:
    """How letters are made.

    Attributes:
        whole_site: the user chose the site, not the cases; see :func:`analysis.notices.gathering.gather`.
        is_draft: mark missing facts; a draft is never sent.
        evidence: an existing package; None: make one for each letter.
    """

    whole_site: bool = False
    is_draft: bool = False
    evidence: Path | None = None


@dataclass(frozen=True, slots=True)
class MadeNotices:
    """The notices that were made together: one, or several if there are too many addresses for one.

    Attributes:
        missing: codes of the facts that a draft marks as missing.
        titles: titles of the works that lack a fact, by its code, if other works have it.
        problems: why a format is absent, one line each.
        left_out: addresses that were gone at the last look and are not listed.
        waiting: names of the cases that were left out because they wait for the reply to an earlier letter.
    """

    notices: tuple[Notice, ...]
    missing: tuple[str, ...]
    titles: Mapping[str, tuple[str, ...]]
    problems: tuple[PindnaError, ...]
    left_out: int
    waiting: tuple[str, ...]

    @property
    def notice(self) -> Notice:
        """The first notice."""
        return self.notices[0]


@dataclass(frozen=True, slots=True)
class NoticePreview:
    """A preview of a letter.

    Attributes:
        facts: facts of the first letter; it has no name yet.
        letter: the first letter, with missing facts marked.
        missing: codes of the missing facts.
        titles: titles of the works that lack a fact, by its code, if other works have it.
        works: titles of all works.
        addresses: number of addresses in all letters.
        left_out: number of addresses that are not listed because they were gone at the last look.
        waiting: names of the cases that are left out because they wait for the reply to an earlier letter.
    """

    facts: NoticeFacts
    letter: Letter
    missing: tuple[str, ...]
    titles: Mapping[str, tuple[str, ...]]
    works: tuple[str, ...]
    addresses: int
    left_out: int
    waiting: tuple[str, ...]


def preview_notice(
    cases: Sequence[Case],
    request: NoticeRequest,
    runtime: Runtime,
    *,
    now: datetime,
    whole_site: bool = False,
) -> NoticePreview:
    """Return a preview of a letter about cases, without storing anything or using a number.

    Args:
        cases: the cases.
        request: the user's request.
        runtime: the open services.
        now: date of the letter.
        whole_site: the user chose the site, not the cases.

    Raises:
        NoHolder, SeveralHolders, SeveralSites, NothingToList, BadTemplate: the letter cannot be made.
    """
    settings = runtime.settings.analysis.notices
    gathered = gather(
        cases, request, runtime.stores, reply_days=settings.reply_days, made=now, whole_site=whole_site
    )
    facts = gathered.facts
    missing = _missing_before_evidence(facts)
    first = split_letters(facts, settings.addresses_per_letter)[0]
    if _needs_list(first, settings):
        first = replace(first, address_list=AddressList(file_name=address_file_name(first)))
    timezone = runtime.settings.tracker.timezone
    letter = write_letter(first, timezone=timezone, own_templates=settings.templates, is_draft=True)
    return NoticePreview(
        first,
        letter,
        missing,
        titles=works_without(facts),
        works=tuple(subject.work.title for subject in facts.subjects),
        addresses=len(facts.infringements),
        left_out=facts.left_out,
        waiting=gathered.waiting,
    )


def _missing_before_evidence(facts: NoticeFacts) -> tuple[str, ...]:
    """Return the codes of the missing facts, apart from the evidence package, which is made later."""
    promised = Enclosure(number="", sha256="", bytes=0, file_name="")
    return missing_facts(replace(facts, evidence=promised if facts.infringements else None))


def _needs_list(facts: NoticeFacts, settings: NoticeSettings) -> bool:
    return len(facts.infringements) > settings.addresses_in_letter


def make_notices(
    cases: Sequence[Case],
    request: NoticeRequest,
    runtime: Runtime,
    *,
    by: str,
    now: datetime,
    options: LetterOptions = LetterOptions(),
) -> MadeNotices:
    """Make a letter about cases of one holder on one site, and store it.

    If it has more addresses than a letter may list, several letters are made. If one of them fails, none is
    stored.

    Args:
        cases: the cases.
        request: the user's request.
        runtime: the open services.
        by: the user who makes it.
        now: date of the letter.
        options: how it is made.

    Raises:
        FactsMissing: facts are missing, and the notice is not a draft.
        NoHolder, SeveralHolders, SeveralSites, NothingToList: the cases do not belong in one letter.
        TooLargeToAttach, BadTemplate, BadMailbox: the letter cannot be made.
        NotAPackage, OtherEvidence, WholeTexts: ``options.evidence`` does not fit the letter.
        CannotKeep: the disk is full, or the folder is not writable.
        IndexUnusable, LogBroken …: no evidence package can be made, see
            :func:`analysis.evidence.package.export_package`.
    """
    stores, settings = runtime.stores, runtime.settings.analysis.notices
    gathered = gather(
        cases, request, stores, reply_days=settings.reply_days, made=now, whole_site=options.whole_site
    )
    missing, titles = _missing_before_evidence(gathered.facts), works_without(gathered.facts)
    if missing and not options.is_draft:
        raise FactsMissing(count=len(missing), codes=missing, titles=titles)
    notices: list[Notice] = []
    problems: dict[str, PindnaError] = {}
    try:
        for facts in split_letters(gathered.facts, settings.addresses_per_letter):
            notice, letter_problems = _make_letter(facts, runtime, options, by=by)
            notices.append(notice)
            problems |= {str(problem): problem for problem in letter_problems}
    except BaseException:
        for notice in notices:
            remove_folder(settings.folder, notice.name)
        raise
    for notice in notices:
        stores.notices.add(notice)
        record_made(notice, stores)
    return MadeNotices(
        tuple(notices),
        missing=missing,
        titles=titles,
        problems=tuple(problems.values()),
        left_out=gathered.facts.left_out,
        waiting=gathered.waiting,
    )


def _make_letter(
    facts: NoticeFacts, runtime: Runtime, options: LetterOptions, *, by: str
) -> tuple[Notice, tuple[PindnaError, ...]]:
    """Write the files of a letter. Return its record, and the reasons for absent formats."""
    stores, settings = runtime.stores, runtime.settings.analysis.notices
    timezone = runtime.settings.tracker.timezone
    number = stores.notices.new_number()
    name = notice_id(number)
    facts = replace(facts, name=name)
    with new_folder(settings.folder, name) as (folder, target):
        files = NoticeFiles(folder, target)
        if _needs_list(facts, settings):
            facts = replace(facts, address_list=_write_address_list(facts, files, timezone))
        if facts.infringements and not options.is_draft:
            facts = replace(facts, evidence=enclose_evidence(facts, runtime, files, options.evidence, by=by))
        letter = write_letter(
            facts,
            timezone=timezone,
            own_templates=settings.templates,
            is_draft=options.is_draft or bool(missing_facts(facts)),
        )
        message_id = f"<{name}.{secrets.token_hex(8)}@pindna.invalid>"
        problems = write_formats(
            facts, letter, runtime, files, message_id=message_id, is_draft=options.is_draft
        )
    notice = _make_record(facts, letter, files, message_id=message_id, number=number, by=by)
    return replace(notice, is_draft=options.is_draft), problems


def _write_address_list(facts: NoticeFacts, files: NoticeFiles, timezone: str) -> AddressList:
    """Write the workbook with the addresses."""
    name, data = address_file_name(facts), address_workbook(facts, timezone=timezone)
    files.write("addresses", name, data)
    return AddressList(file_name=name, sha256=sha256_of(data), bytes=len(data))


def _make_record(
    facts: NoticeFacts,
    letter: Letter,
    files: NoticeFiles,
    *,
    message_id: str,
    number: int,
    by: str,
) -> Notice:
    evidence = facts.evidence
    return Notice(
        id=notice_id(number),
        number=number,
        cases=tuple(_notice_case(subject, facts.kind) for subject in facts.subjects),
        letter=facts.letter,
        letters=facts.letters,
        site=facts.site,
        kind=facts.kind,
        holder=facts.holder.name,
        addressee=facts.addressee,
        subject=subject_of(facts, letter),
        text=letter.text(),
        message_id=message_id,
        evidence_number=evidence.number if evidence else "",
        evidence_sha256=evidence.sha256 if evidence else "",
        files=files.written,
        made=facts.made,
        by=by,
    )


def _notice_case(subject: NoticeSubject, kind: NoticeKind) -> NoticeCase:
    """Return the record of a work's case in a notice."""
    return NoticeCase(
        number=subject.case.number,
        work_id=subject.case.work_id,
        work_title=subject.case.work_title,
        urls=tuple(infringement.url for infringement in subject.infringements),
        reminds=subject.earlier.id if subject.earlier and kind == "reminder" else "",
        work_holder=subject.work.holder or "",
    )
