"""What there is to tell, read from the stores: each producer reads on from a mark of its own.

A batch's mark is set after its deliveries are stored; whoever is killed in between reads the batch again, and
its deliveries are known. Marks by time overlap by more than a record may take to be stored; marks by number
go back to what was missing (:mod:`analysis.alerts.marks`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import NamedTuple

from analysis.alerts.marks import read_on
from analysis.alerts.sending import message_of
from analysis.i18n import N_
from storage.collections.stores import Stores
from storage.errors import IndexUnusable, ServiceDown, UnknownId
from storage.messages import NO_MESSAGE, Message
from storage.records import (
    VERDICTS,
    AlertKind,
    Case,
    Event,
    NumberMark,
    Occasion,
    OccasionKind,
)

BATCH = 1000
OVERLAP = timedelta(hours=1)  # a scan's end or an alert may be stored so much later than it says
INDEX_EVERY = timedelta(minutes=10)  # and so long it must be unhealthy, for an index mends itself
_EVENTS, _SCANS, _SOURCES, _INDEX = "events", "scans", "sources", "index"

SOURCE_KINDS: Mapping[AlertKind, OccasionKind] = {
    "blocked": "source-banned",
    "collapsed": "coverage-fell",
    "slow": "coverage-fell",
    "empty": "source-failing",
    "unreadable": "source-failing",
    "unreachable": "source-failing",
    "interrupted": "source-failing",
}


class Batch(NamedTuple):
    """Occasions, and what notes that they were taken."""

    occasions: Sequence[Occasion]
    finish: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Sight:
    """What producers look at.

    Attributes:
        stores: the database.
        now: the present.
        missing: returns how many passages the index lacks, or raises what is wrong with it.
        cases: those that were met, by number.
    """

    stores: Stores
    now: datetime
    missing: Callable[[], int]
    cases: dict[int, Case | None] = field(default_factory=dict)

    def case(self, number: int) -> Case | None:
        """Return the case of a number, None if there is none."""
        if number not in self.cases:
            try:
                self.cases[number] = self.stores.cases.get(f"c{number}")
            except UnknownId:
                self.cases[number] = None
        return self.cases[number]


def all_batches(sight: Sight) -> Iterator[Batch]:
    """Yield what every producer has to tell.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    yield from case_batches(sight)
    yield from source_batches(sight)
    yield from scan_batches(sight)
    yield from index_batches(sight)


def case_batches(sight: Sight) -> Iterator[Batch]:
    """Yield what happened to cases, as far as somebody may want to know it at once."""
    outbox, events = sight.stores.outbox, sight.stores.events
    mark = outbox.mark(_EVENTS)
    if mark is None:
        outbox.set_mark(NumberMark(id=_EVENTS, reached=events.last_number()))
        return
    late = _late_events(mark, sight)
    while True:
        fresh = list(islice(events.since(mark.reached, now=sight.now), BATCH))
        batch = sorted([*late, *fresh], key=lambda event: event.number)
        after = read_on(mark, [event.number for event in batch], now=sight.now)
        if after != mark:
            yield Batch(_of_events(batch, sight), partial(outbox.set_mark, after))
        if len(fresh) < BATCH:
            return
        mark, late = after, []


def _late_events(mark: NumberMark, sight: Sight) -> list[Event]:
    """Return the events that were missing when later ones were read."""
    found = []
    for gap in mark.gaps:
        for event in sight.stores.events.since(gap.first - 1, now=sight.now):
            if event.number > gap.last:
                break
            found.append(event)
    return found


def _of_events(events: Sequence[Event], sight: Sight) -> list[Occasion]:
    kinds = [(event, kind) for event in events if (kind := _kind_of(event)) is not None]
    cases = {event.case: sight.case(event.case) for event, _ in kinds}
    works = sight.stores.works.get_many({case.work_id for case in cases.values() if case})
    holders = {work.id: work.holder or "" for work in works.values()}
    return [_of_event(event, kind, cases[event.case], holders) for event, kind in kinds]


def _kind_of(event: Event) -> OccasionKind | None:
    """Return what an event is to those who are told; None: nothing."""
    if event.kind == "joined":
        return "new-copy"
    if event.kind == "reopened":
        return "case-reopened" if event.before == "closed" else None
    if event.kind == "removed":
        return "removed"
    return "back" if event.kind == "back" else None


