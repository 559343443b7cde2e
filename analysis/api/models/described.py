"""Make response models from the descriptions of records in :mod:`analysis.fields`."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from pydantic import Field as Described
from pydantic import create_model

from analysis.api.models.common import Answer, Claimed
from analysis.fields.field import Field, Format

R = TypeVar("R")

_TYPES: Mapping[Format, Any] = {
    "text": str,
    "number": int,
    "share": float,
    "moment": datetime,
    "claimed": Claimed,
    "truth": bool,
    "code": str,
    "codes": list[str],
    "review": str,
    "reason": str,
    "texts": list[str],
    "records": list[str],
}


def answer_of(fields: Iterable[Field[R]], **nested: Any) -> type[Answer]:
    """Return a response model with described fields, in their order.

    Args:
        fields: the fields of the surface ``api``.
        nested: name of a field → type of its items.
    """
    members = {field.name_on("api"): _member(field, nested) for field in fields}
    return create_model("Described", __base__=Answer, **members)


def _member(field: Field[R], nested: dict[str, Any]) -> Any:
    kind = nested.get(field.name_on("api")) or _type(field)
    return kind, Described(description=field.description or None)


def _type(field: Field[R]) -> Any:
    """Return the type of a field in a response."""
    kind = field.type if field.format == "code" else _TYPES[field.format]
    return kind | None if field.is_optional else kind


def answer_values(fields: Iterable[Field[R]], record: R) -> dict[str, Any]:
    """Return name in the API → value of each field."""
    return {field.name_on("api"): _value(field, record) for field in fields}


def _value(field: Field[R], record: R) -> Any:
    value = field.read(record)
    return value or "open" if field.format == "review" else value
