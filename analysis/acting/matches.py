"""What is decided about matches."""

from collections.abc import Sequence

from analysis.accounts.permissions import Identity
from analysis.acting.auditing import note_act
from analysis.queries.matches import get_match
from storage.records import DecisionState, Match
from tracker.review import decisions
from tracker.review.decisions import Ruling
from tracker.runtime import Runtime


def decide(
    who: Identity, runtime: Runtime, names: Sequence[str], *, state: DecisionState, because: str = ""
) -> list[Match]:
    """Say that matches are infringements, are none, or are doubtful; returns them as they are now.

    Raises:
        NotPermitted: decisions are not this one's to make.
        UnknownId: there is no such match, or not for this one; nothing is decided.
        NoReason, NoNote, PassageGone, DecidedMeanwhile: see :func:`tracker.review.decisions.decide`.
        ServiceDown: MongoDB does not answer.
    """
    who.require("matches:decide")
    matches = [get_match(who, runtime.stores, name) for name in dict.fromkeys(names)]
    decisions.decide(
        matches, runtime.stores, ruling=Ruling(state=state, because=because.strip(), by=who.name)
    )
    return [_noted(who, runtime, state, match) for match in matches]


def reopen(who: Identity, runtime: Runtime, name: str, *, because: str = "") -> Match:
    """Take back what was said of a match, in every match of its stretches on the site.

    Raises:
        NotPermitted, UnknownId, PassageGone: see :func:`decide`.
        ServiceDown: MongoDB does not answer.
    """
    who.require("matches:decide")
    match = get_match(who, runtime.stores, name)
    decisions.reopen(match, runtime.stores, by=who.name, because=because)
    return _noted(who, runtime, "reopen", match)


def _noted(who: Identity, runtime: Runtime, act: str, before: Match) -> Match:
    after = get_match(who, runtime.stores, before.name)
    note_act(
        who,
        runtime,
        act,
        f"match {before.name}",
        before={"review": before.review, "because": before.because},
        after={"review": after.review, "because": after.because},
    )
    return after
