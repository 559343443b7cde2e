"""What analysts say of matches: confirmed, or dismissed for a reason that outlives the match.

A dismissal is about a stretch of a passage's text on a site: every match of that stretch there is dismissed
with it, those of pages that are compared later too. What was dismissed stays stored and is shown with its
reason; it has no say in the verdict on its page and no part in a case.
"""

from collections.abc import Sequence
from dataclasses import replace

from storage.collections.dismissals import dismissal_id
from storage.collections.stores import Stores
from storage.errors import PindnaError
from storage.records import Dismissal, Match, Page, Passage, ReviewState, utc_now
from tracker.judgement.cases import refresh_cases
from tracker.judgement.match import joined_reasons, mask, without_dismissed
from tracker.judgement.verdict import gravest


class NoReason(PindnaError):
    """A dismissal without a reason."""

    template = "A dismissal needs its reason: --because “…”."


class PassageGone(PindnaError):
    """The passage of a match is no longer stored. Data: ``name``."""

    template = "The passage of match {name} is no longer stored, so there is nothing to dismiss."


def confirm(match: Match, stores: Stores) -> None:
    """Note that a match is an infringement.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    stores.matches.review(match.id, state="confirmed", because="", at=utc_now())


def reopen(match: Match, stores: Stores) -> None:
    """Forget what was said of a match; dismissals of its stretches go, on the whole site.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    mine = {dismissal.dismissal_id for dismissal in match.suppressed}
    for dismissal in stores.dismissals.all():
        if dismissal.id in mine:
            undo(dismissal, stores)
    stores.matches.review(match.id, state="", because="", at=utc_now())


def dismiss(match: Match, stores: Stores, *, because: str) -> list[Dismissal]:
    """Dismiss the stretches of a match on its site and return the dismissals.

    Raises:
        NoReason: the reason is empty.
        PassageGone: the passage was removed or replaced.
        ServiceDown: MongoDB does not answer.
    """
    if not because.strip():
        raise NoReason
    passage = stores.passages.get_many([match.passage_id]).get(match.passage_id)
    if passage is None:
        raise PassageGone(name=match.id)
    dismissals = [
        Dismissal(
            id=dismissal_id(match.site, passage.sha256, start, end),
            site=match.site,
            work_id=match.work_id,
            passage_id=match.passage_id,
            passage_sha256=passage.sha256,
            start=start,
            end=end,
            because=because.strip(),
            work_title=match.work_title,
            passage_title=match.passage_title,
            url=match.url,
        )
        for start, end in _stretches(match)
    ]
    for dismissal in dismissals:
        stores.dismissals.save(dismissal)
    _apply(match.work_id, match.site, passage, stores)
    return dismissals


def undo(dismissal: Dismissal, stores: Stores) -> None:
    """Forget a dismissal: its stretch counts again in every match on the site.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    stores.dismissals.delete(dismissal.id)
    passage = stores.passages.get_many([dismissal.passage_id]).get(dismissal.passage_id)
    if passage is not None:
        _apply(dismissal.work_id, dismissal.site, passage, stores)


def _stretches(match: Match) -> list[tuple[int, int]]:
    """Return the passage's stretches of a match, each once; what was dismissed before included."""
    spans = [*match.spans, *(suppressed.span for suppressed in match.suppressed)]
    return sorted({(span.passage_start, span.passage_end) for span in spans})


def _apply(work_id: int, site: str, passage: Passage, stores: Stores) -> None:
    """Hold the dismissals of a passage against all matches of it on a site."""
    dismissals = stores.dismissals.of_passages([passage.sha256], site=site).get(passage.sha256, [])
    touched = []
    for match in stores.matches.of_case(work_id, site):
        if match.passage_id == passage.id:
            stores.matches.suppress(_with_dismissals(match, dismissals))
            touched.append(match.page_id)
    for page in stores.pages.get_many(touched).values():
        _judge_again(page, stores)
    refresh_cases(stores, [(work_id, site)])


def _with_dismissals(match: Match, dismissals: Sequence[Dismissal]) -> Match:
    """Return a match with its stretches sorted anew into those that count and those that are dismissed.

    Of a match that is dismissed as a whole the stretches stay in ``spans`` too: its figures are about them.
    """
    every = {
        (span.page_start, span.page_end): span
        for span in (*match.spans, *(suppressed.span for suppressed in match.suppressed))
    }
    spans = [every[place] for place in sorted(every)]
    counted, suppressed = without_dismissed(spans, dismissals)
    if counted or not suppressed:
        review: ReviewState = "confirmed" if match.review == "confirmed" else ""
        return replace(
            match, spans=tuple(counted), suppressed=suppressed, review=review, because="",
            reviewed=match.reviewed if review else None,
        )  # fmt: skip
    return replace(
        match, spans=tuple(spans), suppressed=suppressed, review="dismissed",
        because=joined_reasons(suppressed), reviewed=utc_now(),
    )  # fmt: skip


def _judge_again(page: Page, stores: Stores) -> None:
    """Set a page's verdict by what is not dismissed; the next comparison weighs all of it together anew."""
    left = [match for match in stores.matches.of_page(page.id) if match.review != "dismissed"]
    counted = [match for match in left if match.verdict != "common"]
    covered = mask((span for match in counted for span in match.spans), len(page.text))
    stores.pages.judge_again(
        page.id,
        verdict=gravest(match.verdict for match in left),
        coverage=round(float(covered.mean()), 4) if len(covered) else 0.0,
        copied_chars=int(covered.sum()),
    )