def _of_event(event: Event, kind: OccasionKind, case: Case | None, holders: Mapping[int, str]) -> Occasion:
    is_copy = kind == "new-copy"
    found = event.detail if is_copy else {}
    url, characters = found.get("url", ""), found.get("copied_chars")
    told = Occasion(
        id=f"new-copy:c{event.case}:{url or event.subject}" if is_copy else f"{kind}:{event.id}",
        kind=kind,
        at=event.at,
        url=url,
        case=f"c{event.case}",
    )
    if case is None:
        return told
    return replace(
        told,
        work_id=case.work_id,
        work=case.work_title,
        holder=holders.get(case.work_id, ""),
        site=case.site,
        state=case.state,
        verdict=next((verdict for verdict in VERDICTS if verdict == found.get("verdict")), case.verdict),
        copied_chars=int(characters) if characters else case.copied_chars,
    )


def source_batches(sight: Sight) -> Iterator[Batch]:
    """Yield the alerts on sources: those that hold, and those that came and went since the last reading."""
    outbox, health = sight.stores.outbox, sight.stores.health
    last = outbox.moment(_SOURCES)
    alerts = {alert.id: alert for alert in health.open_alerts()}
    if last is not None:
        alerts |= {alert.id: alert for alert in health.raised_since(last - OVERLAP)}
    occasions = [
        Occasion(
            id=f"{kind}:{alert.id}:{alert.since.isoformat()}",
            kind=kind,
            at=alert.since,
            source=alert.source,
            scan_id=alert.scan_id,
            message=alert.message if alert.message.template else Message("{why}", {"why": alert.detail}),
        )
        for alert in alerts.values()
        for kind in (SOURCE_KINDS[alert.kind],)
    ]
    yield Batch(occasions, partial(outbox.set_moment, _SOURCES, sight.now))


def scan_batches(sight: Sight) -> Iterator[Batch]:
    """Yield the scans that ended without any of their sources being read."""
    outbox, scans = sight.stores.outbox, sight.stores.scans
    last = outbox.moment(_SCANS) or sight.now
    occasions = [
        Occasion(
            id=f"scan-failed:{scan.id}",
            kind="scan-failed",
            at=scan.finished or scan.started,
            scan_id=scan.id,
            message=Message("{error}", {"error": scan.error}) if scan.error else NO_MESSAGE,
        )
        for scan in scans.ended_since(last - OVERLAP)
        if scan.status == "failed"
    ]
    yield Batch(occasions, partial(outbox.set_moment, _SCANS, sight.now))


def index_batches(sight: Sight) -> Iterator[Batch]:
    """Yield that the index cannot be trusted, when it could not either ten minutes ago."""
    outbox = sight.stores.outbox
    last = outbox.moment(_INDEX)
    if last is not None and sight.now - last < INDEX_EVERY:
        return
    problem = _problem_of_index(sight)
    yield Batch(
        state_occasions(sight, "index-unhealthy", problem, patience=INDEX_EVERY),
        partial(outbox.set_moment, _INDEX, sight.now),
    )


def _problem_of_index(sight: Sight) -> Message | None:
    if not sight.stores.works.count("indexed"):
        return None
    try:
        missing = sight.missing()
    except (IndexUnusable, ServiceDown) as error:
        return message_of(error)
    return Message(N_("{count} passages are missing"), {"count": missing}) if missing else None


def state_occasions(
    sight: Sight, kind: OccasionKind, problem: Message | None, *, patience: timedelta = timedelta()
) -> list[Occasion]:
    """Return the occasion that a state of the installation is: one for each time that it begins.

    Args:
        sight: what is looked at.
        kind: of the occasion.
        problem: what is wrong; None: nothing, the state is over.
        patience: how long it must hold before it is told.
    """
    outbox = sight.stores.outbox
    if problem is None:
        outbox.end_episode(kind)
        return []
    episode = outbox.begin_episode(kind, since=sight.now, message=problem)
    if sight.now - episode.since < patience:
        return []
    since = episode.since
    return [Occasion(id=f"{kind}:{since.isoformat()}", kind=kind, at=since, message=episode.message)]
