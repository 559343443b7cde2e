"""Comparing stored pages: from a page's id to its matches in the database."""

from dataclasses import dataclass

from storage.collections.matches import match_id
from storage.collections.stores import Stores
from storage.records import Match, Page, utc_now
from tracker.comparison import ComparedText, Comparison, Corpus, Facts, PassageMatch, compare
from tracker.comparison.matching import Candidates
from tracker.scans.screening import Screening


@dataclass(frozen=True, slots=True)
class PageLookup:
    """What was made of a page, and what the index said of it, before its turn came.

    Attributes:
        text: the page's text.
        candidates: from :func:`tracker.comparison.matching.look_up`; None: the page is looked up in its turn.
        version: of the corpus, read before the index was asked.
    """

    text: ComparedText
    candidates: Candidates | None
    version: int


def compare_page(
    page: Page,
    stores: Stores,
    corpus: Corpus,
    *,
    token: str,
    lease_s: float,
    screening: Screening | None = None,
    lookup: PageLookup | None = None,
) -> bool:
    """Compare a page and store what was found; repeating it has the same result.

    The corpus version is read before the comparison, so that a work added meanwhile makes the page stale
    rather than overlooked. Nothing is stored when the lease was lost to another worker meanwhile.

    Args:
        page: taken under a lease.
        stores: the database.
        corpus: what to compare with.
        token: of the lease.
        lease_s: how long to keep it from now.
        screening: tells that what is known of the page still holds; None: it is compared in any case.
        lookup: what the index said of the page already; None: it is asked now.

    Returns:
        Whether the comparison was stored.

    Raises:
        ServiceDown: a service does not answer; the page stays as it was.
    """
    lookup = lookup or PageLookup(ComparedText(page.text), None, stores.works.corpus_version())
    version = lookup.version
    if screening is not None and screening.is_unaffected(page, lookup.text, version=version):
        return stores.pages.mark_current(page.id, token=token, corpus_version=version)
    result = compare(lookup.text, corpus, facts=facts_of(page), candidates=lookup.candidates)
    if not stores.pages.extend(page.id, token=token, lease_s=lease_s):
        return False
    stores.matches.replace_for_page(page.id, [_record(page, each, result) for each in result.matches])
    stores.pages.mark_compared(
        page.id,
        token=token,
        corpus_version=version,
        verdict=result.verdict,
        coverage=result.coverage,
        copied_chars=result.copied_chars,
        low_confidence=result.low_confidence,
        unaligned=result.dropped,
        capped=result.capped,
    )
    return True


def facts_of(page: Page) -> Facts:
    """Return what is known of a stored page beside its text."""
    return Facts(
        site=page.site,
        bylines=tuple(each for each in (page.title, page.author) if each),
        published=page.published,
        first_seen=page.first_seen,
        last_seen=page.last_seen,
    )


def _record(page: Page, found: PassageMatch, result: Comparison) -> Match:
    return Match(
        id=match_id(page.id, found.passage.id, found.profile),
        page_id=page.id,
        passage_id=found.passage.id,
        work_id=found.work.id,
        profile=found.profile,
        site=page.site,
        url=page.url,
        page_title=page.title,
        work_title=found.work.title,
        passage_title=found.passage.title,
        verdict=found.verdict,
        coverage=found.coverage,
        passage_coverage=found.passage_coverage,
        copied_chars=found.copied_chars,
        longest_span=found.longest_span,
        char_identity=found.char_identity,
        sound_identity=found.sound_identity,
        spans=found.spans,
        disguises=found.disguises,
        low_confidence=result.low_confidence,
        anchors=dict(found.anchors),
        common=found.common,
        suppressed=found.suppressed,
        page_chars=result.chars,
        taken_chars=found.taken_chars,
        licence=found.licence,
        work_published=found.work.published,
        page_published=facts_of(page).known_since,
        page_older=found.page_older,
        review="" if found.counts or not found.suppressed else "dismissed",
        because=found.because,
        reviewed=utc_now() if found.because else None,
        scan_id=page.scan_id,
        first_seen=page.first_seen,
        last_seen=page.last_seen,
    )
