"""Files of repeat offenders: registered domains that took several works, or put back what was removed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from storage.records import LEADS, Case, Event

MAX_OFFENDERS = 50

_REMOVALS = frozenset({"removed", "partly_removed"})
_HOUR_S = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Offender:
    """A registered domain with copies of several works, or with returns.

    Attributes:
        site: registered domain.
        works, cases: with leads there.
        copied_chars: of the works, each counted once.
        pages, pages_gone: addresses with a match, and how many of them were gone at the last look.
        notices: how often a case there was notified.
        removals: how often a case was found removed, wholly or in part.
        returns: how often one came back.
        hours_to_removal: median of the hours from a case's first notice to its next removal; None where none
            was both notified and removed.
        case_names: ``c7`` …, the gravest first.
        first_seen, last_seen: our own sights.
    """

    site: str
    works: int
    cases: int
    copied_chars: int
    pages: int
    pages_gone: int
    notices: int
    removals: int
    returns: int
    hours_to_removal: float | None
    case_names: tuple[str, ...]
    first_seen: datetime
    last_seen: datetime


def repeat_offenders(cases: Iterable[Case], events: Mapping[int, Iterable[Event]]) -> tuple[Offender, ...]:
    """Return the sites with copies of two works or more, or with a return, the most works first.

    Args:
        cases: of the report, the gravest first.
        events: of cases that somebody wrote about, by the case's number; the oldest first.
    """
    of_site: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if case.verdict in LEADS:
            of_site[case.site].append(case)
    files = [_offender(site, own, events) for site, own in of_site.items()]
    repeated = [file for file in files if file.works > 1 or file.returns]
    repeated.sort(key=lambda file: (-file.returns, -file.works, -file.copied_chars, file.site))
    return tuple(repeated[:MAX_OFFENDERS])


def _offender(site: str, cases: list[Case], events: Mapping[int, Iterable[Event]]) -> Offender:
    histories = {case.number: list(events.get(case.number, ())) for case in cases}
    kinds = [event.kind for own in histories.values() for event in own]
    hours = [hour for own in histories.values() for hour in _hours(own)]
    return Offender(
        site=site,
        works=len({case.work_id for case in cases}),
        cases=len(cases),
        copied_chars=sum(case.copied_chars for case in cases),
        pages=sum(case.pages for case in cases),
        pages_gone=sum(case.looks.get("gone", 0) for case in cases),
        notices=kinds.count("notified"),
        removals=sum(kind in _REMOVALS for kind in kinds),
        returns=kinds.count("back"),
        hours_to_removal=round(median(hours), 1) if hours else None,
        case_names=tuple(case.name for case in cases),
        first_seen=min(case.first_seen for case in cases),
        last_seen=max(case.last_seen for case in cases),
    )


def _hours(events: Iterable[Event]) -> Iterable[float]:
    """Yield the hours from the first notice to the removal that followed, for each round of a case."""
    notified: datetime | None = None
    for event in events:
        if event.kind == "notified" and notified is None:
            notified = event.at
        elif event.kind in _REMOVALS:
            if hours := event.detail.get("hours"):  # of the watch: to when it was gone, not to our look
                yield float(hours)
            elif notified is not None:
                yield (event.at - notified).total_seconds() / _HOUR_S
            notified = None
