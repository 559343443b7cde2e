"""Leases: which worker has a record or which account reviews a match, and until when."""

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The exclusive right of a worker to work on a record for some time.

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
    """The right of an account to decide about a match; until it ends, other accounts can only read the match.

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
