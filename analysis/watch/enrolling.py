"""Choose the watched addresses: a case's addresses, from ``confirmed`` until it is dismissed or closed.

Changed cases are found by their new events, so no function reads all cases. A case is also updated
after each look at one of its addresses, so copies that joined it are watched too.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import islice

from analysis.watch.looks import interval
from storage.collections.stores import Stores
from storage.collections.visits import visit_id
from storage.records import IDLE_STATES, LEADS, Case, Match, Watch
from storage.settings.results import WatchSettings
from system.errors import UnknownId

_EVENTS = 1_000  # maximum number of events in one batch
_SET_ASIDE = frozenset({"dismissed", "doubtful"})


def follow_events(stores: Stores, rules: WatchSettings, *, now: datetime) -> int:
    """Enrol the cases with new events, and return the number of events.

    After a kill, the same events are processed again, with the same result.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    last, followed, numbers = stores.watches.last_event(), 0, dict[int, None]()
    for event in islice(stores.events.since(last), _EVENTS):
        last, followed = event.number, followed + 1
        if event.case:
            numbers[event.case] = None
    for number in numbers:
        enrol_number(number, stores, rules, now=now)
    if followed:
        stores.watches.record_event(last)
    return followed


def enrol_number(number: int, stores: Stores, rules: WatchSettings, *, now: datetime) -> Case | None:
    """Enrol a case by its number, and return it; None if there is no such case."""
    try:
        case = stores.cases.get(f"c{number}")
    except UnknownId:
        return None
    enrol_case(case, stores, rules, now=now)
    return case


def enrol_case(case: Case, stores: Stores, rules: WatchSettings, *, now: datetime) -> None:
    """Watch the addresses of a case, and stop watching those without a copy; may be repeated.

    Args:
        case: the stored case.
        stores: the database.
        rules: the schedule.
        now: when the watch of new addresses begins.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    watches = {watch.url: watch for watch in stores.watches.of_case(case.number)}
    versions = _versions(stores.matches.history_of_case(case.work_id, case.site))
    if case.state in IDLE_STATES:
        versions = {}
    for url, watch in watches.items():
        if url not in versions:
            stores.watches.unenrol(watch, case.number)
    notified = notified_at(case, stores) if versions else None
    for url, match in versions.items():
        notice = notified if notified is not None and match.first_seen <= notified else None
        if url not in watches:
            _enrol(match, case, stores, rules, now=now, notified=notice)
        else:
            _refresh(watches[url], match, stores, rules, now=now, notified=notice)


def is_copy(match: Match) -> bool:
    """Return whether a match is a reason to watch its address."""
    is_lead = match.verdict in LEADS or match.review == "confirmed"
    return is_lead and match.review not in _SET_ASIDE


def _versions(matches: Sequence[Match]) -> dict[str, Match]:
    """Return the match to watch at each address: a current match if possible, the one seen last."""
    newest: dict[str, Match] = {}
    for match in sorted(matches, key=lambda match: (match.replaced is None, match.last_seen)):
        if is_copy(match):
            newest[match.url] = match
    return newest


def notified_at(case: Case, stores: Stores) -> datetime | None:
    """Return when the first notice of a case was sent since its copies returned; None before any notice.

    If no notice was sent since then, the earlier one counts: a further removal still results from it.
    """
    notified, is_back = None, False
    for event in stores.events.of_case(case.number):
        if event.kind == "back":
            is_back = True
        elif event.kind == "notified" and (notified is None or is_back):
            notified, is_back = event.at, False
    return notified


def _enrol(
    match: Match,
    case: Case,
    stores: Stores,
    rules: WatchSettings,
    *,
    now: datetime,
    notified: datetime | None,
) -> None:
    key = visit_id(match.url)
    visit = stores.visits.get(match.url)
    page = None if visit else stores.pages.get(match.page_id)
    watch = Watch(
        id=key,
        url=match.url,
        source=visit.source if visit else page.source if page else "",
        page_id=match.page_id,
        since=now,
        due=now + interval(0, rules),
        last_up=match.last_seen,
        notified=notified,
    )
    stores.watches.enrol(watch, case.number)
    stores.watches.bring_forward(watch, watch.due)  # the watch may exist without ever having been due


def _refresh(
    watch: Watch,
    match: Match,
    stores: Stores,
    rules: WatchSettings,
    *,
    now: datetime,
    notified: datetime | None,
) -> None:
    """Watch the newest version, and check sooner after a notice."""
    if match.page_id != watch.page_id:
        stores.watches.change(watch.id, {"page_id": match.page_id})
    if notified is not None and _is_first(notified, watch):
        stores.watches.change(watch.id, {"notified": notified, "step": 0})
        stores.watches.bring_forward(watch, now + interval(0, rules))


def _is_first(notified: datetime, watch: Watch) -> bool:
    """Return whether a notice is the first about an address, or the first since its copy returned."""
    if watch.notified is None:
        return True
    if watch.returned is None or watch.gone_since is not None:
        return False
    return watch.notified < watch.returned < notified
