"""Comparing stored pages: from a page's id to its matches in the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from storage.collections.matches import match_id, profile_name
from storage.collections.stores import Stores
from storage.records import Match, Page, PageResult, Post, Verdict, fullest_posts, precedence, utc_now
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


@dataclass(frozen=True, slots=True)
class ComparedPage:
    """A page that was compared, and what is to be stored of it.

    Attributes:
        page: as it was taken.
        began: when it was compared.
        version: of the corpus that it was compared with.
        comparison: None where what is known of the page holds for that version too.
    """

    page: Page
    began: datetime
    version: int
    comparison: Comparison | None

    @property
    def verdict(self) -> Verdict | None:
        """The verdict that holds."""
        return self.comparison.verdict if self.comparison else self.page.verdict


def compare_stored(
    page: Page, lookup: PageLookup, corpus: Corpus, screening: Screening | None
) -> ComparedPage:
    """Compare a stored page; nothing is stored.

    The corpus version was read before, so that a work added during the comparison makes the page stale
    rather than overlooked.

    Args:
        page: taken under a lease.
        lookup: what the index said of it.
        corpus: what to compare with.
        screening: tells that what is known of the page still holds; None: it is compared in any case.

    Raises:
        ServiceDown: a service does not answer.
    """
    began = utc_now()
    if screening is not None and screening.is_unaffected(page, lookup.text, mark=lookup.mark):
        return ComparedPage(page, began, lookup.version, None)
    comparison = compare(lookup.text, corpus, facts=facts_of(page), candidates=lookup.candidates)
    return ComparedPage(page, began, lookup.version, comparison)


def store_compared(
    compared: Sequence[ComparedPage], stores: Stores, *, token: str, lease_s: float
) -> list[ComparedPage]:
    """Store what was found in some pages that were compared with one version of the corpus.

    They are stored together, for each command costs the server as much as what it does: matches first, then
    the pages. Nothing is stored of those whose leases were lost to another worker. It may be broken off
    anywhere and repeated: the result is the same.

    Args:
        compared: pages under leases.
        stores: the database.
        token: of the leases.
        lease_s: how long to keep them from now.

    Returns:
        Those that are stored.

    Raises:
        ServiceDown: MongoDB does not answer; the pages are compared again.
    """
    kept = stores.pages.keep([own.page.id for own in compared], token=token, lease_s=lease_s)
    ours = [own for own in compared if own.page.id in kept]
    fresh = {own.page.id: own.comparison for own in ours if own.comparison}
    if fresh:
        pages = {own.page.id: own.page for own in ours}
        records = {key: _records(pages[key], comparison, stores) for key, comparison in fresh.items()}
        stores.matches.replace_for_pages(records)
    unsettled = _close(ours, fresh, stores, token)
    stores.pages.settle(unsettled)
    for own in ours:
        if own.comparison:
            _hold_late_decisions(own.page, own.comparison, stores, since=own.began - _SKEW)
    return ours


def _close(
    ours: Sequence[ComparedPage], fresh: Mapping[str, Comparison], stores: Stores, token: str
) -> set[str]:
    """Close pages whose matches are stored; returns the addresses that are to be settled."""
    if not ours:
        return set()
    version, known = ours[0].version, [own.page for own in ours if own.page.id not in fresh]
    stores.pages.mark_current([page.id for page in known], token=token, corpus_version=version)
    results = [(own.page, _result(fresh[own.page.id])) for own in ours if own.page.id in fresh]
    marked = stores.pages.mark_compared(results, token=token, corpus_version=version)
    return marked | {page.url for page in known if page.standing == "replaced"}


def _result(comparison: Comparison) -> PageResult:
    return PageResult(
        verdict=comparison.verdict,
        coverage=comparison.coverage,
        copied_chars=comparison.copied_chars,
        low_confidence=comparison.low_confidence,
        unaligned=comparison.dropped,
        capped=comparison.capped,
        background=tuple(comparison.background),
    )


def _hold_late_decisions(page: Page, result: Comparison, stores: Stores, *, since: datetime) -> None:
    """Hold the decisions that were made during a comparison against what it stored without them."""
    if not result.matches:
        return
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
