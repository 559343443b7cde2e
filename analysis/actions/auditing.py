"""What was done through the console or the API, in the audit log; beside what a case's own history tells."""

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
    """Write down what somebody did.

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
