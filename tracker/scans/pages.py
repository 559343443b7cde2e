"""Comparison of stored pages: from a page's id to its matches in the database."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from storage.collections.decisions import on_site
from storage.collections.matches import match_id, profile_name
from storage.collections.stores import Stores
from storage.records import (
    Decision,
    Match,
    Page,
    PageResult,
    Post,
    Verdict,
    fullest_posts,
    precedence,
)
from tracker.comparison import (
    ComparedText,
    Comparison,
    Corpus,
    Facts,
    PassageMatch,
    RestText,
    compare,
    rest_of,
)
from tracker.comparison.matching import Candidates
from tracker.judgement.reviewing import settled
from tracker.review.applying import judged, stamps
from tracker.scans.screening import Screening

_MAX_NAMED_POSTS = 20


@dataclass(frozen=True, slots=True)
class PageLookup:
    """The texts and index hits of a page, prepared before its comparison.

    Attributes:
        text: the text of the page's article.
        candidates: from :func:`tracker.comparison.matching.look_up`; None: look the page up when it is
            compared.
        version: of the corpus, read before the look-up.
        mark: of that version.
        rest: the page's other text with its candidates; None: it is made when the page is compared.
    """

    text: ComparedText
    candidates: Candidates | None
    version: int
    mark: str
    rest: RestText | None = None


@dataclass(frozen=True, slots=True)
class ComparedPage:
    """A compared page, and the result to store.

    Attributes:
        page: as claimed.
        version: of the corpus that it was compared with.
        comparison: None if the stored result is valid for that version too.
    """

    page: Page
    version: int
    comparison: Comparison | None

    @property
    def verdict(self) -> Verdict | None:
        """The valid verdict."""
        return self.comparison.verdict if self.comparison else self.page.verdict


class StoredPages(NamedTuple):
    """The outcome of storing pages; each page is reported once.

    Attributes:
        pages: closed pages.
        lost: pages that another worker had by then.
        unsettled: addresses whose valid version is still to be determined.
    """

    pages: list[ComparedPage]
    lost: list[ComparedPage]
    unsettled: set[str]


def compare_stored(
    page: Page, lookup: PageLookup, corpus: Corpus, screening: Screening | None
) -> ComparedPage:
    """Compare a stored page without storing the result.

    The corpus version was read before, so a work added during the comparison makes the page stale and is not
    missed.

    Args:
        page: claimed under a lease.
        lookup: its hits in the index.
        corpus: the corpus to compare with.
        screening: decides whether the stored result is still valid; None: compare in any case.
    """
    rest = lookup.rest or rest_of(page)
    if screening is not None and screening.is_unaffected(page, lookup.text, rest, mark=lookup.mark):
        return ComparedPage(page, lookup.version, None)
    comparison = compare(lookup.text, corpus, facts=facts_of(page), candidates=lookup.candidates, rest=rest)
    return ComparedPage(page, lookup.version, comparison)


def store_compared(
    compared: Sequence[ComparedPage], stores: Stores, *, token: str, lease_s: float
) -> Iterator[StoredPages]:
    """Store the results of pages that were compared with one version of the corpus.

    They are stored together, because each command has a fixed cost on the server: first the matches, with the
    latest decisions, then the pages, grouped by result. Nothing is stored for pages whose leases were lost
    before; a page that is lost while its matches are stored is compared again. The call may be interrupted
    and repeated with the same result. After closing the pages, only their addresses remain to be settled.

    A decision made after the decisions were read here finds the stored match and takes its page from this
    worker (:func:`tracker.review.applying.apply_decisions`). So the page cannot be closed without that
    decision, and is compared again. A decision made after closing is applied by its own call.

    Args:
        compared: pages under leases.
        stores: the database.
        token: of the leases.
        lease_s: new length of the leases.

    Yields:
        The outcome of some pages, as soon as it is known.

    Raises:
        ServiceDown: MongoDB does not answer; the pages are compared again.
    """
    kept = stores.pages.renew(
        [compared_page.page.id for compared_page in compared], token=token, lease_s=lease_s
    )
    if lost := [compared_page for compared_page in compared if compared_page.page.id not in kept]:
        yield StoredPages([], lost, set())
    ours = [compared_page for compared_page in compared if compared_page.page.id in kept]
    comparisons = [
        (compared_page.page, compared_page.comparison)
        for compared_page in ours
        if compared_page.comparison is not None
    ]
    records = _matches_to_store(comparisons, stores)
    if records:
        stores.matches.replace_for_pages(records)
    late_results = _settle_late(comparisons, records, stores)
    results = [(page, late_results[page.id]) for page, _ in comparisons]
    yield from _close_pages(ours, results, stores, token)
    compared_as = {
        compared_page.page.id: compared_page.comparison
        for compared_page in ours
        if compared_page.comparison is not None
    }
    late = [page.id for page, result in results if result != _result_of(compared_as[page.id])]
    stores.pages.compare_again(late)  # the next scan weighs their remaining stretches together


def _close_pages(
    ours: Sequence[ComparedPage], results: Sequence[tuple[Page, PageResult]], stores: Stores, token: str
) -> Iterator[StoredPages]:
    """Close pages whose matches are stored; matches of lost pages may be older than another worker's."""
    pages, unchanged = (
        {compared_page.page.id: compared_page for compared_page in ours},
        [compared_page for compared_page in ours if compared_page.comparison is None],
    )

    def of(ids: Iterable[str]) -> list[ComparedPage]:
        return [pages[page_id] for page_id in ids]

    if unchanged:
        ids, version = [compared_page.page.id for compared_page in unchanged], unchanged[0].version
        gone = stores.pages.mark_current(ids, token=token, corpus_version=version)
        history = {
            compared_page.page.url for compared_page in unchanged if compared_page.page.standing == "replaced"
        }
        yield StoredPages(of(page_id for page_id in ids if page_id not in gone), of(gone), history)
    if results:
        version = ours[0].version
        for closing in stores.pages.mark_compared(results, token=token, corpus_version=version):
            stores.pages.compare_again(closing.lost)
            yield StoredPages(of(closing.closed), of(closing.lost), closing.unsettled)


