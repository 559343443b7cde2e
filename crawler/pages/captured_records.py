"""The records of a WARC file, damaged or not: each is found by its head, and no damage is silent.

A file is plain, one gzip stream, or a gzip member for each record. Damage costs the records that it is in:
the next record begins at the next line ``WARC/1.…`` or at the next member. Memory is bounded: by
:data:`MAX_HEAD_BYTES` for a head, and by the size of a block that the caller keeps.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO

from crawler.pages.gzip_members import GzipMembers, RecordProblem

MAX_RECORD_BYTES = 1024**3  # a longer record, or a longer gap between records, ends the file
MAX_HEAD_BYTES = 64 * 1024
_MAX_WRONG_LENGTHS = (
    20  # after these, the next head ends a block even if the length of the block says otherwise
)
_BEGIN = b"WARC/"
_HEAD = re.compile(rb"WARC/[01]\.\d{1,2}[ \t]*\r?\n")
_NEXT_HEAD = re.compile(rb"\n(?=WARC/[01]\.\d{1,2}[ \t]*\r?\n)")
_HEAD_CHARS = 32  # longer than a match of the patterns
_MAX_DIGITS = 18
_END_CHARS = 4
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_END_OF_FIELDS = re.compile(rb"\r?\n(?:(\r?\n)|(?=WARC/[01]\.))")
_LINE_END = re.compile(r"\r?\n")
_BLANKS = re.compile(rb"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """A record of a WARC file.

    Attributes:
        fields: of its head, names in lower case; empty: the head cannot be read.
        block: its content, up to the bytes that the caller keeps.
        problem: why it may be incomplete; None: it is whole.
    """

    fields: Mapping[str, str]
    block: bytes = b""
    problem: RecordProblem | None = None


def warc_records(stream: IO[bytes], *, max_block: int) -> Iterator[WarcRecord]:
    """Yield the records of a file; damage between two records is a record without fields.

    Args:
        stream: of the file.
        max_block: bytes of a block to keep; the rest is skipped.
    """
    reader = _RecordReader(GzipMembers(stream), max_block)
    while (record := reader.take()) is not None:
        yield record


class _KeptBytes:
    """Collects bytes: counts all of them, and keeps the first ones."""

    def __init__(self, most: int) -> None:
        self._remaining = most
        self._pieces: list[bytes] = []
        self.taken = 0

    def add(self, piece: bytes) -> None:
        """Add a piece."""
        self.taken += len(piece)
        self._pieces.append(piece[: self._remaining])
        self._remaining -= len(self._pieces[-1])

    @property
    def kept(self) -> bytes:
        """The kept bytes."""
        return b"".join(self._pieces)


class _RecordReader:
    """Finds records in the members of a file.

    Args:
        members: of the file.
        max_block: bytes of a block to keep.
    """

    def __init__(self, members: GzipMembers, max_block: int) -> None:
        self._members = members
        self._max_block = max_block
        self._data, self._at = b"", 0
        self._wrong_lengths = 0
        self._is_over = False
        self._is_reported = False  # whether a record reported the problem of this member

    def take(self) -> WarcRecord | None:
        """Return the next record, or damage between records; None at the end of the file."""
        while not self._is_over:
            if self._skip_blank():
                record = self._take_record()
                self._is_reported = record.problem is not None
                return record
            problem = None if self._is_reported else self._members.problem
            self._is_over, self._is_reported = not self._members.start_next(), False
            if problem is None and (self._members.has_gap or self._members.problem):
                problem = "damaged"
            if problem is not None:
                return WarcRecord({}, problem=problem)
        return None

    def _take_record(self) -> WarcRecord:
        fields = self._take_head()
        length = None if fields is None else _length_in(fields)
        if fields is None or length is None:
            return WarcRecord(fields or {}, self._take_to_head(MAX_RECORD_BYTES)[0], "damaged")
        if length > MAX_RECORD_BYTES:
            return WarcRecord(fields, self._take_to_head(MAX_RECORD_BYTES)[0], "cut")
        if self._wrong_lengths >= _MAX_WRONG_LENGTHS:
            block, taken = self._take_to_head(length)
            is_whole = taken == length and self._is_at_boundary()
            return WarcRecord(fields, block, None if is_whole else "damaged")
        block, missing = self._take_block(length)
        if not missing and self._is_at_boundary():
            return WarcRecord(fields, block)
        if missing and self._is_at_head():  # the member ended early
            return WarcRecord(fields, block, "cut")
        self._wrong_lengths += 1
        self._data, self._at = block + self._data[self._at :], 0
        block, _ = self._take_to_head(MAX_RECORD_BYTES)
        return WarcRecord(fields, block, "cut" if missing and not self._is_at_head() else "damaged")

    def _take_head(self) -> dict[str, str] | None:
        """Return the fields of a head and move behind it; None if there is none, or no end of it."""
        if not self._is_at_head():
            return None
        while (end := self._end_of_head()) is None:
            if len(self._data) - self._at > MAX_HEAD_BYTES or not self._fill():
                self._at += len(_BEGIN)
                return None
        head, self._at = self._data[self._at : end.start()], end.end()
        return _fields_in(head) if end[1] else None

    def _end_of_head(self) -> re.Match[bytes] | None:
        """Return the empty line behind a head, or else the next head, which is no field."""
        return _END_OF_FIELDS.search(self._data, self._at, self._at + MAX_HEAD_BYTES)

    def _take_block(self, length: int) -> tuple[bytes, int]:
        """Return what is kept of a block, and how many of its bytes are missing."""
        block = _KeptBytes(self._max_block)
        while block.taken < length and (self._at < len(self._data) or self._fill_within_block()):
            block.add(self._take(length - block.taken))
        return block.kept, length - block.taken

    def _take_to_head(self, most: int) -> tuple[bytes, int]:
        """Return what is kept of the bytes before the next head in the member, and their number."""
        block = _KeptBytes(self._max_block)
        has_more = not self._is_at_head()
        while has_more and block.taken < most:
            remaining = most - block.taken
            head = _NEXT_HEAD.search(self._data, self._at, self._at + remaining + _HEAD_CHARS)
            count = (head.end() if head else len(self._data) - _HEAD_CHARS) - self._at
            block.add(self._take(max(0, min(count, remaining))))
            has_more = head is None and self._fill()
            if not (has_more or head):
                block.add(self._take(most - block.taken))
        self._is_over = block.taken >= MAX_RECORD_BYTES
        return block.kept.removesuffix(b"\r\n\r\n"), block.taken

    def _take(self, count: int) -> bytes:
        data = self._data[self._at : self._at + count]
        self._at += len(data)
        return data

    def _is_at_head(self) -> bool:
        while len(self._data) - self._at < _HEAD_CHARS and self._fill():
            pass
        return _HEAD.match(self._data, self._at) is not None

    def _is_at_boundary(self) -> bool:
        """Return whether a block ends here: with two line ends, the next record, or the end of the member."""
        while len(self._data) - self._at < _END_CHARS and self._fill():
            pass
        has_end = _END_OF_HEAD.match(self._data, self._at) is not None
        return has_end or not self._skip_blank() or self._is_at_head()

    def _skip_blank(self) -> bool:
        """Move to the next byte that is not blank; return whether the member has one."""
        while True:
            match = _BLANKS.match(self._data, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._data) or not self._fill():
                return self._at < len(self._data)

    def _fill(self) -> bool:
        """Add a piece of the member; return whether there was one."""
        piece = self._members.read()
        self._data, self._at = self._data[self._at :] + piece, 0
        return bool(piece)

    def _fill_within_block(self) -> bool:
        """Add a piece, also of the next member if no record begins there: some files are cut by size."""
        if self._fill():
            return True
        if self._members.problem or not self._members.start_next() or self._members.has_gap:
            return False
        return not self._is_at_head() and self._at < len(self._data)


def _fields_in(head: bytes) -> dict[str, str]:
    """Return the fields of a head, names in lower case; of a repeated field, the first."""
    fields: dict[str, str] = {}
    name = ""
    for line in _LINE_END.split(head.decode("utf-8", "replace"))[1:]:
        if line[:1] in {" ", "\t"} and name:
            fields[name] += f" {line.strip()}"
            continue
        name, _, value = line.partition(":")
        name = name.strip().lower()
        fields.setdefault(name, value.strip())
    return fields


def _length_in(fields: Mapping[str, str]) -> int | None:
    """Return the length of a block; None if the head has no valid one."""
    text = fields.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS else None
