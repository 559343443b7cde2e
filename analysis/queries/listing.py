"""Pages of lists: a cursor shows where the next page of a list begins.

Callers must not interpret a cursor. It contains the position in the list, and a digest of the list's filters.
It gives no permission: callers get only the items that they may see.
"""

import base64
import binascii
import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from storage.collections.keyset import IndexRun, ListCursor
from system.errors import PindnaError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
DEFAULT_LIMIT = 50
MAX_LIMIT = 200
_MAX_CURSOR_CHARS = 60_000  # a title has at most 20,000 characters
_INT64 = 2**63


class BadCursor(PindnaError):
    """A cursor is invalid, or belongs to another list."""

    template = "The cursor does not belong to this list. Request the list again without a cursor."


class BadLimit(PindnaError):
    """The requested number of items is not allowed.

    Attributes:
        most: maximum number of items.
    """

    template = "Request 1 to {most} items at once."


@dataclass(frozen=True, slots=True)
class Listing(Generic[T_co]):
    """One page of a list.

    Attributes:
        items: the items in order. There may be fewer than requested, even if more follow.
        next: cursor of the next page; empty at the end of the list.
    """

    items: tuple[T_co, ...]
    next: str = ""


class PartOf(Protocol[T_co]):
    """A function that returns one page of a list."""

    def __call__(self, *, cursor: str, limit: int) -> "Listing[T_co]":
        """Return the page that begins at a cursor."""


def whole(part_of: PartOf[T], *, limit: int | None = None) -> Iterator[T]:
    """Yield the items of a list lazily, from its beginning.

    Args:
        part_of: see :class:`PartOf`.
        limit: maximum number; None: all.

    Raises:
        PindnaError: any error of the list.
    """
    cursor, remaining = "", limit
    while remaining is None or remaining > 0:
        listing = part_of(cursor=cursor, limit=MAX_LIMIT if remaining is None else min(remaining, MAX_LIMIT))
        yield from listing.items
        remaining = None if remaining is None else remaining - len(listing.items)
        cursor = listing.next
        if not cursor:
            return


@dataclass(frozen=True, slots=True)
class Request:
    """A request for one page of a list.

    Attributes:
        about: name and filters of the list.
        cursor: cursor of the page; empty: the first page.
        limit: maximum number of items, 1 to :data:`MAX_LIMIT`.
    """

    about: str
    cursor: str = ""
    limit: int = DEFAULT_LIMIT

    def place(self, runs: Sequence[IndexRun]) -> ListCursor | None:
        """Return the position where the page begins; None: the beginning of the list.

        Raises:
            BadCursor: the cursor belongs to another list.
            BadLimit: the limit is not allowed.
        """
        if not 1 <= self.limit <= MAX_LIMIT:
            raise BadLimit(most=MAX_LIMIT)
        return _decode_cursor(self.cursor, self.about, runs) if self.cursor else None

    def listing(self, items: Iterable[T], end: ListCursor | None) -> Listing[T]:
        """Return the page with the items that were read."""
        return Listing(tuple(items), _encode_cursor(end, self.about) if end else "")


def _digest(about: str) -> str:
    return hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _encode_cursor(position: ListCursor, about: str) -> str:
    values = [
        {"at": value.isoformat()} if isinstance(value, datetime) else value for value in position.values
    ]
    text = json.dumps([_digest(about), position.run, values], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decode_cursor(cursor: str, about: str, runs: Sequence[IndexRun]) -> ListCursor:
    if len(cursor) > _MAX_CURSOR_CHARS:
        raise BadCursor
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        digest, number, values = json.loads(text)
        position = ListCursor(number, tuple(map(_decode_value, values)))
    except (binascii.Error, ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadCursor from error
    is_known = type(number) is int and 0 <= number < len(runs) and digest == _digest(about)
    if not is_known or len(position.values) != len(runs[number].order):
        raise BadCursor
    return position


def _decode_value(stored: Any) -> Any:
    """Return a value of a position.

    Raises:
        ValueError, TypeError, KeyError: it is not a valid value.
    """
    if isinstance(stored, dict):
        moment = datetime.fromisoformat(stored["at"])
        if moment.tzinfo is None:
            raise ValueError("a time needs a zone")
        return moment
    if isinstance(stored, str):
        stored.encode()
        return stored
    if isinstance(stored, (int, float)) and math.isfinite(stored) and abs(stored) < _INT64:
        return stored
    raise ValueError("lists are ordered by texts, numbers and times")
