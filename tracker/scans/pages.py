"""Comparing stored pages: from a page's id to its matches in the database."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from storage.collections.matches import match_id, profile_name
from storage.collections.stores import Stores
from storage.records import Match, Page, Post, fullest_posts, precedence, utc_now
from tracker.comparison import ComparedText, Comparison, Corpus, Facts, PassageMatch, compare
from tracker.comparison.matching import Candidates
from tracker.review.decisions import apply_decisions
from tracker.scans.screening import Screening

_MAX_NAMED_POSTS = 20
_SKEW = timedelta(hours=1)  # between the clocks of two machines


@dataclass(frozen=True, slots=True)
class PageLookup:
    """What was made of a page, and what the index said of it, before its turn came.

    Attributes:
        text: the page's text.
        candidates: from :func:`tracker.comparison.matching.look_up`; None: the page is looked up in its turn.
        version: of the corpus, read before the index was asked.
        mark: of that version.
    """

    text: ComparedText
    candidates: Candidates | None
    version: int
    mark: str


def compare_page(
    page: Page,
    stores: Stores,
    corpus: Corpus,
    *,
    token: str,
    lease_s: float,
    screening: Screening | None = None,
    lookup: PageLookup | None = None,
    batch_mark: str = "",
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
        batch_mark: what the page's address counts for from now on is settled by the caller, for many pages
            together; until then they bear this mark. Empty: it is settled here.

    Returns:
        Whether the comparison was stored.

    Raises:
        ServiceDown: a service does not answer; the page stays as it was.
    """
    began = utc_now()
    lookup = lookup or PageLookup(ComparedText(page.text), None, *stores.versions.current_and_mark())
    version = lookup.version
    if screening is not None and screening.is_unaffected(page, lookup.text, mark=lookup.mark):
        is_ours = stores.pages.mark_current(page.id, token=token, corpus_version=version)
        if page.standing == "replaced" and not batch_mark:
            stores.pages.settle([page.url])
        return is_ours
    result = compare(lookup.text, corpus, facts=facts_of(page), candidates=lookup.candidates)
    if not stores.pages.keep(page.id, token=token, lease_s=lease_s):
        return False
    stores.matches.replace_for_page(page.id, _records(page, result, stores))
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
        background=result.background,
        mark=batch_mark,
    )
    if not batch_mark:
        stores.pages.settle([page.url])
    _hold_late_decisions(page, result, stores, since=began - _SKEW)
    return True


def _hold_late_decisions(page: Page, result: Comparison, stores: Stores, *, since: datetime) -> None:
    """Hold the decisions that were made during a comparison against what it stored without them."""
    passages = {match.passage.id: match.passage for match in result.matches}
    shas = {passage.sha256 for passage in passages.values()}
    decisions = stores.decisions.of_passages(shas, site=page.site)
    if any(decision.made >= since for known in decisions.values() for decision in known):
        apply_decisions(stores.matches.of_page(page.id), passages, stores)


def facts_of(page: Page) -> Facts:
    """Return what is known of a stored page apart from its text."""
    return Facts(
        host=page.host,
        site=page.site,
        bylines=tuple(line for line in (page.title, page.author) if line),
        published=page.published,
        first_seen=page.first_seen,
        last_seen=page.last_seen,
    )


def _records(page: Page, result: Comparison, stores: Stores) -> list[Match]:
    """Return the matches to store: of books, whatever the edition that the page fits.

    What an older version of the page held is as old as it was there.
    """
    if not result.matches:
        return []
    older = [page_id for page_id in stores.pages.ids_of(page.url) if page_id != page.id]
    first = stores.matches.first_seen_on(older)
    records = [match_record(page, match, result) for match in result.matches]
    others = {record.work_id for record in records if record.edition}
    titles = {work_id: stores.works.title_of(work_id) for work_id in others}
    records = [
        replace(record, work_title=titles.get(record.work_id, record.work_title)) for record in records
    ]
    return [_with_first_sight(record, first.get(_place(record)), page) for record in records]


def _place(match: Match) -> tuple[int, str]:
    return match.passage_id, profile_name(match.profile)


def _with_first_sight(match: Match, earlier: datetime | None, page: Page) -> Match:
    """Return a match as old as an older version of its page makes it; None: none had it."""
    if earlier is None or earlier >= match.first_seen:
        return match
    by = precedence(page=page.published, first_seen=earlier, work=match.work_published)
    return replace(match, first_seen=earlier, page_older=bool(by), page_older_by=by)


def _posts(page: Page, match: PassageMatch) -> tuple[Post, ...]:
    """Return the posts of a thread that a match is named by."""
    stretches = ((span.page_start, span.page_end) for span in match.spans)
    return fullest_posts(page.posts, stretches, most=_MAX_NAMED_POSTS)


def match_record(page: Page, match: PassageMatch, result: Comparison) -> Match:
    """Return what was found of one passage as it is stored, as if no older version of the page were known."""
    return Match(
        id=match_id(page.id, match.passage.id, match.profile),
        page_id=page.id,
        passage_id=match.passage.id,
        work_id=match.work.book_id,
        edition=match.work.title if match.work.edition_of is not None else "",
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
        homophones=match.homophones,
        common=match.common,
        suppressed=match.suppressed,
        posts=_posts(page, match),
        page_chars=result.chars,
        taken_chars=match.taken_chars,
        page_background=match.page_background,
        passage_background=match.passage_background,
        licence=match.licence,
        work_published=match.work.published,
        page_published=page.published,
        page_older=bool(match.page_older_by),
        page_older_by=match.page_older_by,
        review=match.reviewed.review,
        because=match.reviewed.because,
        reviewed=match.reviewed.reviewed_at,
        decided=match.reviewed.decided,
        undecided=match.reviewed.undecided,
        scan_id=page.scan_id,
        first_seen=page.first_seen,
        last_seen=page.last_seen,
    )
