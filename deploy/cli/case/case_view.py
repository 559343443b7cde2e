"""Cases on a terminal and as JSON: rows of a table, all details of one case, and its history."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from analysis.cases.publication_order import PublicationOrder
from analysis.cases.views import CaseView
from analysis.fields.case_row import row_of
from analysis.fields.cases import JSON_FIELDS, TERMINAL_FIELDS
from analysis.fields.cells import json_object
from analysis.words.events import about
from analysis.words.figures import percent
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from analysis.words.labels import (
    CASE_STATES,
    CLOSED_BECAUSE,
    EVENTS,
    LOOKS,
    PRECEDENCES,
    PRIORITIES,
    REVIEWS,
    VERDICTS,
)
from deploy.cli.clock import local_day, local_moment
from deploy.cli.console import print_result
from deploy.cli.labels import word_of
from deploy.cli.objects import object_of
from deploy.cli.tables import Cell, cells_of
from storage.records import IDLE_STATES, LOOK_STATES, Case, Event

EVENT_FIELDS = "id number at kind by because subject before after detail"  # in ``case history``
_FIRST = """
    page_claims= page_claims_url=claimed_url first_seen work_published= proof proof_sha256 registered
    page_older=
"""


def case_cells(view: CaseView) -> tuple[Cell, ...]:
    """Return a case as a row of a table."""
    case = view.case
    deadline = _due(local_day(view.deadline), is_overdue=view.is_overdue) if view.deadline else ""
    pages = str(case.pages)
    cells: dict[str, Cell] = {
        "state": tuple(filter(None, (_state(case), case.assignee, deadline))),
        "priority": str(view.priority.points),
        "pages": (pages, _looks(case)) if case.looks and case.state not in IDLE_STATES else pages,
        "copied_chars": str(case.copied_chars),
    }
    return cells_of(TERMINAL_FIELDS, row_of(view), cells)


def _state(case: Case) -> str:
    state = word_of(CASE_STATES, case.state)
    return f"{state}: {word_of(CLOSED_BECAUSE, case.reason)}" if case.reason else state


def _due(moment: str, *, is_overdue: bool) -> str:
    if is_overdue:
        return _("overdue since {moment}").format(moment=moment)
    return _("due {moment}").format(moment=moment)


def print_case(view: CaseView, first: PublicationOrder, hosts: Sequence[str]) -> None:
    """Print the figures of a case, the next step, and who published first."""
    case = view.case
    verdict = word_of(VERDICTS, case.verdict)
    print_result(f"{case.name}  {verdict} · {_state(case)}")
    for line in _lines(view, hosts):
        print_result(f"  {line}")
    print_result("  " + _("Publication order:"))
    for line in _first_lines(first):
        print_result(f"    {line}")


def _lines(view: CaseView, hosts: Sequence[str]) -> Iterator[str]:
    case = view.case
    yield _("Work: {title}").format(title=case.work_title)
    if view.holder:
        yield _("Holder: {name}").format(name=view.holder)
    yield _("Site: {site}").format(site=case.site)
    if hosts:
        yield _("Hosts: {hosts}").format(hosts=", ".join(hosts))
    yield _("Copied: {chars} characters · passages {passages} · pages {pages}").format(
        chars=case.copied_chars, passages=case.passages, pages=case.pages
    )
    yield _("{work} of the work · up to {page} of a page").format(
        work=percent(case.work_share), page=percent(case.page_share)
    )
    if case.reviews:
        counted = (
            f"{word_of(REVIEWS, review or 'open')} {count}" for review, count in sorted(case.reviews.items())
        )
        yield _("Matches: {counts}").format(counts=" · ".join(counted))
    if case.looks:
        is_watched = case.state not in IDLE_STATES
        yield _looks(case) if is_watched else _("At the last scan: {looks}").format(looks=_looks(case))
    if case.assignee:
        yield _("Assigned to: {name}").format(name=case.assignee)
    if view.deadline is not None:
        yield _due(local_moment(view.deadline), is_overdue=view.is_overdue)
    reasons = (
        f"{_points(reason_points.reason, reason_points.value)} (+{reason_points.points})"
        for reason_points in view.priority.parts
    )
    yield _("Priority {points}: {reasons}").format(points=view.priority.points, reasons=" · ".join(reasons))


def _points(reason: str, value: float | None) -> str:
    """Return the lines that explain a case's priority: reason and figure."""
    name = word_of(PRIORITIES, reason)
    if value is None:
        return _("{name}: not known").format(name=name)
    return f"{name} {percent(value)}" if reason == "share" else f"{name} {value:.0f}"


