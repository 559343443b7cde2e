"""Find the new address of a copy that is gone, by its content.

A page is the new address of a copy if it has a match with the same passage and half of the same stretches, is
up, and was first seen after the copy was last up. It must be at another address of the same site, or on a
site without an earlier copy of the work. A page that existed before is another copy.
"""

from datetime import datetime

from crawler.pages.looks import still_holds
from storage.collections.cases import case_id
from storage.collections.stores import Stores
from storage.records import FOUND, Match, Watch
from system.errors import UnknownId

_PASSAGES = 5  # maximum number of passages of a page, the most copied ones
_CANDIDATES = 50  # maximum number of matches of a passage, the oldest ones


def moved_address(watch: Watch, stores: Stores) -> str:
    """Return the new address of the text of a watched address; empty if none is known.

    Args:
        watch: the watch of a copy that is gone.
        stores: the database.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    since = max(watch.last_up or watch.since, watch.since)
    matches = stores.matches.of_page(watch.page_id)
    before = stores.pages.get(watch.page_id)
    if before is None or not matches:
        return ""
    stretches = [
        before.text_of(match.part)[span.page_start : span.page_end]
        for match in matches
        for span in match.spans
    ]
    for match in matches[:_PASSAGES]:
        candidates = stores.matches.of_passage(match.passage_id, since=since, limit=_CANDIDATES)
        places = [other for other in candidates if _may_be_same_text(other, match, since, stores)]
        pages = stores.pages.get_many([other.page_id for other in places])
        presences = stores.visits.presences_of((other.url, other.page_id) for other in places)
        for other in places:
            page, presence = pages.get(other.page_id), presences.get(other.page_id)
            is_up = presence is not None and presence.state == "up"
            if is_up and page is not None and still_holds(f"{page.text}\n{page.rest}", stretches):
                return other.url
    return ""


def _may_be_same_text(other: Match, match: Match, since: datetime, stores: Stores) -> bool:
    """Return whether a match may be the same text at a new address."""
    if other.url == match.url or other.verdict not in FOUND or other.review == "dismissed":
        return False
    if other.site == match.site:
        return True
    try:
        return stores.cases.get(case_id(other.work_id, other.site)).first_seen >= since
    except UnknownId:
        return True
