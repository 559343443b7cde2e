"""Decisions of analysts on matches: confirmed, dismissed with a reason, or doubtful.

A decision is about a stretch of a passage's text on a site. It applies to every match of that stretch there,
including pages compared later and further versions of the same page. A dismissed stretch stays stored and is
shown with its reason; it affects neither the verdict on its page nor a case.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from storage.collections.decisions import content_of, decision_id
from storage.collections.stores import Stores
from storage.records import Decision, DecisionState, Match, Passage
from system.errors import PindnaError
from tracker.judgement.reviewing import Stretch, union
from tracker.review.applying import apply_decisions, decisions_on
from tracker.review.decision_events import store_decision_events, store_reopening_events


class NoReason(PindnaError):
    """A dismissal lacks its reason."""

    template = "A dismissal needs a reason. Add --because “…”."


class NoNote(PindnaError):
    """A match is set aside without a note."""

    template = "A match that is set aside needs a note. Add --because “…”."


class PassageGone(PindnaError):
    """The passage of a match is no longer stored.

    Attributes:
        name: the name as given.
    """

    template = "Match {name} cannot be decided: its passage is no longer stored."


class NothingMarked(PindnaError):
    """None of the marked stretches belongs to the match.

    Attributes:
        name: the name as given.
    """

    template = "No stretch of {name} is marked. Mark at least one."


class DecisionConflict(PindnaError):
    """Another user decided about matches at the same time.

    Attributes:
        names: the first names.
        by: the other users.
    """

    code = "decided-meanwhile"
    template = "{by} has just reviewed {names}. Check the decision and try again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """An analyst's decision on matches.

    Attributes:
        state: confirmed, dismissed, or doubtful (set aside for later).
        reason: why; required for dismissed and doubtful.
        by: the analyst.
    """

    state: DecisionState
    reason: str = ""
    by: str = ""


def decide(
    matches: Sequence[Match], stores: Stores, *, ruling: Ruling, marked: Sequence[Stretch] | None = None
) -> list[Decision]:
    """Decide about the stretches of matches on their sites and return the decisions.

    If a match is partly decided, only its open stretches are decided. Of two users who decide about a match
    at the same time, one is refused. An interrupted call may be repeated: stored decisions stay, and nothing
    appears twice in the history.

    Args:
        matches: as the user saw them.
        stores: the database.
        ruling: the decision.
        marked: the stretches of their passages to decide; None: all open ones.

    Raises:
        NoReason, NoNote: a dismissal has no reason, or a match is set aside without a note.
        NothingMarked: a match has none of the marked stretches.
        PassageGone: the passage of a match was removed or replaced.
        DecisionConflict: another decision came first; the other matches are decided.
    """
    if not ruling.reason.strip() and ruling.state != "confirmed":
        raise NoReason if ruling.state == "dismissed" else NoNote
    passages = _passages_of(matches, stores)
    requested = {
        match.id: [
            _decision_on(match, passages[match.passage_id], stretch, ruling)
            for stretch in _undecided_stretches(match, marked)
        ]
        for match in matches
    }
    stored = _store_decisions(matches, requested, stores)
    won = [
        match
        for match in matches
        if all(_are_equal(stored[decision.id], decision) for decision in requested[match.id])
    ]
    decisions = [stored[decision.id] for match in won for decision in requested[match.id]]
    store_decision_events(
        won, {match.id: [stored[decision.id] for decision in requested[match.id]] for match in won}, stores
    )
    _forget_earlier(decisions, stores)
    apply_decisions(matches, passages, stores, by=ruling.by, reason=ruling.reason.strip())
    if lost := [match for match in matches if match not in won]:
        other_deciders = {stored[decision.id].by for match in lost for decision in requested[match.id]} - {
            ruling.by.strip()
        }
        names = ", ".join(match.name for match in lost)
        raise DecisionConflict(names=names, by=", ".join(sorted(other_deciders)) or ruling.by)
    return decisions


def _undecided_stretches(match: Match, marked: Sequence[Stretch] | None) -> Sequence[Stretch]:
    if marked is None:
        return match.undecided or _passage_stretches(match)
    match_stretches = _passage_stretches(match)
    common = [
        (max(start, first), min(end, last)) for start, end in match_stretches for first, last in union(marked)
    ]
    if not (stretches_to_decide := [(start, end) for start, end in common if start < end]):
        raise NothingMarked(name=match.name)
    return stretches_to_decide


def _store_decisions(
    matches: Sequence[Match], requested: Mapping[str, Sequence[Decision]], stores: Stores
) -> Mapping[str, Decision]:
    """Store decisions unless another one came first; return the stored ones by id."""
    decisions: dict[str, Decision] = {}
    for match in matches:
        for decision in requested[match.id]:
            decisions.setdefault(decision.id, decision)
    known_stamps = {decided.decision_id: decided.made for match in matches for decided in match.decided}
    return stores.decisions.save_unless_decided(list(decisions.values()), known_stamps)


def _are_equal(stored: Decision, requested: Decision) -> bool:
    """Return whether a stored decision is the requested one, or an equal one of another match or call."""
    return content_of(stored) == content_of(requested)


def reopen(match: Match, stores: Stores, *, by: str = "", reason: str = "") -> None:
    """Undo the decisions on the stretches of a match, on the whole site; they stay in the history.

    Raises:
        PassageGone: the passage was removed or replaced.
        DecisionConflict: another user decided differently at the same time; that decision stays.
    """
    passages = _passages_of([match], stores)
    decisions = decisions_on(passages.values(), match.site, stores)
    stretches = _passage_stretches(match)
    met = [
        decision
        for decisions_of_passage in decisions.values()
        for decision in decisions_of_passage
        if _meets_any(decision, stretches)
    ]
    store_reopening_events(match, met, stores, by=by, reason=reason)
    later = stores.decisions.withdraw(met)
    apply_decisions([match], passages, stores, by=by, reason=reason)
    _refuse_conflicts(match.name, later)


def undo(decision: Decision, stores: Stores, *, by: str = "") -> None:
    """Undo one decision: its stretch is open again in every match on the site; it stays in the history.

    Raises:
        DecisionConflict: another user decided differently at the same time; that decision stays.
    """
    matches = stores.matches.of_page(decision.page_id)
    looked_at = next((match for match in matches if match.passage_id == decision.passage_id), decision)
    store_reopening_events(looked_at, [decision], stores, by=by, reason="")
    later = stores.decisions.withdraw([decision])
    passages = stores.passages.get_many([decision.passage_id])
    apply_decisions([decision], passages, stores, by=by)
    _refuse_conflicts(decision.id, later)


def _refuse_conflicts(name: str, later: Sequence[Decision]) -> None:
    """Report other decisions that were made at the same time.

    Raises:
        DecisionConflict: there are any.
    """
    if later:
        raise DecisionConflict(names=name, by=", ".join(sorted({decision.by for decision in later})))


def _passages_of(matches: Iterable[Match], stores: Stores) -> dict[int, Passage]:
    names = {match.passage_id: match.id for match in matches}
    passages = stores.passages.get_many(names)
    for passage_id, name in names.items():
        if passage_id not in passages:
            raise PassageGone(name=name)
    return passages


def _decision_on(match: Match, passage: Passage, stretch: Stretch, ruling: Ruling) -> Decision:
    start, end = stretch
    return Decision(
        id=decision_id(match.site, passage.sha256, start, end),
        state=ruling.state,
        site=match.site,
        work_id=match.work_id,
        passage_id=match.passage_id,
        passage_sha256=passage.sha256,
        start=start,
        end=end,
        because=ruling.reason.strip(),
        by=ruling.by.strip(),
        page_id=match.page_id,
        page_seen=match.first_seen,
        work_title=match.work_title,
        passage_title=match.passage_title,
        url=match.url,
    )


def _forget_earlier(decisions: Sequence[Decision], stores: Stores) -> None:
    """Delete earlier decisions within these stretches, so undoing these cannot restore them."""
    new = {decision.id for decision in decisions}
    by_passage: dict[tuple[str, str], list[Decision]] = {}
    for decision in decisions:
        by_passage.setdefault((decision.site, decision.passage_sha256), []).append(decision)
    for site in {decision.site for decision in decisions}:
        shas = [sha for own_site, sha in by_passage if own_site == site]
        for sha, stored in stores.decisions.of_passages(shas, site=site).items():
            later = by_passage[site, sha]
            stores.decisions.delete_many(
                [old.id for old in stored if old.id not in new and _is_within(old, later)]
            )


def _is_within(old: Decision, later: Sequence[Decision]) -> bool:
    return any(new.start <= old.start and old.end <= new.end for new in later)


def _passage_stretches(match: Match) -> list[Stretch]:
    """Return the passage's stretches of a match, including dismissed ones."""
    spans = [*match.spans, *(suppressed.span for suppressed in match.suppressed)]
    return union((span.passage_start, span.passage_end) for span in spans)


def _meets_any(decision: Decision, stretches: Sequence[Stretch]) -> bool:
    return any(start < decision.end and decision.start < end for start, end in stretches)
