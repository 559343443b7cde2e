"""Search engines and the secrets that sources and settings name."""

from collections.abc import Sequence
from functools import partial

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from analysis.actions.setting_trials import ask_engine
from analysis.actions.settings import remove_secret, store_secret
from analysis.console.parts.badges import badge
from analysis.console.parts.dialogs import answer_of, confirmed
from analysis.console.parts.panels import titled_panel
from analysis.console.parts.setting_controls import name_act
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign, inner_link, plain
from analysis.console.places import NEW_SOURCE
from analysis.console.shell import name_control
from analysis.console.view import View
from analysis.queries.settings import SecretView, SettingsOverview, settings_overview
from storage.records import Source
from system.errors import PindnaError
from system.secrets import PREFIX


def show_engines(view: View, sources: Sequence[Source]) -> None:
    """Show the sources that ask search engines, each with a button that asks for one sentence."""
    _ = view.gettext
    with titled_panel(_("Search engines")):
        plain(_("A search engine is a source. Its key belongs to the secrets below."), "p").classes("soft")
        if not sources:
            plain(_("No source asks a search engine.")).classes("soft")
        for source in sources:
            with ui.element("div").classes("row-line"):
                inner_link(source.name, f"/sources/{source.name}")
                foreign(source.discovery.engine if source.discovery else "").classes("soft small")
                if view.may("sources:write"):
                    answer = plain("").props('role="status"')
                    button = ui.button(_("Ask for one sentence")).props("flat dense no-caps")
                    button.on_click(partial(_ask, view, source.name, answer, button))
                    name_control(button, _("Ask {name} for one sentence").format(name=source.name))
        if view.may("sources:write"):
            ui.link(_("Add a search engine"), NEW_SOURCE.path)


async def _ask(view: View, name: str, answer: TextElement, button: ui.button) -> None:
    """Ask a search engine, and show its answer next to the button."""
    _ = view.gettext
    button.disable()
    answer.text = _("Asking …")
    try:
        step = await view.act(ask_engine, name)
    except PindnaError as error:
        answer.text = view.texts.error(error)
    else:
        if step is None:
            answer.text = _("There is no sentence to search for. Add works first.")
        elif step.reason:
            answer.text = f"{view.texts.reason(step.reason)} {view.gettext(step.advice)}".strip()
        else:
            line = view.ngettext(
                "It answered with {count} address.", "It answered with {count} addresses.", step.texts
            )
            answer.text = line.format(count=step.texts)
    finally:
        button.enable()


class SecretsPanel:
    """The secrets that sources and settings name. A stored value is never shown.

    Args:
        view: the page.
        overview: the settings as they are now.
    """

    def __init__(self, view: View, overview: SettingsOverview) -> None:
        self._view, self._overview = view, overview
        with titled_panel(view.gettext("Secrets")):
            line = view.gettext(
                "Sources and settings name secrets as {example}. Values are stored encrypted; "
                "a variable or a file on the server wins."
            )
            plain(line.format(example=f"${{{PREFIX}NAME}}"), "p").classes("soft")
            self._box = ui.element("div").classes("stack settings")
        self._show()

    def _show(self) -> None:
        _ = self._view.gettext
        self._box.clear()
        with self._box:
            if self._overview.secrets:
                columns = (
                    Column(_("Secret"), "name"),
                    Column(_("State"), "word"),
                    Column(_("Used by"), "wide"),
                    Column(""),
                )
                table = Table(_("Secrets"), columns)
                for secret in self._overview.secrets:
                    with table.row() as row:
                        row.cell(secret.name).classes("mono")
                        with row.cell():
                            self._show_state(secret)
                        row.cell(", ".join(secret.users) or "–")
                        with row.cell():
                            self._show_buttons(secret)
            if self._view.may("settings:write"):
                ui.button(_("Add a secret"), icon="add", on_click=lambda: self._ask("")).props("flat dense")

    def _show_state(self, secret: SecretView) -> None:
        _ = self._view.gettext
        if secret.problem is not None:
            badge(_("unreadable"), "grave")
            plain(self._view.texts.error(secret.problem)).classes("small wrap")
        elif secret.is_outside:
            badge(_("environment"))
        elif secret.is_stored:
            badge(_("stored"), "well")
        else:
            badge(_("missing"), "warn")

    def _show_buttons(self, secret: SecretView) -> None:
        _ = self._view.gettext
        if not self._view.may("settings:write"):
            return
        if not secret.is_outside:
            text = _("Replace") if secret.is_stored else _("Enter")
            button = ui.button(text, on_click=lambda: self._ask(secret.name)).props("flat dense")
            name_act(self._view, button, text, secret.name)
        if secret.is_stored:
            text = _("Remove")
            button = ui.button(text, on_click=lambda: self._remove(secret)).props("flat dense")
            name_act(self._view, button, text, secret.name)

    async def _ask(self, name: str) -> None:
        """Show the dialog that stores a secret; it stays open until the value is stored."""
        _ = self._view.gettext
        with self._view.client, ui.dialog().props("persistent") as dialog, ui.card().classes("dialog"):
            dialog.props["aria-label"] = _("Secret")
            plain(_("Secret"), "h3").classes("subtitle part")
            field = (
                ui.input(_("Name"), value=name or PREFIX).props("outlined dense stack-label").classes("full")
            )
            field.enabled = not name
            value = ui.input(_("Value"), password=True).classes("full")
            value.props("outlined dense stack-label autocomplete=new-password")
            problem = ui.label().props('role="alert"').classes("problem full")
            problem.visible = False
            with ui.row().classes("row-line"):
                ui.button(_("Cancel"), on_click=lambda: dialog.submit(False)).props("flat no-caps")

                async def save() -> None:
                    try:
                        new, revision_read = (field.value or "").strip(), self._overview.revision
                        await self._view.act(
                            store_secret, new, value.value or "", revision_read=revision_read
                        )
                    except PindnaError as error:
                        problem.text, problem.visible = self._view.texts.error(error), True
                    else:
                        dialog.submit(True)

                ui.button(_("Save"), on_click=save).props("unelevated no-caps")
        if await answer_of(dialog):
            await self._renew()

    async def _remove(self, secret: SecretView) -> None:
        _ = self._view.gettext
        question = _("Remove {what}?").format(what=secret.name)
        lines = (_("Used by: {names}").format(names=", ".join(secret.users) or "–"),)
        if await confirmed(self._view, question, lines, act=_("Remove"), is_grave=True):
            await self._view.act(remove_secret, secret.name, revision_read=self._overview.revision)
            await self._renew()

    async def _renew(self) -> None:
        self._overview = await self._view.act(settings_overview)
        with self._view.client:
            self._show()
