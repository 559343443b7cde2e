"""Cases with their priorities and deadlines, their matches, and their histories."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from analysis.accounts.permissions import Identity
from analysis.cases.deadlines import HARMLESS, days_of_states
from analysis.cases.publication_order import PublicationOrder, publication_order
from analysis.cases.views import CaseView, views
from analysis.queries.listing import DEFAULT_LIMIT, Listing, Request
from analysis.queries.matches import shown_match
from analysis.queries.scope import only_visible, owners_of, require_visible, visible_work
from analysis.words.known_sites import site_name
from storage.collections.filters import CaseFilter, Comparisons, Order, newest_events
from storage.collections.stores import Stores
from storage.records import (
    CASE_STATES,
    LEADS,
    VERDICTS,
    Case,
    CaseState,
    Event,
    EventKind,
    Match,
    Verdict,
    utc_now,
)
from storage.settings.results import AnalysisSettings
from system.sites import site_of_host

# Fields of a case that only analysts may see.
_INTERNAL: frozenset[EventKind] = frozenset({"noted", "assigned", "deadline"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseQuery:
    """Filters and order of a list of cases.

    Attributes:
        work: id of the work.
        site: a site, or any address of it.
        holder: rights holder of the work.
        state: state of the cases; None: all except closed cases.
        closed: include closed cases if ``state`` is None.
        verdict: verdict of the cases; None: any.
        leads: only copies and partial copies that no licence covers.
        assignee: user to whom the cases are assigned; empty: cases without assignee; None: any.
        overdue: only cases whose deadline has passed.
        chars, pages: bounds of the copied characters and pages; see
            :func:`analysis.queries.comparisons.comparisons`.
        page_share, work_share: bounds of the copied share of the page and of the work, 0 to 1.
        since, until: period in which the cases were first seen; ``until`` is exclusive.
        order: the gravest verdict first, then the most copied characters; or the newest first. Overdue cases
            are sorted by state, the longest overdue first.
    """

    work: int | None = None
    site: str = ""
    holder: str = ""
    state: CaseState | None = None
    closed: bool = False
    verdict: Verdict | None = None
    leads: bool = False
    assignee: str | None = None
    overdue: bool = False
    chars: Comparisons = ()
    pages: Comparisons = ()
    page_share: Comparisons = ()
    work_share: Comparisons = ()
    since: datetime | None = None
    until: datetime | None = None
    order: Order = "gravest"


def list_cases(
    identity: Identity,
    stores: Stores,
    settings: AnalysisSettings,
    query: CaseQuery = CaseQuery(),
    *,
    cursor: str = "",
    limit: int = DEFAULT_LIMIT,
    now: datetime | None = None,
) -> Listing[CaseView]:
    """Return cases.

    Raises:
        NotPermitted, BadCursor, BadLimit: the request is not allowed.
        UnknownId: there is no such work, or the user may not see it.
    """
    identity.require("cases:read")
    if query.work is not None:
        visible_work(identity, stores, query.work)
    now = now or utc_now()
    case_filter = _filter(identity, query)
    days = days_of_states(settings)
    runs = case_filter.overdue(now, days, HARMLESS) if query.overdue else case_filter.runs()
    request = Request(f"cases {case_filter} {query.overdue and sorted(days.items())}", cursor, limit)
    batch = stores.lists.cases(runs, after=request.place(runs), limit=limit)
    visible = only_visible(identity, stores, batch.records, lambda case: case.work_id)
    return request.listing(_shown(identity, views(visible, stores, settings, now=now)), batch.end)


def _filter(identity: Identity, query: CaseQuery) -> CaseFilter:
    return CaseFilter(
        owners=owners_of(identity, query.holder),
        work_id=query.work,
        site=site_of_host(site_name(query.site)) if query.site else None,
        states=(query.state,) if query.state else CASE_STATES if query.closed else (),
        verdicts=(query.verdict,) if query.verdict else LEADS if query.leads else VERDICTS,
        assignee=query.assignee if identity.sees_everything else None,
        chars=query.chars,
        pages=query.pages,
        page_share=query.page_share,
        work_share=query.work_share,
        since=query.since,
        until=query.until,
        order=query.order,
    )


def _shown(identity: Identity, cases: Iterable[CaseView]) -> Iterable[CaseView]:
    """Return cases; for rights holders without the fields that only analysts may see."""
    if identity.sees_everything:
        return cases
    return (replace(view, case=replace(view.case, assignee="", reason="")) for view in cases)


def get_case(identity: Identity, stores: Stores, name: str) -> Case:
    """Return a case by its short name (``c7``) or its id.

    Raises:
        NotPermitted: the user may not read cases.
        UnknownId: it does not exist, or the user may not see it.
    """
    identity.require("cases:read")
    case = stores.cases.get(name)
    require_visible(identity, stores, case.work_id, kind="case", name=name)
    return case if identity.sees_everything else replace(case, assignee="", reason="")


def view_case(
    identity: Identity, stores: Stores, settings: AnalysisSettings, name: str, *, now: datetime | None = None
) -> CaseView:
    """Return a case with its priority and its deadline.

    Raises:
        NotPermitted, UnknownId: see :func:`get_case`.
    """
    case = get_case(identity, stores, name)
    (view,) = _shown(identity, views([case], stores, settings, now=now or utc_now()))
    return view


@dataclass(frozen=True, slots=True)
class CaseFindings:
    """The matches of a case, the most copied first, and the order of publication."""

    matches: tuple[Match, ...]
    first: PublicationOrder


def findings_of(identity: Identity, stores: Stores, case: Case) -> CaseFindings:
    """Return the matches of a case from :func:`get_case`, and the order of publication.

    Raises:
        NotPermitted, UnknownId: see :func:`get_case`.
    """
    identity.require("matches:read")
    require_visible(identity, stores, case.work_id, kind="case", name=case.name)
    matches = stores.matches.of_case(case.work_id, case.site)
    work = stores.works.get_many([case.work_id]).get(case.work_id)
    first = publication_order(matches, work)
    shown = tuple(shown_match(identity, match) for match in matches)
    return CaseFindings(shown, first if identity.sees_everything else replace(first, proof=""))


def case_history(
    identity: Identity, stores: Stores, name: str, *, cursor: str = "", limit: int = DEFAULT_LIMIT
) -> Listing[Event]:
    """Return the events of a case, the newest first.

    Rights holders do not see the notes and the names of analysts.

    Raises:
        NotPermitted, UnknownId: see :func:`get_case`.
        BadCursor, BadLimit: the cursor or the limit is not allowed.
    """
    case = get_case(identity, stores, name)
    also = {} if identity.sees_everything else {"kind": {"$nin": sorted(_INTERNAL)}}
    runs = list(newest_events(case.number, also))
    request = Request(f"events {case.number} {sorted(also)}", cursor, limit)
    batch = stores.lists.events(runs, after=request.place(runs), limit=limit)
    events = batch.records
    if not identity.sees_everything:
        events = [replace(event, by="", because="", detail={}) for event in events]
    return request.listing(events, batch.end)
