"""The installation looked after by people at its terminal: index, backups, upgrades.

A user who can back up, restore or upgrade has the servers' passwords and the files, so these actions check no
permission; the audit log says who did it.
"""

from collections.abc import Mapping
from types import MappingProxyType

from analysis.accounts.audit import record
from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from storage.collections.stores import Stores
from storage.index.interface import IndexStatistics
from storage.records import utc_now
from tracker.indexing import generations
from tracker.runtime import Runtime

_NOTHING: Mapping[str, object] = MappingProxyType({})


def rebuild_index(identity: Identity, runtime: Runtime) -> IndexStatistics:
    """Rebuild the index from the database, swap, and return its figures.

    Raises:
        NotPermitted: this one may not.
    """
    identity.require("sources:write")
    statistics = generations.rebuild(runtime.stores, runtime.redis, runtime.params).statistics()
    _note_index(identity, runtime, "rebuild-index", statistics)
    return statistics


def compact_index(identity: Identity, runtime: Runtime) -> IndexStatistics:
    """Take what was removed out of the index, and return what it holds.

    Raises:
        NotPermitted: this one may not.
    """
    identity.require("sources:write")
    runtime.guard.live()
    index, _more = generations.keep_compact(runtime.stores, runtime.redis, runtime.params)
    statistics = index.statistics()
    _note_index(identity, runtime, "compact-index", statistics)
    return statistics


def _note_index(identity: Identity, runtime: Runtime, act: str, statistics: IndexStatistics) -> None:
    after = {"passages": statistics.passages, "postings": statistics.postings}
    note_act(identity, runtime, act, f"index {statistics.generation}", after=after)


def note_upkeep(identity: Identity, stores: Stores, act: str, after: Mapping[str, object] = _NOTHING) -> None:
    """Write an action on the whole database into the audit log.

    Nothing is written into a database of an earlier version: its upgrade is the first row.

    Args:
        identity: did it.
        stores: the database, as it is afterwards.
        act: what: ``create-backup``.
        after: what came of it.
    """
    if not stores.older_schema():
        detail = {"act": act, **identity.origin}
        record(
            stores,
            "requested",
            by=identity.name,
            at=utc_now(),
            subject="database",
            after=after,
            detail=detail,
        )
