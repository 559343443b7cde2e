"""Works loaded from files by people and programs.

Works are stored one file at a time, and the database has one work of each title or address, so no upload
makes a second copy of a work.
"""

import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from analysis.accounts.permissions import Identity
from analysis.acting.auditing import note_act
from analysis.acting.works import HolderOfBackground, field_of, subject_of, told_of
from analysis.queries.scope import visible_work
from analysis.reading import readers_with
from analysis.work_files import WorksQuestion
from storage.errors import PindnaError
from storage.records import Work, WorkRole
from tracker.corpus.editions import Resemblance, likenesses, likenesses_among, link_edition
from tracker.corpus.loading import Terms, store_works, unknown_among
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


class AlikeWork(PindnaError):
    """Another work has the text already. Data: ``origin``, ``title``, ``share``, ``other``, ``id``."""

    template = (
        "{origin}: {share:.0%} of the text of “{title}” is in “{other}” (id:{id}) already; not loaded. "
        "Say that it is an edition of that work, or load it all the same."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is to be done with new works of a file whose text another work has already.

    Attributes:
        edition_of: they are editions of this one; None: they are works of their own.
        keys: which of them; None: all new ones, like another or not.
    """

    edition_of: int | None = None
    keys: frozenset[str] | None = None


def add_file(
    who: Identity,
    runtime: Runtime,
    path: Path,
    *,
    holder: str = "",
    role: WorkRole | None = None,
    as_one: bool = False,
    answer: Answer | None = None,
) -> tuple[FileResult, ...]:
    """Store the works of a file or an archive and have them indexed, as ``pindna corpus add`` does.

    A new work with the text of another one is not stored before somebody says what it is.

    Args:
        who: adds them.
        runtime: settings and open services.
        path: the file, called as it was when it was uploaded.
        holder: the rights holder of all its works; empty: as the file says.
        role: what they are here for; None: what they were, and ``protected`` of new ones.
        as_one: all files of an archive are one work.
        answer: what new works with the text of others are; None: nobody said so yet.

    Raises:
        NotPermitted: this one may not.
        UnknownId: there is no work that they could be editions of, or not for this one.
        DifferentRoles: it is here for another purpose.
        HolderOfBackground: background texts were to have a holder.
        PageUnreadable, Busy: the file could not be read within bounds, or not now.
        ServiceDown: a service does not answer; the call may be repeated.
    """
    who.require("works:write")
    holder = field_of(holder)
    if role == "background" and holder:
        raise HolderOfBackground
    book = _book_of(who, runtime, answer)
    if book is not None:
        role = role or book.role
        if role != book.role or not book.is_owned:
            raise DifferentRoles(title=book.title, other=path.name)
    raws, results = _read(runtime, path, as_one=as_one)
    if answer is not None and answer.keys is not None:
        raws = [raw for raw in raws if raw.key in answer.keys]
    results += [FileResult(outcome="remark", problem=remark) for raw in raws for remark in raw.remarks]
    terms, asks = Terms(holder or None, role=role), answer is None and role != "background"
    stored = _store_or_ask(who, runtime, raws, terms) if asks else _store(runtime, raws, terms)
    if book is not None:
        _link([own.work for own in stored if own.work and own.outcome == "new"], book, runtime)
    for result in stored:
        if result.work is not None and result.outcome in {"new", "changed"}:
            after = {"file": path.name, **told_of(result.work)}
            note_act(who, runtime, "add-work", subject_of(result.work), kind="work-added", after=after)
    return (*stored, *results)


def _book_of(who: Identity, runtime: Runtime, answer: Answer | None) -> Work | None:
    """Return the work that new ones are editions of, if somebody said so."""
    if answer is None or answer.edition_of is None:
        return None
    return visible_work(who, runtime.stores, answer.edition_of)


def _read(runtime: Runtime, path: Path, *, as_one: bool) -> tuple[list[RawWork], list[FileResult]]:
    """Return the works of a file, which a bounded process reads, and what of it cannot be used."""
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
    raws = [raw for raw in read if isinstance(raw, RawWork)]
    return raws, [FileResult(outcome="refused", problem=own) for own in read if isinstance(own, PindnaError)]


def _store_or_ask(who: Identity, runtime: Runtime, raws: list[RawWork], terms: Terms) -> list[FileResult]:
    """Store works; of new ones whose text a stored work has, or an earlier one of the file, only ask."""
    stores, role = runtime.stores, terms.role or "protected"
    new = unknown_among(raws, stores)
    known = likenesses(new, stores, runtime.guard.live(), runtime.params, role=role) if new else {}
    visible = {key: own for key, own in known.items() if who.may_see(own.other.holder or "")}
    twins = likenesses_among([raw for raw in new if raw.key not in visible], runtime.params, role=role)
    stored = _store(runtime, [raw for raw in raws if raw.key not in visible | twins], terms)
    works = {own.work.key: own.work for own in stored if own.work}
    asked = {
        key: replace(own, other=works[own.other.key]) for key, own in twins.items() if own.other.key in works
    }
    left = _store(runtime, [raw for raw in raws if raw.key in twins.keys() - asked.keys()], terms)
    questions = [_question(own, origin=own.work.origin) for own in (visible | asked).values()]
    return [*stored, *left, *questions]


def _question(alike: Resemblance, *, origin: str) -> FileResult:
    """Return what is asked about a new work whose text another one has."""
    other = alike.other
    problem = AlikeWork(
        origin=origin, title=alike.work.title, share=alike.share, other=other.title, id=other.id
    )
    return FileResult(outcome="alike", work=other, alike=alike, problem=problem)


def _link(works: list[Work], book: Work, runtime: Runtime) -> None:
    """Make new works editions of a book."""
    for work in works:
        if work.id != book.id:
            link_edition(work, book, runtime.stores)


def _store(runtime: Runtime, raws: list[RawWork], terms: Terms) -> list[FileResult]:
    """Store works; workers begin with them."""
    if not raws:
        return []
    stores = runtime.stores
    with _storing:
        stored = store_works(raws, stores, runtime.guard.live(), terms=terms)
    dispatch_works(stores, runtime.settings.tracker, runtime.queue.send)
    return [
        FileResult(outcome="refused", problem=own)
        if isinstance(own, PindnaError)
        else FileResult(outcome=own[0], work=own[1])
        for own in stored
    ]
