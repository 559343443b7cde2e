"""Files to works: .txt, .jsonl and folders of them, in any encoding that Chinese text comes in.

Each file that cannot be used raises its own one-line error, so that a caller reports it and goes on.
"""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from storage.decoding import decode, looks_binary, readable
from storage.errors import PindnaError
from storage.records import WorkKind
from tracker.corpus.chapters import Section, has_han, split

SUFFIXES = (".txt", ".jsonl")
_HEAD_BYTES = 1 << 20
_NOVEL_CHARS = 5_000  # a single passage longer than this is literature rather than an article


class MissingFile(PindnaError):
    """A path does not exist. Data: ``path``."""

    template = "{path}: there is no such file or folder. Check the path."


class UnreadableFile(PindnaError):
    """The operating system refuses to read a file. Data: ``path``, ``problem``."""

    template = "{path}: cannot be read ({problem}). Check its permissions."


class IsFolder(PindnaError):
    """A folder was given where a file is needed. Data: ``path``."""

    template = "{path}: is a folder. Name the files in it."


class NotFolder(PindnaError):
    """A file was given where a folder is needed. Data: ``path``."""

    template = "{path}: is not a folder. Name the folder that holds the works."


class EmptyFile(PindnaError):
    """A file has no text. Data: ``path``."""

    template = "{path}: the file is empty; skipped."


class BinaryFile(PindnaError):
    """A file is not text. Data: ``path``."""

    template = "{path}: this is not a text file; skipped. Convert it to .txt first."


class NoHanText(PindnaError):
    """A text has no Han characters, so it has no pinyin. Data: ``path``."""

    template = "{path}: holds no Chinese characters, so it cannot be fingerprinted; skipped."


class BadLine(PindnaError):
    """A line of a .jsonl file is not a work. Data: ``path``, ``line``, ``problem``."""

    template = '{path}, line {line}: {problem}; skipped. Each line needs {{"title": …, "text": …}}.'


class NoTexts(PindnaError):
    """A folder holds no file that can be loaded. Data: ``path``, ``endings``."""

    template = "{path}: holds no file that can be read ({endings}). Name a folder that does."


@dataclass(frozen=True, slots=True, kw_only=True)
class RawWork:
    """A work as read from a file, not stored yet."""

    title: str
    kind: WorkKind
    origin: str
    sections: tuple[Section, ...]
    author: str | None = None
    url: str | None = None
    published: datetime | None = None

    @property
    def key(self) -> str:
        """Natural key: the URL where there is one, else the title."""
        return self.url or self.title


def text_files(paths: Iterable[Path], suffixes: tuple[str, ...] = SUFFIXES) -> Iterator[Path | PindnaError]:
    """Yield the files below some paths, in order, or an error in the place of a path that has none.

    Args:
        paths: files, which are taken whatever their names are, and folders.
        suffixes: endings of the names that are taken from folders, in lower case.
    """
    for path in paths:
        if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises where a folder may not be searched
            yield from _files_below(path, suffixes)
        else:
            yield path


def _files_below(folder: Path, suffixes: tuple[str, ...]) -> Iterator[Path | PindnaError]:
    """Yield a folder's texts in order, and an error for each folder below that cannot be read.

    Links to folders are not followed: they may lead back.
    """
    closed: list[OSError] = []
    files = [
        Path(root, name)
        for root, _folders, names in os.walk(folder, onerror=closed.append)
        for name in names
        if Path(name).suffix.lower() in suffixes
    ]
    for error in closed:
        yield UnreadableFile(path=readable(error.filename), problem=error.strerror)
    yield from sorted(files)
    if not files and not closed:
        yield NoTexts(path=readable(folder), endings=", ".join(suffixes))


def is_rows(path: Path) -> bool:
    """Tell whether a name says that each line of the file is a text of its own."""
    return path.suffix.lower() == ".jsonl"


def is_text(path: Path) -> bool:
    """Tell whether a name has one of the endings that works come in, in whatever case."""
    return path.suffix.lower() in SUFFIXES


def read_works(path: Path) -> Iterator[RawWork | PindnaError]:
    """Yield the works of one file, or an error in the place of one that cannot be used."""
    if is_rows(path):
        for row in read_rows(path):
            yield row if isinstance(row, PindnaError) else _work_of(path, row)
        return
    try:
        text = read_text(path)
        sections = tuple(split(text))
        kind: WorkKind = "novel" if len(sections) > 1 or len(text) > _NOVEL_CHARS else "news"
        yield RawWork(title=readable(path.stem), kind=kind, origin=readable(path), sections=sections)
    except PindnaError as error:
        yield error


def read_text(path: Path, *, needs_han: bool = True) -> str:
    """Return a file's text with line ends as LF.

    Args:
        path: the file.
        needs_han: refuse a text without Han characters.

    Raises:
        MissingFile, IsFolder, UnreadableFile, EmptyFile, BinaryFile, NoHanText: what is wrong with the file.
    """
    return clean_text(read_bytes(path), readable(path), needs_han=needs_han)


