"""Comparing reserved pages: taken in parts, looked up together, gone through one by one, stored in groups.

A page with which something goes wrong that nobody expects is set aside, and the others go on. A service that
is down leaves the pages under their leases, to be compared again.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from storage.collections.documents import Unstorable
from storage.collections.leases import Keeper
from storage.collections.stores import Stores
from storage.errors import PindnaError, ServiceDown
from storage.log_lines import log_ids
from storage.records import Page
from tracker.comparison import ComparedText, Corpus
from tracker.comparison.matching import MAX_TOGETHER, PAGES, Candidates, look_up, strongest
from tracker.metrics import count_lost
from tracker.scans.pages import (
    ComparedPage,
    PageLookup,
    compare_stored,
    hold_late_decisions,
    store_compared,
)
from tracker.scans.screening import Screening

log = logging.getLogger(__name__)

_STORED_AFTER_S = 2.0  # what was found in a page waits at most so long for that of others
_CHARACTERS = 3_000_000  # looked up together: some 75 MB


def compare_reserved(
    page_ids: Sequence[str],
    stores: Stores,
    corpus: Corpus,
    screening: Screening,
    *,
    token: str,
    lease_s: float,
    is_stopping: Callable[[], bool],
) -> list[ComparedPage]:
    """Compare reserved pages with the mother corpus, and store what was found.

    Args:
        page_ids: of the pages.
        stores: the database.
        corpus: what to compare with.
        screening: tells which pages need no look-up.
        token: of the reservation.
        lease_s: how long pages are kept from others.
        is_stopping: whether this worker is to end; what it has not done by then is given back.

    Returns:
        Those that are stored.

    Raises:
        PindnaError: a service does not answer, or the index cannot be used.
    """
    done = list[ComparedPage]()
    for start in range(0, len(page_ids), PAGES):
        if is_stopping():
            stores.pages.give_back(page_ids[start:], token=token)
            break
        part = page_ids[start : start + PAGES]
        done += _compare(
            part, stores, corpus, screening, token=token, lease_s=lease_s, is_stopping=is_stopping
        )
    return done


def _compare(
    page_ids: Sequence[str],
    stores: Stores,
    corpus: Corpus,
    screening: Screening,
    *,
    token: str,
    lease_s: float,
    is_stopping: Callable[[], bool],
) -> list[ComparedPage]:
    """Take some pages, ask the index about all that were never compared, and go through one after the other.

    Most of the others need no look-up, which the screening tells. What was found is stored for many pages
    together, after some seconds at the latest. Returns those that are stored.
    """
    token, pages = stores.pages.take_many(page_ids, token=token, lease_s=lease_s)
    version, mark = stores.versions.current_and_mark()
    ids = [page.id for page in pages]
    keep = Keeper(lambda: stores.pages.extend_many(ids, token=token, lease_s=lease_s), lease_s)
    texts = {page.id: ComparedText(page.text) for page in _together(pages)}
    candidates = _look_up(texts, corpus)
    store = partial(_store, stores=stores, token=token, lease_s=lease_s)
    done, waiting, stored_at = list[ComparedPage](), list[ComparedPage](), time.monotonic()
    for number, page in enumerate(pages):
        if is_stopping():
            stores.pages.give_back(ids[number:], token=token)
            break
        keep()  # those that are not stored; whether they are still ours is asked then
        text = texts.pop(page.id, None) or ComparedText(page.text)
        lookup = PageLookup(text, candidates.get(page.id), version, mark)
        with _set_aside(page, stores, token):
            waiting.append(compare_stored(page, lookup, corpus, screening))
        if time.monotonic() - stored_at > _STORED_AFTER_S:
            done, waiting, stored_at = done + store(waiting), [], time.monotonic()
    return done + store(waiting)


def _together(pages: Iterable[Page]) -> Iterator[Page]:
    """Yield the pages to look up together: never compared, and with so many characters in all at most."""
    room = _CHARACTERS
    for page in pages:
        if page.verdict is None and len(page.text) <= room:
            room -= len(page.text)
            yield page


def _store(
    compared: Sequence[ComparedPage], *, stores: Stores, token: str, lease_s: float
) -> list[ComparedPage]:
    """Store what was found in some pages: of all together, or of one after the other if that fails."""
    try:
        return _store_together(compared, stores=stores, token=token, lease_s=lease_s)
    except ServiceDown:
        raise
    except Exception:
        log.exception("%d pages could not be stored together", len(compared))
    stored = list[ComparedPage]()
    for own in compared:
        with _set_aside(own.page, stores, token):
            stored += _store_together([own], stores=stores, token=token, lease_s=lease_s)
    return stored


def _store_together(
    compared: Sequence[ComparedPage], *, stores: Stores, token: str, lease_s: float
) -> list[ComparedPage]:
    """Store pages; what fails when they are closed is logged, and leaves them closed."""
    stored, unsettled = store_compared(compared, stores, token=token, lease_s=lease_s)
    if lost := len(compared) - len(stored):
        count_lost("page", lost)
    with _logged("the versions of %d addresses could not be settled", len(unsettled)):
        stores.pages.settle(unsettled)
    for own in stored:
        with _logged("late decisions could not be held against page %s", own.page.id):
            hold_late_decisions(own, stores)
    return stored


@contextmanager
def _logged(message: str, *values: object) -> Iterator[None]:
    """Log what goes wrong unless a service is down, and go on."""
    try:
        yield
    except ServiceDown:
        raise
    except Exception:
        log.exception(message, *values)


@contextmanager
def _set_aside(page: Page, stores: Stores, token: str) -> Iterator[None]:
    """Set a page aside with which something goes wrong that nobody expects; the others go on."""
    try:
        yield
    except Exception as error:
        if isinstance(error, PindnaError) and not isinstance(error, Unstorable):
            raise
        with log_ids(scan=page.scan_id, source=page.source, page=page.id):
            log.exception("page %s could not be compared", page.id)
        stores.pages.mark_failed(page.id, token=token, reason="internal-error")


def _look_up(texts: Mapping[str, ComparedText], corpus: Corpus) -> dict[str, Candidates]:
    """Ask the index about pages together; if one of them breaks that, each is asked for in its turn.

    The strongest candidates of all are read together too.
    """
    try:
        candidates = look_up(list(texts.values()), corpus)
        corpus.passages.read(strongest(candidates, MAX_TOGETHER))
        return dict(zip(texts, candidates, strict=True))
    except PindnaError:
        raise
    except Exception:
        log.exception("%d pages could not be looked up together", len(texts))
        return {}
