"""Lists of the audit log."""

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
        identity: the user or program that asks.
        stores: the database.
        by: the user who acted; empty: any.
        kind: kind of event; None: any.
        subject: object of the action; empty: any.
        since: start of the period.
        until: end of the period, exclusive.
        cursor: see :class:`analysis.queries.listing.Request`.
        limit: maximum number.

    Raises:
        NotPermitted, BadCursor, BadLimit: the request is not allowed.
    """
    identity.require("audit:read")
    criteria = {"by": by, "kind": kind, "subject": subject}
    also: dict[str, object] = {name: value for name, value in criteria.items() if value}
    times = {sign: moment for sign, moment in (("$gte", since), ("$lt", until)) if moment is not None}
    runs = list(newest_events(0, {**also, **({"at": times} if times else {})}))
    request = Request(f"audit {criteria} {since} {until}", cursor, limit)
    batch = stores.lists.events(runs, after=request.place(runs), limit=limit)
    return request.listing(batch.records, batch.end)
