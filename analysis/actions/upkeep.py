"""Maintain the installation from the command line: index, backups and upgrades.

A user who can back up, restore or upgrade has access to the servers' passwords and files. So these actions
check no permission, but the audit log records the user.
"""

from collections.abc import Mapping
from types import MappingProxyType

from analysis.accounts.audit import record
from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from storage.collections.stores import Stores
from storage.index.interface import IndexStatistics
from storage.records import utc_now
from tracker.indexing import generations
from tracker.runtime import Runtime

_NOTHING: Mapping[str, object] = MappingProxyType({})


def rebuild_index(identity: Identity, runtime: Runtime) -> IndexStatistics:
    """Rebuild the index from the database, switch to the new index, and return its figures.

    Raises:
        NotPermitted: the user lacks the permission.
    """
    identity.require("sources:write")
    statistics = generations.rebuild(runtime.stores, runtime.redis, runtime.params).statistics()
    _record_index_action(identity, runtime, "rebuild-index", statistics)
    return statistics


def compact_index(identity: Identity, runtime: Runtime) -> IndexStatistics:
    """Remove the records of removed passages from the index, and return the figures of the index.

    Raises:
        NotPermitted: the user lacks the permission.
    """
    identity.require("sources:write")
    runtime.guard.live()
    index, _more = generations.keep_compact(runtime.stores, runtime.redis, runtime.params)
    statistics = index.statistics()
    _record_index_action(identity, runtime, "compact-index", statistics)
    return statistics


def _record_index_action(identity: Identity, runtime: Runtime, act: str, statistics: IndexStatistics) -> None:
    after = {"passages": statistics.passages, "postings": statistics.postings}
    record_action(identity, runtime, act, f"index {statistics.generation}", after=after)


def note_upkeep(identity: Identity, stores: Stores, act: str, after: Mapping[str, object] = _NOTHING) -> None:
    """Record an action on the whole database in the audit log.

    A database of an earlier version gets no row before its upgrade.

    Args:
        identity: the user or program that acted.
        stores: the database after the action.
        act: name of the action, such as ``create-backup``.
        after: results of the action.
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
