"""How far another machine's clock is ahead of this one's, estimated from one exchange of messages."""

from datetime import datetime


def ahead_s(answer: datetime, *, asked_at: datetime, answered_at: datetime) -> float:
    """Return by how many seconds the other clock is ahead.

    The result is negative when the other clock is behind, and 0 when both clocks may agree. The answer was
    made at some time between the request and its arrival, so no exchange measures more exactly than that
    interval.

    >>> from datetime import timedelta
    >>> noon = datetime(2026, 11, 23, 12)
    >>> ahead_s(noon + timedelta(seconds=1), asked_at=noon, answered_at=noon + timedelta(seconds=2))
    0.0
    >>> ahead_s(noon - timedelta(seconds=9), asked_at=noon, answered_at=noon + timedelta(seconds=2))
    -9.0

    Args:
        answer: the time that the other clock shows.
        asked_at: when the request was sent, by this clock.
        answered_at: when the answer arrived, by this clock.
    """
    if asked_at <= answer <= answered_at:
        return 0.0
    nearer = asked_at if answer < asked_at else answered_at
    return (answer - nearer).total_seconds()
