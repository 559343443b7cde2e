"""Deciding about matches: each is decided as it was seen, and not while another user has it open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from analysis.queries.matches import get_match
from analysis.queries.scope import only_visible
from storage.collections.cases import case_id
from storage.records import Decision, DecisionState, EventKind, Match, ReviewLease
from system.errors import PindnaError
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
_MOST_NAMED = 100  # matches that a row of the audit log names


class MatchLocked(PindnaError):
    """Another user has a match open for review. Data: ``name``, ``by``."""

    code = "open-elsewhere"
    template = "{by} is reviewing {name}."


class MatchChanged(PindnaError):
    """A match is not any more what was looked at. Data: ``name``."""

    code = "seen-otherwise"
    template = "{name} changed after it was shown. Reload it and decide again."


def open_match(
    identity: Identity, runtime: Runtime, name: str, *, window: str, leaving: str = ""
) -> ReviewLease:
    """Take or renew the lease of a match that is open to be decided about; returns who has it.

    Args:
        identity: acts.
        runtime: the stores.
        name: of the match.
        window: the page in whose browser it is open.
        leaving: id of the match that was open there before; its lease is given back.

    Raises:
        NotPermitted, UnknownId: it is not this one's to decide about.
    """
    identity.require("matches:decide")
    match = get_match(identity, runtime.stores, name)
    if leaving:
        runtime.stores.review_leases.release(leaving, window=window)
    return runtime.stores.review_leases.claim(match.id, by=identity.account.name, window=window)


def close_match(identity: Identity, runtime: Runtime, match_id: str, *, window: str) -> None:
    """Give the lease of a match back.

    Raises:
        NotPermitted: decisions are not this one's.
        ServiceDown: MongoDB does not answer; the lease ends by itself.
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
    """Decide about a match; returns it as it is then, and the decisions that this made.

    Args:
        identity: acts.
        runtime: the stores.
        name: of the match.
        state: what it is.
        reason: why; what is dismissed or set aside needs it.
        expected_version: the version of the match that was looked at; empty: any version.
        marked: the stretches of its passage that are decided; None: all that are open.

    Raises:
        NotPermitted, UnknownId: it is not this one's to decide about.
        MatchLocked: another user has it open.
        DecisionConflict, MatchChanged: it is not what was looked at.
        NoReason, NoNote, NothingMarked, PassageGone: see :func:`tracker.review.decisions.decide`.
    """
    match = _match_to_decide(identity, runtime, name, expected_version)
    ruling = Ruling(state=state, reason=reason, by=identity.name)
    made = decisions.decide([match], runtime.stores, ruling=ruling, marked=marked)
    return _audited(identity, runtime, _KINDS[state], match), made


def reopen_match(
    identity: Identity, runtime: Runtime, name: str, *, reason: str = "", expected_version: str = ""
) -> Match:
    """Take back what was decided about a match; returns it as it is then.

    Raises:
        NotPermitted, UnknownId, MatchLocked, DecisionConflict, MatchChanged: see :func:`decide_match`.
        PassageGone: its passage was removed or replaced.
    """
    match = _match_to_decide(identity, runtime, name, expected_version)
    decisions.reopen(match, runtime.stores, by=identity.name, reason=reason)
    return _audited(identity, runtime, "match-reopened", match)


def undo_decisions(
    identity: Identity, runtime: Runtime, before: Match, made: Sequence[Decision], *, expected_version: str
) -> Match:
    """Undo what was decided about a match last; returns it as it is then.

    Args:
        identity: acts.
        runtime: the stores.
        before: the match before it was decided; if all of it had been decided otherwise, that is said again.
        made: the decisions.
        expected_version: the version of the match after them.

    Raises:
        NotPermitted, UnknownId, MatchLocked, DecisionConflict, MatchChanged: see :func:`decide_match`.
    """
    match = _match_to_decide(identity, runtime, before.id, expected_version)
    if before.review:
        ruling = Ruling(state=before.review, reason=before.because, by=identity.name)
        decisions.decide([match], runtime.stores, ruling=ruling)
        return _audited(identity, runtime, _KINDS[before.review], match)
    for decision in made:
        decisions.undo(decision, runtime.stores, by=identity.name)
    return _audited(identity, runtime, "match-reopened", match)


