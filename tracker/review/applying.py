"""Application of decisions to stored matches, to their pages, and to cases.

Analysts may decide and undo, and workers may compare pages, at the same time; a worker may be killed. So code
that applies decisions reads them again afterwards, until they no longer change. The last one to do so leaves
the matches correct.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from storage.collections.standings import AS_A_WHOLE
from storage.collections.stores import Stores
from storage.records import SYSTEM, UNCOUNTED, Decision, Match, Page, PageResult, Passage, gravest
from tracker.judgement.cases import refresh_cases
from tracker.judgement.match import mask
from tracker.judgement.parts import PartVerdicts
from tracker.judgement.reviewing import settled

Judged = TypeVar("Judged", Page, PageResult)


def apply_decisions(
    subjects: Sequence[Match] | Sequence[Decision],
    passages: Mapping[int, Passage],
    stores: Stores,
    *,
    by: str = SYSTEM,
    reason: str = "",
) -> None:
    """Apply the decisions on passages to all matches of them on the sites; may be repeated.

    The decisions are stored before. A worker that is comparing one of the pages has either read the decisions
    after storing its matches, or its matches are found here. In the second case the page is taken from the
    worker *before* the matches are changed: either the worker has closed it and its result is read here, or
    it can no longer close it.

    Pages whose counting stretches change get a verdict from their matches now, and are compared again with
    the next scan, because only a comparison weighs the remaining stretches together.

    Args:
        subjects: matches or decisions; their works and sites are updated.
        passages: by their ids.
        stores: the database.
        by: the user.
        reason: why.
    """
    keys = {(subject.work_id, subject.site) for subject in subjects}
    page_ids = set[str]()
    for work_id, site in sorted(keys):
        matches = stores.matches.of_case(work_id, site)
        affected_ids = {match.page_id for match in matches if match.passage_id in passages}
        stores.pages.revoke(affected_ids)
        _apply_until_stable(work_id, site, passages, stores)
        page_ids |= affected_ids
    for page in stores.pages.get_many(sorted(page_ids)).values():
        if page.corpus_version == AS_A_WHOLE:
            _judge_again(page, stores)
    refresh_cases(stores, keys, by=by, reason=reason)


def _apply_until_stable(work_id: int, site: str, passages: Mapping[int, Passage], stores: Stores) -> None:
    """Apply decisions to the matches of passages on a site, until the decisions no longer change."""
    decisions = decisions_on(passages.values(), site, stores)
    while True:
        matches = [
            case_match
            for case_match in stores.matches.of_case(work_id, site)
            if case_match.passage_id in passages
        ]
        now = [
            settled(case_match, decisions.get(passages[case_match.passage_id].sha256, ()))
            for case_match in matches
        ]
        pairs = zip(matches, now, strict=True)
        stores.pages.compare_again(
            {case_match.page_id for case_match, other in pairs if not _count_alike(case_match, other)}
        )
        for match in now:
            stores.matches.settle(match)
        previous, decisions = decisions, decisions_on(passages.values(), site, stores)
        if stamps(decisions.values()) == stamps(previous.values()):
            return


def _count_alike(match: Match, other: Match) -> bool:
    """Return whether the same stretches of a match count before and after."""
    return (match.spans, match.suppressed, match.review == "dismissed") == (
        other.spans,
        other.suppressed,
        other.review == "dismissed",
    )


def stamps(decisions: Iterable[Iterable[Decision]]) -> set[tuple[str, datetime]]:
    """Return ids and dates of decisions, to detect new or undone ones."""
    return {
        (decision.id, decision.made)
        for decisions_of_passage in decisions
        for decision in decisions_of_passage
    }


def decisions_on(passages: Iterable[Passage], site: str, stores: Stores) -> dict[str, list[Decision]]:
    """Return a site's decisions on some passages, by their SHA-256."""
    return stores.decisions.of_passages((passage.sha256 for passage in passages), site=site)


def _judge_again(page: Page, stores: Stores) -> None:
    """Set the verdict of a compared page by its matches; repeat after concurrent changes."""
    remaining: Page | None = page
    while remaining is not None and remaining.verdict is not None:
        now = judged(remaining, stores.matches.of_page(remaining.id), length=len(remaining.text))
        if now is remaining or stores.pages.update_verdict(remaining, now):
            return
        remaining = stores.pages.get(remaining.id)


def judged(subject: Judged, matches: Sequence[Match], *, length: int) -> Judged:
    """Return a page or its result with the verdict of its matches that are not dismissed.

    The next comparison weighs everything together again. The last verdict stays if nothing is dismissed and
    the same characters count. It also stays if it is graver than that of any single match, as long as a match
    in the article remains: matches in the rest are never judged together.

    Args:
        subject: as the last comparison left it.
        matches: of the page, with decisions applied.
        length: of the page's article, in characters.
    """
    remaining = [match for match in matches if match.review != "dismissed"]
    counted = [match for match in remaining if match.verdict not in UNCOUNTED and match.part == "article"]
    covered = mask((span for match in counted for span in match.spans), length)
    if len(remaining) == len(matches) and covered.sum() == subject.copied_chars:
        return subject
    verdicts, alone = PartVerdicts.of(remaining), gravest(match.verdict for match in matches)
    if counted and subject.verdict is not None and gravest([subject.verdict, alone]) != alone:
        verdicts = replace(verdicts, article=subject.verdict)
    return replace(
        subject,
        verdict=verdicts.page,
        rest_verdict=None if subject.rest_verdict is None else verdicts.rest,
        is_doubtful=verdicts.is_doubtful,
        coverage=round(float(covered.mean()), 4) if len(covered) else 0.0,
        copied_chars=int(covered.sum()),
    )
