"""Which was there first, page or work: only what is known decides, and the evidence is named. Pure."""

from datetime import datetime
from typing import Literal, get_args

from storage.records.times import ClaimedDate

# What shows that a page was there before the work: the date that it bears, or our own first sight of it.
Precedence = Literal["", "claimed-date", "first-sight"]
PRECEDENCES: tuple[Precedence, ...] = get_args(Precedence)


def precedence(
    *, page: ClaimedDate | None, first_seen: datetime | None, work: ClaimedDate | None
) -> Precedence:
    """Return what shows that a page was there before a work; empty where nothing does.

    Our own first sight counts before the date that a page bears: it is ours, and anybody may write a date.
    Dates that may be of the same moment, such as a day and a time on it, show nothing.

    Args:
        page: the date that the page bears.
        first_seen: our own first sight of it; None for a text that was never on the web.
        work: the date that the work bears.
    """
    if work is None:
        return ""
    if first_seen is not None and first_seen < work.at:
        return "first-sight"
    if page is not None and page.is_before(work):
        return "claimed-date"
    return ""
