"""Record actions in the audit log, in addition to the histories of cases."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

from analysis.accounts.audit import record
from analysis.accounts.permissions import Identity
from storage.records import EventKind, utc_now
from tracker.runtime import Runtime

_NOTHING: Mapping[str, object] = MappingProxyType({})


def record_action(
    identity: Identity,
    runtime: Runtime,
    act: str,
    subject: str,
    *,
    kind: EventKind = "requested",
    before: Mapping[str, object] = _NOTHING,
    after: Mapping[str, object] = _NOTHING,
    detail: Mapping[str, str] = MappingProxyType({}),
    at: datetime | None = None,
) -> None:
    """Record an action in the audit log.

    Args:
        identity: the user or program that acted.
        runtime: the open services.
        act: name of the action, such as ``close``.
        subject: object of the action, such as ``case c7``.
        kind: kind of event, if there is one for this action.
        before: fields before the action.
        after: fields after the action.
        detail: further data.
        at: time of the action; None: now.
    """
    record(
        runtime.stores,
        kind,
        by=identity.name,
        at=at or utc_now(),
        subject=subject,
        before=before,
        after=after,
        detail={"act": act, **identity.origin, **detail},
    )


def work_subject(work_id: int) -> str:
    """Return the name of a work in the audit log."""
    return f"work {work_id}"
