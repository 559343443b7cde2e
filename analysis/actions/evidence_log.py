"""What waits for the evidence log, appended to it."""

from analysis.accounts.permissions import Identity
from analysis.evidence.log import LogBroken, append_pending
from storage.collections.evidence_log import DamagedRow
from system.errors import PindnaError
from tracker.runtime import Runtime


def log_pending(identity: Identity, runtime: Runtime) -> PindnaError | None:
    """Append what waits to the evidence log, so it is verified too; return why that failed.

    An altered log is no failure: verifying reports it.

    Raises:
        NotPermitted: evidence is not this one's to read.
    """
    identity.require("evidence:read")
    try:
        append_pending(runtime.stores, runtime.settings)
    except (LogBroken, DamagedRow):
        return None
    except PindnaError as error:
        return error
    return None