def read_bytes(path: Path) -> bytes:
    """Return a file's bytes.

    Raises:
        MissingFile, IsFolder, UnreadableFile: what is wrong with the file.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> PindnaError:
    """Return what to tell of a file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return MissingFile(path=readable(path))
    if isinstance(error, IsADirectoryError):
        return IsFolder(path=readable(path))
    return UnreadableFile(path=readable(path), problem=error.strerror or str(error))


def clean_text(data: bytes, path: str, *, needs_han: bool = True) -> str:
    """Return the text of some bytes with line ends as LF.

    Args:
        data: the bytes.
        path: what to call them in messages.
        needs_han: refuse a text without Han characters.

    Raises:
        EmptyFile, BinaryFile, NoHanText: what is wrong with them.
    """
    if not data.strip():
        raise EmptyFile(path=path)
    if looks_binary(data):
        raise BinaryFile(path=path)
    text = decode(data).text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise EmptyFile(path=path)
    if needs_han and not has_han(text):
        raise NoHanText(path=path)
    return text


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a .jsonl file that holds a text.

    Attributes:
        number: the line, from 1.
        fields: the object.
        title, text: without white space at the ends; the title may be empty.
        read_bytes: about how much of the file is read up to here.
    """

    number: int
    fields: dict[str, Any]
    title: str
    text: str
    read_bytes: int

    @property
    def published(self) -> datetime | None:
        """When it was published, as ``date`` or ``published`` says."""
        return parse_date(_string(self.fields, "date") or _string(self.fields, "published"))


def read_rows(path: Path, *, needs_title: bool = True) -> Iterator[Row | PindnaError]:
    """Yield the texts of a .jsonl file one after another, or an error in the place of a line without one.

    The file may be larger than memory; its encoding is found out from its beginning.

    Args:
        path: the file.
        needs_title: refuse lines without a title.
    """
    empty = True
    try:
        with path.open(encoding=_encoding_of(path), errors="replace", newline="\n") as file:
            for number, padded in enumerate(file, 1):
                if line := padded.strip("\ufeff \t\r\n"):
                    empty = False
                    read = os.lseek(file.fileno(), 0, os.SEEK_CUR)
                    try:
                        yield _row(path, number, line, read, needs_title=needs_title)
                    except BadLine as error:
                        yield error
        if empty:
            raise EmptyFile(path=readable(path))
    except PindnaError as error:
        yield error
    except OSError as error:
        yield _unreadable(path, error)


def _encoding_of(path: Path) -> str:
    """Return the encoding of a file's beginning, a name that Python knows.

    Raises:
        BinaryFile: it is no text.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if looks_binary(head):
        raise BinaryFile(path=readable(path))
    return decode(head).encoding


def _row(path: Path, number: int, line: str, position: int, *, needs_title: bool) -> Row:
    """Return the text of one line of JSON.

    Raises:
        BadLine: it is not an object with a title and a text in Chinese.
    """
    fields = _object(path, number, line)
    title, text = _string(fields, "title"), _string(fields, "text")
    if not text or (needs_title and not title):
        raise BadLine(path=readable(path), line=number, problem="title or text is missing")
    if not has_han(text):
        raise BadLine(path=readable(path), line=number, problem="the text holds no Chinese characters")
    return Row(number, fields, title, text, position)


def _object(path: Path, number: int, line: str) -> dict[str, Any]:
    """Return the object that a line of JSON is.

    Raises:
        BadLine: it is none.
    """
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadLine(path=readable(path), line=number, problem="not JSON") from error
    if not isinstance(fields, dict):
        raise BadLine(path=readable(path), line=number, problem="not a JSON object")
    return fields


def _work_of(path: Path, row: Row) -> RawWork:
    """Return a line's text as a work."""
    return RawWork(
        title=row.title,
        kind="news",
        origin=f"{readable(path)}:{row.number}",
        sections=tuple(split(row.text)) if len(row.text) > _NOVEL_CHARS else (Section("", row.text),),
        author=_string(row.fields, "author") or None,
        url=_string(row.fields, "url") or None,
        published=row.published,
    )


def _string(row: dict[str, Any], name: str) -> str:
    """Return a field as text that UTF-8 can hold, or an empty string."""
    value = row.get(name)
    return value.encode("utf-8", "replace").decode().strip() if isinstance(value, str) else ""


def parse_date(text: str) -> datetime | None:
    """Return an ISO-like date as aware UTC, or None; times without a zone are taken as UTC."""
    for form in ("%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d"):
        try:
            found = datetime.strptime(text, form)  # noqa: DTZ007 - the zone is set below
        except ValueError:
            continue
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    return None
