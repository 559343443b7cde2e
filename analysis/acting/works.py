"""Works added, described, licensed, removed and brought back by people and programs.

Each act takes ``works:write``; what it did is a row of the audit log. Works are stored one file at a time,
and the database has one work of each title or address, so no upload makes a second copy of a work.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from analysis.accounts.permissions import Identity
from analysis.acting.auditing import note_act
from analysis.i18n import translator
from analysis.licence_terms import all_terms
from analysis.queries.scope import visible_work
from analysis.reading import readers_with
from analysis.work_files import WorksQuestion
from storage.errors import PindnaError, UnknownId
from storage.records import Removal, Work, WorkRole
from tracker.corpus.content import MAX_FIELD_CHARS
from tracker.corpus.loading import Terms, store_works
from tracker.corpus.reading import RawWork
from tracker.corpus.regrouping import rename_work
from tracker.corpus.removal import Remains, remains_of, removal_of, remove_work, restore_work
from tracker.corpus.roles import set_role
from tracker.judgement.licences import licences_of, revoke
from tracker.runtime import Runtime
from tracker.scans.dispatch import dispatch_works

_READ_S = 120.0  # of CPU, for one file or archive
_storing = threading.Lock()  # so that a file that two people upload at once is new once

FileOutcome = Literal["new", "changed", "unchanged", "refused", "remark"]


class EmptyTitle(PindnaError):
    """A work was to have no title."""

    template = "A work needs a title."


class LongField(PindnaError):
    """What is said of a work is too long. Data: ``most``."""

    template = "Titles and names have at most {most} characters."


class HolderOfBackground(PindnaError):
    """Texts were to be nobody's and somebody's."""

    template = "Background texts are nobody's: leave the rights holder empty, or choose another role."


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
    holder = _field(holder)
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
                _subject(result.work),
                kind="work-added",
                after={"file": path.name, **_told(result.work)},
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


def describe_work(
    who: Identity, runtime: Runtime, work_id: int, *, title: str, author: str, holder: str
) -> Work:
    """Change what is said of a work; returns it as it is then.

    Raises:
        NotPermitted, UnknownId: it is not this one's to change.
        EmptyTitle, LongField: it cannot be called so.
        TitleTaken: another work has the title.
        HolderOfBackground: it is background text, which has no holder.
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """
    who.require("works:write")
    stores, before = runtime.stores, visible_work(who, runtime.stores, work_id)
    title, author, holder = map(_field, (title, author, holder))
    if not title:
        raise EmptyTitle
    if holder and not before.is_owned:
        raise HolderOfBackground
    work = before if title == before.title else rename_work(before, title, stores)
    if (author, holder) != (work.author or "", work.holder or ""):
        stores.works.describe(replace(work, author=author or None, holder=holder or None))
        stores.works.note_change(work.id)  # names count where a licence asks for attribution
    return _noted(who, runtime, "describe-work", before)


def change_role(who: Identity, runtime: Runtime, work_id: int, role: WorkRole) -> Work:
    """Say what a work, with all its editions, is here for; returns it as it is then.

    Raises:
        NotPermitted, UnknownId: it is not this one's to change.
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """
    who.require("works:write")
    before = visible_work(who, runtime.stores, work_id)
    if role != before.role:
        set_role(before, role, runtime.stores)
    return _noted(who, runtime, "change-role", before)


def revoke_licence(who: Identity, runtime: Runtime, work_id: int, site: str) -> Work:
    """Take a site's licences for a work back; the next scan judges stored pages by it.

    Raises:
        NotPermitted, UnknownId: it is not this one's to change.
        UnknownRecord: the site has none.
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """
    who.require("works:write")
    before = visible_work(who, runtime.stores, work_id)
    old = licences_of(before, site)
    revoke(before, site, runtime.stores)
    words = all_terms(old, ZoneInfo(runtime.settings.tracker.timezone), translator("en"))
    note_act(
        who,
        runtime,
        "revoke-licence",
        _subject(before),
        kind="work-changed",
        before={site: words},
        after={site: ""},
    )
    return visible_work(who, runtime.stores, work_id)


def losses_of(who: Identity, runtime: Runtime, work_id: int) -> tuple[Removal, Remains | None]:
    """Return what would go with a work, and what of its book would stay with another edition.

    Raises:
        NotPermitted, UnknownId: it is not this one's to remove.
        ServiceDown: MongoDB does not answer.
    """
    who.require("works:write")
    work = visible_work(who, runtime.stores, work_id)
    return removal_of(work, runtime.stores), remains_of(work, runtime.stores)


def remove(who: Identity, runtime: Runtime, work_id: int) -> Work:
    """Remove a work with what was found about it; for some days it can be brought back.

    Raises:
        NotPermitted, UnknownId: it is not this one's to remove.
        ServiceDown: a service does not answer; the call may be repeated.
    """
    who.require("works:write")
    before = visible_work(who, runtime.stores, work_id)
    remove_work(f"id:{work_id}", runtime.stores, runtime.guard.live())
    after = _removed(who, runtime, work_id)
    note_act(
        who,
        runtime,
        "remove-work",
        _subject(before),
        kind="work-removed",
        before=_told(before),
        after=_told(after),
    )
    return after


def restore(who: Identity, runtime: Runtime, work_id: int) -> Work:
    """Bring a removed work back with what was known of it, and have it indexed.

    Raises:
        NotPermitted: this one may not.
        UnknownId: no such work was removed, or not for this one to bring back.
        NameTaken: another work has its title or address now.
        ServiceDown: a service does not answer; the call may be repeated.
    """
    who.require("works:write")
    before = _removed(who, runtime, work_id)
    restore_work(f"id:{work_id}", runtime.stores, runtime.guard.live())
    dispatch_works(runtime.stores, runtime.settings.tracker, runtime.queue.send)
    return _noted(who, runtime, "restore-work", before)


def _removed(who: Identity, runtime: Runtime, work_id: int) -> Work:
    """Return a work that was removed and may come back.

    Raises:
        UnknownId: there is none, or not for this one.
    """
    for work in runtime.stores.works.removed():
        if work.id == work_id and who.may_see(work.holder or ""):
            return work
    raise UnknownId(kind="work", name=str(work_id))


def _field(text: str) -> str:
    """Return what is said of a work in one line."""
    line = " ".join(text.split())
    if len(line) > MAX_FIELD_CHARS:
        raise LongField(most=MAX_FIELD_CHARS)
    return line


def _noted(who: Identity, runtime: Runtime, act: str, before: Work) -> Work:
    """Write an act down, if it changed anything; returns the work as it is now."""
    after = runtime.stores.works.get_many([before.id])[before.id]
    told = _told(before), _told(after)
    if told[0] != told[1]:
        note_act(who, runtime, act, _subject(before), kind="work-changed", before=told[0], after=told[1])
    return after


def _subject(work: Work) -> str:
    return f"work {work.id}"


def _told(work: Work) -> Mapping[str, object]:
    removed = work.status == "removed"
    return {
        "title": work.title,
        "author": work.author or "",
        "holder": work.holder or "",
        "role": work.role,
        "characters": work.characters,
        "removed": removed,
    }
