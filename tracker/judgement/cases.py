"""Cases from matches: a work on a site, summed up.

A case is derived: it can be made anew from its matches at any time, any number of times, with the same
result. What an analyst dismissed is not part of it. Only its first sight and its status belong to it alone;
storage keeps those.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from storage.collections.cases import case_id
from storage.collections.stores import Stores
from storage.records import VERDICTS, Case, Match


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
        matches = [match for match in stores.matches.of_case(work_id, site) if match.review != "dismissed"]
        if matches:
            stores.cases.save(case_of(matches))
            kept += 1
        else:
            stores.cases.delete(case_id(work_id, site))
    return kept


def case_of(matches: Sequence[Match]) -> Case:
    """Return the case that these matches of one work on one site make up.

    Raises:
        ValueError: there are no matches, or they belong to several cases.
    """
    if len({(match.work_id, match.site) for match in matches}) != 1:
        raise ValueError("a case needs matches of exactly one work on one site")
    newest = max(matches, key=lambda match: match.last_seen)
    return Case(
        id=case_id(newest.work_id, newest.site),
        work_id=newest.work_id,
        work_title=newest.work_title,
        site=newest.site,
        verdict=min((match.verdict for match in matches), key=VERDICTS.index),
        pages=len({match.url for match in matches}),
        passages=len({match.passage_id for match in matches}),
        copied_chars=copied_chars(matches),
        first_seen=min(match.first_seen for match in matches),
        last_seen=newest.last_seen,
    )


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
