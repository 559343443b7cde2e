"""Lists of addresses: text, CSV and workbooks. The columns with addresses are found by content.

A row is about the addresses in it. Where no cell has an address with ``http://`` or ``https://``, a cell that
is the name of a host counts, if the column has mostly such names.
"""

import csv
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import IO

from lxml import etree

from analysis.discovery.files import MAX_LINE_BYTES, ImportedFile, TextLine
from analysis.discovery.rows import MAX_SHOWN_CHARS, ImportRow
from system.errors import PindnaError
from system.sites import registered_domain

MAX_WORKBOOK_BYTES = 1024**3  # of all its parts, unpacked
_MAX_TEXTS = 2_000_000  # shared texts of a workbook
_SAMPLE = 200
_MAX_CELLS = 200
_MIN_SHARE = 0.5
_ADDRESS = re.compile(r"https?://[^\s\"'<>，。；、）】》]{1,4000}", re.IGNORECASE)
_HOST = re.compile(r"(?:[\w-]{1,63}\.){1,10}[A-Za-z一-鿿]{2,63}(?::\d{1,5})?(?:/\S{0,4000})?", re.IGNORECASE)
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
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


def read_table(file: ImportedFile) -> Iterator[ImportRow]:
    """Yield a row for each line of a list or table that is not empty."""
    return rows_of(_cells_of(file))


def read_workbook(file: ImportedFile) -> Iterator[ImportRow]:
    """Yield a row for each row of the sheets of an XLSX file that is not empty.

    Raises:
        BadWorkbook: it cannot be read, or is too large.
    """
    return rows_of(_workbook_cells(file.path))


def addresses_in(text: str) -> tuple[str, ...]:
    """Return the addresses with a scheme in a text.

    >>> addresses_in("看 https://a.example/1.html，还有 http://b.example/")
    ('https://a.example/1.html', 'http://b.example/')
    """
    return tuple(_ADDRESS.findall(text))


def rows_of(table: Iterable[Cells]) -> Iterator[ImportRow]:
    """Yield a row for each row of cells."""
    cells = iter(table)
    sample = list(islice(cells, _SAMPLE))
    columns = _host_columns([row for _, row in sample])
    for number, row in chain(sample, cells):
        text = " · ".join(filter(None, row))[:MAX_SHOWN_CHARS]
        if text:
            urls = tuple(chain.from_iterable(map(addresses_in, row)))
            urls = urls or tuple(row[at] for at in columns if at < len(row) and is_host(row[at]))
            yield ImportRow(number=number, text=text, urls=urls, problem=None if urls else "no-address")


def is_host(cell: str) -> bool:
    """Return whether a cell is the name of a host, possibly with a path."""
    if len(cell) > MAX_SHOWN_CHARS or not _HOST.fullmatch(cell):
        return False
    return bool(registered_domain(cell.partition("/")[0].partition(":")[0].lower()))


def _host_columns(sample: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Return the columns whose cells are mostly names of hosts."""
    hosts, filled = Counter[int](), Counter[int]()
    for row in sample:
        for at, cell in enumerate(row):
            filled[at] += bool(cell)
            hosts[at] += is_host(cell)
    return tuple(at for at in sorted(filled) if hosts[at] >= max(1, _MIN_SHARE * (filled[at] - 1)))


def _cells_of(file: ImportedFile) -> Iterator[Cells]:
    lines = file.lines()
    sample = list(islice(lines, _SAMPLE))
    delimiter = _delimiter_of([line.text for line in sample])
    for line in chain(sample, lines):
        yield line.number, _split(line, delimiter)


def _split(line: TextLine, delimiter: str) -> list[str]:
    """Return the cells of a line; a line with a broken quotation is one cell."""
    if not delimiter or not line.is_whole or delimiter not in line.text:
        return [line.text.strip()]
    try:
        rows: Iterable[list[str]] = csv.reader([line.text], delimiter=delimiter)
        cells = next(iter(rows), [])
    except csv.Error:
        return [line.text.strip()]
    return [cell.strip() for cell in cells[:_MAX_CELLS]]


def _delimiter_of(lines: Sequence[str]) -> str:
    """Return what separates the cells of a table; empty for a list, whose addresses may contain commas."""
    counts = {mark: sum(mark in line for line in lines) for mark in ("\t", ";", ",")}
    most = max(counts, key=lambda mark: counts[mark])
    outside = [_ADDRESS.sub("", line) for line in lines]
    return most if sum(most in line for line in outside) * 2 >= len(lines) > 0 else ""


def _workbook_cells(path: Path) -> Iterator[Cells]:
    try:
        with zipfile.ZipFile(path) as book:
            _check_sizes(path, book)
            texts = _shared_texts(book)
            number = 0
            for name in sorted(name for name in book.namelist() if name.startswith("xl/worksheets/sheet")):
                for row in chain(_sheet_rows(book, name, texts), _linked_rows(book, name)):
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


def _shared_texts(book: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in book.namelist():
        return []
    texts = []
    with book.open("xl/sharedStrings.xml") as stream:
        for _, element in _elements(stream, f"{_MAIN}si"):
            texts.append("".join(element.itertext(f"{_MAIN}t"))[:MAX_LINE_BYTES])
            _forget(element)
            if len(texts) >= _MAX_TEXTS:
                break
    return texts


def _sheet_rows(book: zipfile.ZipFile, name: str, texts: Sequence[str]) -> Iterator[list[str]]:
    with book.open(name) as stream:
        for _, element in _elements(stream, f"{_MAIN}row"):
            row: list[str] = []
            for position_in_row, cell in enumerate(islice(element.iterfind(f"{_MAIN}c"), _MAX_CELLS)):
                at = _column_of(cell.get("r") or "", position_in_row)
                row += [""] * (at + 1 - len(row))
                row[at] = _cell_text(cell, texts)
            _forget(element)
            yield row


def _linked_rows(book: zipfile.ZipFile, sheet: str) -> Iterator[list[str]]:
    """Yield a row for each address that cells of a sheet link to."""
    folder, _, name = sheet.rpartition("/")
    links = f"{folder}/_rels/{name}.rels"
    if links in book.namelist():
        with book.open(links) as stream:
            for _, element in _elements(stream, _LINK):
                if element.get("TargetMode") == "External":
                    yield [element.get("Target") or ""]
                _forget(element)


def _elements(stream: IO[bytes], tag: str) -> Iterator[tuple[str, etree._Element]]:
    yield from etree.iterparse(stream, events=("end",), tag=tag, resolve_entities=False, no_network=True)


def _column_of(reference: str, position_in_row: int) -> int:
    """Return the position of a cell in its row, from its reference such as ``B7``, up to the limit."""
    match = _COLUMN.fullmatch(reference)
    if match is None:
        return position_in_row
    position = 0
    for letter in match[1]:
        position = position * _LETTERS + ord(letter) - ord("A") + 1
    return min(position - 1, _MAX_CELLS)


def _cell_text(cell: etree._Element, texts: Sequence[str]) -> str:
    if cell.get("t") == "inlineStr":
        return "".join(cell.itertext(f"{_MAIN}t")).strip()
    value = (cell.findtext(f"{_MAIN}v") or "").strip()
    if cell.get("t") == "s":
        return texts[int(value)].strip() if value.isdecimal() and int(value) < len(texts) else ""
    return value or (cell.findtext(f"{_MAIN}f") or "").strip()


def _forget(element: etree._Element) -> None:
    """Free the memory of an element that was read, and of those before it."""
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]
