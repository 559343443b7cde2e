"""Estimate from one request and its answer how far the clock of another machine is ahead of this one's."""

from datetime import datetime


def clock_lead_seconds(answer: datetime, *, asked_at: datetime, answered_at: datetime) -> float:
    """Return by how many seconds the other clock is at least ahead.

    The result is negative if the other clock is behind, and 0 if both clocks may agree. The other machine
    read its clock at some time between the request and the arrival of the answer. So the result is only as
    exact as this interval is short.

    >>> from datetime import timedelta
    >>> noon, later = datetime(2026, 11, 23, 12), datetime(2026, 11, 23, 12, 0, 2)
    >>> clock_lead_seconds(noon + timedelta(seconds=1), asked_at=noon, answered_at=later)
    0.0
    >>> clock_lead_seconds(noon - timedelta(seconds=9), asked_at=noon, answered_at=later)
    -9.0

    Args:
        answer: the time on the other clock.
        asked_at: the time on this clock when the request was sent.
        answered_at: the time on this clock when the answer arrived.
    """
    if asked_at <= answer <= answered_at:
        return 0.0
    nearer = asked_at if answer < asked_at else answered_at
    return (answer - nearer).total_seconds()
