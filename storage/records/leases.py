"""Who works on a record, and until when: leases of workers, and of people who review matches."""

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """Who may work on a record, and until when.

    Attributes:
        token: of the worker that has the record; only its bearer may finish.
        until: after this moment the record is free again.
        taken: a worker has begun.
    """

    token: str
    until: datetime
    taken: bool = False


FREE = Lease(token="", until=datetime(1970, 1, 1, tzinfo=UTC))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewLease:
    """Somebody has a match open to decide about it; others can look, and not decide.

    Attributes:
        id: of the match.
        by: the account.
        window: the page in whose browser it is open; each has a name of its own.
        until: after this moment it is free again.
    """

    id: str
    by: str
    window: str
    until: datetime
