"""A group of settings: its records, its single values, and what fixes them."""

from collections.abc import Callable

from nicegui import ui

from analysis.actions.settings import SettingRefused, save_settings
from analysis.console.parts.panels import titled_panel
from analysis.console.parts.setting_controls import Control, name_act, problem_words, setting_control
from analysis.console.parts.setting_records import Extra, RecordList
from analysis.console.parts.texts import plain
from analysis.console.view import SignedOut, View
from analysis.queries.settings import SettingsOverview, SettingView, settings_overview
from analysis.words.labels import SETTING_GROUPS
from storage.settings.kinds import kind_of
from storage.settings.section import SettingGroup
from system.errors import PindnaError, ServiceDown

_RECORDS = frozenset({"records", "named", "groups"})


class GroupPanel:
    """The panel of a group. It remembers the revision that it shows, so a change of others is noticed.

    Args:
        view: the page.
        group: the group.
        overview: the settings as they are now.
        extra: adds buttons for a named record.
        trials: adds what tries the settings, below them.
    """

    def __init__(
        self,
        view: View,
        group: SettingGroup,
        overview: SettingsOverview,
        *,
        extra: Extra | None = None,
        trials: Callable[[], None] | None = None,
    ) -> None:
        self._view, self._group, self._overview = view, group, overview
        self._extra, self._trials = extra, trials
        self._controls: dict[str, Control] = {}
        with titled_panel(view.gettext(SETTING_GROUPS[group])):
            self._box = ui.element("div").classes("stack settings")
        self._show()

    @property
    def _settings(self) -> list[SettingView]:
        views = self._overview.settings
        return [setting for setting in views if setting.setting.mark.group == self._group]

    def _show(self) -> None:
        self._box.clear()
        self._controls.clear()
        with self._box:
            names = [name for name in ("addressees", "groups") for name in self._names_of(name)]
            for setting in self._settings:
                if kind_of(setting.setting.field) in _RECORDS:
                    extra = self._extra if setting.name.endswith("addressees") else None
                    RecordList(self._view, setting, self._save, suggestions={"to": names}, extra=extra).show()
                    self._show_origin(setting)
            for setting in self._settings:
                if kind_of(setting.setting.field) not in _RECORDS:
                    self._show_value(setting)
            if self._controls and self._view.may("settings:write"):
                save = ui.button(self._view.gettext("Save"), on_click=self._save_values)
                name_act(self._view, save, self._view.gettext("Save"), self._title)
            if self._trials is not None and self._view.may("settings:write"):
                self._trials()

    @property
    def _title(self) -> str:
        return self._view.gettext(SETTING_GROUPS[self._group])

    def _names_of(self, last: str) -> list[str]:
        values = [view.value for view in self._settings if view.name == f"analysis.alerts.{last}"]
        return list(values[0]) if values else []

    def _show_value(self, setting: SettingView) -> None:
        mark, may_change = setting.setting.mark, self._view.may("settings:write") and not setting.is_fixed
        with ui.element("div").classes("full"):
            field, value = setting.setting.field, setting.value
            control = setting_control(self._view, field, mark, value, is_enabled=may_change, may_drop=False)
            self._show_origin(setting)
        if may_change:
            self._controls[setting.name] = control

    def _show_origin(self, setting: SettingView) -> None:
        """Show what sets a value, if it is not the default, and how to use the default again."""
        _, view = self._view.gettext, self._view
        if setting.is_fixed:
            line = _("Fixed by {where}; it can only be changed there.")
            plain(line.format(where=setting.where or "pindna"), "p").classes("soft small")
        elif setting.problem:
            line = _("The stored value is not used ({problem}); the default is used instead.")
            plain(line.format(problem=view.texts.problem(setting.problem)), "p").classes("problem")
        if setting.setting.mark.needs_restart:
            plain(_("A change takes effect after a restart."), "p").classes("soft small")
        if setting.origin == "stored" or setting.problem:
            with ui.element("div").classes("row-line"):
                line = _("Changed by {name}, {time}").format(name=setting.by, time=view.moment(setting.at))
                plain(line).classes("soft small")
                if view.may("settings:write"):
                    self._add_reset(setting)

    def _add_reset(self, setting: SettingView) -> None:
        text = self._view.gettext("Use the default")
        button = ui.button(text, on_click=lambda: self._reset(setting)).props("flat dense no-caps")
        name_act(self._view, button, text, self._view.gettext(setting.setting.mark.label))

    async def _reset(self, setting: SettingView) -> None:
        try:
            await self._save(setting.name, None)
        except PindnaError as error:
            self._report(error)

    async def _save_values(self) -> None:
        for control in self._controls.values():
            control.report("")
        values = {name: control.read() for name, control in self._controls.items() if control.is_changed}
        if not values:
            ui.notify(self._view.gettext("Nothing was changed."), type="info")
            return
        try:
            await self._store(values)
        except SettingRefused as error:
            refused = self._controls.get(str(error.data["name"]))
            if refused is None:
                self._report(error)
            else:
                refused.report(self._view.texts.problem(error.data["problem"]))  # type: ignore[arg-type]
        except PindnaError as error:
            self._report(error)

    async def _save(self, name: str, value: object) -> bool:
        await self._store({name: value})
        return True

    async def _store(self, values: dict[str, object]) -> None:
        await self._view.act(save_settings, values, revision_read=self._overview.revision)
        self._overview = await self._view.act(settings_overview)
        with self._view.client:
            self._show()
            ui.notify(self._view.gettext("Saved. It takes effect within 15 seconds."), type="positive")

    def _report(self, error: PindnaError) -> None:
        if isinstance(error, SignedOut | ServiceDown):
            raise error
        words = problem_words(self._view, error)
        ui.notify(words, type="negative", multi_line=True, timeout=0, close_button=True)
