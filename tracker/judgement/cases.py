"""Cases from matches: a work on a site, summed up.

A case is derived: it can be made anew from its matches at any time, any number of times, with the same
result. What an analyst dismissed is not part of it, unless all of it was: then the case says what that is.
Only its first sight and its number belong to it alone; storage keeps those.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from storage.collections.cases import case_id
from storage.collections.stores import Stores
from storage.records import VERDICTS, Case, Match, Presence, case_status


def refresh_cases(stores: Stores, keys: Iterable[tuple[int, str]]) -> int:
    """Recompute cases from their matches; a case without any match left is deleted.

    Args:
        stores: the open stores.
        keys: (work id, site) of each case that may have changed; repeats are computed once.

    Returns:
        How many of these cases exist now.

    Raises:
        ServiceDown: MongoDB does not answer.
        StorageFailed: MongoDB refused an operation.
    """
    kept = 0
    for work_id, site in sorted(set(keys)):
        matches = stores.matches.of_case(work_id, site)
        if matches:
            stores.cases.save(case_of(matches, presences_of(matches, stores)))
            kept += 1
        else:
            stores.cases.delete(case_id(work_id, site))
    return kept


def presences_of(matches: Iterable[Match], stores: Stores) -> dict[str, Presence]:
    """Return whether the texts of matches are still up, by page id, where that was ever looked at.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    return stores.visits.presences_of((match.url, match.page_id) for match in matches)


def case_of(matches: Sequence[Match], presences: Mapping[str, Presence] = MappingProxyType({})) -> Case:
    """Return the case that these matches of one work on one site make up.

    Args:
        matches: one or more.
        presences: whether their texts are still up, by page id.

    Raises:
        ValueError: there are no matches, or they belong to several cases.
    """
    if len({(match.work_id, match.site) for match in matches}) != 1:
        raise ValueError("a case needs matches of exactly one work on one site")
    part = [match for match in matches if match.review != "dismissed"] or matches
    newest = max(part, key=lambda match: match.last_seen)
    texts = sorted({match.page_id for match in part})
    known = [presences[page_id] for page_id in texts if page_id in presences]
    return Case(
        id=case_id(newest.work_id, newest.site),
        work_id=newest.work_id,
        work_title=newest.work_title,
        site=newest.site,
        verdict=min((match.verdict for match in part), key=VERDICTS.index),
        pages=len({match.url for match in part}),
        passages=len({match.passage_id for match in part}),
        copied_chars=copied_chars(part),
        first_seen=min(match.first_seen for match in part),
        last_seen=newest.last_seen,
        status=case_status(match.review or ("partly" if match.decided else "") for match in matches),
        looks=dict(Counter(presence.state for presence in known)),
        checked=max((presence.checked for presence in known), default=None),
        absent_since=_absent_since(known) if len(known) == len(texts) else None,
    )


def _absent_since(presences: Sequence[Presence]) -> datetime | None:
    """Return since when none of some texts is there, None while one is not gone."""
    dates = [presence.absent_since for presence in presences if presence.state == "gone"]
    known = [date for date in dates if date is not None]
    return max(known) if len(known) == len(presences) else None


def copied_chars(matches: Iterable[Match]) -> int:
    """Return how many characters of the work the matches cover, each counted once.

    Counted on the passages' side: two versions of a page, or two pages with the same chapter, copy the same
    characters and add nothing to each other.
    """
    stretches: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for match in matches:
        stretches[match.passage_id] += [(span.passage_start, span.passage_end) for span in match.spans]
    return sum(union_length(stretch) for stretch in stretches.values())


def union_length(stretches: Iterable[tuple[int, int]]) -> int:
    """Return the length of the union of half-open stretches."""
    covered, reached = 0, 0
    for start, end in sorted(stretches):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered
