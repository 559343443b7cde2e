"""The settings that administrators may change at run time: those with the mark ``Editable``. Pure.

A value from the file, the environment or a command wins over a stored one, so such a setting is fixed. Stored
values are JSON texts. A stored value that is not valid any more is left out, and the default is used.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import TomlConfigSettingsSource

from storage.settings.installation import Settings
from storage.settings.section import Editable, Section
from system.language import settings_file
from system.messages import N_, Message
from system.validation import refused_value_problem

_NOT_JSON = N_("the stored value is not valid JSON")
_UNKNOWN = N_("there is no such setting, or it cannot be changed here")

Origin = Literal["default", "stored", "file", "environment", "command"]


def _variable_of(path: tuple[str, ...]) -> str:
    return "PINDNA_" + "__".join(key.upper() for key in path)


@dataclass(frozen=True, slots=True)
class EditableSetting:
    """A setting with the mark.

    Attributes:
        name: dotted name, such as ``analysis.alerts.quiet``.
        mark: its label and group.
        field: its type, default and bounds.
    """

    name: str
    mark: Editable
    field: FieldInfo

    @property
    def path(self) -> tuple[str, ...]:
        """The parts of the name."""
        return tuple(self.name.split("."))

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return _variable_of(self.path)


@dataclass(frozen=True, slots=True)
class SettingProblem:
    """A stored value that is not used.

    Attributes:
        name: the setting.
        problem: the reason, as an English template or a message.
        inside: where in the value: positions in lists and names of fields.
    """

    name: str
    problem: str | Message
    inside: tuple[int | str, ...] = ()


@cache
def editable_settings() -> Mapping[str, EditableSetting]:
    """Return the settings with the mark by name, in the order of the sections."""
    return {setting.name: setting for setting in _marked(Settings, ())}


def _marked(section: type[BaseModel], above: tuple[str, ...]) -> Iterator[EditableSetting]:
    for name, field in section.model_fields.items():
        path = (*above, name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield from _marked(field.annotation, path)
        for mark in field.metadata:
            if isinstance(mark, Editable):
                yield EditableSetting(".".join(path), mark, field)


def value_of(settings: Settings, name: str) -> Any:
    """Return the value of a setting as JSON would contain it."""
    *above, last = name.split(".")
    section: Any = settings
    for key in above:
        section = getattr(section, key)
    return section.model_dump(mode="json", include={last})[last]


def is_fixed(base: Settings, name: str) -> bool:
    """Return whether the file, the environment or a command sets a value.

    Args:
        base: the settings without stored values.
        name: the setting.
    """
    section: Any = base
    for key in name.split("."):
        if key not in section.model_fields_set:
            return False
        section = getattr(section, key)
    return True


def fixed_by(setting: EditableSetting) -> tuple[Origin, str]:
    """Return what sets a fixed setting: its kind, and the variable or the path of the file."""
    prefixes = [_variable_of(setting.path[:end]) for end in range(1, len(setting.path) + 1)]
    for variable, value in sorted(os.environ.items()):
        upper = variable.upper()
        is_within = upper.startswith(f"{setting.variable}__")
        if value and (is_within or (upper in prefixes and _sets(upper, value, setting))):
            return "environment", variable
    if _contains(TomlConfigSettingsSource(Settings, settings_file())(), setting.path):
        return "file", str(settings_file())
    return "command", ""


def _sets(variable: str, value: str, setting: EditableSetting) -> bool:
    """Return whether a variable of a setting, or of a whole section in JSON, sets the setting."""
    inner = setting.path[len(variable.removeprefix("PINDNA_").split("__")) :]
    if not inner:
        return True
    try:
        return _contains(json.loads(value), inner)
    except ValueError:
        return False


def _contains(values: object, path: tuple[str, ...]) -> bool:
    for key in path:
        if not isinstance(values, Mapping) or key not in values:
            return False
        values = values[key]
    return True


def with_stored_values(
    base: Settings, stored: Mapping[str, str]
) -> tuple[Settings, tuple[SettingProblem, ...]]:
    """Return the settings with stored values, and the stored values that are not used.

    Args:
        base: the settings of file, environment and command, whose values win.
        stored: setting → value as JSON.
    """
    values, problems = dict[str, Any](), list[SettingProblem]()
    for name, text in stored.items():
        if name not in editable_settings():
            problems.append(SettingProblem(name, _UNKNOWN))
            continue
        try:
            value = json.loads(text)
            json.dumps(value, ensure_ascii=False).encode()  # refuses half characters
        except (ValueError, RecursionError):
            problems.append(SettingProblem(name, _NOT_JSON))
            continue
        if not is_fixed(base, name):
            values[name] = value
    settings, refused = _merged(base, values)
    return settings, (*problems, *refused)


def _merged(base: Settings, values: Mapping[str, Any]) -> tuple[Settings, tuple[SettingProblem, ...]]:
    """Return the settings with valid values. If they do not fit together, add them one by one."""
    try:
        return _validated(base, values), ()
    except ValidationError:
        pass
    accepted, settings, problems = dict[str, Any](), base, list[SettingProblem]()
    for name in (name for name in editable_settings() if name in values):  # addressees before rules
        try:
            settings = _validated(base, accepted | {name: values[name]})
        except ValidationError as error:
            first = error.errors()[0]
            inside = first["loc"][name.count(".") :]  # without the names of the section and the setting
            problems.append(SettingProblem(name, refused_value_problem(first), inside))
        else:
            accepted[name] = values[name]
    return settings, tuple(problems)


def _validated(base: Settings, values: Mapping[str, Any]) -> Settings:
    """Return the settings with some values.

    Raises:
        ValidationError: a value is not valid, or does not fit to another one.
    """
    changed: dict[str, BaseModel] = {}
    for top in {name.partition(".")[0] for name in values}:
        section: BaseModel = getattr(base, top)
        fields = section.model_dump(exclude_unset=True)
        for name, value in values.items():
            first, *path = name.split(".")
            if first == top:
                _put(fields, path, value)
        changed[top] = type(section).model_validate(fields)
    return base.model_copy(update=changed)


def _put(fields: dict[str, Any], path: list[str], value: object) -> None:
    for key in path[:-1]:
        fields = fields.setdefault(key, {})
    fields[path[-1]] = value
