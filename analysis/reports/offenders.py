"""Files of repeat offenders: domains with copies of several works, or with copies that came back."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from analysis.reports.case_files import CaseFile
from storage.records import LEADS, Case, Event, EventKind
from tracker.judgement.cases import charged_cases

MAX_OFFENDERS = 50

_REMOVALS = frozenset({"removed", "partly_removed"})
_HOUR_S = 3600
_NOTHING_DONE = CaseFile()


@dataclass(frozen=True, slots=True, kw_only=True)
class Offender:
    """A registered domain with copies of several works, or with copies that came back after their removal.

    Attributes:
        site: the registered domain.
        works, cases: numbers of works and cases with leads on the site.
        copied_chars: copied characters of the works, each counted once.
        pages, pages_gone: numbers of addresses with a match, and of those that were gone at the last look.
        notices: number of sent notices, with or without pindna, except letters to counsel.
        accepted, refused, unanswered: numbers of notices by the reply of the site.
        watched: number of watched addresses, each counted once.
        watched_gone, watched_moved: numbers of watched addresses that are gone, or whose text moved.
        removals: number of times that a case was removed, wholly or in part.
        returns: number of times that a case came back.
        hours_to_removal: median hours from the first notice of a case to its next removal; None if no case
            was both notified and removed.
        case_names: names of the cases, such as ``c7``, the gravest first.
        first_seen, last_seen: when pindna first and last saw a page with a match.
    """

    site: str
    works: int
    cases: int
    copied_chars: int
    pages: int
    pages_gone: int
    notices: int
    accepted: int
    refused: int
    unanswered: int
    watched: int
    watched_gone: int
    watched_moved: int
    removals: int
    returns: int
    hours_to_removal: float | None
    case_names: tuple[str, ...]
    first_seen: datetime
    last_seen: datetime


def repeat_offenders(cases: Iterable[Case], files: Mapping[int, CaseFile]) -> tuple[Offender, ...]:
    """Return the sites with copies of two works or more, or with a return, the most works first.

    Args:
        cases: cases of the report, the gravest first.
        files: number of the case → its events, notices and watches, for cases that users acted on.
    """
    of_site: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if case.verdict in LEADS:
            of_site[case.site].append(case)
    offenders = [_make_offender(site, site_cases, files) for site, site_cases in of_site.items()]
    repeated = [offender for offender in offenders if offender.works > 1 or offender.returns]
    repeated.sort(
        key=lambda offender: (-offender.returns, -offender.works, -offender.copied_chars, offender.site)
    )
    return tuple(repeated[:MAX_OFFENDERS])


def _make_offender(site: str, cases: Sequence[Case], files: Mapping[int, CaseFile]) -> Offender:
    site_files = [files.get(case.number, _NOTHING_DONE) for case in cases]
    kinds = [event.kind for file in site_files for event in file.events]
    hours = [hour for file in site_files for hour in _hours_to_removal(file.events)]
    watches = {watch.id: watch for file in site_files for watch in file.watches}.values()
    return Offender(
        site=site,
        works=len({case.work_id for case in charged_cases(cases)}),
        cases=len(cases),
        copied_chars=sum(case.copied_chars for case in charged_cases(cases)),
        pages=sum(case.pages for case in cases),
        pages_gone=sum(case.looks.get("gone", 0) for case in cases),
        notices=_count_notices(site_files),
        accepted=_count_replies(site_files, "accepted"),
        refused=_count_replies(site_files, "refused"),
        unanswered=_count_replies(site_files, "unanswered"),
        watched=len(watches),
        watched_gone=sum(watch.gone_since is not None for watch in watches),
        watched_moved=sum(watch.state == "moved" for watch in watches),
        removals=sum(kind in _REMOVALS for kind in kinds),
        returns=kinds.count("back"),
        hours_to_removal=round(median(hours), 3) if hours else None,
        case_names=tuple(case.name for case in cases),
        first_seen=min(case.first_seen for case in cases),
        last_seen=max(case.last_seen for case in cases),
    )


def _count_notices(files: Sequence[CaseFile]) -> int:
    """Return the number of notices that pindna sent, each once, or that a user reported as sent."""
    notices = {notice.name: notice for file in files for notice in file.notices}
    sent = sum(notice.sent is not None and notice.kind != "counsel" for notice in notices.values())
    events = [event for file in files for event in file.events]
    return sent + sum(event.kind == "notified" and event.subject not in notices for event in events)


def _count_replies(files: Sequence[CaseFile], kind: EventKind) -> int:
    """Return how often a site replied in this way; one reply to a letter about several cases counts once."""
    events = [event for file in files for event in file.events if event.kind == kind]
    return len({event.subject or event.id for event in events})


def _hours_to_removal(events: Iterable[Event]) -> Iterable[float]:
    """Yield the hours from the first notice to the removal that followed, for each round of a case."""
    notified: datetime | None = None
    for event in events:
        if event.kind == "notified" and notified is None:
            notified = event.at
        elif event.kind in _REMOVALS:
            if hours := event.detail.get(
                "hours"
            ):  # the watch records the time of the removal, not of the look
                yield float(hours)
            elif notified is not None:
                yield (event.at - notified).total_seconds() / _HOUR_S
            notified = None
