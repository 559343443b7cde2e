"""Evidence of pages deleted when its time is up."""

from datetime import timedelta

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from analysis.evidence.log import append_pending
from storage.collections.retention import PruneResult, prune_evidence
from storage.records import utc_now
from tracker.runtime import Runtime


def prune(identity: Identity, runtime: Runtime, *, days: int) -> PruneResult:
    """Delete the fetches of pages that match no work and are older than so many days; returns how much.

    What is not in the evidence log yet is appended to it first, or stays.

    Raises:
        NotPermitted: what crawls keep is not this one's to delete.
    """
    identity.require("sources:write")
    append_pending(runtime.stores, runtime.settings)
    gone = prune_evidence(runtime.stores, before=utc_now() - timedelta(days=days))
    after = {"older_than_days": days, "fetches": gone.captures, "bodies": gone.snapshots, "bytes": gone.size}
    note_act(identity, runtime, "prune-evidence", "evidence", after=after)
    return gone