def _result_of(comparison: Comparison) -> PageResult:
    return PageResult(
        verdict=comparison.verdict,
        coverage=comparison.coverage,
        copied_chars=comparison.copied_chars,
        low_confidence=comparison.low_confidence,
        unaligned=comparison.dropped,
        capped=comparison.capped,
        background=tuple(comparison.background),
        rest_verdict=comparison.rest_verdict if comparison.rest_chars else None,
        is_doubtful=comparison.is_doubtful,
    )


def _settle_late(
    comparisons: Sequence[tuple[Page, Comparison]], records: Mapping[str, Sequence[Match]], stores: Stores
) -> dict[str, PageResult]:
    """Apply decisions made or undone during the comparisons to the stored matches.

    All decisions are read by one query, after all matches are stored. The few pages with newer decisions are
    settled one by one.

    Returns:
        The result to close each page with, by the page's id.
    """
    shas = {match.passage.sha256 for _, comparison in comparisons for match in comparison.matches}
    decisions = stores.decisions.on_texts(shas)
    results = {}
    for page, comparison in comparisons:
        site_decisions = on_site(decisions, page.site, (match.passage.sha256 for match in comparison.matches))
        is_late = not _is_known(comparison, site_decisions)
        results[page.id] = (
            _settle_one(page, comparison, records[page.id], stores) if is_late else _result_of(comparison)
        )
    return results


def _is_known(comparison: Comparison, decisions: Mapping[str, Sequence[Decision]]) -> bool:
    """Return whether a comparison used exactly these decisions on the passages of its matches."""
    decisions_of_match = (comparison.decisions.get(match.passage.sha256, ()) for match in comparison.matches)
    return stamps(decisions_of_match) == stamps(decisions.values())


