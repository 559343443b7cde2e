"""The audit log."""

from datetime import datetime

from analysis.accounts.permissions import Identity
from analysis.queries.listing import DEFAULT_LIMIT, Listing, Request
from storage.collections.filters import newest_events
from storage.collections.stores import Stores
from storage.records import Event, EventKind


def list_audit(
    identity: Identity,
    stores: Stores,
    *,
    by: str = "",
    kind: EventKind | None = None,
    subject: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
    cursor: str = "",
    limit: int = DEFAULT_LIMIT,
) -> Listing[Event]:
    """Return rows of the audit log, the newest first.

    Args:
        identity: asks.
        stores: the database.
        by: who did it.
        kind: what was done.
        subject: to what.
        since: when at the earliest.
        until: the first moment after it.
        cursor: see :class:`analysis.queries.listing.Request`.
        limit: how many at most.

    Raises:
        NotPermitted, BadCursor, BadLimit: what is asked for is not to be had.
    """
    identity.require("audit:read")
    criteria = {"by": by, "kind": kind, "subject": subject}
    also: dict[str, object] = {name: value for name, value in criteria.items() if value}
    times = {sign: moment for sign, moment in (("$gte", since), ("$lt", until)) if moment is not None}
    runs = list(newest_events(0, {**also, **({"at": times} if times else {})}))
    request = Request(f"audit {criteria} {since} {until}", cursor, limit)
    batch = stores.lists.events(runs, after=request.place(runs), limit=limit)
    return request.listing(batch.records, batch.end)
