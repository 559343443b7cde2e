"""Filters of lists, and the index ranges that contain their rows. Pure functions.

A range starts with the leading fields of an index. If several indexes fit, the one with the fewest rows is
used. The server checks the other conditions on each row of the range. ``owners`` is not a filter but a limit:
no range contains rows of other rights holders.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from fingerprint.text.disguises import Disguise
from storage.collections.documents import Document
from storage.collections.keyset import IndexRun
from storage.collections.notices import OF_CASE
from storage.records import (
    CASE_STATES,
    PAGE_STATES,
    REVIEW_STATES,
    VERDICTS,
    WORK_STATES,
    CaseState,
    NoticeState,
    PageState,
    ReviewState,
    ScanStatus,
    Verdict,
    WorkRole,
    WorkStatus,
)

LAST = "\U0010ffff"  # sorts after every other string with the same beginning
Sign = Literal[">", ">=", "<", "<=", "="]
Order = Literal["gravest", "newest"]
# Ascending by a column, or descending with "-".
ByColumn = Literal["chars", "-chars", "share", "-share", "site", "-site", "work", "-work"]
MatchOrder = Literal[Order, "oldest", ByColumn]
WorkOrder = Literal["title", "-title", "chars", "-chars"]
_OPERATORS: Mapping[Sign, tuple[str, ...]] = {
    ">": ("$gt",),
    ">=": ("$gte",),
    "<": ("$lt",),
    "<=": ("$lte",),
    "=": ("$gte", "$lte"),
}
_SHOWN: tuple[WorkStatus, ...] = tuple(state for state in WORK_STATES if state != "removed")
_LONG_AGO = datetime(
    1, 1, 1, tzinfo=UTC
)  # a range without a lower bound would include rows without a moment in SecantusDB
_MOST_COPIED = (("copied_chars", -1), ("_id", 1))
_NEWEST = (("first_seen", -1), ("_id", 1))
_OLDEST = (("first_seen", 1), ("_id", -1))  # the same index, read backwards
_COLUMNS: Mapping[str, str] = {"share": "coverage", "site": "site", "work": "work_title"}
_WORK_COLUMNS: Mapping[str, str] = {"title": "name", "chars": "characters"}
SORTED_MATCH_FIELDS = tuple(_COLUMNS.values())
_BY_NUMBER = (("number", -1),)


@dataclass(frozen=True, slots=True)
class FieldBound:
    """A bound of a number or a moment, such as ``> 70``."""

    sign: Sign
    value: float | datetime


Comparisons = tuple[FieldBound, ...]


def _bounds_condition(comparisons: Comparisons) -> Document:
    """Convert bounds to a condition; of two bounds with the same operator the narrower one counts."""
    bounds: dict[str, Any] = {}
    for comparison in comparisons:
        for operator in _OPERATORS[comparison.sign]:
            narrower = max if operator.startswith("$g") else min
            bounds[operator] = narrower(comparison.value, bounds.get(operator, comparison.value))
    return bounds


def _period_condition(since: datetime | None, until: datetime | None) -> Document:
    """Return the condition that a moment lies in a half-open period."""
    bounds = {"$gte": since, "$lt": until}
    return {operator: moment for operator, moment in bounds.items() if moment is not None}


def _one_of(values: Collection[Any]) -> Any:
    """Return the condition that a field has one of several values."""
    distinct = sorted(values)
    return distinct[0] if len(distinct) == 1 else {"$in": distinct}


def _column_order(order: str, fields: Mapping[str, str]) -> tuple[tuple[str, int], ...]:
    """Return the order by a column; an index that ends with the column and ``_id`` has it."""
    direction = -1 if order.startswith("-") else 1
    return ((fields[order.removeprefix("-")], direction), ("_id", direction))


def _owner_condition(owners: tuple[str, ...] | None) -> Document:
    """Return the condition that rows belong to rights holders; without a holder no row matches."""
    return {} if owners is None else {"owner": _one_of(owners)}


def _without_empty(**fields: Any) -> Document:
    """Return the conditions that are not empty."""
    return {name: value for name, value in fields.items() if value not in (None, {})}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFilter:
    """A filter for works.

    Attributes:
        owners: marks of rights holders; None: all.
        prefix: key of the start of the title.
        statuses: empty: all except removed works.
        role: role of the works.
        order: by title, or by the number of characters.
    """

    owners: tuple[str, ...] | None = None
    prefix: str = ""
    statuses: tuple[WorkStatus, ...] = ()
    role: WorkRole | None = None
    order: WorkOrder = "title"

    def runs(self) -> list[IndexRun]:
        """Return the ranges of the list."""
        equal = _owner_condition(self.owners) | _without_empty(status=_one_of(self.statuses or _SHOWN))
        prefix = {"$gte": self.prefix, "$lt": self.prefix + LAST} if self.prefix else {}
        also, order = _without_empty(role=self.role), _column_order(self.order, _WORK_COLUMNS)
        if order[0][0] == "name":
            return [IndexRun(equal, order, prefix, also)]
        return [IndexRun(equal, order, {}, also | _without_empty(name=prefix))]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFilter:
    """A filter for matches that count.

    Attributes:
        owners: see :class:`WorkFilter`.
        reviews: empty: all.
        verdicts: in their order.
        profile: name of the profile, in any version.
        chars: copied characters.
        coverage: share of the page, 0 to 1.
        disguise: only matches with this disguise; empty: all.
        since, until: period of the first sight; ``until`` is exclusive.
        order: the gravest verdict first, then the most copied; or by first sight; or by a column.
    """

    owners: tuple[str, ...] | None = None
    work_id: int | None = None
    site: str | None = None
    reviews: tuple[ReviewState, ...] = ()
    verdicts: tuple[Verdict, ...] = VERDICTS
    profile: str = ""
    chars: Comparisons = ()
    coverage: Comparisons = ()
    since: datetime | None = None
    until: datetime | None = None
    disguise: Disguise | Literal[""] = ""
    order: MatchOrder = "gravest"

    def runs(self) -> list[IndexRun]:
        """Return the ranges of the list."""
        owner = _owner_condition(self.owners)
        period, chars = _period_condition(self.since, self.until), _bounds_condition(self.chars)
        also = _without_empty(
            site=self.site,
            work_id=self.work_id,
            coverage=_bounds_condition(self.coverage),
            disguises=self.disguise or None,
            profile={"$gte": f"{self.profile}@", "$lt": f"{self.profile}@{LAST}"} if self.profile else None,
        )
        reviews = _without_empty(review=_one_of(self.reviews) if self.reviews else None)
        if self.order not in {"gravest", "chars", "-chars"}:
            verdicts = {} if self.verdicts == VERDICTS else {"verdict": _one_of(self.verdicts)}
            also |= {**reviews, **verdicts, **_without_empty(copied_chars=chars)}
            return [self._run_of_column({**owner, "replaced": None}, period, also)]
        first: Document = next(({name: also[name]} for name in ("work_id", "site") if name in also), {})
        lead = owner or first
        also = {name: value for name, value in also.items() if name not in lead} | _without_empty(
            first_seen=period
        )
        review = reviews or ({"review": _one_of(REVIEW_STATES)} if lead else {})
        equal = {**lead, "replaced": None, **review}
        if self.order != "gravest":
            direction = -1 if self.order == "-chars" else 1
            order = (("copied_chars", direction), ("_id", -direction))
            return [IndexRun({**equal, "verdict": _one_of(self.verdicts)}, order, chars, also)]
        return [
            IndexRun({**equal, "verdict": verdict}, _MOST_COPIED, chars, also) for verdict in self.verdicts
        ]

    def _run_of_column(self, equal: Document, period: Document, also: Document) -> IndexRun:
        """Return the range of a list in the order of one column."""
        if self.order in {"newest", "oldest"}:
            return IndexRun(equal, _NEWEST if self.order == "newest" else _OLDEST, period, also)
        order = _column_order(self.order, _COLUMNS)
        bounds = also.pop(order[0][0], {})
        if not isinstance(bounds, Mapping):  # the list has one value of this column only
            also[order[0][0]], bounds = bounds, {}
        return IndexRun(equal, order, bounds, also | _without_empty(first_seen=period))


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFilter:
    """A filter for cases.

    Attributes:
        owners: see :class:`WorkFilter`.
        states: empty: all except closed cases.
        verdicts: in their order.
        assignee: the assignee; empty: unassigned.
        chars, pages: copied characters, addresses with a match.
        page_share, work_share: see :class:`storage.records.Case`.
        since, until: see :class:`MatchFilter`.
        order: see :class:`MatchFilter`.
    """

    owners: tuple[str, ...] | None = None
    work_id: int | None = None
    site: str | None = None
    states: tuple[CaseState, ...] = ()
    verdicts: tuple[Verdict, ...] = VERDICTS
    assignee: str | None = None
    chars: Comparisons = ()
    pages: Comparisons = ()
    page_share: Comparisons = ()
    work_share: Comparisons = ()
    since: datetime | None = None
    until: datetime | None = None
    order: Order = "gravest"

    @property
    def _listed_states(self) -> Sequence[CaseState]:
        return self.states or [state for state in CASE_STATES if state != "closed"]

    def runs(self) -> list[IndexRun]:
        """Return the ranges of the list."""
        owner = _owner_condition(self.owners)
        period, chars, state = (
            _period_condition(self.since, self.until),
            _bounds_condition(self.chars),
            _one_of(self._listed_states),
        )
        also = self._unindexed_conditions()
        if self.order == "newest":
            also |= {**self._verdict_condition(), **_without_empty(copied_chars=chars)}
            return [IndexRun({**owner, "state": state}, _NEWEST, period, also)]
        also |= _without_empty(first_seen=period)
        leads = ("assignee", "work_id", "site")
        lead = owner or next(({name: also.pop(name)} for name in leads if name in also), {})
        if lead.keys() & {"work_id", "site"}:  # few rows match this condition
            also["state"] = state
        else:
            lead = {**lead, "state": state}
        return [
            IndexRun({**lead, "verdict": verdict}, _MOST_COPIED, chars, dict(also))
            for verdict in self.verdicts
        ]

    def overdue(
        self, now: datetime, days: Mapping[CaseState, int], harmless: Collection[Verdict]
    ) -> list[IndexRun]:
        """Return the ranges of the list's overdue cases; in each state the longest overdue case comes first.

        Args:
            now: the present time.
            days: days that a state with a required action may last; 0: unlimited.
            harmless: verdicts of new cases that require no action.
        """
        owner = _owner_condition(self.owners)
        also = {
            **self._unindexed_conditions(),
            **self._verdict_condition(),
            **_without_empty(
                copied_chars=_bounds_condition(self.chars),
                first_seen=_period_condition(self.since, self.until),
            ),
        }
        by_hand = {**also, "state": _one_of(self._listed_states)}
        runs = [IndexRun(owner, (("deadline", 1), ("_id", 1)), {"$gt": _LONG_AGO, "$lt": now}, by_hand)]
        for state in self._listed_states:
            if days.get(state, 0):
                condition = also
                if state == "new":
                    grave = [verdict for verdict in self.verdicts if verdict not in harmless]
                    condition = {**also, "verdict": {"$in": grave}}
                runs.append(
                    IndexRun(
                        {**owner, "state": state},
                        (("since", 1), ("_id", 1)),
                        {"$lt": now - timedelta(days=days[state])},
                        {**condition, "deadline": None},
                    )
                )
        return runs

    def _unindexed_conditions(self) -> Document:
        return _without_empty(
            work_id=self.work_id,
            site=self.site,
            assignee=self.assignee,
            pages=_bounds_condition(self.pages),
            page_share=_bounds_condition(self.page_share),
            work_share=_bounds_condition(self.work_share),
        )

    def _verdict_condition(self) -> Document:
        return {} if self.verdicts == VERDICTS else {"verdict": {"$in": list(self.verdicts)}}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFilter:
    """A filter for current pages: waiting, compared, and failed by reason.

    In each of these groups the newest pages come first.

    Attributes:
        source, scan_id: source of the pages, and the scan that saw them last.
        hosts: hosts of a site; None: all.
        states: empty: all.
        reason: why pages were not compared.
        verdict: verdict of the pages.
        is_unread: only pages that were not fully compared.
    """

    source: str | None = None
    scan_id: str | None = None
    hosts: tuple[str, ...] | None = None
    states: tuple[PageState, ...] = ()
    reason: str | None = None
    verdict: Verdict | None = None
    is_unread: bool = False

    def conditions(self) -> Document:
        """Return the conditions on the rows."""
        return _without_empty(
            source=self.source,
            scan_id=self.scan_id,
            host=None if self.hosts is None else _one_of(self.hosts),
            state=_one_of(self.states) if self.states else None,
            reason=self.reason,
            verdict=self.verdict,
            unread={"$nin": [{}, None]} if self.is_unread else None,
        )

    def runs(self) -> list[IndexRun]:
        """Return the ranges of the list; there are none if the site has no host with pages."""
        if self.hosts == ():
            return []
        also = self.conditions()
        lead: Document = next(
            ({name: also.pop(name)} for name in ("scan_id", "source", "host") if name in also), {}
        )
        if self.verdict and not lead:
            del also["verdict"]
            return [IndexRun({"standing": "current", "verdict": self.verdict}, _NEWEST, {}, also)]
        for name in ("state", "reason"):
            also.pop(name, None)
        equal = {**lead, "standing": "current"}
        states = [state for state in PAGE_STATES if state in (self.states or PAGE_STATES)]
        return [self._run_of_state(equal, state, also) for state in states]

    def _run_of_state(self, equal: Document, state: PageState, also: Document) -> IndexRun:
        """Return the range of the pages in a state; only failed pages have a reason."""
        if state == "failed" and not self.reason:
            return IndexRun({**equal, "state": state}, (("reason", 1), *_NEWEST), {}, also)
        return IndexRun({**equal, "state": state, "reason": self.reason or ""}, _NEWEST, {}, also)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeFilter:
    """A filter for notices, the newest first. ``case`` is the number of a case."""

    owners: tuple[str, ...] | None = None
    case: int | None = None
    site: str | None = None
    states: tuple[NoticeState, ...] = ()

    def runs(self) -> list[IndexRun]:
        """Return the ranges of the list."""
        states = _one_of(self.states) if self.states else None
        also = _without_empty(**{OF_CASE: self.case}, site=self.site, state=states)
        owner = _owner_condition(self.owners)
        first: Document = next(
            ({name: also[name]} for name in (OF_CASE, "site", "state") if name in also), {}
        )
        lead = owner or first
        return [IndexRun(lead, _BY_NUMBER, {}, {name: also[name] for name in also if name not in lead})]


def waiting_cases(owners: tuple[str, ...] | None, work_id: int | None) -> list[IndexRun]:
    """Return the list of cases with matches that wait for a decision, the gravest first."""
    lead, also = {**_owner_condition(owners), "is_waiting": True}, _without_empty(work_id=work_id)
    return [IndexRun({**lead, "verdict": verdict}, _MOST_COPIED, {}, also) for verdict in VERDICTS]


def in_review(owners: tuple[str, ...] | None, review: ReviewState) -> IndexRun:
    """Return the matches that count in a review state, in any order."""
    return IndexRun(
        {**_owner_condition(owners), "review": review, "replaced": None, "verdict": {"$in": list(VERDICTS)}},
        (),
    )


def newest_dismissals(reason: str) -> list[IndexRun]:
    """Return the list of dismissals, the newest first; an empty reason means all reasons."""
    return [
        IndexRun(
            {"state": "dismissed", **_without_empty(because=reason or None)}, (("made", -1), ("_id", -1))
        )
    ]


def newest_events(case: int, also: Mapping[str, Any]) -> Iterator[IndexRun]:
    """Return the list of the events of a case, the newest first; number 0: the events without a case."""
    yield IndexRun({"case": case}, _BY_NUMBER, {}, also)


def newest_scans(status: ScanStatus | None) -> Iterator[IndexRun]:
    """Return the list of scans, the newest first."""
    yield IndexRun({}, (("started", -1), ("_id", 1)), {}, _without_empty(status=status))


def newest_packages(owners: tuple[str, ...] | None) -> Iterator[IndexRun]:
    """Return the list of evidence packages, the newest first."""
    yield IndexRun(_owner_condition(owners), (("made", -1), ("_id", 1)))
