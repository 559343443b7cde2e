"""Record that reports were written."""

from datetime import datetime

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from tracker.runtime import Runtime


def record_report(identity: Identity, runtime: Runtime, *, scope: str, form: str, made: datetime) -> None:
    """Record that a report was written. The next report of the same scope marks newer items as new.

    Args:
        identity: the user or program that wrote it.
        runtime: the open services.
        scope: key of its scope, from :func:`analysis.reports.earlier.scope_key`.
        form: format of the file, such as ``html``.
        made: when its figures were read.

    Raises:
        NotPermitted: the user may not read matches.
    """
    identity.require("matches:read")
    runtime.stores.reports.record(scope=scope, form=form, made=made)
    record_action(identity, runtime, "report", f"report {scope}".strip(), detail={"form": form})
