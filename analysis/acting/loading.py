"""Works loaded from files by people and programs.

Works are stored one file at a time, and the database has one work of each title or address, so no upload
makes a second copy of a work.
"""

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from analysis.accounts.permissions import Identity
from analysis.acting.auditing import note_act
from analysis.acting.works import HolderOfBackground, field_of, subject_of, told_of
from analysis.reading import readers_with
from analysis.work_files import WorksQuestion
from storage.errors import PindnaError
from storage.records import Work, WorkRole
from tracker.corpus.loading import Terms, store_works
from tracker.corpus.reading import RawWork
from tracker.runtime import Runtime
from tracker.scans.dispatch import dispatch_works

_READ_S = 120.0  # of CPU, for one file or archive
_storing = threading.Lock()  # so that a file that two people upload at once is new once

FileOutcome = Literal["new", "changed", "unchanged", "refused", "remark"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """What became of one work in a file, or of one part of it that could not be used.

    Attributes:
        outcome: ``refused`` and ``remark`` have a problem, the others a work; of a ``remark`` the rest of the
            file was used.
    """

    outcome: FileOutcome
    work: Work | None = None
    problem: PindnaError | None = None


def add_file(
    who: Identity,
    runtime: Runtime,
    path: Path,
    *,
    holder: str = "",
    role: WorkRole | None = None,
    as_one: bool = False,
) -> tuple[FileResult, ...]:
    """Store the works of a file or an archive and have them indexed, as ``pindna corpus add`` does.

    Args:
        who: adds them.
        runtime: settings and open services.
        path: the file, called as it was when it was uploaded.
        holder: the rights holder of all its works; empty: as the file says.
        role: what they are here for; None: what they were, and ``protected`` of new ones.
        as_one: all files of an archive are one work.

    Raises:
        NotPermitted: this one may not.
        HolderOfBackground: background texts were to have a holder.
        PageUnreadable, Busy: the file could not be read within bounds, or not now.
        ServiceDown: a service does not answer; the call may be repeated.
    """
    who.require("works:write")
    holder = field_of(holder)
    if role == "background" and holder:
        raise HolderOfBackground
    tracker = runtime.settings.tracker
    question = WorksQuestion(
        folder=str(path.parent),
        name=path.name,
        max_bytes=tracker.max_file_bytes,
        timezone=tracker.timezone,
        as_one=as_one,
    )
    megabytes = runtime.settings.crawler.reader_megabytes
    readers = readers_with(megabytes, processes=1, max_s=_READ_S)
    read = readers.ask(question, name=path.name)
    raws = [raw for raw in read if isinstance(raw, RawWork)]
    results = [FileResult(outcome="refused", problem=own) for own in read if isinstance(own, PindnaError)]
    results += [FileResult(outcome="remark", problem=remark) for raw in raws for remark in raw.remarks]
    stored = _store(runtime, raws, Terms(holder or None, role=role))
    for result in stored:
        if result.work is not None and result.outcome in {"new", "changed"}:
            note_act(
                who,
                runtime,
                "add-work",
                subject_of(result.work),
                kind="work-added",
                after={"file": path.name, **told_of(result.work)},
            )
    return (*stored, *results)


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
