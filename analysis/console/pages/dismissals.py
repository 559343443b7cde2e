"""The dismissals with their reasons, and the matches that do not count because of them."""

from functools import partial

from nicegui import ui

from analysis.actions.review import take_back_dismissal
from analysis.console.parts.dialogs import confirmed
from analysis.console.parts.lists import address, nothing, pager
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign, foreign_link
from analysis.console.places import DISMISSALS
from analysis.console.shell import name_control
from analysis.console.view import View
from analysis.queries.review import Dismissal, list_dismissals, recent_reasons

_NAMED = 5  # maximum number of listed matches per dismissal
_REASONS = 20


async def build(view: View, *, because: str = "", cursor: str = "") -> None:
    """Show dismissals.

    Args:
        view: the page.
        because: only those for this reason; empty: all.
        cursor: of a further part of the list.
    """
    reasons = await view.read(recent_reasons)
    with ui.element("nav").classes("row-line tabs") as nav:
        nav.props["aria-label"] = view.gettext("Reasons")
        _reason("", view.gettext("All reasons"), because)
        for reason, count in reasons.most_common(_REASONS):
            _reason(reason, f"{reason} · {count:,}", because)
    listing = await view.read(list_dismissals, reason=because, cursor=cursor)
    if not listing.items:
        nothing(
            view,
            view.gettext(
                "No dismissals for this filter. Stretches that you dismiss during review appear here."
            ),
        )
    else:
        _table(view, listing.items)
    pager(view, DISMISSALS.path, {"because": because}, following=listing.next)


def _reason(reason: str, words: str, chosen: str) -> None:
    with ui.link(target=address(DISMISSALS.path, {"because": reason})).classes("tab") as link:
        foreign(words, most=60)
    if reason == chosen:
        link.props('aria-current="page"')


def _table(view: View, dismissals: tuple[Dismissal, ...]) -> None:
    columns = (
        Column(view.gettext("Reason"), "wide"),
        Column(view.gettext("Site")),
        Column(view.gettext("Work"), "wide"),
        Column(view.gettext("Stretch"), "word"),
        Column(view.gettext("Done by")),
        Column(view.gettext("Finds that the dismissal excludes"), "wide"),
        Column(view.gettext("Undo"), "word"),
    )
    table = Table(view.gettext("Dismissals"), columns)
    for dismissal in dismissals:
        decision = dismissal.decision
        with table.row() as row:
            row.cell(decision.because)
            row.cell(decision.site)
            row.cell(f"{decision.work_title} {decision.passage_title}".strip())
            row.cell(f"{decision.start + 1:,}–{decision.end:,}")
            row.cell(" · ".join(filter(None, (decision.by, view.moment(decision.made)))))
            with row.cell():
                _matches(view, dismissal)
            with row.cell():
                name = f"{decision.site} {decision.because}"
                button = ui.button(icon="undo", on_click=partial(_take_back, view, dismissal))
                name_control(button.props("flat dense"), view.gettext("Undo: {name}").format(name=name))


def _matches(view: View, dismissal: Dismissal) -> None:
    with ui.element("ul").classes("short"):
        for match in dismissal.matches[:_NAMED]:
            with ui.element("li"), ui.element("span").classes("row-line"):
                ui.link(match.name, address(f"/review/{match.name}", {"state": "dismissed"}))
                foreign_link(match.url)
        if (more := len(dismissal.matches) - _NAMED) > 0:
            ui.label(view.ngettext("{count} more", "{count} more", more).format(count=more))


async def _take_back(view: View, dismissal: Dismissal) -> None:
    decision = dismissal.decision
    question = view.gettext("Count this stretch again?")
    lines = (
        f"{decision.site} · {decision.work_title} · {decision.start + 1:,}–{decision.end:,}",
        decision.because,
    )
    if await confirmed(view, question, lines, act=view.gettext("Count the stretch again")):
        await view.act(take_back_dismissal, decision.id)
        ui.navigate.reload()
