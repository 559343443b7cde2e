"""Settings: those that administrators change here, search engines and secrets, and all settings in force."""

from functools import partial
from itertools import groupby

from nicegui import ui

from analysis.actions.alerts import try_addressee
from analysis.actions.setting_trials import request_test_timestamps, send_test_mail
from analysis.console.parts.administered import administered
from analysis.console.parts.case_page import section
from analysis.console.parts.setting_group import GroupPanel
from analysis.console.parts.setting_secrets import SecretsPanel, show_engines
from analysis.console.parts.texts import foreign, plain
from analysis.console.places import SETTINGS
from analysis.console.shell import name_control
from analysis.console.view import View
from analysis.queries.services import settings_in_force
from analysis.queries.settings import SettingsOverview, search_engines, settings_overview
from storage.settings.section import GROUPS
from system.errors import PindnaError


async def build(view: View) -> None:
    """Show each group of settings with its trials, then engines, secrets, and the settings in force."""
    administered(view, SETTINGS)
    overview = await view.act(settings_overview)
    _introduce(view, overview)
    trials = {"mail": partial(_mail_trial, view), "timestamps": partial(_timestamp_trial, view)}
    engines = await view.read(search_engines)
    with ui.element("div").classes("columns"):
        with ui.element("div").classes("stack"):
            GroupPanel(view, "alerts", overview, extra=partial(_addressee_trial, view))
            show_engines(view, engines)
        with ui.element("div").classes("stack"):
            for group in (group for group in GROUPS if group != "alerts"):
                GroupPanel(view, group, overview, trials=trials.get(group))
    SecretsPanel(view, overview)
    await _in_force(view)


def _introduce(view: View, overview: SettingsOverview) -> None:
    _ = view.gettext
    line = _("Workers, the schedule and the console follow changes within 15 seconds, without a restart.")
    plain(line, "p").classes("soft")
    if not view.may("settings:write"):
        plain(_("Only administrators can change settings."), "p").classes("note")
    shown = {setting.name for setting in overview.settings}
    for problem in overview.problems:
        if problem.name not in shown:
            line = _("The stored value of {name} is not used: {problem}.")
            text = line.format(name=problem.name, problem=view.texts.problem(problem.problem))
            foreign(text, tag="p").classes("problem")


def _addressee_trial(view: View, name: str) -> None:
    """Add the button that sends a test message to an addressee."""
    text = view.gettext("Send a test message")
    button = ui.button(text).props("flat dense no-caps")
    name_control(button, view.gettext("Send a test message to {name}").format(name=name))
    answer = plain("").props('role="status"').classes("small")

    async def send() -> None:
        button.disable()
        try:
            line = view.gettext("Delivered: {answer}")
            answer.text = line.format(answer=await view.act(try_addressee, name))
        except PindnaError as error:
            answer.text = view.texts.error(error)
        finally:
            button.enable()

    button.on_click(send)


def _mail_trial(view: View) -> None:
    """Add the field and the button that send a test mail."""
    _ = view.gettext
    with ui.element("div").classes("row-line full"):
        to = ui.input(_("Address for a test mail")).props("outlined dense stack-label").classes("field")
        button = ui.button(_("Send a test mail")).props("outline no-caps")
    answer = plain("", "p").props('role="status"')

    async def send() -> None:
        button.disable()
        answer.text = _("Sending …")
        try:
            line = _("The mail server accepted it: {answer}")
            answer.text = line.format(
                answer=await view.act(send_test_mail, (to.value or "").strip(), view.texts)
            )
        except PindnaError as error:
            answer.text = view.texts.error(error)
        finally:
            button.enable()

    button.on_click(send)


def _timestamp_trial(view: View) -> None:
    """Add the button that requests a timestamp from each authority."""
    _ = view.gettext
    button = ui.button(_("Request a test timestamp")).props("outline no-caps")
    box = ui.element("div").props('role="status"')

    async def request() -> None:
        button.disable()
        lines = []
        try:
            for trial in await view.act(request_test_timestamps):
                line = _("{authority}: valid timestamp of {time}")
                good = line.format(authority=trial.authority, time=view.moment(trial.time))
                lines.append(view.texts.error(trial.problem) if trial.problem else good)
        except PindnaError as error:
            lines.append(view.texts.error(error))
        finally:
            button.enable()
        box.clear()
        with box:
            for line in lines:
                foreign(line, tag="p")

    button.on_click(request)


async def _in_force(view: View) -> None:
    """Show all settings in force, folded."""
    rows = await view.act(settings_in_force)
    with ui.element("details").classes("group"):
        plain(view.gettext("All settings in force"), "summary")
        line = view.gettext(
            "Other settings come from pindna.toml and PINDNA_… variables; they take effect after a restart."
        )
        plain(line, "p").classes("soft")
        for name, group in groupby(rows, key=lambda row: row[0].partition(".")[0]):
            with section(f"[{name}]"), ui.element("dl").classes("facts"):
                for setting, value in group:
                    foreign(setting.partition(".")[2], tag="dt").classes("mono")
                    foreign(value or "–", tag="dd").classes("mono")
