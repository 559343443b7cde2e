"""Records as plain JSON, and back: what the lists of a package are written in."""

import json
from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from system.errors import PindnaError

R = TypeVar("R")


class NotADocument(PindnaError):
    """A document of a package is not what its place says. Data: ``problem``."""

    template = "A document of the package cannot be read: {problem}"


@cache
def _adapter(kind: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(cast("type[Any]", kind))


def json_of(record: object) -> Any:
    """Return a record as JSON holds it: all its fields by name, moments in ISO 8601, tuples as lists."""
    return _adapter(cast("Hashable", type(record))).dump_python(record, mode="json")


def json_bytes(value: object) -> bytes:
    """Return JSON as UTF-8 with its keys in order: the same value gives the same bytes."""
    return (json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode()


def record_of(kind: type[R], value: object) -> R:
    """Return the record of a document; fields of a later version are passed over.

    Raises:
        NotADocument: the document has another shape.
    """
    try:
        record: R = _adapter(cast("Hashable", kind)).validate_python(value)
    except (ValidationError, RecursionError) as error:
        raise NotADocument(problem=_first_problem(error)) from error
    return record


def _first_problem(error: Exception) -> str:
    """Return what is wrong first, without the value, which a stranger may have written."""
    if not isinstance(error, ValidationError):
        return type(error).__name__
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:200]
