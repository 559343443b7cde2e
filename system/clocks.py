"""How far another machine's clock is ahead of this one's, as far as an exchange of messages can tell."""

from datetime import datetime


def ahead_s(answer: datetime, *, asked_at: datetime, answered_at: datetime) -> float:
    """Return by how many seconds a clock is ahead; negative: behind; 0 where it may well agree.

    What was told between question and answer is right within their distance, which no exchange can better.

    >>> from datetime import timedelta
    >>> noon = datetime(2026, 11, 23, 12)
    >>> ahead_s(noon + timedelta(seconds=1), asked=noon, answered=noon + timedelta(seconds=2))
    0.0
    >>> ahead_s(noon - timedelta(seconds=9), asked=noon, answered=noon + timedelta(seconds=2))
    -9.0

    Args:
        answer: the time by the other clock.
        asked: when it was asked, by this one.
        answered: when the answer was there, by this one.
    """
    if asked_at <= answer <= answered_at:
        return 0.0
    nearer = asked_at if answer < asked_at else answered_at
    return (answer - nearer).total_seconds()
