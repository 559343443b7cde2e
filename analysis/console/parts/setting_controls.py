"""Controls for settings: the type of a setting selects its control (:mod:`storage.settings.kinds`)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import ui
from pydantic.fields import FieldInfo

from analysis.alerts.wording import KINDS
from analysis.console.parts.texts import plain
from analysis.console.shell import name_control
from analysis.console.view import View
from analysis.words.i18n import N_
from analysis.words.labels import CADENCES, CASE_STATES, ENCRYPTIONS, LANGUAGES, VERDICTS, WEEKDAYS
from storage.settings import time_of_schedule
from storage.settings.editable import editable_settings
from storage.settings.kinds import FieldKind, is_optional, kind_of, options_of, section_of
from storage.settings.section import Shown
from system.errors import PindnaError

_TABLES: tuple[Mapping[Any, str], ...] = (
    KINDS, VERDICTS, CASE_STATES, CADENCES, WEEKDAYS, ENCRYPTIONS, LANGUAGES
)  # fmt: skip
_DOTS = "••••••••"
_MAX_CHARS = 20_000

Read = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Control:
    """A shown control.

    Attributes:
        element: its element, which may show a problem.
        read: returns the value of the control as JSON contains it.
        before: that value when the control was shown.
    """

    element: Any
    read: Read
    before: object

    @property
    def is_changed(self) -> bool:
        """Whether the user changed the value."""
        return self.read() != self.before

    def report(self, problem: str) -> None:
        """Show a problem at the control; empty: remove it."""
        self.element.props["error"] = bool(problem)
        self.element.props["error-message"] = problem
        self.element.update()


def words_for(options: Collection[str]) -> Mapping[Any, str]:
    """Return the labels of the values of a closed set; empty: they are shown as they are."""
    return next((table for table in _TABLES if set(options) <= table.keys()), {})


def setting_label(view: View, name: str) -> str:
    """Return the label of a setting, or of a field inside its records; other names stay as they are."""
    settings = editable_settings()
    if name in settings:
        return view.gettext(settings[name].mark.label)
    above = next((setting for setting in settings.values() if name.startswith(f"{setting.name}.")), None)
    if above is None or kind_of(above.field) not in {"records", "named"}:
        return name
    field = section_of(above.field).model_fields.get(name.rpartition(".")[2])
    marks = [mark for mark in field.metadata if isinstance(mark, Shown)] if field else []
    label = view.gettext(above.mark.label)
    return f"{label} / {view.gettext(marks[0].label)}" if marks else label


def name_act(view: View, button: ui.button, act: str, what: str) -> None:
    """Name a button for screen readers: what it does, and to what."""
    name_control(button, view.gettext("{label}: {value}").format(label=act, value=what))


def problem_words(view: View, error: PindnaError) -> str:
    """Return an error about settings with their labels instead of their names."""
    data: dict[str, Any] = dict(error.data)
    for key in ("name", "names"):
        names = data.get(key, ())
        if isinstance(names, str) and names:
            data[key] = setting_label(view, names)
        elif names:
            data[key] = tuple(setting_label(view, name) for name in names)
    return view.texts.error(type(error)(**data))


def shown_value(view: View, field: FieldInfo, value: Any) -> str:
    """Return a value in words, without secrets; empty for an empty value."""
    kind = kind_of(field)
    if value in (None, "", [], {}):
        return ""
    if kind == "secret":
        return view.gettext("stored")
    if kind in {"choice", "choices"}:
        table, values = words_for(options_of(field)), [value] if kind == "choice" else value
        return ", ".join(view.word(table, item) for item in values)
    if kind == "switch":
        return view.gettext("yes") if value else view.gettext("no")
    return ", ".join(map(str, value)) if kind == "lines" else str(value)


def setting_control(
    view: View,
    field: FieldInfo,
    mark: Shown,
    value: Any,
    *,
    is_enabled: bool = True,
    may_drop: bool = True,
    suggestions: Sequence[str] = (),
) -> Control:
    """Show the control of a setting or of a field of a record.

    Args:
        view: the page.
        field: its type.
        mark: its label.
        value: its value as JSON contains it.
        is_enabled: whether it may be changed.
        may_drop: whether to offer the deletion of a stored secret.
        suggestions: values to choose from, for a field of the kind ``lines``.
    """
    kind = kind_of(field)
    label = view.gettext(mark.label)
    if kind == "secret":
        return _secret(view, label, mark, value, is_enabled=is_enabled, may_drop=may_drop)
    element = _element(_Request(view, kind, label, field, value, suggestions, mark.is_long))
    element.enabled = is_enabled
    if not isinstance(element, ui.switch):
        element.props("outlined dense stack-label").classes("full")
    if mark.hint:
        _show_hint(view, mark.hint)
    read = _reader(kind, element, field, is_choice=bool(suggestions))
    return Control(element, read, read())


@dataclass(frozen=True, slots=True)
class _Request:
    """What a control shows."""

    view: View
    kind: FieldKind
    label: str
    field: FieldInfo
    value: Any
    suggestions: Sequence[str]
    is_long: bool


def _element(request: _Request) -> Any:
    """Return the element of a control of any kind but those of records and secrets."""
    match request.kind:
        case "switch":
            return ui.switch(request.label, value=bool(request.value))
        case "whole" | "number":
            step = 1 if request.kind == "whole" else None
            return ui.number(request.label, value=request.value, step=step)
        case "choice" | "choices":
            return _choice(request)
        case "lines":
            return _lines(request)
        case _ if request.is_long:
            return ui.textarea(request.label, value=request.value or "").props("autogrow input-class=mono")
        case _:
            text = time_of_schedule(request.value or "")
            return ui.input(request.label, value=text).props(f"maxlength={_MAX_CHARS}")


def _choice(request: _Request) -> Any:
    options, view = options_of(request.field), request.view
    table = words_for(options)
    shown = {option: view.word(table, option) for option in options}
    if request.kind == "choices":
        return _several(shown, request.label, request.value)
    if is_optional(request.field):
        shown = {"": view.gettext("as in the settings"), **shown}
    return ui.select(shown, label=request.label, value=request.value or "")


def _lines(request: _Request) -> Any:
    if request.suggestions:
        choices = dict.fromkeys([*request.suggestions, *request.value])
        return _several({name: name for name in choices}, request.label, request.value)
    label = request.view.gettext("{label} (one per line)").format(label=request.label)
    return ui.textarea(label, value="\n".join(request.value)).props("autogrow")


def _several(shown: dict[str, str], label: str, value: Any) -> Any:
    return ui.select(shown, label=label, value=list(value or ()), multiple=True).props("use-chips")


def _reader(kind: FieldKind, element: Any, field: FieldInfo, *, is_choice: bool) -> Read:
    """Return the function that reads an element."""
    may_be_none = is_optional(field)

    def read() -> object:
        value = element.value
        if kind == "lines" and not is_choice:
            return [line.strip() for line in (value or "").splitlines() if line.strip()]
        if kind == "whole" and isinstance(value, float) and value.is_integer():
            return int(value)
        if kind in {"lines", "choices"}:
            return list(value or [])
        if kind in {"text", "choice"}:
            text = (value or "").strip()
            return None if may_be_none and not text else text
        return value

    return read


def _show_hint(view: View, hint: str) -> None:
    plain(view.gettext(hint), "p").classes("soft small hint")


def _secret(view: View, label: str, mark: Shown, value: Any, *, is_enabled: bool, may_drop: bool) -> Control:
    """Show the field of a secret: a stored one is never shown again, only replaced or deleted."""
    field = ui.input(label, password=True, placeholder=_DOTS if value else "")
    field.props("outlined dense stack-label autocomplete=new-password").classes("full")
    field.enabled = is_enabled
    hint = N_("Stored, and not shown again. Empty: it stays unchanged.") if value else mark.hint
    if hint:
        _show_hint(view, hint)
    drop = ui.checkbox(view.gettext("Delete the stored value")) if value and is_enabled and may_drop else None

    def read() -> object:
        if field.value:
            return {"secret": field.value}
        return "" if drop is not None and drop.value else value or ""

    return Control(field, read, value or "")
