"""Files of rows: .jsonl, with one text and its metadata on each line.

The file may be larger than the memory, but each line must fit. An unusable line yields an error; an unusable
date is a remark on the text.
"""

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from typing import Any, cast

from fingerprint.text.decoding import decode, looks_binary
from fingerprint.text.han import has_han
from storage.records import CHINA, ClaimedDate
from storage.records.dates import parse_date
from system.errors import PindnaError
from system.local_files import MAX_FILE_BYTES, RegularFile, file_error, readable
from tracker.corpus.texts import BinaryFile, EmptyFile, storable

MAX_FIELD_CHARS = 2_000  # maximum length of title, author and address
_HEAD_BYTES = 1 << 20
_SHOWN_CHARS = 40


class BadLine(PindnaError):
    """A line of a .jsonl file is not a work.

    Attributes:
        path: the file or folder.
        line: the line, from 1.
        problem: the reason.
    """

    template = 'Skipped {path}, line {line}: {problem}. Each line needs {{"title": …, "text": …}}.'


class LineTooLong(PindnaError):
    """A line of a .jsonl file is too long to be read.

    Attributes:
        path: the file or folder.
        line: the line, from 1.
        limit: the limit.
    """

    template = (
        "Skipped {path} from line {line}: the line is longer than {limit} characters. Split it, "
        "or raise the setting tracker.max_file_bytes."
    )


class UnusableDate(PindnaError):
    """The date of a line cannot be used.

    Attributes:
        path: the file or folder.
        line: the line, from 1.
        date: the value.
    """

    template = (
        "Ignored the date “{date}” in {path}, line {line}. Write it like 2026-01-31, in a year "
        "from 1000 to 2999."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRow:
    """A line of a .jsonl file that contains a text.

    Attributes:
        number: the line, from 1.
        title, text: without white space at the ends; the title may be empty.
        author, url: None if missing.
        published: from ``date`` or ``published``.
        remarks: fields that could not be used.
        read_bytes: approximately how much of the file was read so far.
    """

    number: int
    title: str
    text: str
    author: str | None
    url: str | None
    published: ClaimedDate | None
    remarks: tuple[PindnaError, ...]
    read_bytes: int


def read_rows(
    path: Path,
    *,
    data: io.BytesIO | None = None,
    needs_title: bool = True,
    max_bytes: int = MAX_FILE_BYTES,
    zone: tzinfo = CHINA,
) -> Iterator[WorkRow | PindnaError]:
    """Yield the texts of a .jsonl file one after another, or an error for each line without one.

    The encoding is detected from the beginning of the file.

    Args:
        path: the file, or its name in messages.
        data: its bytes, if they are not read from the path.
        needs_title: refuse lines without a title.
        max_bytes: stop at a line that is longer.
        zone: of dates without a zone.
    """
    empty = True
    try:
        with RegularFile(path) if data is None else data as file:
            for number, line in _numbered_lines(path, file, max_bytes):
                empty = False
                position = file.position if isinstance(file, RegularFile) else file.tell()
                try:
                    yield _parse_row(path, number, line, position, needs_title=needs_title, zone=zone)
                except BadLine as error:
                    yield error
        if empty:
            raise EmptyFile(path=readable(path))
    except PindnaError as error:
        yield error
    except OSError as error:
        yield file_error(path, error)


def _numbered_lines(path: Path, file: RegularFile | io.BytesIO, limit: int) -> Iterator[tuple[int, str]]:
    """Yield number and text of the lines that are not empty.

    Raises:
        BinaryFile: the file is no text.
        LineTooLong: a line has more characters than ``limit``.
        OSError: it cannot be read.
    """
    buffered = io.BufferedReader(cast("io.RawIOBase", file), _HEAD_BYTES)  # an io.BytesIO works too
    head = buffered.peek(_HEAD_BYTES)
    if looks_binary(head):
        raise BinaryFile(path=readable(path))
    text = io.TextIOWrapper(buffered, encoding=decode(head).encoding, errors="replace", newline="\n")
    number = 0
    while padded := text.readline(limit + 1):
        number += 1
        if len(padded) > limit:
            raise LineTooLong(path=readable(path), line=number, limit=limit)
        if line := padded.strip("\ufeff \t\r\n"):
            yield number, line


def _parse_row(
    path: Path, number: int, line: str, position: int, *, needs_title: bool, zone: tzinfo
) -> WorkRow:
    """Return the text of one line of JSON.

    Raises:
        BadLine: it is not an object with a title and a text in Chinese.
    """
    where: dict[str, object] = {"path": readable(path), "line": number}
    fields = _parse_object(line, where)
    title, text, author, url = (_text_field(fields, name) for name in ("title", "text", "author", "url"))
    if not text or (needs_title and not title):
        raise BadLine(**where, problem="title or text is missing")
    if not has_han(text):
        raise BadLine(**where, problem="the text contains no Chinese characters")
    if max(map(len, (title, author, url))) > MAX_FIELD_CHARS:
        raise BadLine(**where, problem="title, author or url is longer than 2000 characters")
    published, remarks = _first_date(fields, where, zone)
    return WorkRow(
        number=number,
        title=title,
        text=text,
        author=author or None,
        url=url or None,
        published=published,
        remarks=remarks,
        read_bytes=position,
    )


def _parse_object(line: str, where: dict[str, object]) -> dict[str, Any]:
    """Return the object in a line of JSON.

    Raises:
        BadLine: the line is not an object.
    """
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadLine(**where, problem="not JSON") from error
    if not isinstance(fields, dict):
        raise BadLine(**where, problem="not a JSON object")
    return fields


def _text_field(row: dict[str, Any], name: str) -> str:
    """Return a field as text that can be stored, or an empty string."""
    value = row.get(name)
    return storable(value).strip() if isinstance(value, str) else ""


def _first_date(
    fields: dict[str, Any], where: dict[str, object], zone: tzinfo
) -> tuple[ClaimedDate | None, tuple[PindnaError, ...]]:
    """Return the first usable date, or the error for an unusable one."""
    date_values = [value for name in ("date", "published") if (value := fields.get(name)) not in (None, "")]
    dates = [date for value in date_values if (date := _usable_date(value, zone)) is not None]
    if dates or not date_values:
        return (dates[0] if dates else None), ()
    shown = (
        storable(str(date_values[0]))[:_SHOWN_CHARS] if isinstance(date_values[0], str | int | float) else "…"
    )
    return None, (UnusableDate(**where, date=shown),)


def _usable_date(value: object, zone: tzinfo) -> ClaimedDate | None:
    """Return a value as a date; None if it is not a date, or its year is impossible for a text."""
    return parse_date(value.strip(), zone=zone) if isinstance(value, str) else None
