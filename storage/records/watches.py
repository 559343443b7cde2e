"""What the takedown watch knows of an address with copies."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, get_args

WatchState = Literal["waiting", "up", "changed", "gone", "restricted", "moved", "unreachable"]
WATCH_STATES: tuple[WatchState, ...] = get_args(WatchState)

NEVER = datetime(9999, 1, 1, tzinfo=UTC)  # when an address is due that no case is watched for


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """An address that is asked on a schedule of its own, for the cases that have copies there.

    Attributes:
        id: key of the address, see :func:`storage.collections.visits.visit_id`.
        url: canonical.
        source: that the address came from; it says how its site is asked.
        cases: numbers of the cases that it is watched for.
        page_id: the version with the copies, which is looked for.
        since: when the watch began.
        due: when it is asked next; while it is being asked, when others may take it up.
        round: the round in which it is asked now; empty between two of them.
        attempts: how often its present round was begun.
        step: place in the schedule.
        state: as the last look showed it, once that is certain: an address that was found absent once keeps
            its state until a second look agrees. ``waiting`` before the first look, ``moved`` where the same
            text is now at ``moved_to``.
        reason: of the last look, in the words of failed pages.
        look_id: the last look that was taken into account.
        looked: when that was.
        last_up: the last look that saw the copy; at first the last sight of it by a scan.
        first_gone: the first look since then that found the copy absent, be it certain or not yet.
        gone_since: the same once two looks agree; None while the copy is there, or may be.
        confirmed: when the second look agreed.
        returned: when it came back after it had been gone for certain.
        notified: when the first notice about it was sent, or the first since it came back.
    """

    id: str
    url: str
    source: str
    cases: tuple[int, ...] = ()
    page_id: str
    since: datetime
    due: datetime
    round: str = ""
    attempts: int = 0
    step: int = 0
    state: WatchState = "waiting"
    reason: str = ""
    moved_to: str = ""
    look_id: str = ""
    looked: datetime | None = None
    last_up: datetime | None = None
    first_gone: datetime | None = None
    gone_since: datetime | None = None
    confirmed: datetime | None = None
    returned: datetime | None = None
    notified: datetime | None = None

    @property
    def hours(self) -> float | None:
        """Return the hours from the first notice to the removal; None without either."""
        if self.notified is None or self.gone_since is None or self.gone_since < self.notified:
            return None
        return (self.gone_since - self.notified).total_seconds() / 3600
