"""Find evidence that a page was published before a work. Pure functions."""

from datetime import datetime
from typing import Literal, get_args

from storage.records.times import ClaimedDate

# Kinds of evidence that a page is older than the work: the date on the page, or the time when pindna first
# saw it.
Precedence = Literal["", "claimed-date", "first-sight"]
PRECEDENCES: tuple[Precedence, ...] = get_args(Precedence)


def precedence(
    *,
    page: ClaimedDate | None,
    first_seen: datetime | None,
    work: ClaimedDate | None,
    is_imported: bool = False,
) -> Precedence:
    """Return the evidence that a page is older than a work; empty if there is none.

    The time when pindna first saw the page is better evidence than the date on the page, because a page can
    show any date. Two dates that may mean the same moment, such as a day and a time on that day, prove
    nothing.

    Args:
        page: the date on the page.
        first_seen: when pindna first saw the page; None for a text that was never on the web.
        work: the date of the work.
        is_imported: others captured the page, so that ``first_seen`` is a claim too.
    """
    if work is None:
        return ""
    if first_seen is not None and first_seen < work.at:
        return "claimed-date" if is_imported else "first-sight"
    if page is not None and page.is_before(work):
        return "claimed-date"
    return ""
