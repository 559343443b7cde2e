"""Comparison of reserved pages: looked up together, compared one by one, stored in groups.

A page with an unexpected error is set aside, and the others continue. If a service is down, the pages keep
their leases and are compared again later.

A page that two killed workers had may be the cause. It is compared alone, after the others of its batch, so
that no other page is given up because of it.
"""

import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from storage.collections.documents import Unstorable
from storage.collections.leases import Keeper
from storage.collections.standings import AS_A_WHOLE
from storage.collections.stores import Stores
from storage.records import Page
from system.errors import PindnaError, ServiceDown
from system.log_lines import log_ids
from tracker.comparison import ComparedText, Corpus, RestText, rest_of
from tracker.comparison.matching import MAX_TOGETHER, PAGES, Candidates, look_up, strongest
from tracker.metrics import count_lost
from tracker.scans.batch_decisions import BatchDecisions
from tracker.scans.pages import ComparedPage, PageLookup, compare_stored, store_compared
from tracker.scans.screening import Screening

log = logging.getLogger(__name__)

_STORED_AFTER_S = 2.0  # longest time that a result waits for others
_CHARACTERS = 3_000_000  # characters that are looked up together: some 75 MB
_SUSPECT_ATTEMPTS = 2  # after this many attempts, a page is suspect


def compare_reserved(
    page_ids: Sequence[str],
    stores: Stores,
    corpus: Corpus,
    screening: Screening,
    *,
    token: str,
    lease_s: float,
    is_stopping: Callable[[], bool],
) -> Iterator[ComparedPage]:
    """Compare reserved pages with the mother corpus, and store the results.

    Args:
        page_ids: of the pages.
        stores: the database.
        corpus: the corpus to compare with.
        screening: decides which pages need no look-up.
        token: of the reservation.
        lease_s: length of the leases on the pages.
        is_stopping: whether this worker shuts down; the remaining pages are then released.

    Yields:
        Stored pages, as soon as they are stored.

    Raises:
        PindnaError: a service does not answer, or the index cannot be used.
    """
    for start in range(0, len(page_ids), PAGES):
        if is_stopping():
            stores.pages.release(page_ids[start:], token=token)
            break
        batch = page_ids[start : start + PAGES]
        yield from _compare_claimed(
            batch, stores, corpus, screening, token=token, lease_s=lease_s, is_stopping=is_stopping
        )


def _compare_claimed(
    page_ids: Sequence[str],
    stores: Stores,
    corpus: Corpus,
    screening: Screening,
    *,
    token: str,
    lease_s: float,
    is_stopping: Callable[[], bool],
) -> Iterator[ComparedPage]:
    """Claim pages, look up those that were never compared, and compare all one after another.

    Most other pages need no look-up, because the screening shows that they are unaffected. Results are stored
    for many pages together, after some seconds at the latest. Yields stored pages.
    """
    token, pages = stores.pages.claim_many(page_ids, token=token, lease_s=lease_s)
    pages = _with_one_suspect(pages, stores, token)
    version, mark = stores.versions.current_and_mark()
    corpus.passages.begin_batch()
    ids = [page.id for page in pages]
    keep = Keeper(lambda: stores.pages.extend_many(ids, token=token, lease_s=lease_s), lease_s)
    corpus = replace(corpus, decisions=BatchDecisions(stores.decisions))
    texts = _look_up({page.id: LookedUpTexts.of(page) for page in _groups_to_look_up(pages)}, corpus)
    store = partial(_store_results, stores=stores, token=token, lease_s=lease_s)
    waiting, stored_at = list[ComparedPage](), time.monotonic()
    for number, page in enumerate(pages):
        if is_stopping():
            stores.pages.release(ids[number:], token=token)
            break
        keep()  # extend the leases of the pages that are not stored yet
        if _is_suspect(page):
            yield from store(waiting)
            waiting = []
        looked_up = texts.pop(page.id, None) or LookedUpTexts.of(page)
        lookup = PageLookup(looked_up.article, looked_up.candidates, version, mark, looked_up.rest)
        with _set_aside(page, stores, token):
            waiting.append(compare_stored(page, lookup, corpus, screening))
        if time.monotonic() - stored_at > _STORED_AFTER_S:
            yield from store(waiting)
            waiting, stored_at = [], time.monotonic()
    yield from store(waiting)


