"""Publication order: the dates that pages and work claim, and the dates that pindna recorded itself."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from storage.records import ClaimedDate, Match, Precedence, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationOrder:
    """The dates of a case, from its matches and its work.

    Attributes:
        claimed: the earliest date on a page; None if no page has one.
        claimed_url: address of that page.
        first_seen: when pindna first saw a page.
        work: the date on the work.
        proof: the file or address that the work was loaded from.
        proof_sha256: SHA-256 of all its passages.
        registered: when the work was loaded.
        older: matches whose page existed before the work, with the proof; the work may be the copy.
    """

    claimed: ClaimedDate | None = None
    claimed_url: str = ""
    first_seen: datetime | None = None
    work: ClaimedDate | None = None
    proof: str = ""
    proof_sha256: str = ""
    registered: datetime | None = None
    older: tuple[tuple[str, Precedence], ...] = ()


def publication_order(matches: Iterable[Match], work: Work | None) -> PublicationOrder:
    """Return the dates that show which text was published first.

    Args:
        matches: matches of one case.
        work: its work; None if it is no longer stored.
    """
    order = PublicationOrder()
    if work is not None:
        order = replace(
            order,
            work=work.published,
            proof=work.url or work.origin,
            proof_sha256=work.sha256,
            registered=work.added,
        )
    for match in matches:
        if order.first_seen is None or match.first_seen < order.first_seen:
            order = replace(order, first_seen=match.first_seen)
        page = match.page_published
        if page is not None and (order.claimed is None or page.at < order.claimed.at):
            order = replace(order, claimed=page, claimed_url=match.url)
        if match.page_older:
            order = replace(order, older=(*order.older, (match.name, match.page_older_by)))
    return order
