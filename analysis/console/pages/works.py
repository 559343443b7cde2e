"""The list of works with their rights holders and states, and the upload of new works."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import get_args

from nicegui import ui

from analysis.actions.works import restore
from analysis.console.parts.badges import badge
from analysis.console.parts.filters import FilterForm
from analysis.console.parts.lists import SHOWN, address, nothing, pager
from analysis.console.parts.record_table import Extra, record_table
from analysis.console.parts.sorting import Sorting
from analysis.console.parts.tables import Column, Row
from analysis.console.parts.texts import foreign, plain
from analysis.console.parts.tones import WORK_TONES
from analysis.console.parts.uploads import Uploads
from analysis.console.places import LOADS, WORKS
from analysis.console.shell import name_control
from analysis.console.view import View
from analysis.fields.works import LIST_FIELDS
from analysis.queries.listing import Listing
from analysis.queries.work_page import open_cases
from analysis.queries.works import WorkQuery, list_works
from analysis.words.labels import WORK_ROLES, WORK_STATES
from storage.collections.filters import WorkOrder
from storage.records import Work, WorkRole, WorkStatus

_SORTED: Mapping[str, tuple[WorkOrder, WorkOrder]] = {
    "title": ("title", "-title"),
    "characters": ("chars", "-chars"),
}
_NUMBERS = frozenset({"characters"})


async def build(
    view: View,
    *,
    title: str = "",
    holder: str = "",
    status: str = "",
    role: str = "",
    order: str = "",
    cursor: str = "",
) -> None:
    """Show the works that match the filter in the address."""
    filters = {"title": title, "holder": holder, "status": status, "role": role, "order": order}
    query = WorkQuery(
        title=title,
        holder=holder,
        status=next((value for value in get_args(WorkStatus) if value == status), None),
        role=next((value for value in get_args(WorkRole) if value == role), None),
        order=next((value for value in get_args(WorkOrder) if value == order), "title"),
    )

    async def show() -> None:
        listing = await view.read(list_works, query, cursor=cursor, limit=SHOWN)
        cases = await view.read(open_cases, listing.items) if view.may("cases:read") else {}
        if adding is not None and not (listing.items or any(filters.values())):
            adding.open()
        listed.clear()
        with listed:
            _list(view, listing, cases, filters)

    adding = _show_add_form(view, show) if view.may("works:write") else None
    listed = ui.element("div").classes("stack")
    await show()


def _show_add_form(view: View, on_loaded: Callable[[], Awaitable[None]]) -> ui.expansion:
    with ui.expansion(view.gettext("Add works"), icon="upload_file").classes("panel adding") as adding:
        Uploads(view, on_loaded)
        ui.link(view.gettext("Last loads, and undo"), LOADS.path)
    return adding


def _list(view: View, listing: Listing[Work], cases: Mapping[int, int], filters: Mapping[str, str]) -> None:
    if not listing.items and not any(filters.values()):
        nothing(
            view,
            view.gettext("No works yet. Drop the files of your texts above.")
            if view.may("works:write")
            else view.gettext("You have no works yet. An administrator adds them."),
        )
        return
    _form(view, filters)
    if listing.items:
        present = {**filters, "order": filters["order"] or "title"}
        _table(view, listing.items, cases, Sorting(WORKS.path, present, _SORTED, _NUMBERS))
    else:
        nothing(view, view.gettext("No work has this title."))
    pager(view, WORKS.path, filters, following=listing.next)


def _form(view: View, filters: Mapping[str, str]) -> None:
    form = FilterForm(view, WORKS.path, filters)
    form.text("title", view.gettext("Title begins with"))
    if view.identity.sees_everything:
        form.text("holder", view.gettext("Rights holder"))
    states: dict[str, str] = {code: view.gettext(words) for code, words in WORK_STATES.items()}
    if not view.identity.sees_everything:
        states.pop("removed")
    form.choice("status", view.gettext("State"), states)
    form.choice(
        "role", view.gettext("Role"), {code: view.gettext(words) for code, words in WORK_ROLES.items()}
    )
    form.button()


def _table(view: View, works: Sequence[Work], cases: Mapping[int, int], sorting: Sorting) -> None:
    def title(row: Row, work: Work) -> None:
        with row.cell():
            _title(view, work)
            if work.edition_of is not None:
                plain(view.gettext("another edition"), "div").classes("soft small")

    def status(row: Row, work: Work) -> None:
        with row.cell():
            state_badges(view, work)

    def open_ones(row: Row, work: Work) -> None:
        with row.cell():
            cases_link(view, work, cases.get(work.id, 0))

    record_table(
        view,
        view.gettext("Works"),
        works,
        fields=LIST_FIELDS,
        cells={"title": title, "status": status},
        kinds={"title": "wide", "author": "name", "holder": "name"},
        last=Extra(Column(view.gettext("Open cases"), "number"), open_ones),
        sorting=sorting,
    )


def _title(view: View, work: Work) -> None:
    """Show a title as a link to its work; for a removed work, with a button to restore it."""
    if work.status != "removed":
        with ui.link(target=f"/works/{work.id}"):
            foreign(work.title)
        return
    foreign(work.title)
    if view.may("works:write"):
        button = ui.button(icon="undo", on_click=partial(_restore, view, work))
        name = view.gettext("Restore “{title}”").format(title=work.title[:80])
        name_control(button.props("flat dense"), name).tooltip(view.gettext("Restore"))


async def _restore(view: View, work: Work) -> None:
    await view.act(restore, work.id)
    ui.navigate.to(f"/works/{work.id}")


def state_badges(view: View, work: Work) -> None:
    """Show a work's state, and its role unless it is a protected work."""
    badge(view.word(WORK_STATES, work.status), WORK_TONES[work.status])
    if work.role != "protected":
        badge(view.word(WORK_ROLES, work.role), "accent")


def cases_link(view: View, work: Work, count: int) -> None:
    """Show the number of a work's open cases as a link to them."""
    if count and view.may("cases:read"):
        ui.link(f"{count:,}", address("/cases", {"work": work.book_id}))
    else:
        plain(f"{count:,}")
