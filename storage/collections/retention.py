"""How long evidence is kept: what shows a copy without end, the rest until its time is up."""

from datetime import datetime

from storage.collections.stores import Stores

_EVIDENCE = frozenset({"copy", "partial", "licensed", "quote"})
_CHUNK = 200


def prune_evidence(stores: Stores, *, before: datetime) -> int:
    """Delete old fetches of pages without a match, and the snapshots that nothing names any more.

    Args:
        stores: the database.
        before: the moment that divides.

    Returns:
        How many fetches were deleted.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    removed = frozenset(stores.removed.page_ids())
    kept_pages = [
        page for page in stores.pages.all() if page.verdict in _EVIDENCE or page.id in removed
    ]  # those of a removed work too, for it may come back
    kept_urls = {page.url for page in kept_pages}
    kept_bodies = {sha256 for page in kept_pages for sha256 in page.snapshots}
    old: list[str] = []
    bodies: set[str] = set()
    for capture_id, url, sha256, fetched in stores.captures.all():
        if fetched < before and url not in kept_urls and sha256 not in kept_bodies:
            old.append(capture_id)
            bodies.add(sha256)
        else:
            kept_bodies.add(sha256)
    for start in range(0, len(old), _CHUNK):
        stores.captures.delete(old[start : start + _CHUNK])
    unnamed = sorted(bodies - kept_bodies)
    for start in range(0, len(unnamed), _CHUNK):
        stores.snapshots.delete(unnamed[start : start + _CHUNK])
    return len(old)
