"""Retries of operations after transient errors of MongoDB, for about two seconds.

A write is retried only after errors that prove that the server did not execute it. After other errors (a
broken connection, a missing confirmation by the majority) the caller must repeat the call, which every method
of a store permits. This module does not wait for elections: the driver retries once and finds the next
primary itself.
"""

import logging
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Generic, TypeVar

from pymongo.errors import BulkWriteError, PyMongoError

from storage.collections.failures import Failure, failures_of

log = logging.getLogger(__name__)

R = TypeVar("R")
T = TypeVar("T")
WAITS_S = (0.05, 0.2, 0.5, 1.0)  # waits before retries; each is randomly prolonged by up to half


def retried(call: Callable[[], R], *, is_read: bool = False) -> R:
    """Return the result of a call, which is repeated while MongoDB reports a transient error.

    Args:
        call: method of the driver.
        is_read: the call changes nothing, so any passing error allows a retry.

    Raises:
        PyMongoError: error of the last attempt.
    """
    for wait_s in WAITS_S:
        try:
            return call()
        except PyMongoError as error:
            if not _allows_retry(error, is_read=is_read):
                raise
            _wait_and_log(wait_s, failures_of(error)[0])
    return call()


def read_rows(open_cursor: Callable[[], Iterator[R]]) -> Iterator[R]:
    """Yield the rows of a cursor; the cursor is opened again if its first row cannot be read.

    An error after the first row is raised: the rows before it are already with the caller.

    Raises:
        PyMongoError: method of the driver.
    """

    def begin() -> tuple[Iterator[R], list[R]]:
        rows = iter(open_cursor())
        return rows, list(islice(rows, 1))

    rows, first = retried(begin, is_read=True)
    yield from first
    yield from rows


@dataclass(slots=True)
class BulkCounts:
    """The counts of a bulk write, summed over all attempts.

    Attributes:
        matched_count: documents that its updates and replacements matched.
    """

    matched_count: int


def write_in_bulk(
    write: Callable[[list[T]], int], requests: Sequence[T], *, ordered: bool = False
) -> BulkCounts:
    """Execute many writes; only the writes that failed with a transient error are retried.

    Args:
        write: sends writes in one call of the driver and returns how many documents they matched.
        requests: the writes.
        ordered: a write that fails ends the bulk.

    Raises:
        BulkWriteError: with all failures that remain; indexes are those of ``requests``.
        PyMongoError: method of the driver.
    """
    bulk = _Bulk(write, requests, ordered, list(range(len(requests))))
    for wait_s in WAITS_S:
        passing = bulk.attempt()
        if not passing:
            break
        _wait_and_log(wait_s, passing[0])
    else:
        bulk.attempt(is_last=True)
    if bulk.refused or bulk.unconfirmed:
        raise BulkWriteError({"writeErrors": bulk.refused, "writeConcernErrors": bulk.unconfirmed})
    return BulkCounts(bulk.matched)


@dataclass(slots=True)
class _Bulk(Generic[T]):
    """The state of a bulk write: the positions of the pending writes, and the refused writes."""

    write: Callable[[list[T]], int]
    requests: Sequence[T]
    ordered: bool
    pending: list[int]
    refused: list[Mapping[str, Any]] = field(default_factory=list)
    unconfirmed: list[Mapping[str, Any]] = field(default_factory=list)
    matched: int = 0

    def attempt(self, *, is_last: bool = False) -> list[Failure]:
        """Send the pending writes; returns the failures that allow a retry, none if all writes are done."""
        try:
            self.matched += self.write([self.requests[number] for number in self.pending])
        except BulkWriteError as error:
            return self._record_result(error, is_last=is_last)
        except PyMongoError as error:
            if is_last or not _allows_retry(error, is_read=False):
                raise
            return failures_of(error)
        return []

    def _record_result(self, error: BulkWriteError, *, is_last: bool) -> list[Failure]:
        """Record from the result of an attempt which writes to retry and which writes failed."""
        self.matched += error.details.get("nMatched", 0)
        self.unconfirmed += error.details.get("writeConcernErrors", ())
        rows = [{**row, "index": self.pending[row["index"]]} for row in error.details.get("writeErrors", ())]
        failures = [failures_of(BulkWriteError({"writeErrors": [row]}))[0] for row in rows]
        is_over = is_last or bool(self.unconfirmed)
        passing = [failure for failure in failures if failure.is_repeatable and not is_over]
        numbers = [failure.index for failure in passing if failure.index is not None]
        self.refused += [row for row in rows if row["index"] not in numbers]
        self.pending = [n for n in self.pending if n >= numbers[0]] if self.ordered and numbers else numbers
        return passing


def _allows_retry(error: PyMongoError, *, is_read: bool) -> bool:
    failures = failures_of(error)
    return bool(failures) and all(
        failure.kind == "passing" if is_read else failure.is_repeatable for failure in failures
    )


def _wait_and_log(seconds: float, failure: Failure) -> None:
    log.info("MongoDB reports a passing error (code %s); the request is repeated", failure.code)
    time.sleep(seconds * (1 + random.random() / 2))  # noqa: S311 - not a secret
