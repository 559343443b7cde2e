"""Kinds of settings by their types, which select the control of a form and how a command reads a value."""

import types
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from storage.settings.section import Section
from system.secrets import REFERENCE_CHECK

# ``text`` and ``secret``: one line; ``choices``: several of a closed set; ``lines``: any number of texts;
# ``records``: a list of sections; ``named``: sections by name; ``groups``: lists of texts by name.
FieldKind = Literal[
    "text", "secret", "whole", "number", "switch", "choice", "choices", "lines", "records", "named", "groups"
]
_SIMPLE: dict[object, FieldKind] = {bool: "switch", int: "whole", float: "number", str: "text", Path: "text"}


def kind_of(field: FieldInfo) -> FieldKind:
    """Return the kind of a field.

    Raises:
        TypeError: forms have no control for its type.
    """
    inner, metadata = _bare(field.annotation, tuple(field.metadata))
    if REFERENCE_CHECK in metadata:
        return "secret"
    if inner in _SIMPLE:
        return _SIMPLE[inner]
    origin, arguments = get_origin(inner), get_args(inner)
    if origin is Literal:
        return "choice"
    item = _bare(arguments[-1 if origin is dict else 0])[0] if arguments else None
    is_section = isinstance(item, type) and issubclass(item, Section)
    if origin is dict:
        return "named" if is_section else "groups"
    if origin is tuple:
        return "records" if is_section else "choices" if get_origin(item) is Literal else "lines"
    raise TypeError(f"no control for {field.annotation}")


def is_optional(field: FieldInfo) -> bool:
    """Return whether the value may be None."""
    return type(None) in get_args(field.annotation)


def options_of(field: FieldInfo) -> tuple[str, ...]:
    """Return the values of a field of the kind ``choice`` or ``choices``."""
    inner = _bare(field.annotation)[0]
    if get_origin(inner) is tuple:
        inner = _bare(get_args(inner)[0])[0]
    return get_args(inner)


def section_of(field: FieldInfo) -> type[Section]:
    """Return the section of a field of the kind ``records`` or ``named``."""
    inner = _bare(field.annotation)[0]
    section: type[Section] = get_args(inner)[-1 if get_origin(inner) is dict else 0]
    return section


def _bare(annotation: Any, metadata: tuple[Any, ...] = ()) -> tuple[Any, tuple[Any, ...]]:
    """Return a type without None and without annotations, and all annotations."""
    while True:
        if get_origin(annotation) in {Union, types.UnionType}:
            (annotation,) = (item for item in get_args(annotation) if item is not type(None))
        elif get_origin(annotation) is Annotated:
            annotation, *more = get_args(annotation)
            metadata = (*metadata, *more)
        else:
            return annotation, metadata
