"""The list of cases (one for each work and site), filtered by the address, with bulk actions."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from analysis.cases.views import CaseView
from analysis.console.parts.badges import state_badge
from analysis.console.parts.bulk import BulkBar
from analysis.console.parts.case_filter import LEADS, CaseListFilter, filter_of
from analysis.console.parts.case_notices import notice_button
from analysis.console.parts.case_page import deadline_mark
from analysis.console.parts.filter_values import BadFilter
from analysis.console.parts.filters import FilterForm
from analysis.console.parts.lists import SHOWN, address, nothing, pager
from analysis.console.parts.record_table import Cell, Extra, record_table
from analysis.console.parts.tables import Column, Row
from analysis.console.parts.texts import foreign, plain
from analysis.console.places import CASES
from analysis.console.shell import problem_box
from analysis.console.view import View
from analysis.fields.case_row import CaseRow, row_of
from analysis.fields.cases import LIST_FIELDS
from analysis.notices.making import MadeNotices
from analysis.queries.cases import list_cases
from analysis.queries.comparisons import BadComparison
from analysis.queries.notices import LetterScope
from analysis.queries.works import WorkQuery, list_works
from analysis.words.figures import percent
from analysis.words.i18n import NC_
from analysis.words.labels import CASE_STATES, VERDICTS, Code
from system.messages import N_
from system.names import name_key


async def build(view: View, /, *, cursor: str = "", **parameters: str) -> None:
    """Show the cases that match the filter in the address."""
    case_filter = filter_of(parameters)
    _form(view, case_filter)
    try:
        work_id = await _work_id(view, case_filter.work)
        query = case_filter.wanted(view.installation.zone, work=work_id)
        settings = view.installation.runtime.settings.analysis
        listing = await view.read(list_cases, settings, query, cursor=cursor, limit=SHOWN)
    except (BadFilter, BadComparison) as error:
        problem_box(view, error)
        return
    if not listing.items and not listing.next:
        _show_no_cases(view, case_filter)
        return
    if query.site and view.may("notices:make"):
        _show_letter_button(view, query.site)
    bar = BulkBar(view) if view.may("cases:write") or view.may("evidence:export") else None
    _table(view, listing.items, bar)
    if cursor or listing.next:
        pager(view, CASES.path, case_filter.parameters(), following=listing.next)


async def _work_id(view: View, text: str) -> int | None:
    """Return the id of the work in a filter, which contains a title or an id.

    Raises:
        BadFilter: there is none, or several begin so.
    """
    if not text.strip():
        return None
    if text.strip().isdecimal() and len(text) < 10:  # noqa: PLR2004 - ids are small
        return int(text)
    works = (await view.read(list_works, WorkQuery(title=text), limit=20)).items
    same = [work for work in works if name_key(work.title) == name_key(text)] or list(works)
    if len({work.title for work in same}) != 1:
        raise BadFilter(name="work", text=text[:50])
    return same[0].id


def _show_no_cases(view: View, case_filter: CaseListFilter) -> None:
    if case_filter.is_empty:
        nothing(view, view.gettext("There is no open case. A scan that finds copies opens cases by itself."))
        return
    nothing(view, view.gettext("There is no such case."))
    ui.link(view.gettext("Show all open cases"), CASES.path)


def _show_letter_button(view: View, site: str) -> None:
    """Show the button for one letter about all confirmed works of a holder on a site."""

    async def do(act: Callable[..., Any], *args: object, line: str, **kwargs: object) -> None:
        made: MadeNotices = await view.act(act, *args, **kwargs)
        ui.navigate.to(f"/cases/{made.notice.cases[0].name}")
        with view.client:
            ui.notify(line, type="positive")

    line = view.gettext("One letter for {site}…").format(site=site)
    notice_button(view, LetterScope(site=site), do, line)


def _form(view: View, case_filter: CaseListFilter) -> None:
    """Show the filters; their values become part of the address."""
    _ = view.gettext
    values = {name: str(value) for name, value in case_filter.parameters().items()}
    form = FilterForm(view, CASES.path, values)
    form.choice("state", _("State"), _options(view, CASE_STATES))
    form.choice("verdict", _("Verdict"), {LEADS: _("Copies and partial copies"), **_options(view, VERDICTS)})
    form.text("work", _("Work"))
    form.text("site", _("Site"))
    form.choice("overdue", _("Deadline"), {"1": _("Overdue")})
    more = {"holder", "assignee", "chars", "pages", "page_share", "work_share", "since", "until", "order"}
    with form.more(_("More filters"), is_open=bool(more & values.keys())):
        form.text("chars", _("Copied characters"), hint=">70, 100..500")
        form.text("pages", _(NC_("count", "Pages")), hint=">1")
        form.text("work_share", _("Share of the work, %"), hint=">70")
        form.text("page_share", _("Share of the page, %"), hint=">70")
        form.text("holder", _("Rights holder"))
        if view.identity.sees_everything:
            form.text("assignee", _("Assigned to"), hint=_("Enter - for unassigned cases"))
        form.day("since", _("First seen since"))
        form.day("until", _("First seen until"))
        form.choice("order", _("Order"), {"gravest": _("Most serious first"), "newest": _("Newest first")})
    form.button()
    with ui.row().classes("row-line"):
        if not case_filter.is_empty:
            ui.link(_("Clear filters"), CASES.path)
        if view.may("cases:write"):
            ui.link(_("My cases"), address(CASES.path, {"assignee": view.identity.name}))


def _options(view: View, labels: Mapping[Code, str]) -> dict[str, str]:
    return {code: view.gettext(label) for code, label in labels.items()}


def _table(view: View, cases: Sequence[CaseView], bar: BulkBar | None) -> None:
    def add_checkbox(row: Row, record: CaseRow) -> None:
        with row.cell():
            if bar:
                bar.add_checkbox(record.case)

    def state(row: Row, record: CaseRow) -> None:
        with row.cell():
            state_badge(view, record.case.state)

    def deadline(row: Row, record: CaseRow) -> None:
        with row.cell():
            deadline_mark(view, record)

    cells: dict[str, Cell[CaseRow]] = {
        "name": lambda row, record: row.link(record.case.name, f"/cases/{record.case.name}"),
        "state": state,
        "work": _work_cell,
        "site": lambda row, record: row.link(
            record.case.site, address(CASES.path, {"site": record.case.site})
        ),
        "copied_chars": partial(_chars_cell, view),
        "deadline": deadline,
        "priority": lambda row, record: row.cell(str(record.priority)),
    }
    record_table(
        view,
        view.gettext("Cases"),
        map(row_of, cases),
        fields=LIST_FIELDS,
        cells=cells,
        kinds={"name": "word", "work": "wide", "site": "name"},
        first=Extra(Column(view.gettext("Select"), "word"), add_checkbox) if bar else None,
    )


def _work_cell(row: Row, record: CaseRow) -> None:
    with row.cell():
        foreign(record.case.work_title)
        if record.holder:
            foreign(record.holder, tag="div").classes("soft small")


def _chars_cell(view: View, row: Row, record: CaseRow) -> None:
    case = record.case
    with row.cell():
        ui.label(f"{case.copied_chars:,}")
        for line, share in ((N_("work {share}"), case.work_share), (N_("page {share}"), case.page_share)):
            plain(view.gettext(line).format(share=percent(share)), "div").classes("soft small")