@dataclass(frozen=True, slots=True)
class BulkDecision:
    """What came of a decision about several matches.

    Attributes:
        count: how many were decided.
        refused: names of those that were not: decided, changed or opened by another user.
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
    """Decide about several matches of one case, as far as they are as they were seen.

    Args:
        identity: acts.
        runtime: the stores.
        expected_versions: the versions that the caller saw, by id of the match.
        state: what they are.
        reason: why; what is dismissed or set aside needs it.

    Raises:
        NotPermitted: decisions are not this one's.
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
    lost = _lost(error)
    return BulkDecision(len(as_seen) - len(lost), (*(match.name for match in refused), *lost))


def decide_chosen(
    identity: Identity, runtime: Runtime, matches: Sequence[Match], *, state: DecisionState, reason: str = ""
) -> None:
    """Decide about matches as they were just read, all at once, with one row in the audit log.

    Raises:
        NotPermitted: decisions are not this one's.
        MatchLocked: another user has some of them open; the others are decided.
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
    """Decide about matches with one row in the audit log; return the error of those decided before."""
    error = None
    if not matches:
        return None
    try:
        decisions.decide(matches, runtime.stores, ruling=ruling)
    except DecisionConflict as caught:
        error = caught
    lost = set(_lost(error))
    _audit_many(identity, runtime, [match for match in matches if match.name not in lost], ruling)
    return error


def _lost(error: DecisionConflict | None) -> tuple[str, ...]:
    return tuple(str(error.data["names"]).split(", ")) if error else ()


def take_back_dismissal(identity: Identity, runtime: Runtime, decision_id: str) -> None:
    """Let the stretch of a dismissal count again, in every match on its site.

    Raises:
        NotPermitted: decisions are not this one's.
        UnknownId: there is no such decision any more.
        DecisionConflict: another user decided otherwise at the same time; that stays.
    """
    identity.require("matches:decide")
    decision = runtime.stores.decisions.get(decision_id)
    decisions.undo(decision, runtime.stores, by=identity.name)
    note_act(
        identity,
        runtime,
        "take-back",
        f"decision {decision.id}",
        kind="match-reopened",
        before={"review": decision.state, "because": decision.because},
        after={"review": ""},
    )


def _match_to_decide(identity: Identity, runtime: Runtime, name: str, expected_version: str) -> Match:
    """Return a match that may be decided about now, as it was seen."""
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


def _audited(identity: Identity, runtime: Runtime, kind: EventKind, before: Match) -> Match:
    """Write a row of the audit log; returns the match as it is now."""
    after = runtime.stores.matches.get(before.id)
    note_act(
        identity,
        runtime,
        after.review or "reopen",
        f"match {before.name}",
        kind=kind,
        before={"review": before.review, "because": before.because},
        after={"review": after.review, "because": after.because},
    )
    return after


def _audit_many(identity: Identity, runtime: Runtime, decided: Sequence[Match], ruling: Ruling) -> None:
    names = [match.name for match in decided]
    named = ", ".join(names[:_MOST_NAMED]) + (" …" if len(names) > _MOST_NAMED else "")
    note_act(
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
    """Return what matches have in common: a case, else a site or a work."""
    works, sites = {match.work_id for match in matches}, {match.site for match in matches}
    if len(works) == len(sites) == 1:
        case = runtime.stores.cases.find(case_id(matches[0].work_id, matches[0].site))
        return f"case {case.name}" if case else f"work {matches[0].work_id}"
    if len(sites) == 1:
        return f"site {matches[0].site}"
    return f"work {matches[0].work_id}" if len(works) == 1 else "matches"
