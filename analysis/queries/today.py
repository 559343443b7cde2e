"""The figures of the console's first page: new, open and overdue cases, and pages that wait.

No function reads a whole collection. Each figure is counted by the server in a range of an index, up to a
limit, or comes from a limited number of rows. A rights holder gets only figures of its own works.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import median

from analysis.accounts.permissions import Identity
from analysis.cases.deadlines import HARMLESS, days_of_states
from analysis.queries.scope import only_visible, owners_of
from storage.collections.cases import case_id
from storage.collections.filters import CaseFilter, MatchFilter, PageFilter
from storage.collections.keyset import IndexRun
from storage.collections.stores import Stores
from storage.records import CASE_STATES, LEADS, CaseState, Match, Scan, Watch, takedown_hours, utc_now
from storage.settings.results import AnalysisSettings

MOST = 1_000  # maximum of a count; larger numbers are shown as "more"
_NEW_COPIES = 500  # newest matches, shown by work and site
_REMOVED = 50  # last removed cases, whose hours until removal are shown
_REMOVED_DAYS = 90
_LAST_SCANS = 5  # newest scans among which a finished one is searched for
_DONE: tuple[CaseState, ...] = ("dismissed", "removed")
_OPEN: tuple[CaseState, ...] = tuple(state for state in CASE_STATES if state not in ("closed", *_DONE))


@dataclass(frozen=True, slots=True)
class Count:
    """A number of records. ``is_more`` means that there are at least so many."""

    number: int = 0
    is_more: bool = False

    def __str__(self) -> str:
        return f"{self.number:,}+" if self.is_more else f"{self.number:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCopies:
    """New matches of one work on one site.

    Attributes:
        case: name of the case; empty: there is no case yet.
        work_id, work: id and title of the work.
        finds: number of new matches.
        chars: copied characters of the case; None: there is no case yet.
    """

    case: str
    work_id: int
    work: str
    site: str
    finds: int
    chars: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """The figures of the first page.

    Attributes:
        scan: the last finished scan; None: there is none, or the user may not read scans.
        running: the running scans.
        since: start of the last finished scan; later records are new.
        new_cases: number of cases with copies or partial copies that were first seen since then.
        new_copies: the newest matches by work and site.
        open_finds: number of matches that wait for a decision.
        states: number of open cases with copies or partial copies, by state.
        overdue: number of these cases whose deadline has passed.
        removals: number of cases whose copies were removed.
        hours: median hours from notice to removal in recent cases; None: unknown.
        waiting: number of pages that wait for comparison; None: the user may not read pages.
        works, sources: whether there are any works, and any sources.
    """

    scan: Scan | None = None
    running: tuple[Scan, ...] = ()
    since: datetime | None = None
    new_cases: Count = Count()
    new_copies: tuple[NewCopies, ...] = ()
    open_finds: Count = Count()
    states: Mapping[CaseState, Count] = field(default_factory=dict)
    overdue: Count = Count()
    removals: Count = Count()
    hours: float | None = None
    waiting: Count | None = None
    works: bool = False
    sources: bool = False


def today(
    identity: Identity, stores: Stores, settings: AnalysisSettings, *, now: datetime | None = None
) -> Today:
    """Return the figures of the first page.

    Raises:
        NotPermitted: the user may not read cases or matches.
    """
    identity.require("cases:read")
    identity.require("matches:read")
    now, owners = now or utc_now(), owners_of(identity)
    may_scans = "scans:read" in identity.permissions
    scans = stores.scans.newest(_LAST_SCANS)
    last = next((scan for scan in scans if scan.status != "running"), None)
    since = last.started if last else None
    removed, hours = _removals(owners, stores, now=now)
    cases = _cases(owners, stores, settings, since=since, now=now)
    return Today(
        scan=last if may_scans else None,
        running=tuple(scan for scan in scans if scan.status == "running") if may_scans else (),
        since=since,
        new_cases=cases.new,
        new_copies=tuple(_new_copies(identity, owners, stores, since)),
        open_finds=Count(*stores.case_figures.waiting(owners)),
        states=cases.states,
        overdue=cases.overdue,
        removals=removed,
        hours=hours,
        waiting=_count(stores, "pages", PageFilter(states=("fetched",)).runs()) if may_scans else None,
        works=_any_work(identity, owners, stores),
        sources="sources:read" in identity.permissions
        and bool(stores.lists.sources(after=None, limit=1).records),
    )


def _count(stores: Stores, collection: str, runs: Sequence[IndexRun]) -> Count:
    number, is_more = stores.lists.count_up_to(collection, runs, most=MOST)
    return Count(number, is_more)


@dataclass(frozen=True, slots=True)
class _Cases:
    """The figures of cases with copies or partial copies."""

    states: Mapping[CaseState, Count]
    overdue: Count
    new: Count


def _cases(
    owners: tuple[str, ...] | None,
    stores: Stores,
    settings: AnalysisSettings,
    *,
    since: datetime | None,
    now: datetime,
) -> _Cases:
    """Return the figures of cases: first of all open cases together, then of the other states."""
    too_long = {state: now - timedelta(days=days) for state, days in days_of_states(settings).items() if days}
    counts, is_more = stores.case_figures.by_state(owners, _OPEN, LEADS, too_long=too_long, since=since)
    by_hand = CaseFilter(owners=owners, verdicts=LEADS).overdue(now, {}, HARMLESS)
    late = _count(stores, "cases", by_hand)
    rest = [
        run
        for state in _DONE
        for run in CaseFilter(
            owners=owners, states=(state,), verdicts=LEADS, since=since, order="newest"
        ).runs()
    ]
    new = _count(stores, "cases", rest) if since else Count()
    states = {state: Count(counts[state].cases, is_more) for state in _OPEN if state in counts}
    return _Cases(
        states=states,
        overdue=Count(late.number + sum(count.overdue for count in counts.values()), late.is_more or is_more),
        new=Count(new.number + sum(count.new for count in counts.values()), new.is_more or is_more),
    )


def _new_copies(
    identity: Identity, owners: tuple[str, ...] | None, stores: Stores, since: datetime | None
) -> list[NewCopies]:
    """Return the newest matches grouped by work and site, the largest groups first."""
    if since is None:
        return []
    match_filter = MatchFilter(owners=owners, verdicts=LEADS, since=since, order="newest")
    copies = stores.lists.matches(match_filter.runs(), after=None, limit=_NEW_COPIES).records
    by_case: dict[str, list[Match]] = {}
    for match in only_visible(identity, stores, copies, lambda match: match.work_id):
        by_case.setdefault(case_id(match.work_id, match.site), []).append(match)
    cases = stores.cases.get_many(list(by_case))
    rows = [
        NewCopies(
            case=cases[key].name if key in cases else "",
            work_id=matches[0].work_id,
            work=matches[0].work_title,
            site=matches[0].site,
            finds=len(matches),
            chars=cases[key].copied_chars if key in cases else None,
        )
        for key, matches in by_case.items()
    ]
    return sorted(rows, key=lambda row: (-row.finds, -(row.chars or 0)))


def _removals(owners: tuple[str, ...] | None, stores: Stores, *, now: datetime) -> tuple[Count, float | None]:
    """Return the number of removed cases, and the median hours from notice to removal in recent ones."""
    criteria = {} if owners is None else {"owner": {"$in": list(owners)}}
    since = now - timedelta(days=_REMOVED_DAYS)
    run = IndexRun({**criteria, "state": "removed"}, (("since", -1), ("_id", -1)), {"$gte": since})
    cases = stores.lists.cases([run], after=None, limit=_REMOVED).records
    durations = _takedown_hours(stores, [case.number for case in cases])
    removed = CaseFilter(owners=owners, states=("removed",), order="newest").runs()
    return _count(stores, "cases", removed), median(durations) if durations else None


def _takedown_hours(stores: Stores, numbers: Sequence[int]) -> list[float]:
    """Return the duration of the takedown of each case, where a notice led to it."""
    of_case: dict[int, list[Watch]] = defaultdict(list)
    for watch in stores.watches.of_cases(numbers):
        for number in watch.cases:
            of_case[number].append(watch)
    durations = []
    for number in numbers:
        notified = min((watch.notified for watch in of_case[number] if watch.notified), default=None)
        hours = takedown_hours(notified, [watch.gone_since for watch in of_case[number]])
        if hours is not None:
            durations.append(hours)
    return durations


def _any_work(identity: Identity, owners: tuple[str, ...] | None, stores: Stores) -> bool:
    criteria = {} if owners is None else {"owner": {"$in": list(owners)}}
    run = IndexRun(
        {**criteria, "status": {"$in": ["failed", "indexed", "stored"]}}, (("name", 1), ("_id", 1))
    )
    batch = stores.lists.works([run], after=None, limit=1)
    return any(identity.may_see(work.holder or "") for work in batch.records)


def reasons_of(scan: Scan) -> tuple[Counter[str], Counter[str]]:
    """Return the numbers of pages not compared, and of addresses not requested, by reason, most first."""
    return Counter(scan.not_compared), Counter(scan.left)
