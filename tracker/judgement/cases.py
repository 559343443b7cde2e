"""Cases: the matches of a work on a site, summed up, with the states that follow.

The figures of a case can be recomputed at any time with the same result. Dismissed matches do not count,
unless all are dismissed: then the figures describe the dismissed ones. The copied characters are
those of the matches that have the work's words; retellings have none.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from storage.collections.cases import case_id
from storage.collections.stores import Stores
from storage.records import (
    SYSTEM,
    VERDICTS,
    Case,
    Match,
    MatchSummary,
    Presence,
    meaning_of,
    summary_of,
    union_length,
)
from tracker.judgement.case_states import JOINED, close, follow_matches


def refresh_cases(
    stores: Stores,
    keys: Iterable[tuple[int, str]],
    *,
    by: str = SYSTEM,
    reason: str = "",
    now: datetime | None = None,
) -> int:
    """Recompute cases from their matches, and move those that require it.

    A case is created with its first match and never deleted: see
    :func:`tracker.judgement.case_states.follow_matches`.

    Args:
        stores: the open stores.
        keys: (work id, site) of each case that may have changed; repeats are computed once.
        by: the user or service that changed the matches.
        reason: why.
        now: the moment of the moves; None: the present.

    Returns:
        How many of these cases have matches now.

    Raises:
        StorageFailed: MongoDB refused an operation.
    """
    count, unique_keys = 0, sorted(set(keys))
    sizes = stores.works.sizes(sorted({work_id for work_id, _ in unique_keys}))
    for work_id, site in unique_keys:
        matches = list(stores.matches.summaries_of_case(work_id, site))
        case = _count(work_id, site, matches, stores, work_chars=sizes.get(work_id, 0))
        if case is not None:
            follow_matches(case, matches, stores, by=by, note=reason, now=now)
        count += bool(matches)
    return count


def _count(
    work_id: int, site: str, matches: Sequence[MatchSummary], stores: Stores, *, work_chars: int
) -> Case | None:
    """Store the figures of a case and return it; None if there never were matches."""
    if matches:
        presences = stores.visits.presences_of((match.url, match.page_id) for match in matches)
        return stores.cases.save(sum_up(work_id, site, matches, presences, work_chars=work_chars))
    stored = stores.cases.find(case_id(work_id, site))
    if stored is None:
        return None
    nothing = replace(stored, pages=0, passages=0, copied_chars=0, page_share=0.0, work_share=0.0)
    return stores.cases.save(replace(nothing, reviews={}, waiting=0, looks={}))


def close_joined(keys: Iterable[tuple[int, str]], stores: Stores, *, book_id: int) -> None:
    """Close cases whose matches all moved to the book's cases on the same sites; may be repeated."""
    for work_id, site in sorted(set(keys)):
        old = stores.cases.find(case_id(work_id, site)) if work_id != book_id else None
        new = stores.cases.find(case_id(book_id, site))
        if old is not None and new is not None and not any(stores.matches.summaries_of_case(work_id, site)):
            close(old, stores, reason=JOINED, subject=new.name)


def presences_of(matches: Iterable[Match], stores: Stores) -> dict[str, Presence]:
    """Return whether the texts of matches are still online, by page id, if that was ever checked."""
    return stores.visits.presences_of((match.url, match.page_id) for match in matches)


def case_of(matches: Sequence[Match], presences: Mapping[str, Presence] = MappingProxyType({})) -> Case:
    """Return the new case of the matches of one work on one site.

    Args:
        matches: one or more.
        presences: whether their texts are still online, by page id.

    Raises:
        ValueError: there are no matches, or they belong to several cases.
    """
    keys = {(match.work_id, match.site) for match in matches}
    if len(keys) != 1:
        raise ValueError("a case needs matches of exactly one work on one site")
    ((work_id, site),) = keys
    return sum_up(work_id, site, [summary_of(match) for match in matches], presences)


def sum_up(
    work_id: int,
    site: str,
    matches: Sequence[MatchSummary],
    presences: Mapping[str, Presence] = MappingProxyType({}),
    *,
    work_chars: int = 0,
) -> Case:
    """Return the figures of the matches of a work on a site.

    Args:
        work_id: the work.
        site: the site.
        matches: summaries of the matches; one or more.
        presences: whether their texts are still online, by page id.
        work_chars: characters of the work; 0: unknown, so there is no share.
    """
    counted = [match for match in matches if match.review != "dismissed"] or matches
    newest = max(counted, key=lambda match: match.last_seen)
    newest_passage = max(match.passage_id for match in counted)
    texts = sorted({match.page_id for match in counted})
    page_presences = [presences[page_id] for page_id in texts if page_id in presences]
    copied = covered_chars(
        (match.passage_id, zip(match.stretches[::2], match.stretches[1::2], strict=True))
        for match in counted
        if meaning_of(match.verdict).is_verbatim
    )
    return Case(
        id=case_id(work_id, site),
        work_id=work_id,
        work_title=newest.work_title,
        site=site,
        verdict=min((match.verdict for match in counted), key=VERDICTS.index),
        pages=len({match.url for match in counted}),
        passages=len({match.passage_id for match in counted}),
        copied_chars=copied,
        page_share=max(match.coverage for match in counted),
        # at most 1, because editions may add up to more
        work_share=min(copied / work_chars, 1.0) if work_chars else 0.0,
        first_seen=min(match.first_seen for match in counted),
        last_seen=newest.last_seen,
        reviews=dict(Counter(match.review for match in matches)),
        waiting=sum(not match.review and meaning_of(match.verdict).needs_decision for match in matches),
        looks=dict(Counter(presence.state for presence in page_presences)),
        checked=max((presence.checked for presence in page_presences), default=None),
        absent_since=_absent_since(page_presences) if len(page_presences) == len(texts) else None,
        newest_passage=newest_passage,
        newest_seen=min(match.first_seen for match in counted if match.passage_id == newest_passage),
        charged_to=_charged_to(counted),
    )


def _charged_to(matches: Sequence[MatchSummary]) -> tuple[int, ...]:
    """Return the books that are charged with the text of all the matches; empty if a match is charged."""
    if not all(match.charged_to for match in matches):
        return ()
    return tuple(sorted({book_id for match in matches for book_id in match.charged_to}))


def charged_cases(cases: Sequence[Case]) -> list[Case]:
    """Return the cases without those whose text counts for another one of them."""
    keys = {(case.work_id, case.site) for case in cases}
    return [case for case in cases if not any((book_id, case.site) in keys for book_id in case.charged_to)]


def _absent_since(presences: Sequence[Presence]) -> datetime | None:
    """Return since when all texts are gone; None while one is online."""
    dates = [presence.absent_since for presence in presences if presence.state == "gone"]
    known_dates = [date for date in dates if date is not None]
    return max(known_dates) if len(known_dates) == len(presences) else None


def copied_chars(matches: Iterable[Match]) -> int:
    """Return how many characters of the work are copied, each counted once; retellings have none."""
    return covered_chars(
        (match.passage_id, [(span.passage_start, span.passage_end) for span in match.spans])
        for match in matches
        if meaning_of(match.verdict).is_verbatim
    )


def covered_chars(stretches: Iterable[tuple[int, Iterable[tuple[int, int]]]]) -> int:
    """Return how many characters of passages the stretches cover, each counted once.

    The count is on the passages' side: two versions of a page, or two pages with the same chapter, copy the
    same characters and do not add up.
    """
    by_passage: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for passage_id, places in stretches:
        by_passage[passage_id] += places
    return sum(union_length(places) for places in by_passage.values())
