"""Loads: the works that one command or one upload added. The audit log contains them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from analysis.accounts.permissions import Identity
from analysis.queries.works import every_work, work_called
from storage.collections.filters import newest_events
from storage.collections.stores import Stores
from storage.records import Event, Work
from system.errors import PindnaError, UnknownRecord
from tracker.corpus.naming import ids_in
from tracker.corpus.numbers import parse_numbers

LOAD, NEW = "load", "new"  # the fields of an event
_LAST = "last"
_PREFIX = "load:"
_MOST_EVENTS = 1_000  # the newest additions; a large load has some


class NoLoad(PindnaError):
    """Nothing was loaded, or its works are removed."""

    code = "no-load"
    template = "There is no load whose works can be removed."


@dataclass(frozen=True, slots=True)
class Load:
    """The new works of one command or one upload.

    Attributes:
        id: name of the load.
        at: when it began.
        by: the user; empty for rights holders.
        works: the works that are still there and that the caller may see, by id.
    """

    id: str
    at: datetime
    by: str
    works: tuple[Work, ...]


def list_loads(identity: Identity, stores: Stores, *, limit: int = 20) -> list[Load]:
    """Return the newest loads with works that are still there, the newest first.

    Raises:
        NotPermitted: the user may not read works.
    """
    identity.require("works:read")
    return _visible_loads(identity, stores)[:limit]


def _visible_loads(identity: Identity, stores: Stores) -> list[Load]:
    """Return the loads with works that the user may see, the newest first."""
    also = {"kind": "work-added", f"detail.{LOAD}": {"$gt": ""}}
    events = stores.lists.events(list(newest_events(0, also)), after=None, limit=_MOST_EVENTS).records
    by_load: dict[str, list[Event]] = {}
    for event in events:
        by_load.setdefault(event.detail[LOAD], []).append(event)
    works = {work.id: work for work in stores.works.iter_all()} if events else {}
    loads = (
        Load(
            id=name,
            at=group[-1].at,
            by=group[-1].by if identity.sees_everything else "",
            works=tuple(works[key] for key in _ids_of(group) if key in works and _sees(identity, works[key])),
        )
        for name, group in by_load.items()
    )
    return [load for load in loads if load.works]


def _sees(identity: Identity, work: Work) -> bool:
    return identity.may_see(work.holder or "")


def _ids_of(events: Sequence[Event]) -> list[int]:
    """Return the ids of the new works of a load, ascending."""
    return sorted(
        {key for event in events if event.detail.get(NEW) for key in parse_numbers(event.detail[NEW])}
    )


def get_load(identity: Identity, stores: Stores, name: str = _LAST) -> Load:
    """Return a load by its name, or the last one; the caller checks the permission.

    Raises:
        NoLoad: there is no load.
        UnknownRecord: no load has that name.
    """
    loads = _visible_loads(identity, stores)
    if not loads:
        raise NoLoad
    for load in loads:
        if name in {load.id, _LAST}:
            return load
    raise UnknownRecord(kind="load", name=name)


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
