"""Append pending records to the evidence log."""

from analysis.accounts.permissions import Identity
from analysis.evidence.log import LogBroken, append_pending
from storage.collections.evidence_log import DamagedRow
from system.errors import PindnaError
from tracker.runtime import Runtime


def log_pending(identity: Identity, runtime: Runtime) -> PindnaError | None:
    """Append pending records to the evidence log, so that they are verified too. Return the error, if any.

    An altered log is not an error here, because verifying reports it.

    Raises:
        NotPermitted: the user may not read evidence.
    """
    identity.require("evidence:read")
    try:
        append_pending(runtime.stores, runtime.settings)
    except (LogBroken, DamagedRow):
        return None
    except PindnaError as error:
        return error
    return None
