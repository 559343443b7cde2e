"""Convert records to the JSON in the lists of a package, and back."""

import json
from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from system.errors import PindnaError
from system.messages import N_, Message

R = TypeVar("R")


class NotADocument(PindnaError):
    """A document of a package has the wrong structure.

    Attributes:
        problem: the error and its position.
    """

    template = "Cannot read a document of the package: {problem}"


@cache
def _adapter(kind: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(cast("type[Any]", kind))


def json_of(record: object) -> Any:
    """Return a record as JSON: all fields by name, times in ISO 8601, tuples as lists."""
    return _adapter(cast("Hashable", type(record))).dump_python(record, mode="json")


def json_bytes(value: object) -> bytes:
    """Return JSON as UTF-8 with sorted keys, so equal values give equal bytes."""
    return (json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode()


def record_of(kind: type[R], value: object) -> R:
    """Parse the record in a document. Fields of a later version are ignored.

    Raises:
        NotADocument: the document has another structure.
    """
    try:
        record: R = _adapter(cast("Hashable", kind)).validate_python(value)
    except (ValidationError, RecursionError) as error:
        raise NotADocument(problem=_first_problem(error)) from error
    return record


def _first_problem(error: Exception) -> str | Message:
    """Return the field of the first error without its value, which may come from a website."""
    if not isinstance(error, ValidationError):
        return N_("it is nested too deeply")
    (first, *_) = error.errors(include_input=False, include_url=False)
    field = ".".join(map(str, first["loc"]))[:200]
    return Message(N_("the value of {field} is missing or wrong"), {"field": field})