def _first_lines(first: PublicationOrder) -> Iterator[str]:
    unknown = _("not known")
    claimed = unknown if first.claimed is None else f"{first.claimed} ({first.claimed_url})"
    yield _("Earliest date on a page: {date}").format(date=claimed)
    first_sight = unknown if first.first_seen is None else local_moment(first.first_seen)
    yield _("First seen by pindna: {date}").format(date=first_sight)
    undated = _(
        "not known, so pindna cannot detect pages that are older than the work; add the work again "
        "with a date"
    )
    yield _("Date of the work: {date}").format(date=undated if first.work is None else first.work)
    if first.registered is not None:
        yield _("Proof of title: {file}, SHA-256 {sha256}, registered {moment}").format(
            file=first.proof, sha256=first.proof_sha256, moment=local_moment(first.registered)
        )
    for precedence in dict.fromkeys(by for _name, by in first.older):
        names = ", ".join(name for name, by in first.older if by == precedence)
        yield f"{word_of(PRECEDENCES, precedence)} ({names})"


def _looks(case: Case) -> str:
    """Return how many pages of a case are up, gone and so on, according to the last looks."""
    states = [state for state in LOOK_STATES if state in case.looks]
    states_seen = [f"{word_of(LOOKS, state)} {case.looks[state]}" for state in states]
    if case.absent_since is not None:
        states_seen.append(_("all pages gone since {moment}").format(moment=local_moment(case.absent_since)))
    return " · ".join(states_seen)


def case_as_object(view: CaseView) -> dict[str, object]:
    """Return a case as the object that ``--json`` prints."""
    return json_object(JSON_FIELDS, row_of(view))


def first_as_object(first: PublicationOrder) -> dict[str, object]:
    """Return the order of publication as the object that ``case show --json`` prints."""
    return object_of(first, _FIRST, **_claims(first), page_older=dict(first.older))


def _claims(first: PublicationOrder) -> dict[str, object]:
    """Return the dates that the page and the work claim, as text."""
    dates = {"page_claims": first.claimed, "work_published": first.work}
    return {name: str(date) if date else None for name, date in dates.items()}


def event_cells(event: Event) -> tuple[str, ...]:
    """Return an event as a row of a table."""
    what = word_of(EVENTS, event.kind)
    return local_moment(event.at), what, about(event, local_day), event.by, event.because


def decided_line(case: Case, count: int) -> str:
    """Return the line about the decisions on a case."""
    state = word_of(CASE_STATES, case.state)
    return ngettext(
        "{name}: {count} match decided; {state}.", "{name}: {count} matches decided; {state}.", count
    ).format(name=case.name, count=count, state=state)


def assigned_line(case: Case, *, now: datetime) -> str:
    """Return the assignee of a case, and the deadline if a person set one."""
    parts = [_state(case), case.assignee or _("no assignee")]
    if case.deadline is not None:
        parts.append(_due(local_day(case.deadline), is_overdue=case.deadline < now))
    return f"{case.name}: {' · '.join(parts)}"


def moved_line(case: Case) -> str:
    """Return the line about the present state of a case."""
    return _("{name}: {state}.").format(name=case.name, state=_state(case))