@dataclass(frozen=True, slots=True)
class LookedUpTexts:
    """The two texts of a page, with the candidates of each if they were looked up already."""

    article: ComparedText
    candidates: Candidates | None
    rest: RestText | None

    @classmethod
    def of(cls, page: Page) -> "LookedUpTexts":
        """Return the texts of a page that was not looked up."""
        return cls(ComparedText(page.text), None, rest_of(page))

    @property
    def texts(self) -> list[ComparedText]:
        """The article, and the rest if there is one."""
        return [self.article] if self.rest is None else [self.article, self.rest.text]

    def with_candidates(self, candidates: Iterator[Candidates]) -> "LookedUpTexts":
        """Return the texts with their candidates, the next ones of the iterator."""
        article = next(candidates)
        rest = None if self.rest is None else replace(self.rest, candidates=next(candidates))
        return replace(self, candidates=article, rest=rest)


def _is_suspect(page: Page) -> bool:
    """Return whether a page may kill workers: this is at least its third attempt."""
    return page.attempts > _SUSPECT_ATTEMPTS


def _with_one_suspect(pages: Sequence[Page], stores: Stores, token: str) -> list[Page]:
    """Return the pages that are not suspect, then one suspect; the other suspects are released."""
    suspects = [page for page in pages if _is_suspect(page)]
    if other_suspects := [page.id for page in suspects[1:]]:
        stores.pages.release(other_suspects, token=token)
    return [*(page for page in pages if not _is_suspect(page)), *suspects[:1]]


def _groups_to_look_up(pages: Iterable[Page]) -> Iterator[Page]:
    """Yield groups of pages to look up together, with a limit on their characters."""
    room = _CHARACTERS
    for page in pages:
        is_compared = page.verdict is None or page.corpus_version == AS_A_WHOLE
        chars = len(page.text) + len(page.rest)
        if is_compared and chars <= room and not _is_suspect(page):
            room -= chars
            yield page


def _store_results(
    compared: Sequence[ComparedPage], *, stores: Stores, token: str, lease_s: float
) -> Iterator[ComparedPage]:
    """Store the results of pages: of all together, or one by one if that fails.

    Yields stored pages as soon as they are stored; each is counted once, wherever this ends. Errors after
    closing are logged, and the pages stay closed.
    """
    remaining, unsettled = {page.page.id: page for page in compared}, set[str]()

    def store(batch: Sequence[ComparedPage]) -> Iterator[ComparedPage]:
        for pages, lost, urls in store_compared(batch, stores, token=token, lease_s=lease_s):
            for page in (*pages, *lost):
                del remaining[page.page.id]
            if lost:
                count_lost("page", len(lost))
            unsettled.update(urls)
            yield from pages

    try:
        yield from store(compared)
    except ServiceDown:
        raise
    except Exception:
        log.exception("%d pages could not be stored together", len(remaining))
    for page in list(remaining.values()):
        with _set_aside(page.page, stores, token):
            yield from store([page])
    _update_standings(unsettled, stores)


def _update_standings(urls: Collection[str], stores: Stores) -> None:
    """Settle which versions of the addresses count; after an error their marks stay."""
    try:
        stores.pages.settle(urls)
    except ServiceDown:
        raise
    except Exception:
        log.exception("the versions of %d addresses could not be settled", len(urls))


@contextmanager
def _set_aside(page: Page, stores: Stores, token: str) -> Iterator[None]:
    """Set aside a page with an unexpected error; the others continue."""
    try:
        yield
    except Exception as error:
        if isinstance(error, PindnaError) and not isinstance(error, Unstorable):
            raise
        with log_ids(scan=page.scan_id, source=page.source, page=page.id):
            log.exception("page %s could not be compared", page.id)
        stores.pages.mark_failed(page.id, token=token, reason="internal-error")


def _look_up(pages: Mapping[str, LookedUpTexts], corpus: Corpus) -> dict[str, LookedUpTexts]:
    """Look up pages with one query; if one of them breaks it, look up each alone.

    Articles and rests are in the same query. The strongest candidates of all pages are read together too.
    """
    try:
        candidates = look_up([text for looked_up in pages.values() for text in looked_up.texts], corpus)
        passages = corpus.passages.read(strongest(candidates, MAX_TOGETHER))
        if isinstance(corpus.decisions, BatchDecisions):
            corpus.decisions.read(looked_up.passage.sha256 for looked_up in passages.values())
        remaining = iter(candidates)
        return {page_id: looked_up.with_candidates(remaining) for page_id, looked_up in pages.items()}
    except PindnaError:
        raise
    except Exception:
        log.exception("%d pages could not be looked up together", len(pages))
        return {}
