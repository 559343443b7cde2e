"""Reports that were written."""

from datetime import datetime

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from tracker.runtime import Runtime


def record_report(identity: Identity, runtime: Runtime, *, scope: str, form: str, made: datetime) -> None:
    """Record that a report was written; the next one of its scope marks what is new since then.

    Args:
        identity: wrote it.
        runtime: the open services.
        scope: as :func:`analysis.reports.earlier.scope_key` names it.
        form: of the file: ``html``.
        made: when its figures were read.

    Raises:
        NotPermitted: matches are not this one's to read.
    """
    identity.require("matches:read")
    runtime.stores.reports.record(scope=scope, form=form, made=made)
    note_act(identity, runtime, "report", f"report {scope}".strip(), detail={"form": form})
