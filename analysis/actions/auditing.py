"""The audit log of actions, in addition to the histories of cases."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

from analysis.accounts.audit import record
from analysis.accounts.permissions import Identity
from storage.records import EventKind, utc_now
from tracker.runtime import Runtime

_NOTHING: Mapping[str, object] = MappingProxyType({})


def note_act(
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
        identity: did it.
        runtime: the open services.
        act: what: ``close``.
        subject: to what: ``case c7``.
        kind: what sort of act it is, where there is a word for it.
        before: fields as they were.
        after: fields as they are.
        detail: what else is known.
        at: when; None: now.
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