def _settle_one(page: Page, comparison: Comparison, records: Sequence[Match], stores: Stores) -> PageResult:
    """Apply decisions to the matches of one page until they no longer change.

    So no older state overwrites the last decision. Returns the result to close the page with.
    """
    result, used_decisions = _result_of(comparison), comparison.decisions
    shas = {match.passage.id: match.passage.sha256 for match in comparison.matches}
    while True:
        decisions = stores.decisions.of_passages(shas.values(), site=page.site)
        if stamps(used_decisions.get(sha, ()) for sha in shas.values()) == stamps(decisions.values()):
            return result
        matches = [settled(record, decisions.get(shas[record.passage_id], ())) for record in records]
        for match in matches:
            stores.matches.settle(match)
        result, used_decisions = judged(_result_of(comparison), matches, length=len(page.text)), decisions


def facts_of(page: Page) -> Facts:
    """Return the facts about a stored page apart from its text."""
    return Facts(
        host=page.host,
        site=page.site,
        bylines=tuple(line for line in (page.title, page.author) if line),
        published=page.published,
        first_seen=page.first_seen,
        last_seen=page.last_seen,
        is_imported=page.imported is not None,
    )


def _matches_to_store(
    comparisons: Sequence[tuple[Page, Comparison]], stores: Stores
) -> dict[str, list[Match]]:
    """Return the matches to store, by page; for each book, in the edition that fits the page best.

    A match keeps the date of an older version of the page that had it.
    """
    first = _first_sights([page for page, result in comparisons if result.matches], stores)
    records = {
        page.id: [match_record(page, match, result) for match in result.matches]
        for page, result in comparisons
    }
    editions = {record.work_id for match in records.values() for record in match if record.edition}
    titles = stores.works.titles_of(sorted(editions))
    return {
        page.id: [
            _with_first_sight(
                replace(record, work_title=titles.get(record.work_id, record.work_title)),
                first.get((page.id, *_match_place(record))),
                page,
            )
            for record in records[page.id]
        ]
        for page, _ in comparisons
    }


def _first_sights(pages: Sequence[Page], stores: Stores) -> dict[tuple[str, int, str], datetime]:
    """Return the dates of the matches of older versions of pages, by page, passage and profile."""
    versions = stores.pages.ids_by_url(page.url for page in pages)
    older = {
        page.id: [version_id for version_id in versions.get(page.url, ()) if version_id != page.id]
        for page in pages
    }
    ids = {page_id for ids in older.values() for page_id in ids}
    ids -= stores.pages.imported_among(ids)  # pindna did not see what others captured
    sights = stores.matches.first_seen_on(sorted(ids))
    first: dict[tuple[str, int, str], datetime] = {}
    for page in pages:
        for version in older[page.id]:
            for stretch, moment in sights.get(version, {}).items():
                key = (page.id, *stretch)
                first[key] = min(moment, first.get(key, moment))
    return first


def _match_place(match: Match) -> tuple[int, str]:
    return match.passage_id, profile_name(match.profile)


def _with_first_sight(match: Match, earlier: datetime | None, page: Page) -> Match:
    """Return a match with the date of an older version of its page; None: no older version had it."""
    if earlier is None or earlier >= match.first_seen:
        return match
    by = precedence(page=page.published, first_seen=earlier, work=match.work_published)
    return replace(match, first_seen=earlier, page_older=bool(by), page_older_by=by)


def _posts_with_match(page: Page, match: PassageMatch) -> tuple[Post, ...]:
    """Return the posts of a thread that contain a match; text outside the article belongs to none."""
    if match.part == "rest":
        return ()
    stretches = ((span.page_start, span.page_end) for span in match.spans)
    return fullest_posts(page.posts, stretches, most=_MAX_NAMED_POSTS)


def match_record(page: Page, match: PassageMatch, result: Comparison) -> Match:
    """Return the stored form of a match, as if there were no older version of the page."""
    return Match(
        id=match_id(page.id, match.passage.id, match.profile, match.part),
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
        part=match.part,
        found_in=match.found_in,
        disguises=match.disguises,
        low_confidence=result.low_confidence,
        anchors=dict(match.anchors),
        homophones=match.homophones,
        common=match.common,
        suppressed=match.suppressed,
        posts=_posts_with_match(page, match),
        page_chars=result.chars + (result.rest_chars if match.part == "rest" else 0),
        taken_chars=match.taken_chars,
        page_background=match.page_background,
        passage_background=match.passage_background,
        information=match.extent.information,
        differences=match.extent.differences,
        charged_to=match.charged_to,
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
