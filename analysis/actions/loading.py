"""Works loaded from files by people and programs.

Works are stored one file at a time, and the database has one work of each title or address, so no upload
makes a second copy of a work.
"""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from analysis.actions.works import HolderOfBackground, field_of, log_fields, subject_of
from analysis.queries.scope import visible_work
from analysis.reading.untrusted_pages import readers_with
from analysis.reading.work_files import WorksQuestion
from storage.records import Work, WorkRole
from system.errors import PindnaError
from tracker.corpus.editions import Resemblance, similar_works, similar_works_among, spread_licences
from tracker.corpus.loading import Outcome, Refused, Report, Terms, ignore, store_works, unknown_among
from tracker.corpus.reading import RawWork
from tracker.corpus.roles import DifferentRoles
from tracker.runtime import Runtime
from tracker.scans.dispatch import dispatch_works

_READ_S = 120.0  # of CPU, for one file or archive
_storing = threading.Lock()  # so that a file that two people upload at once is new once

FileOutcome = Literal["new", "changed", "unchanged", "refused", "remark", "alike"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """What became of one work in a file, or of one part of it that could not be used.

    Attributes:
        outcome: ``refused`` and ``remark`` have a problem, the others a work; of a ``remark`` the rest of the
            file was used. What is ``alike`` was not stored: the work is the one that has its text already.
        alike: of what is ``alike``: how much of it the other work has.
    """

    outcome: FileOutcome
    work: Work | None = None
    problem: PindnaError | None = None
    alike: Resemblance | None = None


class SimilarWorkExists(PindnaError):
    """Another work has the text already. Data: ``origin``, ``title``, ``share``, ``other``, ``id``."""

    code = "alike-work"
    template = (
        "{origin}: not loaded, because “{other}” (id:{id}) already contains {share:.0%} of "
        "the text of “{title}”. Load it as an edition of that work or as a separate work."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is to be done with new works of a file whose text another work has already.

    Attributes:
        edition_of: they are editions of this one; None: they are works of their own.
        keys: which of them; None: all of them, but editions are only those with the text of that book.
    """

    edition_of: int | None = None
    keys: frozenset[str] | None = None


def add_works(
    identity: Identity, runtime: Runtime, raws: Sequence[RawWork], terms: Terms, *, report: Report = ignore
) -> list[tuple[Outcome, Work] | Refused]:
    """Store works that were read, and have them indexed; the audit log gets one row for all of them.

    Args:
        identity: adds them.
        runtime: settings and open services.
        raws: as they were read; some thousands at most.
        terms: what the rights holder says of them.
        report: receives a remark about each work whose text was that of another file.

    Returns:
        For each what happened and the work as it is stored now, or why it was refused.

    Raises:
        NotPermitted: this one may not.
    """
    identity.require("works:write")
    if not raws:
        return []
    stored = _store_and_send(runtime, raws, terms, report=report)
    works = [loaded for loaded in stored if not isinstance(loaded, PindnaError)]
    counts = Counter(outcome for outcome, _ in works)
    if len(works) == 1 and not counts["unchanged"]:
        _note_work(identity, runtime, works[0][1], works[0][1].origin)
    elif counts["new"] or counts["changed"] or (works and terms != Terms()):
        ids = sorted(work.id for _, work in works)
        after = {**asdict(terms), **{str(outcome): count for outcome, count in counts.items()}}
        after |= {"first": ids[0], "last": ids[-1]}
        note_act(identity, runtime, "add-works", f"works {len(works)}", kind="work-added", after=after)
    return stored


def add_file(
    identity: Identity,
    runtime: Runtime,
    path: Path,
    *,
    holder: str = "",
    role: WorkRole | None = None,
    as_one: bool = False,
    answer: Answer | None = None,
) -> tuple[FileResult, ...]:
    """Store the works of a file or an archive and have them indexed, as ``pindna corpus add`` does.

    A new work with the text of another one is not stored before the user says what it is.

    Args:
        identity: adds them.
        runtime: settings and open services.
        path: the file, called as it was when it was uploaded.
        holder: the rights holder of all its works; empty: as the file says.
        role: what they are here for; None: what they were, and ``protected`` of new ones.
        as_one: all files of an archive are one work.
        answer: what new works with the text of others are; None: not said yet. One with keys is about
            the works of these alone: the rest of the file is neither stored nor reported.

    Raises:
        NotPermitted: this one may not.
        UnknownId: there is no work that they could be editions of, or not for this one.
        DifferentRoles: it is here for another purpose.
        HolderOfBackground: background texts were to have a holder.
        PageUnreadable, Busy: the file could not be read within bounds, or not now.
    """
    identity.require("works:write")
    holder = field_of(holder)
    if role == "background" and holder:
        raise HolderOfBackground
    book = _book(identity, runtime, answer, role=role, name=path.name)
    terms = Terms(holder or None, role=role or (book.role if book else None))
    raws, problems = _read(runtime, path, as_one=as_one, keys=answer.keys if answer else None)
    new = unknown_among(raws, runtime.stores) if _asks(answer, role) else []
    alike = _alike(identity, runtime, new, role=terms.role or "protected")
    editions = _editions(raws, alike, book, answer)
    remaining = [raw for raw in raws if raw.key not in alike.keys() | editions.keys()]
    stored = _store_first(runtime, remaining, terms, new=new)
    if book is not None:
        stored += _store(runtime, list(editions.values()), replace(terms, edition_of=book.book_id))
    _note(identity, runtime, stored, path.name)
    return (*stored, *problems, *(question for key, question in alike.items() if key not in editions))


def _book(
    identity: Identity, runtime: Runtime, answer: Answer | None, *, role: WorkRole | None, name: str
) -> Work | None:
    """Return the work that those of a file are editions of, as an answer says; None: of none."""
    if answer is None or answer.edition_of is None:
        return None
    book = visible_work(identity, runtime.stores, answer.edition_of)
    if role not in {None, book.role} or not book.is_owned:
        raise DifferentRoles(title=book.title, other=name)
    return book


def _read(
    runtime: Runtime, path: Path, *, as_one: bool, keys: frozenset[str] | None
) -> tuple[list[RawWork], list[FileResult]]:
    """Return the works of a file, and remarks on it; with keys, of these works alone."""
    tracker = runtime.settings.tracker
    question = WorksQuestion(
        folder=str(path.parent),
        name=path.name,
        max_bytes=tracker.max_file_bytes,
        timezone=tracker.timezone,
        as_one=as_one,
    )
    readers = readers_with(runtime.settings.crawler.reader_megabytes, processes=1, max_s=_READ_S)
    read = readers.ask(question, name=path.name)
    raws = [result for result in read if isinstance(result, RawWork) and (keys is None or result.key in keys)]
    refused = [result for result in read if isinstance(result, PindnaError)] if keys is None else []
    problems = [FileResult(outcome="refused", problem=problem) for problem in refused]
    problems += [FileResult(outcome="remark", problem=remark) for raw in raws for remark in raw.remarks]
    return raws, problems


def _asks(answer: Answer | None, role: WorkRole | None) -> bool:
    """Return whether it matters which works are like others: they are asked about, or sorted by it."""
    is_open = answer is None or (answer.edition_of is not None and answer.keys is None)
    return is_open and role != "background"


def _editions(
    raws: Sequence[RawWork], alike: Mapping[str, FileResult], book: Work | None, answer: Answer | None
) -> dict[str, RawWork]:
    """Return the works that are editions of a book, by key: those that were named, or that have its text."""
    if book is None or answer is None:
        return {}
    books = {
        key: resemblance.work.book_id for key, resemblance in alike.items() if resemblance.work is not None
    }
    return {raw.key: raw for raw in raws if answer.keys is not None or books.get(raw.key) == book.book_id}


def _alike(
    identity: Identity, runtime: Runtime, new: list[RawWork], *, role: WorkRole
) -> dict[str, FileResult]:
    """Return the questions about new works whose text another work has, by key; of others' works none."""
    alike = similar_works(new, runtime.stores, runtime.guard.live(), runtime.params, role=role) if new else {}
    return {
        key: _question(resemblance)
        for key, resemblance in alike.items()
        if identity.may_see(resemblance.other.holder or "")
    }


def _question(alike: Resemblance) -> FileResult:
    """Return what is asked about a new work whose text another one has."""
    work, other = alike.work, alike.other
    problem = SimilarWorkExists(
        origin=work.origin, title=work.title, share=alike.share, other=other.title, id=other.id
    )
    return FileResult(outcome="alike", work=other, alike=alike, problem=problem)


def _store_first(
    runtime: Runtime, raws: list[RawWork], terms: Terms, *, new: list[RawWork]
) -> list[FileResult]:
    """Store works; of a new one whose text an earlier new one of the same file has, only ask."""
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
    return [*stored, *remaining, *map(_question, unanswered.values())]


def _store(runtime: Runtime, raws: list[RawWork], terms: Terms) -> list[FileResult]:
    """Store works; workers begin with them."""
    if not raws:
        return []
    return [
        FileResult(outcome="refused", problem=outcome)
        if isinstance(outcome, PindnaError)
        else FileResult(outcome=outcome[0], work=outcome[1])
        for outcome in _store_and_send(runtime, raws, terms)
    ]


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


def _note(identity: Identity, runtime: Runtime, stored: Sequence[FileResult], name: str) -> None:
    """Write the works that came from a file into the audit log."""
    for result in stored:
        if result.work is not None and result.outcome in {"new", "changed"}:
            _note_work(identity, runtime, result.work, name)


def _note_work(identity: Identity, runtime: Runtime, work: Work, name: str) -> None:
    after = {"file": name, **log_fields(work)}
    note_act(identity, runtime, "add-work", subject_of(work), kind="work-added", after=after)
