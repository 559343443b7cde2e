"""The common base class of all sections of the settings, and the marks of settings that forms show."""

from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

SettingGroup = Literal["alerts", "scans", "mail", "timestamps"]
GROUPS: tuple[SettingGroup, ...] = get_args(SettingGroup)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """How a form shows a field.

    Attributes:
        label: name of the field, marked for translation.
        hint: one sentence about its values, marked for translation.
        is_long: the value has several lines.
    """

    label: str
    hint: str = ""
    is_long: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Editable(Shown):
    """The mark of a setting that administrators change in the console, with the API and by command.

    The type of the field selects the control, and its validators check the value. A setting needs nothing
    else to become editable.

    Attributes:
        group: part of the page that shows it.
        needs_restart: programs read it at their start only.
    """

    group: SettingGroup
    needs_restart: bool = False


class Section(BaseModel):
    """A section: unknown keys are errors, values cannot be changed, and errors do not quote values."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)
