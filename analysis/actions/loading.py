"""Load works from files. The new works of one command or upload are a load, which can be undone.

Works are stored one file at a time, and the database has only one work of each title or address. So no upload
makes a second copy of a work.
"""

import secrets
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action, work_subject
from analysis.actions.works import HolderOfBackground, field_of, log_fields
from analysis.queries.loads import CHANGED, LOAD, NEW, PASSAGES
from analysis.queries.scope import visible_work
from analysis.reading.untrusted_pages import readers_with
from analysis.reading.work_files import WorksQuestion
from storage.records import Work, WorkRole, utc_now
from system.errors import PindnaError
from tracker.corpus.editions import Resemblance, similar_works, similar_works_among, spread_licences
from tracker.corpus.layout import NumberedWorks
from tracker.corpus.loading import Outcome, Refused, Report, Terms, ignore, store_works, unknown_among
from tracker.corpus.numbers import format_numbers
from tracker.corpus.reading import RawWork
from tracker.corpus.roles import DifferentRoles
from tracker.runtime import Runtime
from tracker.scans.dispatch import dispatch_works

_READ_S = 120.0  # CPU seconds for one file or archive
_storing = threading.Lock()  # if two users upload the same file at the same time, only one upload adds works

FileOutcome = Literal["new", "changed", "unchanged", "refused", "remark", "alike"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """The result for one work of a file, or for a part of the file that could not be used.

    Attributes:
        outcome: ``refused`` means that the file could not be used, and ``remark`` that a part of it could
            not. ``alike`` means that the work was not stored, because another work has its text.
        work: the stored work; for ``alike``, the other work.
        problem: the error of ``refused`` and ``remark``.
        alike: for ``alike``, how much of the text the other work has.
        files: number of files that the work was made of.
    """

    outcome: FileOutcome
    work: Work | None = None
    problem: PindnaError | None = None
    alike: Resemblance | None = None
    files: int = 1


class SimilarWorkExists(PindnaError):
    """Another work already has the text.

    Attributes:
        origin: the file.
        title: title of the new work.
        share: share of its text that the other work contains.
        other, id: title and id of the other work.
    """

    code = "alike-work"
    template = (
        "{origin}: not loaded, because “{other}” (id:{id}) already contains {share:.0%} of "
        "the text of “{title}”. Load it as an edition of that work or as a separate work."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The user's decision about new works of a file whose text another work already has.

    Attributes:
        edition_of: id of the work that they are editions of; None: they are separate works.
        keys: keys of the works that the decision is about; None: all works of the file. Then only works with
            the text of that book become editions.
    """

    edition_of: int | None = None
    keys: frozenset[str] | None = None


def new_load() -> str:
    """Return the name of a new load, which works that are added together share."""
    return f"{utc_now():%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"


def add_works(
    identity: Identity,
    runtime: Runtime,
    raws: Sequence[RawWork],
    terms: Terms,
    *,
    report: Report = ignore,
    load: str = "",
) -> list[tuple[Outcome, Work] | Refused]:
    """Store works that were read from files, and have them indexed. The audit log gets one row for all works.

    Args:
        identity: the user or program that adds them.
        runtime: settings and open services.
        raws: works as they were read, at most some thousands.
        terms: values that the rights holder gave for all works.
        report: function that receives a remark about each work with the text of another file.
        load: name of the load that they belong to; empty: a new one.

    Returns:
        For each work its outcome and the stored work, or why it was refused.

    Raises:
        NotPermitted: the user lacks the permission.
    """
    identity.require("works:write")
    if not raws:
        return []
    began = utc_now()
    stored = _store_and_send(runtime, raws, terms, report=report)
    works = [loaded for loaded in stored if not isinstance(loaded, PindnaError)]
    counts = Counter(outcome for outcome, _ in works)
    detail = _load_detail(load or new_load(), works, began=began)
    if len(works) == 1 and not counts["unchanged"]:
        _record_work(identity, runtime, works[0][1], works[0][1].origin, detail)
    elif counts["new"] or counts["changed"] or (works and terms != Terms()):
        ids = sorted(work.id for _, work in works)
        after = {**asdict(terms), **{str(outcome): count for outcome, count in counts.items()}}
        after |= {"first": ids[0], "last": ids[-1]}
        subject = f"works {len(works)}"
        record_action(identity, runtime, "add-works", subject, kind="work-added", after=after, detail=detail)
    return stored


def add_file(
    identity: Identity,
    runtime: Runtime,
    path: Path,
    *,
    holder: str = "",
    role: WorkRole | None = None,
    as_one: bool = False,
    separate: bool = False,
    answer: Answer | None = None,
    load: str = "",
) -> tuple[FileResult, ...]:
    """Store the works of a file or an archive, and have them indexed, as ``pindna corpus add`` does.

    A new work with the text of another work is not stored before the user has decided what it is.

    Args:
        identity: the user or program that adds them.
        runtime: settings and open services.
        path: the file, under its name at upload.
        holder: rights holder of all its works; empty: the holder that the file contains.
        role: role of the works; None: existing works keep their role, and new ones are ``protected``.
        as_one: all files of an archive are one work.
        separate: each file of an archive is a work.
        answer: decision about new works with the text of other works; None: no decision yet. If it has keys,
            only these works are stored and reported.
        load: name of the load that they belong to; empty: a new one.

    Raises:
        NotPermitted: the user lacks the permission.
        UnknownId: the work that they should be editions of does not exist, or the user may not see it.
        DifferentRoles: that work has another role.
        HolderOfBackground: background texts cannot have a holder.
        PageUnreadable, Busy: reading the file exceeded a limit, or no reader is free now.
    """
    identity.require("works:write")
    holder = field_of(holder)
    if role == "background" and holder:
        raise HolderOfBackground
    book = _book_of_answer(identity, runtime, answer, role=role, name=path.name)
    terms = Terms(holder or None, role=role or (book.role if book else None))
    raws, problems = _read_works(
        runtime, path, as_one=as_one, separate=separate, keys=answer.keys if answer else None
    )
    new = unknown_among(raws, runtime.stores) if _needs_similar_works(answer, role) else []
    alike = _find_similar_works(identity, runtime, new, role=terms.role or "protected")
    editions = _editions(raws, alike, book, answer)
    remaining = [raw for raw in raws if raw.key not in alike.keys() | editions.keys()]
    began = utc_now()
    stored = _store_without_repeats(runtime, remaining, terms, new=new)
    if book is not None:
        stored += _store(runtime, list(editions.values()), replace(terms, edition_of=book.book_id))
    _record_upload(identity, runtime, stored, path.name, load=load or new_load(), began=began)
    return (*stored, *problems, *(question for key, question in alike.items() if key not in editions))


def _book_of_answer(
    identity: Identity, runtime: Runtime, answer: Answer | None, *, role: WorkRole | None, name: str
) -> Work | None:
    """Return the work whose editions the file contains, by the user's answer; None without that answer."""
    if answer is None or answer.edition_of is None:
        return None
    book = visible_work(identity, runtime.stores, answer.edition_of)
    if role not in {None, book.role} or not book.is_owned:
        raise DifferentRoles(title=book.title, other=name)
    return book


def _read_works(
    runtime: Runtime, path: Path, *, as_one: bool, separate: bool, keys: frozenset[str] | None
) -> tuple[list[RawWork], list[FileResult]]:
    """Return the works of a file and the remarks on it; with keys, only for the works with these keys."""
    tracker = runtime.settings.tracker
    question = WorksQuestion(
        folder=str(path.parent),
        name=path.name,
        max_bytes=tracker.max_file_bytes,
        timezone=tracker.timezone,
        as_one=as_one,
        separate=separate,
    )
    readers = readers_with(runtime.settings.crawler.reader_megabytes, processes=1, max_s=_READ_S)
    read = readers.ask(question, name=path.name)
    raws = [result for result in read if isinstance(result, RawWork) and (keys is None or result.key in keys)]
    refused = [result for result in read if isinstance(result, PindnaError)] if keys is None else []
    problems = [
        FileResult(outcome="remark" if isinstance(problem, NumberedWorks) else "refused", problem=problem)
        for problem in refused
    ]
    problems += [FileResult(outcome="remark", problem=remark) for raw in raws for remark in raw.remarks]
    return raws, problems


def _needs_similar_works(answer: Answer | None, role: WorkRole | None) -> bool:
    """Return whether similar works must be searched for: to ask the user, or to find the editions."""
    is_open = answer is None or (answer.edition_of is not None and answer.keys is None)
    return is_open and role != "background"


def _editions(
    raws: Sequence[RawWork], alike: Mapping[str, FileResult], book: Work | None, answer: Answer | None
) -> dict[str, RawWork]:
    """Return key → work for the editions of a book: works that the user named, or works with its text."""
    if book is None or answer is None:
        return {}
    books = {
        key: resemblance.work.book_id for key, resemblance in alike.items() if resemblance.work is not None
    }
    return {raw.key: raw for raw in raws if answer.keys is not None or books.get(raw.key) == book.book_id}


def _find_similar_works(
    identity: Identity, runtime: Runtime, new: list[RawWork], *, role: WorkRole
) -> dict[str, FileResult]:
    """Return key → question for new works with the text of another work that the user may see."""
    alike = similar_works(new, runtime.stores, runtime.guard.live(), runtime.params, role=role) if new else {}
    return {
        key: _similar_work_question(resemblance)
        for key, resemblance in alike.items()
        if identity.may_see(resemblance.other.holder or "")
    }


def _similar_work_question(alike: Resemblance) -> FileResult:
    """Return the result that asks the user about a new work with the text of another work."""
    work, other = alike.work, alike.other
    problem = SimilarWorkExists(
        origin=work.origin, title=work.title, share=alike.share, other=other.title, id=other.id
    )
    return FileResult(outcome="alike", work=other, alike=alike, problem=problem)


def _store_without_repeats(
    runtime: Runtime, raws: list[RawWork], terms: Terms, *, new: list[RawWork]
) -> list[FileResult]:
    """Store works. If a new work has the text of an earlier new work of the same file, only ask about it."""
    keys = {raw.key for raw in raws}
    among = [raw for raw in new if raw.key in keys]
    twins = similar_works_among(among, runtime.params, role=terms.role or "protected")
    stored = _store(runtime, [raw for raw in raws if raw.key not in twins], terms)
    works = {outcome.work.key: outcome.work for outcome in stored if outcome.work}
    unanswered = {
        key: replace(outcome, other=works[outcome.other.key])
        for key, outcome in twins.items()
        if outcome.other.key in works
    }
    remaining = _store(runtime, [raw for raw in raws if raw.key in twins.keys() - unanswered.keys()], terms)
    return [*stored, *remaining, *map(_similar_work_question, unanswered.values())]


def _store(runtime: Runtime, raws: list[RawWork], terms: Terms) -> list[FileResult]:
    """Store works, and send them to the workers for indexing."""
    if not raws:
        return []
    remarks: list[PindnaError] = []
    outcomes = _store_and_send(runtime, raws, terms, report=remarks.append)
    results = [
        FileResult(outcome="refused", problem=outcome)
        if isinstance(outcome, PindnaError)
        else FileResult(outcome=outcome[0], work=outcome[1], files=raw.files)
        for raw, outcome in zip(raws, outcomes, strict=True)
    ]
    return [*results, *(FileResult(outcome="remark", problem=remark) for remark in remarks)]


def _store_and_send(
    runtime: Runtime, raws: Sequence[RawWork], terms: Terms, *, report: Report = ignore
) -> list[tuple[Outcome, Work] | Refused]:
    stores = runtime.stores
    with _storing:
        stored = store_works(raws, stores, runtime.guard.live(), terms=terms, report=report)
    for outcome in stored:
        if not isinstance(outcome, PindnaError) and (
            terms.edition_of or (terms.sites and outcome[0] != "new")
        ):
            spread_licences(outcome[1], stores)
    dispatch_works(stores, runtime.settings.tracker, runtime.queue.send)
    return stored


def _record_upload(
    identity: Identity,
    runtime: Runtime,
    stored: Sequence[FileResult],
    name: str,
    *,
    load: str,
    began: datetime,
) -> None:
    """Record the works of a file in the audit log; the first row contains the load."""
    works: list[tuple[Outcome, Work]] = [
        ("new" if result.outcome == "new" else "changed", result.work)
        for result in stored
        if result.work is not None and result.outcome in {"new", "changed"}
    ]
    detail = _load_detail(load, works, began=began)
    for _, work in works:
        _record_work(identity, runtime, work, name, detail)
        detail = {}


def _record_work(
    identity: Identity, runtime: Runtime, work: Work, name: str, detail: Mapping[str, str]
) -> None:
    after = {"file": name, **log_fields(work)}
    subject = work_subject(work.id)
    record_action(identity, runtime, "add-work", subject, kind="work-added", after=after, detail=detail)


def _load_detail(load: str, works: Sequence[tuple[Outcome, Work]], *, began: datetime) -> Mapping[str, str]:
    """Return the fields of an event about the new and changed works of a load; nothing without such works."""
    new = [work for outcome, work in works if outcome == "new"]
    changed = [work for outcome, work in works if outcome == "changed"]
    if not new and not changed:
        return {}
    passages = [key for work in new for key in work.passage_ids]
    for work in changed:
        if work.additions and work.additions[-1].at >= began:
            passages += [key for key in work.passage_ids if key >= work.additions[-1].first_id]
    fields = {
        NEW: [work.id for work in new],
        CHANGED: [work.id for work in changed],
        PASSAGES: passages,
    }
    return {LOAD: load, **{name: format_numbers(ids) for name, ids in fields.items() if ids}}
