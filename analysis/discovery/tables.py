"""Lists of addresses: text, CSV and workbooks. The columns with addresses are found by content.

A row is about the addresses in it. Where no cell has an address with ``http://`` or ``https://``, a cell that
is the name of a host counts, if the column has mostly such names.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from analysis.discovery.files import ImportedFile, TextLine
from analysis.discovery.rows import MAX_SHOWN_CHARS, ImportRow
from analysis.discovery.workbooks import MAX_CELLS, Cells, workbook_cells
from system.sites import registered_domain

_SAMPLE = 200
_MIN_SHARE = 0.5
_ADDRESS = re.compile(r"https?://[^\s\"'<>，。；、）】》]{1,4000}", re.IGNORECASE)
_HOST = re.compile(r"(?:[\w-]{1,63}\.){1,10}[A-Za-z一-鿿]{2,63}(?::\d{1,5})?(?:/\S{0,4000})?", re.IGNORECASE)


def read_table(file: ImportedFile) -> Iterator[ImportRow]:
    """Yield a row for each line of a list or table that is not empty."""
    return rows_of(_cells_of(file))


def read_workbook(file: ImportedFile) -> Iterator[ImportRow]:
    """Yield a row for each row of the sheets of an XLSX file that is not empty.

    Raises:
        BadWorkbook: it cannot be read, or is too large.
    """
    return rows_of(workbook_cells(file.path))


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
    return [cell.strip() for cell in cells[:MAX_CELLS]]


def _delimiter_of(lines: Sequence[str]) -> str:
    """Return what separates the cells of a table; empty for a list, whose addresses may contain commas."""
    counts = {mark: sum(mark in line for line in lines) for mark in ("\t", ";", ",")}
    most = max(counts, key=lambda mark: counts[mark])
    outside = [_ADDRESS.sub("", line) for line in lines]
    return most if sum(most in line for line in outside) * 2 >= len(lines) > 0 else ""
