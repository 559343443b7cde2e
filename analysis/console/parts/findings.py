"""What was found when services and this machine were examined, as a table."""

from collections.abc import Mapping, Sequence

from analysis.console.parts.badges import Tone, badge
from analysis.console.parts.tables import Column, Table
from analysis.console.view import View
from analysis.health import Finding, State
from storage.messages import N_

_STATES: Mapping[State, tuple[str, Tone]] = {
    "good": (N_("Good"), "well"),
    "idle": (N_("Not needed now"), ""),
    "alert": (N_("Look at this"), "warn"),
    "wrong": (N_("Wrong"), "grave"),
}


def findings_table(view: View, title: str, findings: Sequence[Finding]) -> None:
    """Show findings, one a row."""
    columns = [Column(view.gettext("What"), "word"), Column(view.gettext("State"), "word")]
    table = Table(title, [*columns, Column(view.gettext("What is known"), "wide")])
    for finding in findings:
        word, tone = _STATES[finding.state]
        with table.row() as row:
            row.cell(finding.what)
            with row.cell():
                badge(view.gettext(word), tone)
            row.cell(finding.text)
