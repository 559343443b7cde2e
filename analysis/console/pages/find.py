"""Reviewing: one match is open, the user decides about it with a key, and the next match opens."""

from typing import get_args

from analysis.console.parts.find_queue import FindQueue, QueueAddress
from analysis.console.parts.find_view import page_address
from analysis.console.parts.review_desk import ReviewDesk
from analysis.console.view import View
from analysis.queries.matches import Review
from analysis.queries.review import Find, get_find


async def build(view: View, *, match: str, work: str = "", state: str = "open") -> None:
    """Show a match, and the queue that contains it.

    Args:
        view: the page.
        match: name of the find.
        work: id of the queue's work; empty: all works.
        state: which finds are in the queue.
    """
    find = await view.read(get_find, match)
    view.entitle(f"{view.gettext('Review')} · {find.match.site}")
    review: Review = next((review for review in get_args(Review) if review == state), "open")
    where = QueueAddress(find.match.site, int(work) if work.isdecimal() else None, review)
    queue = FindQueue(where, find.match)
    await queue.read(view)

    def to_address(shown: Find) -> str:
        return page_address(shown.match.name, site=shown.match.site, work=where.work, state=review)

    await ReviewDesk(view, find, queue, to_address).build()
