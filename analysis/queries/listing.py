"""Lists a part at a time: a cursor says where the next part begins.

A cursor is opaque to its owner: the place in the list, and a digest of what the list was asked for. It
gives no right: a caller gets only what it may see.
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
    """A cursor is none, or one of another list."""

    template = "The cursor does not belong to this list. Request the list again without a cursor."


class BadLimit(PindnaError):
    """More, or less, was asked for than a list gives at once. Data: ``most``."""

    template = "Request 1 to {most} items at once."


@dataclass(frozen=True, slots=True)
class Listing(Generic[T_co]):
    """A part of a list.

    Attributes:
        items: in order; they may be fewer than were asked for although others follow.
        next: cursor of the next part; empty at the end of the list.
    """

    items: tuple[T_co, ...]
    next: str = ""


class PartOf(Protocol[T_co]):
    """A list that can be asked for a part at a time."""

    def __call__(self, *, cursor: str, limit: int) -> "Listing[T_co]":
        """Return the part that begins at a cursor."""


def whole(part_of: PartOf[T], *, limit: int | None = None) -> Iterator[T]:
    """Yield a list from its beginning, as it is wanted.

    Args:
        part_of: see :class:`PartOf`.
        limit: how many at most; None: all.

    Raises:
        PindnaError: the list's.
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
    """Which part of a list is wanted.

    Attributes:
        about: what the list is asked for: its name and its filters.
        cursor: of the part; empty: the first one.
        limit: how many items at most, 1 to :data:`MAX_LIMIT`.
    """

    about: str
    cursor: str = ""
    limit: int = DEFAULT_LIMIT

    def place(self, runs: Sequence[IndexRun]) -> ListCursor | None:
        """Return the place where the part begins; None: the beginning of the list.

        Raises:
            BadCursor: the cursor is not of this list.
            BadLimit: too much is wanted at once, or nothing.
        """
        if not 1 <= self.limit <= MAX_LIMIT:
            raise BadLimit(most=MAX_LIMIT)
        return _place(self.cursor, self.about, runs) if self.cursor else None

    def listing(self, items: Iterable[T], end: ListCursor | None) -> Listing[T]:
        """Return the part that was read."""
        return Listing(tuple(items), _cursor(end, self.about) if end else "")


def _digest(about: str) -> str:
    return hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _cursor(position: ListCursor, about: str) -> str:
    values = [
        {"at": value.isoformat()} if isinstance(value, datetime) else value for value in position.values
    ]
    text = json.dumps([_digest(about), position.run, values], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _place(cursor: str, about: str, runs: Sequence[IndexRun]) -> ListCursor:
    if len(cursor) > _MAX_CURSOR_CHARS:
        raise BadCursor
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        digest, number, values = json.loads(text)
        position = ListCursor(number, tuple(map(_value, values)))
    except (binascii.Error, ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadCursor from error
    is_known = type(number) is int and 0 <= number < len(runs) and digest == _digest(about)
    if not is_known or len(position.values) != len(runs[number].order):
        raise BadCursor
    return position


def _value(stored: Any) -> Any:
    """Return a value of a place.

    Raises:
        ValueError, TypeError, KeyError: it is none.
    """
    if isinstance(stored, dict):
        moment = datetime.fromisoformat(stored["at"])
        if moment.tzinfo is None:
            raise ValueError("a moment has a zone")
        return moment
    if isinstance(stored, str):
        stored.encode()
        return stored
    if isinstance(stored, (int, float)) and math.isfinite(stored) and abs(stored) < _INT64:
        return stored
    raise ValueError("a list is ordered by texts, numbers and moments")
