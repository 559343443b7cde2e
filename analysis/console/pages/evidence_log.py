"""The evidence log: its size, the result of its check, its signed root and its last entries."""

from nicegui import ui

from analysis.console.parts.administered import administered
from analysis.console.parts.badges import badge
from analysis.console.parts.case_page import section
from analysis.console.parts.lists import nothing
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign, plain
from analysis.console.places import EVIDENCE_LOG
from analysis.console.view import View
from analysis.queries.evidence import LogState, log_state, newest_entries
from analysis.words.labels import LOGGED_KINDS
from analysis.words.visible import visible

_DIGITS = 16  # number of shown digits of a digest


async def build(view: View) -> None:
    """Show the state of the log and its last entries, the newest first."""
    administered(view, EVIDENCE_LOG)
    state = await view.read(log_state, view.installation.runtime.settings)
    _facts(view, state)
    leaves = await view.read(newest_entries)
    if not leaves:
        nothing(view, view.gettext("The log is empty."))
        return
    columns = (
        Column(view.gettext("Entry"), "number"),
        Column(view.gettext("Logged at"), "word"),
        Column(view.gettext("Type of record"), "word"),
        Column(view.gettext("Record"), "wide"),
        Column(view.gettext("Digest"), "word"),
    )
    table = Table(view.gettext("Last entries"), columns)
    for leaf in leaves:
        with table.row() as row:
            row.cell(f"{leaf.id:,}")
            row.cell(view.moment(leaf.at))
            row.cell(view.word(LOGGED_KINDS, leaf.kind))
            row.cell(leaf.record)
            row.cell(leaf.digest[:_DIGITS])


def _facts(view: View, state: LogState) -> None:
    _ = view.gettext
    with section(_("State")), ui.element("dl").classes("facts"):
        plain(_("Unaltered"), "dt")
        with ui.element("dd"):
            if state.problem is None:
                badge(_("Yes"), "well")
                foreign(_("up to the last entry; `pindna evidence log verify` reads every record")).classes(
                    "soft"
                )
            else:
                badge(_("No"), "grave")
                foreign(view.texts.error(state.problem))
        for term, value in (
            (_("Log"), state.log or "–"),
            (_("Entries"), f"{state.entries:,}"),
            (_("Last entry"), view.moment(state.at)),
            (_("Waiting for the log"), f"{state.unlogged:,}"),
            (_("Last daily root"), view.moment(state.last_root)),
        ):
            plain(term, "dt")
            foreign(value, tag="dd")
    if state.signed_root:
        with section(_("Signed root")):
            plain(
                _(
                    "Keep the signed root where no user of this installation can change it. It proves "
                    "the contents of the log."
                ),
                "p",
            )
            plain(visible(state.signed_root), "pre").classes("letter mono").props('tabindex="0"')
