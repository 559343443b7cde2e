"""Holding decisions against what is stored: matches of their stretches, the pages of these, and cases.

Who decides, who takes back and who compares pages may do so at once, and a worker may be killed. Whoever
settles matches looks at the decisions once more afterwards, until nobody decided meanwhile; so the last one
leaves them right.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from storage.collections.standings import AS_A_WHOLE
from storage.collections.stores import Stores
from storage.records import SYSTEM, Decision, Match, Page, PageResult, Passage, gravest
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
    """Hold what is decided on some passages against all matches of them on some sites; may be repeated.

    The decisions are stored before. A worker that compares one of the pages meanwhile either looked at them
    after it had stored its matches, or these are among those that are met here. Of these the page is taken
    from the worker, *before* they are settled: it has closed it, and what it wrote is read here, or it cannot
    close it any more.

    Pages of which other stretches count than before are judged by their matches, and compared again with the
    next scan, which alone weighs together what is left.

    Args:
        subjects: matches or decisions, of the works and sites that it is about.
        passages: by their ids.
        stores: the database.
        by: who decided.
        reason: why.
    """
    keys = {(subject.work_id, subject.site) for subject in subjects}
    page_ids = set[str]()
    for work_id, site in sorted(keys):
        matches = stores.matches.of_case(work_id, site)
        affected_ids = {match.page_id for match in matches if match.passage_id in passages}
        stores.pages.revoke(affected_ids)
        _settle(work_id, site, passages, stores)
        page_ids |= affected_ids
    for page in stores.pages.get_many(sorted(page_ids)).values():
        if page.corpus_version == AS_A_WHOLE:
            _judge_again(page, stores)
    refresh_cases(stores, keys, by=by, reason=reason)


def _settle(work_id: int, site: str, passages: Mapping[int, Passage], stores: Stores) -> None:
    """Settle the matches of some passages on a site, until nobody decided about them meanwhile."""
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
    """Return whether the same stretches of a match count, before and after it was settled."""
    return (match.spans, match.suppressed, match.review == "dismissed") == (
        other.spans,
        other.suppressed,
        other.review == "dismissed",
    )


def stamps(decisions: Iterable[Iterable[Decision]]) -> set[tuple[str, datetime]]:
    """Return what is the same as long as nobody decides or takes back: ids, and when they were made."""
    return {
        (decision.id, decision.made)
        for decisions_of_passage in decisions
        for decision in decisions_of_passage
    }


def decisions_on(passages: Iterable[Passage], site: str, stores: Stores) -> dict[str, list[Decision]]:
    """Return a site's decisions on some passages, by their SHA-256."""
    return stores.decisions.of_passages((passage.sha256 for passage in passages), site=site)


def _judge_again(page: Page, stores: Stores) -> None:
    """Give a compared page the verdict by its matches, as often as another gives it one meanwhile."""
    remaining: Page | None = page
    while remaining is not None and remaining.verdict is not None:
        now = judged(remaining, stores.matches.of_page(remaining.id), length=len(remaining.text))
        if now is remaining or stores.pages.update_verdict(remaining, now):
            return
        remaining = stores.pages.get(remaining.id)


def judged(subject: Judged, matches: Sequence[Match], *, length: int) -> Judged:
    """Return a page or its result with the verdict by what is not dismissed.

    The next comparison weighs all of it together anew. Where nothing is dismissed and the same characters
    count, the verdict of the last one stays, which did; and so does a verdict that is graver than that of any
    match alone, as long as one of them in the article is left: matches in the rest are never judged together.

    Args:
        subject: as the last comparison left it.
        matches: of the page, as decisions make them.
        length: of the page's article, in characters.
    """
    remaining = [match for match in matches if match.review != "dismissed"]
    counted = [match for match in remaining if match.verdict != "common" and match.part == "article"]
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
