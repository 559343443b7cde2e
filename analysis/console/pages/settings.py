"""The current settings, from the file and from the environment; secrets are masked."""

from itertools import groupby

from nicegui import ui

from analysis.console.parts.administered import administered
from analysis.console.parts.case_page import section
from analysis.console.parts.texts import foreign, plain
from analysis.console.places import SETTINGS
from analysis.console.view import View
from analysis.queries.services import settings_in_force


async def build(view: View) -> None:
    """Show each section of the settings as a list."""
    administered(view, SETTINGS)
    line = view.gettext(
        "Settings come from pindna.toml and PINDNA_… variables. Changes take effect after a restart."
    )
    plain(line, "p").classes("soft")
    rows = await view.act(settings_in_force)
    for name, group in groupby(rows, key=lambda row: row[0].partition(".")[0]):
        with section(f"[{name}]"), ui.element("dl").classes("facts"):
            for setting, value in group:
                foreign(setting.partition(".")[2], tag="dt").classes("mono")
                foreign(value or "–", tag="dd").classes("mono")
