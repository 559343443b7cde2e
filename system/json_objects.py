"""The objects of a large JSON file, one after another, in bounded memory.

The file is an array of objects, one object, one object a line, or an object with an array ``messages``. An
object that is damaged or too long is reported, and reading continues with the next one. A file whose end is
missing is reported like a damaged object.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

MAX_OBJECT_CHARS = 4 * 1024**2
_NEXT = re.compile(r"\}\s*,\s*(?=\{)|\n\s*(?=\{)")
_KEEP_CHARS = 256
_BLANKS = " \t\r\n\0\ufeff"
_PAIRS = {"[": "]", "{": "}"}


def iter_objects(
    chunks: Iterator[str], *, start: re.Pattern[str] | None = None, max_chars: int = MAX_OBJECT_CHARS
) -> Iterator[dict[str, Any] | None]:
    """Yield the objects of a file; None for one that cannot be read.

    Args:
        chunks: the text in pieces.
        start: the objects follow this text, such as ``"messages": [``; None: from the beginning.
        max_chars: of one object.
    """
    ends = _Ends(chunks)
    reader = _Buffer(iter(ends), max_chars)
    value: dict[str, Any] | None = {}
    for value in _objects(reader) if start is None else _inner_objects(reader, start):
        yield value
    if value is not None and not ends.are_paired:
        yield None


def _objects(reader: "_Buffer") -> Iterator[dict[str, Any] | None]:
    while reader.skip_to_object():
        yield reader.take_object()


def _inner_objects(reader: "_Buffer", start: re.Pattern[str]) -> Iterator[dict[str, Any] | None]:
    """Yield the objects of every array that follows a text, and None for an array without an end."""
    while reader.skip_past(start):
        value: dict[str, Any] | None = {}
        while reader.is_at_object():
            value = reader.take_object()
            yield value
        if value is not None and reader.is_over:
            yield None


class _Ends:
    """The chunks of a file, and the first and the last character that they contain.

    Args:
        chunks: the text in pieces.
    """

    def __init__(self, chunks: Iterator[str]) -> None:
        self._chunks = chunks
        self._first = self._last = ""

    def __iter__(self) -> Iterator[str]:
        """Yield the chunks."""
        for chunk in self._chunks:
            if text := chunk.strip(_BLANKS):
                self._first, self._last = self._first or text[0], text[-1]
            yield chunk

    @property
    def are_paired(self) -> bool:
        """Whether the last bracket of the file is the counterpart of the first."""
        return _PAIRS.get(self._first, self._last) == self._last


class _Buffer:
    """The unread text of a file."""

    def __init__(self, chunks: Iterator[str], max_chars: int) -> None:
        self._max_chars = max_chars
        self._chunks = chunks
        self._text = ""
        self._at = 0
        self._decoder = json.JSONDecoder(strict=False)

    @property
    def is_over(self) -> bool:
        """Whether everything was read."""
        return not self._text[self._at :].strip(_BLANKS + ",")

    def skip_to_object(self) -> bool:
        """Move to the next object; return whether there is one."""
        while (position := self._text.find("{", self._at)) < 0:
            self._text, self._at = "", 0
            if not self._fill():
                return False
        self._at = position
        return True

    def skip_past(self, start: re.Pattern[str]) -> bool:
        """Move behind the next place that matches; return whether there is one."""
        while (position := start.search(self._text, self._at)) is None:
            self._text, self._at = self._text[max(self._at, len(self._text) - _KEEP_CHARS) :], 0
            if not self._fill():
                return False
        self._at = position.end()
        return True

    def is_at_object(self) -> bool:
        """Return whether the next character, apart from blanks and commas, begins an object."""
        while True:
            rest = self._text[self._at : self._at + _KEEP_CHARS].lstrip(" \t\r\n,\ufeff")
            if rest:
                self._at = self._text.index(rest[0], self._at)
                return rest[0] == "{"
            if not self._fill():
                return False

    def take_object(self) -> dict[str, Any] | None:
        """Return the object at the position and move behind it; None if it cannot be read."""
        while True:
            try:
                value, self._at = self._decoder.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                is_incomplete = isinstance(error, json.JSONDecodeError)
                if is_incomplete and len(self._text) - self._at < self._max_chars and self._fill(double=True):
                    continue
                self._skip_damaged()
                return None
            return value if isinstance(value, dict) else None

    def _skip_damaged(self) -> None:
        """Move to the object that probably follows a damaged one."""
        self._at += 1
        while (position := _NEXT.search(self._text, self._at)) is None:
            self._text, self._at = self._text[max(self._at, len(self._text) - _KEEP_CHARS) :], 0
            if not self._fill():
                self._text, self._at = "", 0
                return
        self._at = position.end()

    def _fill(self, *, double: bool = False) -> bool:
        """Read more text, at least as much as is unread if wanted; return whether there was any."""
        unread = self._text[self._at :]
        min_chars = len(unread) if double else 0
        pieces, length = [unread], 0
        for chunk in self._chunks:
            pieces.append(chunk)
            length += len(chunk)
            if chunk and length >= min_chars:
                break
        self._text, self._at = "".join(pieces), 0
        return length > 0
