"""Who published first, page or work: the evidence that the page is older. Pure."""

from datetime import datetime
from typing import Literal, get_args

from storage.records.times import ClaimedDate

# Evidence that a page is older than the work: the date on the page, or when pindna first saw it.
Precedence = Literal["", "claimed-date", "first-sight"]
PRECEDENCES: tuple[Precedence, ...] = get_args(Precedence)


def precedence(
    *, page: ClaimedDate | None, first_seen: datetime | None, work: ClaimedDate | None
) -> Precedence:
    """Return the evidence that a page is older than a work; empty without evidence.

    The time when pindna first saw the page counts before the date on the page, because anybody can write any
    date. Dates that may be the same moment, such as a day and a time on that day, prove nothing.

    Args:
        page: the date on the page.
        first_seen: when pindna first saw the page; None for a text that was never on the web.
        work: the date of the work.
    """
    if work is None:
        return ""
    if first_seen is not None and first_seen < work.at:
        return "first-sight"
    if page is not None and page.is_before(work):
        return "claimed-date"
    return ""
