"""Who was first: what page and work say of their dates, and what we saw ourselves."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from storage.records import ClaimedDate, Match, Precedence, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class WhoWasFirst:
    """Dates of a case, from its matches and its work.

    Attributes:
        claimed: the earliest date that a page bears; None where none bears one.
        claimed_url: the address of that page.
        seen: our own first sight of a page.
        work: the date that the work bears.
        proof: the file or address that the work was loaded from.
        proof_sha256: of all its passages.
        registered: when it was loaded.
        older: matches whose page was there before the work, by what shows it; the copying may have gone the
            other way.
    """

    claimed: ClaimedDate | None = None
    claimed_url: str = ""
    seen: datetime | None = None
    work: ClaimedDate | None = None
    proof: str = ""
    proof_sha256: str = ""
    registered: datetime | None = None
    older: tuple[tuple[str, Precedence], ...] = ()


def who_was_first(matches: Iterable[Match], work: Work | None) -> WhoWasFirst:
    """Return what is known of who was first.

    Args:
        matches: of one case.
        work: its work; None when it is not stored any more.
    """
    first = WhoWasFirst()
    if work is not None:
        first = replace(
            first,
            work=work.published,
            proof=work.url or work.origin,
            proof_sha256=work.sha256,
            registered=work.added,
        )
    for match in matches:
        if first.seen is None or match.first_seen < first.seen:
            first = replace(first, seen=match.first_seen)
        page = match.page_published
        if page is not None and (first.claimed is None or page.at < first.claimed.at):
            first = replace(first, claimed=page, claimed_url=match.url)
        if match.page_older:
            first = replace(first, older=(*first.older, (match.name, match.page_older_by)))
    return first
