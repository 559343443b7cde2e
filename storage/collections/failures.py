"""The individual failures that an error of the driver contains, each with its class.

A bulk write reports one code (65) for any failures of its writes. So this module reads the code of each
write, and the code of their confirmation.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pymongo.errors import BulkWriteError, OperationFailure, PyMongoError, WriteConcernError

from storage.collections.error_codes import PRECEDENCE, ErrorClass, class_of, wrote_nothing
from system.errors import one_line


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure reported by the server.

    Attributes:
        kind: its class.
        code: the server's code, if any.
        message: the server's English message, without the document or operation.
        index: the number of the write inside a bulk; None elsewhere.
        is_repeatable: nothing was written for certain, and a retry may succeed.
    """

    kind: ErrorClass
    code: int | None
    message: str
    index: int | None = None
    is_repeatable: bool = False


def failures_of(error: PyMongoError) -> list[Failure]:
    """Return the failures inside an error; an error that the server did not report contains none."""
    if isinstance(error, BulkWriteError):
        return list(_bulk_failures(error.details))
    if not isinstance(error, OperationFailure):
        return []
    details = dict(error.details or {"errmsg": str(error)})
    details.setdefault("errorLabels", list(error._error_labels))  # noqa: SLF001 - also those of the driver
    return [_parse_failure(details, code=error.code, is_confirmation=isinstance(error, WriteConcernError))]


def decisive(failures: list[Failure]) -> Failure | None:
    """Return the failure that determines the reaction to all failures; None if there are none."""
    return min(failures, key=lambda failure: PRECEDENCE.index(failure.kind), default=None)


def _bulk_failures(details: Mapping[str, Any]) -> Iterator[Failure]:
    labels = details.get("errorLabels", ())
    for row in details.get("writeErrors", ()):
        yield _parse_failure({"errorLabels": labels, **row}, code=row.get("code"), index=row.get("index"))
    for row in details.get("writeConcernErrors", ()):
        yield _parse_failure({"errorLabels": labels, **row}, code=row.get("code"), is_confirmation=True)


def _parse_failure(
    row: Mapping[str, Any], *, code: int | None, index: int | None = None, is_confirmation: bool = False
) -> Failure:
    """Return the failure of an error document.

    Args:
        row: a document with the server's message and labels.
        code: the server's code.
        index: number of the write in a bulk.
        is_confirmation: the write succeeded but is not confirmed.
    """
    message, labels = str(row.get("errmsg", "")), row.get("errorLabels", ())
    kind = class_of(code, message, labels)
    if is_confirmation and kind == "passing":
        kind = "majority"
    return Failure(
        kind=kind,
        code=code,
        message=without_values(message) or f"code {code}",
        index=index,
        is_repeatable=kind == "passing" and wrote_nothing(code, labels),
    )


def without_values(message: str) -> str:
    """Return the server's message, cut before the first document that it quotes."""
    return one_line(message.partition("{")[0]).rstrip(" :.")
