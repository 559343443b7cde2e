"""The state of an address with copies in the takedown watch."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, get_args

WatchState = Literal["waiting", "up", "changed", "gone", "restricted", "moved", "unreachable"]
WATCH_STATES: tuple[WatchState, ...] = get_args(WatchState)

NEVER = datetime(9999, 1, 1, tzinfo=UTC)  # due time of an address without a case


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """An address that the watch checks on its own schedule, for the cases with copies there.

    Attributes:
        id: key of the address, see :func:`storage.collections.visits.visit_id`.
        url: canonical.
        source: source of the address; it defines how the site is requested.
        cases: numbers of the watching cases.
        page_id: the version with the copies.
        since: when the watch began.
        due: time of the next check; during a check: when another process may claim it.
        round: the present round; empty between rounds.
        attempts: attempts of the present round.
        step: position in the schedule.
        state: confirmed state: after one look without the copy, the state stays until a second look agrees.
            ``waiting`` before the first look; ``moved``: the text is now at ``moved_to``.
        reason: of the last look, a reason code of failed pages.
        look_id: the last processed look.
        looked: time of that look.
        last_up: the last look that saw the copy; initially the last scan that saw it.
        first_gone: the first later look without the copy, confirmed or not.
        gone_since: the same after two looks agree; None while the copy is, or may be, up.
        confirmed: time of the second look.
        returned: when the copy came back after a confirmed absence.
        notified: when the first notice was sent, or the first since the copy came back.
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
        """Return the hours from the first notice to the removal; None if either has not happened."""
        return takedown_hours(self.notified, [self.gone_since])


def takedown_hours(notified: datetime | None, gone: Iterable[datetime | None]) -> float | None:
    """Return the duration of a takedown: the hours from the notice to the last removal.

    Args:
        notified: when the first notice was sent; None: there was none.
        gone: when each address was removed; None: it is still up.

    Returns:
        None without a notice, without a removal, and if the copies were gone before the notice.
    """
    last = max((moment for moment in gone if moment is not None), default=None)
    if notified is None or last is None or last < notified:
        return None
    return (last - notified).total_seconds() / 3600
