"""Dispatch of waiting work to Celery: reserve records first, then send their ids.

Beat, a waiting ``pindna scan`` and running crawls dispatch every few seconds. The reservation keeps a record
from being sent repeatedly (:mod:`storage.collections.leases`). The number of reserved records is limited, so
reservations do not expire in the queue. If a message cannot be sent, its reservation is released, because it
would only delay its records.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from storage.collections.stores import Stores
from storage.settings import TrackerSettings
from system.batches import batched
from system.errors import PindnaError
from tracker.scans.reopening import reopen_stale

# (task name, ids, token): how a reservation reaches a worker.
Send = Callable[[str, Sequence[object], str], None]

_WINDOW = 32  # maximum number of batches that are sent and not finished
_WORKS = 800  # maximum number of works that are sent and not finished
_WORKS_TOGETHER = 500  # maximum number of works that one task indexes
_CHARACTERS = 3_000_000  # maximum characters of these works together, unless a single work has more


def dispatch_pages(stores: Stores, settings: TrackerSettings, send: Send) -> int:
    """Send pages that wait for comparison; return their number.

    When no more are free, the next stale pages of the running scans wait and are sent too.
    """
    sent, is_all = _send_pages(stores, settings, send)
    if is_all and reopen_stale(stores):
        more, _ = _send_pages(stores, settings, send)
        sent += more
    return sent


def _send_pages(stores: Stores, settings: TrackerSettings, send: Send) -> tuple[int, bool]:
    """Send waiting pages; return their number, and whether those were all free ones."""
    count = settings.batch_pages * _WINDOW
    token, ids, is_all = stores.pages.reserve_fetched(count=count, lease_s=settings.lease_s)
    _send_batches(stores.pages.release, "compare_pages", batched(ids, settings.batch_pages), token, send)
    return len(ids), is_all


def dispatch_works(stores: Stores, settings: TrackerSettings, send: Send) -> int:
    """Send works that wait to be indexed; return their number."""
    token, ids = stores.works.reserve_stored(count=_WORKS, lease_s=settings.lease_s)
    _send_batches(stores.works.release, "index_works", _batches_by_size(stores.works.sizes(ids)), token, send)
    return len(ids)


def _batches_by_size(sizes: Mapping[int, int]) -> Iterator[list[int]]:
    """Yield batches of works: a long novel alone, short ones together, the longest first."""
    batch: list[int] = []
    total = 0
    for work_id in sorted(sizes, key=lambda work_id: (-sizes[work_id], work_id)):
        if batch and (total + sizes[work_id] > _CHARACTERS or len(batch) == _WORKS_TOGETHER):
            yield batch
            batch, total = [], 0
        batch.append(work_id)
        total += sizes[work_id]
    if batch:
        yield batch


def dispatch_crawls(stores: Stores, settings: TrackerSettings, send: Send, *, count: int) -> int:
    """Send waiting crawls, a message each; return their number."""
    token, ids = stores.scans.reserve_due(count=count, lease_s=settings.lease_s)
    _send_batches(stores.scans.release, "crawl_sources", batched(ids, 1), token, send)
    return len(ids)


def _send_batches(
    release: Callable[..., None], task: str, batches: Iterable[Sequence[object]], token: str, send: Send
) -> None:
    """Send batches of records; if one cannot be sent, it and the following ones are released."""
    remaining = list(batches)
    while remaining:
        try:
            send(task, remaining[0], token)
        except PindnaError:
            release([record_id for batch in remaining for record_id in batch], token=token)
            raise
        del remaining[0]
