"""Settings with several records, such as addressees and rules: a list, and a dialog for one record."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import ui
from pydantic.fields import FieldInfo

from analysis.console.parts.dialogs import answer_of, confirmed
from analysis.console.parts.setting_controls import (
    Control,
    name_act,
    problem_words,
    setting_control,
    shown_value,
)
from analysis.console.parts.texts import foreign, plain
from analysis.console.view import SignedOut, View
from analysis.queries.settings import SettingView
from storage.settings.kinds import kind_of, section_of
from storage.settings.section import Shown
from system.errors import PindnaError, ServiceDown

Save = Callable[[str, object], Awaitable[bool]]  # (setting, new value) → whether it was saved
Extra = Callable[[str], None]  # adds further buttons for a named record


class RecordList:
    """The records of a setting.

    Args:
        view: the page.
        setting: of the kind ``records``, ``named`` or ``groups``.
        save: stores the whole value.
        suggestions: values to choose from, by field.
        extra: adds buttons for a named record.
    """

    def __init__(
        self,
        view: View,
        setting: SettingView,
        save: Save,
        *,
        suggestions: Mapping[str, Sequence[str]],
        extra: Extra | None = None,
    ) -> None:
        self._view, self._setting, self._save = view, setting, save
        self._suggestions, self._extra = suggestions, extra
        self._kind = kind_of(setting.setting.field)
        self._label = view.gettext(setting.setting.mark.label)
        self._may_change = view.may("settings:write") and not setting.is_fixed

    def show(self) -> None:
        """Show the records, each with its buttons."""
        plain(self._label, "h3").classes("subtitle")
        records = self._records()
        if not records:
            plain(self._view.gettext("None.")).classes("soft")
        else:
            with ui.element("ul").classes("plain-list full").props(f'aria-label="{self._label}"'):
                for number, (name, record) in enumerate(records):
                    with ui.element("li").classes("watched"):
                        self._show_record(number, name, record)
        if self._may_change:
            button = ui.button(self._view.gettext("Add"), icon="add", on_click=self._add).props("flat dense")
            name_act(self._view, button, self._view.gettext("Add"), self._label)

    def _records(self) -> list[tuple[str, Any]]:
        value = self._setting.value
        return [("", record) for record in value] if self._kind == "records" else list(value.items())

    def _show_record(self, number: int, name: str, record: Any) -> None:
        line = self._line(record)
        with ui.element("div").classes("row-line"):
            if name:
                foreign(name).classes("strong")
            foreign(line or "–")
        with ui.element("div").classes("row-line"):
            if self._extra is not None:
                self._extra(name)
            if not self._may_change:
                return
            for text, act in (
                (self._view.gettext("Change"), self._change),
                (self._view.gettext("Remove"), self._remove),
            ):
                button = ui.button(text, on_click=partial(act, number, name, record)).props("flat dense")
                name_act(self._view, button, text, name or line[:60])

    def _line(self, record: Any) -> str:
        """Return a record in a line: labels and values that are not empty, without secrets."""
        if self._kind == "groups":
            return ", ".join(record)
        parts = []
        for name, field, mark in _shown_fields(self._setting.setting.field):
            value = record.get(name)
            if value != as_json(field.get_default(call_default_factory=True)) and (
                text := shown_value(self._view, field, value)
            ):
                line = self._view.gettext("{label}: {value}")
                parts.append(line.format(label=self._view.gettext(mark.label), value=text[:120]))
        return " · ".join(parts)

    async def _add(self) -> None:
        await self._edit(None, "", [] if self._kind == "groups" else {})

    async def _change(self, number: int, name: str, record: Any) -> None:
        await self._edit(number, name, record)

    async def _remove(self, number: int, name: str, record: Any) -> None:
        _ = self._view.gettext
        question = _("Remove {what}?").format(what=name or self._line(record)[:80])
        if await confirmed(self._view, question, act=_("Remove"), is_grave=True):
            rest = [item for position, item in enumerate(self._records()) if position != number]
            await self._save(self._setting.name, self._value(rest))

    async def _edit(self, number: int | None, name: str, record: Any) -> None:
        dialog = _RecordDialog(self._view, self._setting, name, record, self._suggestions)

        async def store(new_name: str, new_record: object) -> bool:
            records = self._records()
            if number is None:
                records.append((new_name, new_record))
            else:
                records[number] = (new_name, new_record)
            return await self._save(self._setting.name, self._value(records))

        await dialog.ask(store, taken={} if self._kind == "records" else self._setting.value)

    def _value(self, records: list[tuple[str, Any]]) -> object:
        return [record for _, record in records] if self._kind == "records" else dict(records)


def as_json(default: object) -> object:
    """Return a default as JSON contains it."""
    return list(default) if isinstance(default, tuple) else default


def _shown_fields(field: FieldInfo) -> list[tuple[str, FieldInfo, Shown]]:
    """Return the fields of a record that a form shows."""
    return [
        (name, inner, mark)
        for name, inner in section_of(field).model_fields.items()
        for mark in inner.metadata
        if isinstance(mark, Shown)
    ]


class _RecordDialog:
    """The dialog for one record. It stays open, with everything that was typed, until the record is saved."""

    def __init__(
        self,
        view: View,
        setting: SettingView,
        name: str,
        record: Any,
        suggestions: Mapping[str, Sequence[str]],
    ) -> None:
        self._view, self._old_name = view, name
        self._kind = kind_of(setting.setting.field)
        self._controls: dict[str, Control] = {}
        _ = view.gettext
        title = view.gettext(setting.setting.mark.label)
        with view.client, ui.dialog().props("persistent") as self._dialog, ui.card().classes("dialog"):
            self._dialog.props["aria-label"] = title
            plain(title, "h3").classes("subtitle part")
            if self._kind != "records":
                self._name = ui.input(_("Name"), value=name).props("outlined dense stack-label maxlength=60")
                self._name.classes("full").enabled = not name
            if self._kind == "groups":
                choices = list(dict.fromkeys([*suggestions.get("to", ()), *record]))
                self._members = ui.select(choices, label=_("Addressees"), value=list(record), multiple=True)
                self._members.props("outlined dense stack-label use-chips").classes("full")
            else:
                self._show_fields(setting.setting.field, record, suggestions)
            self._problem = ui.label().props('role="alert"').classes("problem full")
            self._problem.visible = False
            with ui.row().classes("row-line"):
                ui.button(_("Cancel"), on_click=lambda: self._dialog.submit(False)).props("flat no-caps")
                self._button = ui.button(_("Save")).props("unelevated no-caps")

    def _show_fields(
        self, setting: FieldInfo, record: Mapping[str, Any], suggestions: Mapping[str, Sequence[str]]
    ) -> None:
        for name, field, mark in _shown_fields(setting):
            default = field.get_default(call_default_factory=True)
            value = record.get(name, None if field.is_required() else default)
            if kind_of(field) in {"lines", "choices"}:
                value = list(value or ())
            self._controls[name] = setting_control(
                self._view, field, mark, value, suggestions=suggestions.get(name, ())
            )

    async def ask(
        self, store: Callable[[str, object], Awaitable[bool]], *, taken: Mapping[str, object]
    ) -> None:
        """Show the dialog until the record is saved or the user cancels."""

        async def save() -> None:
            name = self._new_name()
            if self._kind != "records" and (not name or (name != self._old_name and name in taken)):
                self._report(self._view.gettext("Enter a name that is not used yet."))
                return
            try:
                if await store(name, self._record()):
                    self._dialog.submit(True)
            except PindnaError as error:  # shown where it was typed, so nothing is lost
                if isinstance(error, SignedOut | ServiceDown):
                    raise
                self._report(problem_words(self._view, error))

        self._button.on_click(save)
        await answer_of(self._dialog)

    def _new_name(self) -> str:
        return "" if self._kind == "records" else (self._name.value or "").strip()

    def _record(self) -> object:
        if self._kind == "groups":
            return list(self._members.value or [])
        return {name: control.read() for name, control in self._controls.items()}

    def _report(self, problem: str) -> None:
        self._problem.text, self._problem.visible = problem, True
