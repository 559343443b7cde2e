"""Fields of a source's form: conversion between the values of its TOML and the form. Pure.

The TOML may contain any value where a field expects a number or a list. In this case the field shows its
default, and the check of the TOML reports the error.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

Path: TypeAlias = tuple[str, ...]

_MAX_SHOWN_CHARS = 2_000_000  # maximum number of shown characters of a field
_MAX_NUMBER = 1e15  # largest number that a browser shows exactly


class FieldForm(Protocol):
    """Conversion between a value of the TOML and the content of a field."""

    def show(self, value: object) -> object:
        """Return the content of the field for a value of the TOML; ``value`` is None if the TOML has none."""

    def read(self, shown: object) -> object:
        """Return the value for the TOML; None if it is the default."""


@dataclass(frozen=True, slots=True)
class LineField:
    """A line of text."""

    default: str = ""

    def show(self, value: object) -> str:
        """Return a text, or the default."""
        return value[:_MAX_SHOWN_CHARS] if isinstance(value, str) else self.default

    def read(self, shown: object) -> str | None:
        """Return a text; None if it is the default."""
        text = str(shown or "")
        return None if text in ("", self.default) else text


@dataclass(frozen=True, slots=True)
class ChoiceField:
    """One of several options."""

    default: str
    words: Collection[str]

    def show(self, value: object) -> str:
        """Return an existing option."""
        return value if isinstance(value, str) and value in self.words else self.default

    def read(self, shown: object) -> str:
        """Return the option; it is always written to the TOML."""
        return str(shown or self.default)


@dataclass(frozen=True, slots=True)
class Rendered:
    """Which pages a browser shows: ``auto``, ``always`` or ``never``, for ``"auto"``, true or false."""

    def show(self, value: object) -> str:
        """Return the option for a value."""
        if value is True:
            return "always"
        return "never" if value is False else "auto"

    def read(self, shown: object) -> bool | None:
        """Return the value of an option; None for the default."""
        return {"always": True, "never": False}.get(str(shown))


@dataclass(frozen=True, slots=True)
class Lines:
    """Texts, one per line; in the TOML, a single text needs no list."""

    def entries(self, value: object) -> list[str]:
        """Return the texts in a value."""
        if isinstance(value, str):
            return [value]
        return [str(entry) for entry in value] if isinstance(value, (list, tuple)) else []

    def show(self, value: object) -> str:
        """Return the texts as lines."""
        return "\n".join(self.entries(value))[:_MAX_SHOWN_CHARS]

    def read(self, shown: object) -> list[str] | None:
        """Return the lines that are not empty."""
        return [line.strip() for line in str(shown or "").splitlines() if line.strip()] or None


@dataclass(frozen=True, slots=True)
class Pairs:
    """Names with values, one per line, as ``name = value``."""

    def show(self, value: object) -> str:
        """Return the pairs as lines."""
        pairs = value.items() if isinstance(value, Mapping) else ()
        return "\n".join(f"{name} = {text}" for name, text in pairs)[:_MAX_SHOWN_CHARS]

    def read(self, shown: object) -> dict[str, str] | None:
        """Return the pairs of the lines; a line without a value has an empty one."""
        parts = [line.partition("=") for line in str(shown or "").splitlines() if line.strip()]
        return {name.strip(): text.strip() for name, _, text in parts} or None


@dataclass(frozen=True, slots=True)
class Number:
    """A number."""

    default: float | None = None

    def show(self, value: object) -> float | None:
        """Return a number, or the default."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if is_number and abs(value) < _MAX_NUMBER else self.default  # type: ignore[return-value, arg-type]

    def read(self, shown: object) -> float | None:
        """Return a number, whole ones as integers; None if it is the default."""
        if not isinstance(shown, int | float) or shown == self.default:
            return None
        return int(shown) if float(shown).is_integer() else shown


@dataclass(frozen=True, slots=True)
class Switch:
    """Yes or no."""

    default: bool = False

    def show(self, value: object) -> bool:
        """Return yes or no."""
        return value if isinstance(value, bool) else self.default

    def read(self, shown: object) -> bool | None:
        """Return the value; None if it is the default."""
        return None if bool(shown) == self.default else bool(shown)


def value_at(values: Mapping[str, Any], path: Path) -> object:
    """Return the value under a path of keys; None if there is none."""
    value: object = values
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def put(values: dict[str, Any], path: Path, value: object) -> None:
    """Set the value under a path of keys, or remove it if it is None, with sections that become empty.

    If a plain value is where a section belongs, the section replaces it.
    """
    name, rest = path[0], path[1:]
    if rest:
        section = values.get(name)
        section = section if isinstance(section, dict) else {}
        put(section, rest, value)
        value = section or None
    if value is None:
        values.pop(name, None)
    else:
        values[name] = value
