"""The last decisions of the user, each with a button that undoes it."""

from functools import partial

from nicegui import ui

from analysis.actions.review import withdraw_decisions
from analysis.console.parts.badges import review_badge
from analysis.console.parts.lists import nothing
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign_link, plain
from analysis.console.shell import name_control
from analysis.console.view import View
from analysis.queries.own_decisions import OwnDecision, own_decisions


async def build(view: View) -> None:
    """Show the decisions, the newest first."""
    decisions = await view.read(own_decisions)
    if not decisions:
        nothing(view, view.gettext("You have not decided about any find yet."))
        return
    line = view.gettext("Undo opens the finds of a decision again, also after a reload or on another day.")
    plain(line, "p").classes("soft")
    columns = (
        Column(view.gettext("Time"), "word"),
        Column(view.gettext("Decision"), "word"),
        Column(view.gettext("Work"), "wide"),
        Column(view.gettext("Page"), "wide"),
        Column(view.gettext("Stretches"), "number"),
        Column(view.gettext("Reason"), "wide"),
        Column(view.gettext("Undo"), "word"),
    )
    table = Table(view.gettext("My last decisions"), columns)
    for decision in decisions:
        _row(view, table, decision)


def _row(view: View, table: Table, decision: OwnDecision) -> None:
    newest = decision.newest
    work = f"{newest.work_title} {newest.passage_title}".strip()
    with table.row() as row:
        row.cell(view.moment(newest.made))
        with row.cell():
            review_badge(view, newest.state)
        row.cell(work)
        with row.cell():
            foreign_link(newest.url)
            if len({stretch.url for stretch in decision.stretches}) > 1:
                plain(view.gettext("and further pages of {site}").format(site=newest.site), "div")
        row.cell(f"{len(decision.stretches):,}")
        row.cell(newest.because or "–")
        with row.cell():
            undo = partial(_undo, view, decision)
            button = ui.button(view.gettext("Undo"), on_click=undo).props("outline dense no-caps")
            name_control(button, view.gettext("Undo: {name}").format(name=f"{newest.site} {work}"[:120]))


async def _undo(view: View, decision: OwnDecision) -> None:
    await view.act(withdraw_decisions, decision.stretches)
    ui.navigate.reload()
