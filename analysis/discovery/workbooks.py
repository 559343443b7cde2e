"""The cells of XLSX files, read in one pass without a tree, so that memory is bounded.

A workbook of 20 kB may unpack to millions of elements.
"""

import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Protocol

from lxml import etree

from system.errors import PindnaError

MAX_WORKBOOK_BYTES = 1024**3  # of all its parts, unpacked
MAX_CELLS = 200  # of a row
_MAX_TEXTS = 2_000_000  # shared texts of a workbook
_MAX_TEXT_CHARS = 256 * 1024**2  # of all shared texts
_MAX_CELL_CHARS = 10_000
_CHUNK_BYTES = 64 * 1024
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ROW, _CELL, _VALUE, _FORMULA = f"{_MAIN}row", f"{_MAIN}c", f"{_MAIN}v", f"{_MAIN}f"
_TEXT, _SHARED = f"{_MAIN}t", f"{_MAIN}si"
_LINK = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_COLUMN = re.compile(r"([A-Z]{1,3})\d*")
_LETTERS = 26

Cells = tuple[int, Sequence[str]]  # number of the row, and its cells


class BadWorkbook(PindnaError):
    """A workbook cannot be read.

    Attributes:
        path: the file.
        problem: what is wrong with it.
    """

    template = "Cannot read the workbook {path}: {problem}. Save it again, or as CSV."


def workbook_cells(path: Path) -> Iterator[Cells]:
    """Yield the rows of the sheets of an XLSX file, and one for each address that cells link to.

    Raises:
        BadWorkbook: it cannot be read, or is too large.
    """
    try:
        with zipfile.ZipFile(path) as book:
            _check_sizes(path, book)
            texts = _shared_texts(path, book)
            number = 0
            for name in sorted(name for name in book.namelist() if name.startswith("xl/worksheets/sheet")):
                for row in chain(_rows(book, name, _Sheet(texts)), _rows(book, _links_of(name), _Links())):
                    number += 1
                    yield number, row
    except (
        zipfile.BadZipFile,
        etree.XMLSyntaxError,
        OSError,
        EOFError,
        ValueError,
        RuntimeError,  # encrypted, or compressed in an unknown way
        zlib.error,
    ) as error:
        raise BadWorkbook(path=path.name, problem="the file is damaged") from error


def _check_sizes(path: Path, book: zipfile.ZipFile) -> None:
    if sum(member.file_size for member in book.infolist()) > MAX_WORKBOOK_BYTES:
        raise BadWorkbook(path=path.name, problem="it is too large when unpacked")


def _shared_texts(path: Path, book: zipfile.ZipFile) -> list[str]:
    texts, chars = list[str](), 0
    for (text,) in _rows(book, "xl/sharedStrings.xml", _SharedTexts()):
        texts.append(text)
        chars += len(text)
        if len(texts) > _MAX_TEXTS or chars > _MAX_TEXT_CHARS:
            raise BadWorkbook(path=path.name, problem="it is too large when unpacked")
    return texts


def _links_of(sheet: str) -> str:
    """Return the part of a workbook with the links of a sheet."""
    folder, _, name = sheet.rpartition("/")
    return f"{folder}/_rels/{name}.rels"


class _Target(Protocol):
    """A target of the parser that collects rows."""

    rows: list[list[str]]

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin an element."""

    def data(self, text: str) -> None:
        """Add text to the element."""

    def end(self, tag: str) -> None:
        """End an element."""

    def close(self) -> None:
        """End the part."""


def _rows(book: zipfile.ZipFile, name: str, target: _Target) -> Iterator[list[str]]:
    """Yield what a target collects from a part of a workbook; nothing if there is no such part."""
    if name not in book.NameToInfo:
        return
    parser = etree.XMLParser(target=target, resolve_entities=False, no_network=True, huge_tree=False)
    with book.open(name) as stream:
        while data := stream.read(_CHUNK_BYTES):
            parser.feed(data)
            yield from target.rows
            target.rows.clear()
    parser.close()
    yield from target.rows


class _Texts:
    """A target that collects the text of some elements, up to a length."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self._pieces: list[str] = []
        self._chars = 0
        self._reads = False

    def data(self, text: str) -> None:
        """Add text to the element."""
        if self._reads and self._chars < _MAX_CELL_CHARS:
            self._pieces.append(text[: _MAX_CELL_CHARS - self._chars])
            self._chars += len(text)

    def close(self) -> None:
        """End the part."""

    def _restart(self) -> None:
        self._pieces, self._chars, self._reads = [], 0, False

    @property
    def _text(self) -> str:
        return "".join(self._pieces)


class _SharedTexts(_Texts):
    """The shared texts of a workbook, each a row with one cell."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002 - the parser's signature
        """Begin an element."""
        if tag == _SHARED:
            self._restart()
        self._reads = tag == _TEXT

    def end(self, tag: str) -> None:
        """End an element."""
        self._reads = False
        if tag == _SHARED:
            self.rows.append([self._text])


class _Sheet(_Texts):
    """The rows of a sheet.

    Args:
        texts: the shared texts.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__()
        self._texts = texts
        self._row: list[str] = []
        self._cells = 0
        self._at = 0
        self._kind = ""
        self._has_value = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin an element."""
        if tag == _ROW:
            self._row, self._cells = [], 0
        elif tag == _CELL:
            self._restart()
            self._at = _column_of(attributes.get("r", ""), self._cells)
            self._kind, self._has_value = attributes.get("t", ""), False
            self._cells += 1
        elif tag == _VALUE:
            self._restart()  # a value counts more than its formula
            self._reads = self._has_value = True
        else:
            self._reads = tag == _TEXT or (tag == _FORMULA and not self._has_value)

    def end(self, tag: str) -> None:
        """End an element."""
        self._reads = False
        if tag == _CELL and self._cells <= MAX_CELLS:
            self._row += [""] * (self._at + 1 - len(self._row))
            self._row[self._at] = self._cell_text()
        elif tag == _ROW:
            self.rows.append(self._row)
            self._row = []

    def _cell_text(self) -> str:
        text = self._text.strip()
        if self._kind != "s":
            return text
        return self._texts[int(text)].strip() if _is_position(text) and int(text) < len(self._texts) else ""


class _Links(_Texts):
    """The addresses that cells of a sheet link to, each a row."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin an element."""
        if tag == _LINK and attributes.get("TargetMode") == "External":
            self.rows.append([attributes.get("Target", "").replace("&#38;", "&")])

    def end(self, tag: str) -> None:
        """End an element."""


def _is_position(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10  # noqa: PLR2004 - more than a workbook has


def _column_of(reference: str, position_in_row: int) -> int:
    """Return the position of a cell in its row, from its reference such as ``B7``, up to the limit."""
    match = _COLUMN.fullmatch(reference)
    if match is None:
        return position_in_row
    position = 0
    for letter in match[1]:
        position = position * _LETTERS + ord(letter) - ord("A") + 1
    return min(position - 1, MAX_CELLS)
