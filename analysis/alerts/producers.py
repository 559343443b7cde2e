"""Read new events from the stores. Each producer continues from its own mark.

The mark of a batch is set after its deliveries are stored. After a kill the batch is read again; deliveries
that are already stored are recognised. Producers with times read an overlap that is longer than storing a
record may take. Producers with numbers read missing numbers again (:mod:`analysis.alerts.marks`).
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from analysis.alerts.context import (
    CHECK_EVERY,
    AlertContext,
    Batch,
    Check,
    case_occasion,
    holders_of,
    is_due,
    since,
)
from analysis.alerts.deadlines import deadline_batches
from analysis.alerts.marks import read_new
from analysis.words.i18n import N_
from storage.records import (
    VERDICTS,
    AlertKind,
    Case,
    Event,
    NumberMark,
    Occasion,
    OccasionKind,
)
from system.errors import PindnaError, ServiceDown
from system.messages import NO_MESSAGE, Message

log = logging.getLogger(__name__)

BATCH = 1000
_EVENTS, _SCANS, _SOURCES = "events", "scans", "sources"
_OUTSIDE = Message(N_("The copied text is outside the article. Check the page before you decide."))

SOURCE_KINDS: Mapping[AlertKind, OccasionKind] = {
    "blocked": "source-banned",
    "collapsed": "coverage-fell",
    "slow": "coverage-fell",
    "empty": "source-failing",
    "unreadable": "source-failing",
    "unreachable": "source-failing",
    "interrupted": "source-failing",
}


def all_batches(context: AlertContext) -> Iterator[Batch]:
    """Yield the batches of every producer."""
    yield from case_batches(context)
    yield from source_batches(context)
    yield from scan_batches(context)
    yield from deadline_batches(context)
    yield from state_batches(context)


def case_batches(context: AlertContext) -> Iterator[Batch]:
    """Yield the events of cases that rules may send at once."""
    outbox, events = context.stores.outbox, context.stores.events
    mark = outbox.mark(_EVENTS)
    if mark is None:
        outbox.set_mark(NumberMark(id=_EVENTS, reached=events.last_number()))
        return
    late = _late_events(mark, context)
    while True:
        fresh = list(islice(events.since(mark.reached, now=context.now), BATCH))
        batch = sorted([*late, *fresh], key=lambda event: event.number)
        after = read_new(mark, [event.number for event in batch], now=context.now)
        if after != mark:
            yield Batch(_event_occasions(batch, context), partial(outbox.set_mark, after))
        if len(fresh) < BATCH:
            return
        mark, late = after, []


def _late_events(mark: NumberMark, context: AlertContext) -> list[Event]:
    """Return the events that were missing when later ones were read."""
    events = []
    for gap in mark.gaps:
        for event in context.stores.events.since(gap.first - 1, now=context.now):
            if event.number > gap.last:
                break
            events.append(event)
    return events


def _event_occasions(events: Sequence[Event], context: AlertContext) -> list[Occasion]:
    kinds = [(event, kind) for event in events if (kind := _kind_of(event)) is not None]
    cases = {event.case: context.case(event.case) for event, _ in kinds}
    holders = holders_of([case for case in cases.values() if case], context)
    return [_event_occasion(event, kind, cases[event.case], holders) for event, kind in kinds]


def _kind_of(event: Event) -> OccasionKind | None:
    """Return the kind of occasion of an event; None if it causes no alert."""
    if event.kind == "joined":
        return "new-copy"
    if event.kind == "reopened":
        return "case-reopened" if event.before == "closed" else None
    if event.kind == "removed":
        return "removed"
    return "back" if event.kind == "back" else None


def _event_occasion(
    event: Event, kind: OccasionKind, case: Case | None, holders: Mapping[int, str]
) -> Occasion:
    """Return the occasion of an event. An address has one occasion, even if it copies several passages."""
    occasion = Occasion(id=f"{kind}:{event.id}", kind=kind, at=event.at, case=f"c{event.case}")
    if case is not None:
        occasion = replace(case_occasion(case, holders), id=occasion.id, kind=kind, at=event.at)
    if kind != "new-copy":
        return occasion
    detail = event.detail
    url = detail.get("url", "")
    return replace(
        occasion,
        id=f"new-copy:c{event.case}:{url or event.subject}",
        url=url,
        verdict=next(
            (known_verdict for known_verdict in VERDICTS if known_verdict == detail.get("verdict")),
            occasion.verdict,
        ),
        copied_chars=int(detail.get("copied_chars") or 0),
        message=_OUTSIDE if detail.get("part") == "rest" else NO_MESSAGE,
    )


def source_batches(context: AlertContext) -> Iterator[Batch]:
    """Yield the alerts of sources: present alerts, and alerts that began and ended since the last reading."""
    outbox, health = context.stores.outbox, context.stores.health
    last = outbox.moment(_SOURCES)
    alerts = {alert.id: alert for alert in health.open_alerts()}
    if last is not None:
        alerts |= {alert.id: alert for alert in health.raised_since(since(last, context.now))}
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
    yield Batch(occasions, partial(outbox.set_moment, _SOURCES, context.now))


def scan_batches(context: AlertContext) -> Iterator[Batch]:
    """Yield the ended scans in which no source was read."""
    outbox, scans = context.stores.outbox, context.stores.scans
    last = outbox.moment(_SCANS) or context.now
    occasions = [
        Occasion(
            id=f"scan-failed:{scan.id}",
            kind="scan-failed",
            at=scan.finished or scan.started,
            scan_id=scan.id,
            message=Message("{error}", {"error": scan.error}) if scan.error else NO_MESSAGE,
        )
        for scan in scans.ended_since(since(last, context.now))
        if scan.status == "failed"
    ]
    yield Batch(occasions, partial(outbox.set_moment, _SCANS, context.now))


def state_batches(context: AlertContext) -> Iterator[Batch]:
    """Yield problems of the installation that were also present ten minutes ago."""
    outbox = context.stores.outbox
    for kind, check in context.checks.items():
        if is_due(outbox.moment(kind), context.now):
            yield Batch(_run_check(context, kind, check), partial(outbox.set_moment, kind, context.now))


def _run_check(context: AlertContext, kind: OccasionKind, check: Check) -> list[Occasion]:
    """Return the result of a check. A check that fails does not block the others."""
    try:
        problem = check()
    except ServiceDown:
        raise
    except PindnaError as error:
        log.warning("%s cannot be checked: %s", kind, error)
        return []
    return _state_occasions(context, kind, problem)


def _state_occasions(context: AlertContext, kind: OccasionKind, problem: Message | None) -> list[Occasion]:
    """Return the occasion of a problem, once for each time that it begins; empty if there is no problem."""
    outbox = context.stores.outbox
    if problem is None:
        outbox.end_episode(kind)
        return []
    episode = outbox.begin_episode(kind, since=context.now, message=problem)
    if context.now - episode.since < CHECK_EVERY:
        return []
    begun = episode.since
    return [Occasion(id=f"{kind}:{begun.isoformat()}", kind=kind, at=begun, message=episode.message)]
