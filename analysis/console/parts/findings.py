"""The findings of the system check as a table."""

from collections.abc import Mapping, Sequence

from nicegui import ui

from analysis.console.parts.badges import badge
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.tones import Tone
from analysis.console.view import View
from analysis.health.services import Finding, State
from analysis.words.visible import one_line
from system.messages import N_

_STATES: Mapping[State, tuple[str, Tone]] = {
    "good": (N_("Good"), "well"),
    "idle": (N_("Not needed now"), ""),
    "alert": (N_("Needs attention"), "warn"),
    "wrong": (N_("Wrong"), "grave"),
}


def findings_summary(view: View, title: str, findings: Sequence[Finding]) -> None:
    """Show the problems as a table, and the successful checks in a line below."""
    problems = [finding for finding in findings if finding.state in ("wrong", "alert")]
    if problems:
        findings_table(view, title, problems)
    with ui.element("ul").classes("row-line well-being") as rest:
        rest.props["aria-label"] = title
        for finding in findings:
            if finding not in problems:
                word, tone = _STATES[finding.state]
                with ui.element("li"):
                    shown = badge(f"{one_line(finding.what)}: {view.gettext(word)}", tone)
                shown.props["title"] = one_line(finding.text)


def findings_table(view: View, title: str, findings: Sequence[Finding]) -> None:
    """Show findings, one per row."""
    columns = [Column(view.gettext("Component"), "word"), Column(view.gettext("State"), "word")]
    table = Table(title, [*columns, Column(view.gettext("Details"), "wide")])
    for finding in findings:
        word, tone = _STATES[finding.state]
        with table.row() as row:
            row.cell(finding.what)
            with row.cell():
                badge(view.gettext(word), tone)
            row.cell(finding.text)
