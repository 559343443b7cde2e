"""What a user may see: the one place where a rights holder's bounds are drawn.

Lists of a holder are ranges of indexes that begin with the holder (:mod:`storage.collections.owners`). What
they yield is held against the works themselves, for a work may have another holder since a moment ago.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from analysis.accounts.permissions import Identity
from storage.collections.owners import owner_of
from storage.collections.stores import Stores
from storage.records import Work
from system.errors import UnknownId

R = TypeVar("R")


def owners_of(identity: Identity, holder: str = "") -> tuple[str, ...] | None:
    """Return the marks of the holders whose works a list may show; None: of all, and of works without one.

    Args:
        identity: asks.
        holder: whose works are wanted; empty: all that may be seen.
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
    """Return a work; one that may not be seen is not there.

    Args:
        identity: asks.
        stores: the database.
        work_id: its id.
        kind: of the record that the error reports as missing: a match or a case of the work.
        name: as it was asked for.

    Raises:
        UnknownId: there is none, or not for this one.
    """
    work = stores.works.get_many([work_id]).get(work_id)
    if work is None or not identity.may_see(work.holder or ""):
        raise UnknownId(kind=kind, name=name or str(work_id))
    return work


def require_visible(identity: Identity, stores: Stores, work_id: int, *, kind: str, name: str) -> None:
    """Check that records about a work may be seen; users who see everything also see those of removed works.

    Raises:
        UnknownId: it may not, as if it were not there.
    """
    if not identity.sees_everything:
        visible_work(identity, stores, work_id, kind=kind, name=name)


def only_visible(
    identity: Identity, stores: Stores, records: Iterable[R], work_of: Callable[[R], int]
) -> Iterator[R]:
    """Yield those of some records whose works may be seen now.

    Args:
        identity: asks.
        stores: the database.
        records: what a list yields.
        work_of: the id of a record's work.
    """
    if identity.sees_everything:
        return iter(records)
    all_records = list(records)
    works = stores.works.get_many({work_of(record) for record in all_records})
    visible = {work_id for work_id, work in works.items() if identity.may_see(work.holder or "")}
    return (record for record in all_records if work_of(record) in visible)
