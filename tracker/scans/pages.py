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

    The corpus version is read before the comparison, so that a work added during it makes the page stale
    rather than overlooked. Nothing is stored when the lease was lost to another worker.

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
    lookup = lookup or PageLookup(ComparedText(page.text), None, stores.versions.current())
    version = lookup.version
    if screening is not None and screening.is_unaffected(page, lookup.text, version=version):
        return stores.pages.mark_current(page.id, token=token, corpus_version=version)
    result = compare(lookup.text, corpus, facts=facts_of(page), candidates=lookup.candidates)
    if not stores.pages.extend(page.id, token=token, lease_s=lease_s):
        return False
    stores.matches.replace_for_page(page.id, [_record(page, match, result) for match in result.matches])
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
    """Return what is known of a stored page apart from its text."""
    return Facts(
        site=page.site,
        bylines=tuple(line for line in (page.title, page.author) if line),
        published=page.published,
        first_seen=page.first_seen,
        last_seen=page.last_seen,
    )


def _record(page: Page, match: PassageMatch, result: Comparison) -> Match:
    return Match(
        id=match_id(page.id, match.passage.id, match.profile),
        page_id=page.id,
        passage_id=match.passage.id,
        work_id=match.work.id,
        profile=match.profile,
        site=page.site,
        url=page.url,
        page_title=page.title,
        work_title=match.work.title,
        passage_title=match.passage.title,
        verdict=match.verdict,
        coverage=match.coverage,
        passage_coverage=match.passage_coverage,
        copied_chars=match.copied_chars,
        longest_span=match.longest_span,
        char_identity=match.char_identity,
        sound_identity=match.sound_identity,
        spans=match.spans,
        disguises=match.disguises,
        low_confidence=result.low_confidence,
        anchors=dict(match.anchors),
        common=match.common,
        suppressed=match.suppressed,
        page_chars=result.chars,
        taken_chars=match.taken_chars,
        licence=match.licence,
        work_published=match.work.published,
        page_published=facts_of(page).known_since,
        page_older=match.page_older,
        review="" if match.counts or not match.suppressed else "dismissed",
        because=match.because,
        reviewed=utc_now() if match.because else None,
        scan_id=page.scan_id,
        first_seen=page.first_seen,
        last_seen=page.last_seen,
    )
