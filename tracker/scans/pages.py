"""Comparing stored pages: from a page's id to its matches in the database."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from storage.collections.matches import match_id, profile_name
from storage.collections.stores import Stores
from storage.records import (
    Decision,
    Match,
    Page,
    PageResult,
    Passage,
    Post,
    Verdict,
    fullest_posts,
    precedence,
    utc_now,
)
from tracker.comparison import ComparedText, Comparison, Corpus, Facts, PassageMatch, compare
from tracker.comparison.matching import Candidates
from tracker.judgement.reviewing import settled
from tracker.review.decisions import apply_decisions, judged
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


class Stored(NamedTuple):
    """What is stored of pages that were compared.

    Attributes:
        pages: those that are closed.
        unsettled: addresses of which it is still to be settled which version counts.
    """

    pages: list[ComparedPage]
    unsettled: set[str]


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


def store_compared(compared: Sequence[ComparedPage], stores: Stores, *, token: str, lease_s: float) -> Stored:
    """Store what was found in some pages that were compared with one version of the corpus.

    They are stored together, for each command costs the server as much as what it does: matches first, with
    what was decided meanwhile, then the pages. Nothing is stored of those whose leases were lost to another
    worker; one that is lost only while its matches are stored is compared again. It may be broken off
    anywhere and repeated: the result is the same. What is left to do when pages are closed is to settle their
    addresses, and :func:`hold_late_decisions`.

    Args:
        compared: pages under leases.
        stores: the database.
        token: of the leases.
        lease_s: how long to keep them from now.

    Raises:
        ServiceDown: MongoDB does not answer; the pages are compared again.
    """
    kept = stores.pages.keep([own.page.id for own in compared], token=token, lease_s=lease_s)
    ours = [own for own in compared if own.page.id in kept]
    records = {
        own.page.id: _records(own.page, own.comparison, stores) for own in ours if own.comparison is not None
    }
    if records:
        stores.matches.replace_for_pages(records)
    results = [
        (own.page, _settle_late(own, own.comparison, records[own.page.id], stores))
        for own in ours
        if own.comparison is not None
    ]
    return _close(ours, results, stores, token)


def _close(
    ours: Sequence[ComparedPage], results: Sequence[tuple[Page, PageResult]], stores: Stores, token: str
) -> Stored:
    """Close pages whose matches are stored; those of lost pages may be older than what another stored."""
    if not ours:
        return Stored([], set())
    version, known = ours[0].version, [own.page for own in ours if own.comparison is None]
    stores.pages.mark_current([page.id for page in known], token=token, corpus_version=version)
    marked, lost = stores.pages.mark_compared(results, token=token, corpus_version=version)
    stores.pages.compare_again(lost)
    history = {page.url for page in known if page.standing == "replaced"}
    return Stored([own for own in ours if own.page.id not in lost], marked | history)


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


def _settle_late(
    own: ComparedPage, comparison: Comparison, records: Sequence[Match], stores: Stores
) -> PageResult:
    """Hold the decisions that were made during a comparison against the matches that it stored without them.

    Who decides from now on meets these matches; so nothing that was decided is lost if the page is closed and
    its worker killed.

    Returns:
        What the page is to be closed with.
    """
    result = _result(comparison)
    if not (decisions := _late_decisions(own, stores)):
        return result
    shas = {passage.id: passage.sha256 for passage in _passages(own).values()}
    matches = [settled(record, decisions.get(shas[record.passage_id], ())) for record in records]
    for match in matches:
        stores.matches.settle(match)
    return judged(result, matches, length=len(own.page.text))


def hold_late_decisions(own: ComparedPage, stores: Stores) -> None:
    """Hold the same decisions against the verdict on a page that is closed, and against its cases.

    Raises:
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """
    if _late_decisions(own, stores):
        apply_decisions(stores.matches.of_page(own.page.id), _passages(own), stores)


def _passages(own: ComparedPage) -> dict[int, Passage]:
    matches = own.comparison.matches if own.comparison else ()
    return {match.passage.id: match.passage for match in matches}


def _late_decisions(own: ComparedPage, stores: Stores) -> dict[str, list[Decision]]:
    """Return the decisions on what a page holds, by the passage's SHA-256, if one of them may be late."""
    shas = {passage.sha256 for passage in _passages(own).values()}
    decisions = stores.decisions.of_passages(shas, site=own.page.site) if shas else {}
    made = (decision.made for known in decisions.values() for decision in known)
    return decisions if any(moment >= own.began - _SKEW for moment in made) else {}


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
