"""Decide which works a user may see. No other module decides this for rights holders.

Lists for a rights holder are ranges of indexes that begin with the holder
(:mod:`storage.collections.owners`). The records of such a list are checked again by their works, because the
holder of a work may just have changed.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TypeVar

from analysis.accounts.permissions import Identity
from storage.collections.owners import owner_of
from storage.collections.stores import Stores
from storage.records import Work
from system.errors import UnknownId

R = TypeVar("R")


def owners_of(identity: Identity, holder: str = "") -> tuple[str, ...] | None:
    """Return the index keys of the holders whose works a list may show; None: no restriction.

    Args:
        identity: the user or program that asks.
        holder: only works of this holder; empty: all works that the user may see.
    """
    requested_owners = (owner_of(holder),) if holder.strip() else None
    if identity.sees_everything:
        return requested_owners
    account_owners = tuple(sorted(set(filter(None, map(owner_of, identity.account.holders)))))
    return (
        account_owners
        if requested_owners is None
        else tuple(owner for owner in account_owners if owner in requested_owners)
    )


def visible_work(
    identity: Identity, stores: Stores, work_id: int, *, kind: str = "work", name: str = ""
) -> Work:
    """Return a work, if the user may see it.

    Args:
        identity: the user or program that asks.
        stores: the database.
        work_id: its id.
        kind: kind of the record that the error reports as missing, such as a match of the work.
        name: name of that record as the user wrote it.

    Raises:
        UnknownId: it does not exist, or the user may not see it.
    """
    work = stores.works.get_many([work_id]).get(work_id)
    if work is None or not identity.may_see(work.holder or ""):
        raise UnknownId(kind=kind, name=name or str(work_id))
    return work


def require_visible(identity: Identity, stores: Stores, work_id: int, *, kind: str, name: str) -> None:
    """Check that the user may see records about a work. Users who see all works also see removed works.

    Raises:
        UnknownId: the user may not see them; the error is the same as for a missing record.
    """
    if not identity.sees_everything:
        visible_work(identity, stores, work_id, kind=kind, name=name)


def only_visible(
    identity: Identity, stores: Stores, records: Iterable[R], work_of: Callable[[R], int]
) -> Iterator[R]:
    """Yield the records whose works the user may see now.

    Args:
        identity: the user or program that asks.
        stores: the database.
        records: records of a list.
        work_of: function that returns the id of a record's work.
    """
    return only_all_visible(identity, stores, records, lambda record: (work_of(record),))


def only_all_visible(
    identity: Identity, stores: Stores, records: Iterable[R], works_of: Callable[[R], Collection[int]]
) -> Iterator[R]:
    """Yield the records of which the user may see every work now.

    Args:
        identity: the user or program that asks.
        stores: the database.
        records: records of a list.
        works_of: function that returns the ids of a record's works.
    """
    if identity.sees_everything:
        return iter(records)
    all_records = list(records)
    works = stores.works.get_many({work_id for record in all_records for work_id in works_of(record)})
    visible = {work_id for work_id, work in works.items() if identity.may_see(work.holder or "")}
    return (record for record in all_records if visible.issuperset(works_of(record)))
