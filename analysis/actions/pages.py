"""Delete old evidence of pages without matches."""

from datetime import timedelta

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from analysis.evidence.log import append_pending
from storage.collections.retention import PruneResult, prune_evidence
from storage.records import utc_now
from tracker.runtime import Runtime


def prune(identity: Identity, runtime: Runtime, *, days: int) -> PruneResult:
    """Delete the captures of pages without matches that are older than ``days`` days. Return the numbers.

    Records that are not in the evidence log yet are appended to it first; otherwise they are not deleted.

    Raises:
        NotPermitted: the user may not delete evidence.
    """
    identity.require("sources:write")
    append_pending(runtime.stores, runtime.settings)
    gone = prune_evidence(runtime.stores, before=utc_now() - timedelta(days=days))
    after = {"older_than_days": days, "fetches": gone.captures, "bodies": gone.snapshots, "bytes": gone.size}
    record_action(identity, runtime, "prune-evidence", "evidence", after=after)
    return gone
