"""Loads: the works that one command or one upload added or changed. The audit log contains them."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from analysis.accounts.permissions import Identity
from analysis.queries.works import every_work, work_called
from storage.collections.filters import newest_events
from storage.collections.stores import Stores
from storage.records import Event, Work
from system.errors import PindnaError, UnknownRecord
from tracker.corpus.naming import ids_in
from tracker.corpus.numbers import parse_numbers, parse_ranges

# Fields of an event: name of the load, ids of its new works, of the works that it changed, of its passages.
LOAD, NEW, CHANGED, PASSAGES = "load", "new", "changed", "passages"
_LAST = "last"
_PREFIX = "load:"
_SHOWN_TITLES = 3
_MOST_EVENTS = 1_000  # the newest additions; a large load has some


class NoLoad(PindnaError):
    """Nothing was loaded, or its works are removed."""

    code = "no-load"
    template = "There is no load whose works can be removed."


class UnlistedWorks(PindnaError):
    """No load lists the newest texts: a load was interrupted before it was recorded, or is not complete.

    Attributes:
        titles: titles of the first works with these texts.
    """

    code = "unlisted-works"
    template = (
        "No load lists the newest texts of {titles}: adding them was interrupted, or is not complete. "
        "Remove these works, or name the load to undo."
    )


@dataclass(frozen=True, slots=True)
class Load:
    """The works of one command or one upload that are still there and that the caller may see, by id.

    Attributes:
        id: name of the load.
        at: when it began.
        by: the user; empty for rights holders.
        works: its new works that contain no texts of other loads. Undoing the load removes them.
        kept: its new works that now contain other texts too, such as later chapters.
        changed: older works that it changed.
    """

    id: str
    at: datetime
    by: str
    works: tuple[Work, ...]
    kept: tuple[Work, ...] = ()
    changed: tuple[Work, ...] = ()


@dataclass(frozen=True, slots=True)
class _Record:
    """What the events of a load say, the newest first."""

    events: list[Event] = field(default_factory=list)

    def ids(self, name: str) -> set[int]:
        """Return the ids of works in a field of the events."""
        return {key for text in self.texts(name) for key in parse_numbers(text)}

    def texts(self, name: str) -> list[str]:
        """Return the values of a field that are not empty."""
        return [text for event in self.events if (text := event.detail.get(name))]

    def ranges(self) -> list[tuple[int, int]]:
        """Return the ids of its passages as sorted ranges; events of earlier versions have none."""
        return sorted(pair for text in self.texts(PASSAGES) for pair in parse_ranges(text))

    def has_all_of(self, work: Work) -> bool:
        """Return whether every passage of a work comes from this load.

        Events of earlier versions do not list passages. Then additions to the work after the load count.
        """
        ranges = self.ranges()
        if not ranges:
            return all(addition.at <= self.events[0].at for addition in work.additions)
        firsts = [first for first, _ in ranges]
        positions = ((key, bisect_right(firsts, key) - 1) for key in work.passage_ids)
        return all(position >= 0 and key <= ranges[position][1] for key, position in positions)


def list_loads(identity: Identity, stores: Stores, *, limit: int = 20) -> list[Load]:
    """Return the newest loads with works that are still there, the newest first.

    Raises:
        NotPermitted: the user may not read works.
    """
    identity.require("works:read")
    records = _records(stores)
    works = _visible_works(identity, stores) if records else {}
    loads = (_load_of(identity, name, record, works) for name, record in records.items())
    return [load for load in loads if load is not None][:limit]


def get_load(identity: Identity, stores: Stores, name: str = _LAST) -> Load:
    """Return a load by its name, or the last one; the caller checks the permission.

    Raises:
        NoLoad: there is no load.
        UnknownRecord: no load has that name.
        UnlistedWorks: the last load is requested, but works were added after it.
    """
    works = _visible_works(identity, stores)
    records = _records(stores) if name == _LAST else _records(stores, name)
    if name == _LAST:
        _require_all_listed(records, works)
    for known_name in records:
        # A large load has more events than those that were read above.
        record = _records(stores, known_name)[known_name]
        if (load := _load_of(identity, known_name, record, works)) is not None:
            return load
    if name == _LAST:
        raise NoLoad
    raise UnknownRecord(kind="load", name=name)


def _records(stores: Stores, name: str = "") -> Mapping[str, _Record]:
    """Return the loads by name, the newest first; with a name, all events of this load only."""
    also = {"kind": "work-added", f"detail.{LOAD}": name or {"$gt": ""}}
    runs, after = list(newest_events(0, also)), None
    records: dict[str, _Record] = {}
    while True:
        events = stores.lists.events(runs, after=after, limit=_MOST_EVENTS)
        for event in events.records:
            records.setdefault(event.detail[LOAD], _Record()).events.append(event)
        after = events.end
        if after is None or not name:
            return records


def _require_all_listed(records: Mapping[str, _Record], works: Mapping[int, Work]) -> None:
    """Refuse to guess the last load if works have passages that are newer than those of every load.

    A killed process may have stored works without recording the load. Then the last recorded load is an
    earlier one, which the user does not mean.
    """
    newest = max((last for record in records.values() for _, last in record.ranges()), default=None)
    if newest is None:
        return
    unlisted = [work.title for work in works.values() if max(work.passage_ids, default=0) > newest]
    if unlisted:
        raise UnlistedWorks(titles=first_titles(unlisted))


def first_titles(titles: Sequence[str]) -> tuple[str, ...]:
    """Return the first titles of a long list, with a mark that there are more."""
    return (*titles[:_SHOWN_TITLES], "…")[: len(titles)]


def _visible_works(identity: Identity, stores: Stores) -> dict[int, Work]:
    works = stores.works.iter_all()
    return {work.id: work for work in works if identity.may_see(work.holder or "")}


def _load_of(identity: Identity, name: str, record: _Record, works: Mapping[int, Work]) -> Load | None:
    """Return a load; None if nothing of it is there.

    A load that only changed works is listed. Otherwise the last load would be an earlier one, and undoing it
    would remove works that the user does not mean.
    """
    new = record.ids(NEW)
    stored = [works[key] for key in sorted(new) if key in works]
    removable = {work.id for work in stored if record.has_all_of(work)}
    changed = [works[key] for key in sorted(record.ids(CHANGED) - new) if key in works]
    if not stored and (new or not changed):
        return None
    return Load(
        id=name,
        at=record.events[-1].at,
        by=record.events[-1].by if identity.sees_everything else "",
        works=tuple(work for work in stored if work.id in removable),
        kept=tuple(work for work in stored if work.id not in removable),
        changed=tuple(changed),
    )


def works_called(identity: Identity, stores: Stores, name: str) -> list[Work]:
    """Return the works with a name: a title, an address, ``id:3``, ``id:1-35`` or ``load:NAME``.

    Ids of removed works are skipped, if others remain.

    Raises:
        NotPermitted: the user may not read works.
        UnknownId, UnknownRecord, BareNumber, WasRemoved, AmbiguousTitle, NoLoad, BadNumbers: there is none.
    """
    identity.require("works:read")
    if name.startswith(_PREFIX):
        return list(get_load(identity, stores, name.removeprefix(_PREFIX).strip()).works)
    ids = frozenset(ids_in(name))
    if not ids:
        return [work_called(identity, stores, name)]
    works = [work for work in every_work(identity, stores) if work.id in ids]
    if not works:
        raise UnknownRecord(kind="work", name=name)
    return works
