"""Leases: who works on a record or reviews a match, and until when."""

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A worker's claim on a record.

    Attributes:
        token: identifies the claim; only its bearer may finish the record.
        until: when the record becomes free again.
        taken: a worker has started.
    """

    token: str
    until: datetime
    taken: bool = False


FREE = Lease(token="", until=datetime(1970, 1, 1, tzinfo=UTC))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewLease:
    """An account's claim on a match that it reviews; other accounts can read the match but not decide it.

    Attributes:
        id: id of the match.
        by: the account.
        window: unique name of the browser page.
        until: when the match becomes free again.
    """

    id: str
    by: str
    window: str
    until: datetime
