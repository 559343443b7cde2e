"""Decide about matches. A match is refused if it changed after it was shown, or another user has it open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action, work_subject
from analysis.queries.matches import get_match
from analysis.queries.scope import only_visible
from storage.collections.cases import case_id
from storage.records import Decision, DecisionState, EventKind, Match, ReviewLease
from system.errors import PindnaError, UnknownId
from tracker.judgement.reviewing import Stretch
from tracker.review import decisions
from tracker.review.decisions import DecisionConflict, Ruling
from tracker.review.versions import has_other_decisions, review_version
from tracker.runtime import Runtime

_KINDS: Mapping[str, EventKind] = {
    "confirmed": "match-confirmed",
    "dismissed": "match-dismissed",
    "doubtful": "match-doubtful",
}
_MOST_NAMED = 100  # maximum number of matches that a row of the audit log names


class MatchLocked(PindnaError):
    """Another user has a match open for review.

    Attributes:
        name: name of the match.
        by: the other user.
    """

    code = "open-elsewhere"
    template = "{by} is reviewing {name}."


class MatchChanged(PindnaError):
    """A match changed after it was shown to the user.

    Attributes:
        name: name of the match.
    """

    code = "seen-otherwise"
    template = "{name} changed after it was shown. Reload it and decide again."


def open_match(
    identity: Identity, runtime: Runtime, name: str, *, window: str, leaving: str = ""
) -> ReviewLease:
    """Claim or renew the lease of a match that a user has open for review. Return the lease in force.

    Args:
        identity: the user or program that acts.
        runtime: the stores.
        name: name of the match.
        window: id of the browser window in which it is open.
        leaving: id of the match that was open in the window before; its lease is released.

    Raises:
        NotPermitted, UnknownId: the user may not decide about it.
    """
    identity.require("matches:decide")
    match = get_match(identity, runtime.stores, name)
    if leaving:
        runtime.stores.review_leases.release(leaving, window=window)
    return runtime.stores.review_leases.claim(match.id, by=identity.account.name, window=window)


def close_match(identity: Identity, runtime: Runtime, match_id: str, *, window: str) -> None:
    """Release the lease of a match.

    Raises:
        NotPermitted: the user may not decide about matches.
        ServiceDown: MongoDB does not answer. The lease then ends when it expires.
    """
    identity.require("matches:decide")
    runtime.stores.review_leases.release(match_id, window=window)


def decide_match(
    identity: Identity,
    runtime: Runtime,
    name: str,
    *,
    state: DecisionState,
    reason: str = "",
    expected_version: str = "",
    marked: Sequence[Stretch] | None = None,
) -> tuple[Match, list[Decision]]:
    """Decide about a match. Return the match after the change, and the new decisions.

    Args:
        identity: the user or program that acts.
        runtime: the stores.
        name: name of the match.
        state: the decision.
        reason: the reason; required for dismissed and doubtful matches.
        expected_version: the version of the match that the user saw; empty: any version.
        marked: stretches of its passage to decide about; None: all open stretches.

    Raises:
        NotPermitted, UnknownId: the user may not decide about it.
        MatchLocked: another user has it open.
        DecisionConflict, MatchChanged: the match changed after the user saw it.
        NoReason, NoNote, NothingMarked, PassageGone: see :func:`tracker.review.decisions.decide`.
    """
    match = _match_to_decide(identity, runtime, name, expected_version)
    ruling = Ruling(state=state, reason=reason, by=identity.name)
    made = decisions.decide([match], runtime.stores, ruling=ruling, marked=marked)
    return _record_and_reload(identity, runtime, _KINDS[state], match), made


def reopen_match(
    identity: Identity, runtime: Runtime, name: str, *, reason: str = "", expected_version: str = ""
) -> Match:
    """Withdraw the decisions about a match. Return it after the change.

    Raises:
        NotPermitted, UnknownId, MatchLocked, DecisionConflict, MatchChanged: see :func:`decide_match`.
        PassageGone: its passage was removed or replaced.
    """
    match = _match_to_decide(identity, runtime, name, expected_version)
    decisions.reopen(match, runtime.stores, by=identity.name, reason=reason)
    return _record_and_reload(identity, runtime, "match-reopened", match)


def undo_decisions(
    identity: Identity, runtime: Runtime, before: Match, made: Sequence[Decision], *, expected_version: str
) -> Match:
    """Undo the last decisions about a match. Return it after the change.

    Args:
        identity: the user or program that acts.
        runtime: the stores.
        before: the match before these decisions. If it was fully decided then, that decision is restored.
        made: the decisions to undo.
        expected_version: the version of the match after these decisions.

    Raises:
        NotPermitted, UnknownId, MatchLocked, DecisionConflict, MatchChanged: see :func:`decide_match`.
    """
    match = _match_to_decide(identity, runtime, before.id, expected_version)
    if before.review:
        ruling = Ruling(state=before.review, reason=before.because, by=identity.name)
        decisions.decide([match], runtime.stores, ruling=ruling)
        return _record_and_reload(identity, runtime, _KINDS[before.review], match)
    for decision in made:
        decisions.undo(decision, runtime.stores, by=identity.name)
    return _record_and_reload(identity, runtime, "match-reopened", match)


@dataclass(frozen=True, slots=True)
class BulkDecision:
    """The result of a decision about several matches.

    Attributes:
        count: number of decided matches.
        refused: names of matches that were not decided, because another user decided, changed or opened them.
    """

    count: int
    refused: tuple[str, ...]


def decide_matches(
    identity: Identity,
    runtime: Runtime,
    expected_versions: Mapping[str, str],
    *,
    state: DecisionState,
    reason: str = "",
) -> BulkDecision:
    """Decide about several matches of one case, except those that changed after the user saw them.

    Args:
        identity: the user or program that acts.
        runtime: the stores.
        expected_versions: id of each match → the version that the user saw.
        state: the decision.
        reason: the reason; required for dismissed and doubtful matches.

    Raises:
        NotPermitted: the user may not decide about matches.
        NoReason, NoNote, PassageGone: see :func:`tracker.review.decisions.decide`.
    """
    identity.require("matches:decide")
    stores = runtime.stores
    matches = stores.matches.get_many(list(expected_versions)).values()
    leases = stores.review_leases.held(list(expected_versions))
    as_seen: list[Match] = []
    refused: list[Match] = []
    for match in only_visible(identity, stores, matches, lambda match: match.work_id):
        is_free = match.id not in leases or leases[match.id].by == identity.account.name
        is_same = is_free and review_version(match) == expected_versions[match.id]
        (as_seen if is_same else refused).append(match)
    error = _decide_all(identity, runtime, as_seen, Ruling(state=state, reason=reason, by=identity.name))
    lost = _refused_names(error)
    return BulkDecision(len(as_seen) - len(lost), (*(match.name for match in refused), *lost))


def decide_chosen(
    identity: Identity, runtime: Runtime, matches: Sequence[Match], *, state: DecisionState, reason: str = ""
) -> None:
    """Decide about matches that were just read, with one row in the audit log for all of them.

    Raises:
        NotPermitted: the user may not decide about matches.
        MatchLocked: another user has some of them open. The other matches are decided.
        DecisionConflict, NoReason, NoNote, PassageGone: see :func:`tracker.review.decisions.decide`.
    """
    identity.require("matches:decide")
    stores = runtime.stores
    leases = stores.review_leases.held([match.id for match in matches])
    elsewhere = {key: lease.by for key, lease in leases.items() if lease.by != identity.account.name}
    visible = list(only_visible(identity, stores, matches, lambda match: match.work_id))
    free = [match for match in visible if match.id not in elsewhere]
    error = _decide_all(identity, runtime, free, Ruling(state=state, reason=reason, by=identity.name))
    if error is not None:
        raise error
    if names := [match.name for match in visible if match.id in elsewhere]:
        raise MatchLocked(name=", ".join(names), by=", ".join(sorted(set(elsewhere.values()))))


def _decide_all(
    identity: Identity, runtime: Runtime, matches: Sequence[Match], ruling: Ruling
) -> DecisionConflict | None:
    """Decide about matches with one row in the audit log. Return the error for matches decided before."""
    error = None
    if not matches:
        return None
    try:
        decisions.decide(matches, runtime.stores, ruling=ruling)
    except DecisionConflict as caught:
        error = caught
    lost = set(_refused_names(error))
    _record_decisions(identity, runtime, [match for match in matches if match.name not in lost], ruling)
    return error


def _refused_names(error: DecisionConflict | None) -> tuple[str, ...]:
    return tuple(str(error.data["names"]).split(", ")) if error else ()


def take_back_dismissal(identity: Identity, runtime: Runtime, decision_id: str) -> None:
    """Withdraw a dismissal, so that its stretch counts again in every match on the site.

    Raises:
        NotPermitted: the user may not decide about matches.
        UnknownId: the decision no longer exists.
        DecisionConflict: another user decided at the same time; that decision stays.
    """
    identity.require("matches:decide")
    _withdraw(identity, runtime, runtime.stores.decisions.get(decision_id))


def _still_stored(listed: Decision, runtime: Runtime) -> Decision:
    """Return a decision that a user saw, if it is still the decision about its stretch.

    Raises:
        UnknownId: its stretch has no decision any more.
        DecisionConflict: its stretch has a newer decision.
    """
    stored = runtime.stores.decisions.get(listed.id)
    if stored.made != listed.made:
        raise DecisionConflict(names=f"{listed.site} {listed.work_title}", by=stored.by)
    return stored


def _withdraw(identity: Identity, runtime: Runtime, decision: Decision) -> None:
    """Withdraw a decision, and record it in the audit log."""
    decisions.undo(decision, runtime.stores, by=identity.name)
    record_action(
        identity,
        runtime,
        "take-back",
        f"decision {decision.id}",
        kind="match-reopened",
        before={"review": decision.state, "because": decision.because},
        after={"review": ""},
    )


def withdraw_decisions(identity: Identity, runtime: Runtime, stretches: Sequence[Decision]) -> None:
    """Withdraw the stretches of a decision, so that their finds wait for a decision again.

    A stretch with a newer decision keeps that decision; the others are withdrawn.

    Args:
        identity: the user or program that acts.
        runtime: the stores.
        stretches: the stretches as the user saw them.

    Raises:
        NotPermitted: the user may not decide about matches.
        UnknownId: a stretch has no decision any more.
        DecisionConflict: a stretch has a newer decision.
    """
    identity.require("matches:decide")
    problem: PindnaError | None = None
    for listed in stretches:
        try:
            _withdraw(identity, runtime, _still_stored(listed, runtime))
        except (UnknownId, DecisionConflict) as error:
            problem = error
    if problem is not None:
        raise problem


def _match_to_decide(identity: Identity, runtime: Runtime, name: str, expected_version: str) -> Match:
    """Return a match, if the user may decide about it now and it did not change since the user saw it."""
    identity.require("matches:decide")
    match = get_match(identity, runtime.stores, name)
    lease = runtime.stores.review_leases.held([match.id]).get(match.id)
    if lease is not None and lease.by != identity.account.name:
        raise MatchLocked(name=match.name, by=lease.by)
    if expected_version and expected_version != review_version(match):
        newest = max(match.decided, key=lambda decision: decision.made, default=None)
        if newest is not None and has_other_decisions(match, expected_version):
            raise DecisionConflict(names=match.name, by=newest.by)
        raise MatchChanged(name=match.name)
    return match


def _record_and_reload(identity: Identity, runtime: Runtime, kind: EventKind, before: Match) -> Match:
    """Record a decision in the audit log, and return the match after the change."""
    after = runtime.stores.matches.get(before.id)
    record_action(
        identity,
        runtime,
        after.review or "reopen",
        f"match {before.name}",
        kind=kind,
        before={"review": before.review, "because": before.because},
        after={"review": after.review, "because": after.because},
    )
    return after


def _record_decisions(identity: Identity, runtime: Runtime, decided: Sequence[Match], ruling: Ruling) -> None:
    names = [match.name for match in decided]
    named = ", ".join(names[:_MOST_NAMED]) + (" …" if len(names) > _MOST_NAMED else "")
    record_action(
        identity,
        runtime,
        ruling.state,
        _subject_of(decided, runtime),
        kind=_KINDS[ruling.state],
        before={"review": ""},
        after={"review": ruling.state, "because": ruling.reason.strip()},
        detail={"matches": named, "count": str(len(names))},
    )


def _subject_of(matches: Sequence[Match], runtime: Runtime) -> str:
    """Return what all matches have in common, for the audit log: a case, else a site or a work."""
    works, sites = {match.work_id for match in matches}, {match.site for match in matches}
    if len(works) == len(sites) == 1:
        case = runtime.stores.cases.find(case_id(matches[0].work_id, matches[0].site))
        return f"case {case.name}" if case else work_subject(matches[0].work_id)
    if len(sites) == 1:
        return f"site {matches[0].site}"
    return work_subject(matches[0].work_id) if len(works) == 1 else "matches"
