"""Events of decisions, stored before their effects, and each once even if the call is repeated."""

from collections.abc import Mapping, Sequence

from storage.collections.cases import case_id
from storage.collections.stores import Stores
from storage.records import Decision, DecisionState, Event, EventKind, Match, utc_now
from tracker.judgement.cases import refresh_cases

_KINDS: Mapping[DecisionState, EventKind] = {
    "confirmed": "match-confirmed",
    "dismissed": "match-dismissed",
    "doubtful": "match-doubtful",
}


def store_decision_events(
    matches: Sequence[Match], decisions: Mapping[str, Sequence[Decision]], stores: Stores
) -> None:
    """Store an event for each decided match; may be repeated.

    Args:
        matches: the decided matches.
        decisions: the stored decisions on each, by id of the match.
        stores: the database.
    """
    cases = _case_numbers(matches, stores)
    events = []
    for match in matches:
        newest = max(decisions[match.id], key=lambda decision: decision.made, default=None)
        if newest is not None:
            kind = _KINDS[newest.state]
            events.append(
                Event(
                    id=f"{match.name}:{kind}:{newest.made.isoformat()}",
                    case=cases.get((match.work_id, match.site), 0),
                    kind=kind,
                    at=newest.made,
                    by=newest.by,
                    because=newest.because,
                    subject=match.name,
                )
            )
    stores.events.add_many(events)


def store_reopening_events(
    subject: Match | Decision, decisions: Sequence[Decision], stores: Stores, *, by: str, reason: str
) -> None:
    """Store the events of undone decisions, if any; may be repeated.

    Args:
        subject: the match that is open again, or the decision itself if that match no longer exists.
        decisions: the undone decisions.
        stores: the database.
        by: the user.
        reason: why.
    """
    newest = max((decision.made for decision in decisions), default=None)
    if newest is None:
        return
    name = subject.name if isinstance(subject, Match) else subject.id
    cases = _case_numbers([subject], stores)
    event = Event(
        id=f"{name}:match-reopened:{newest.isoformat()}",
        case=cases.get((subject.work_id, subject.site), 0),
        kind="match-reopened",
        at=utc_now(),
        by=by,
        because=reason,
        subject=name,
    )
    stores.events.add_many([event])


def _case_numbers(subjects: Sequence[Match | Decision], stores: Stores) -> dict[tuple[int, str], int]:
    """Return the case numbers of matches; cases that no scan has created yet are created."""
    keys = {(subject.work_id, subject.site) for subject in subjects}
    cases = stores.cases.get_many([case_id(*key) for key in sorted(keys)])
    missing = {key for key in keys if case_id(*key) not in cases}
    if missing:
        refresh_cases(stores, missing)
        cases |= stores.cases.get_many([case_id(*key) for key in sorted(missing)])
    return {(case.work_id, case.site): case.number for case in cases.values()}
