"""The output of the command line: results on standard output, everything else on standard error.

This is the only module of the command line that writes to a terminal. Titles, addresses, headers, file names
and messages of servers are untrusted. So in output for people, invisible characters and control characters
become visible marks, markup is printed as text, and a line stays one line. Output for programs and files
stays exact.
"""

import io
import json
import logging
import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Literal

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.filesize import decimal
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from analysis.words.visible import HIDDEN, one_line, visible
from system.errors import PindnaError
from system.log_lines import JsonLineFormatter, TextLineFormatter


class _Terminal(Console):
    """A console of rich in which printed text cannot control the terminal."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, soft_wrap=True, markup=False, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the printed segments with visible marks; only rich's own control codes stay unchanged."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Raise the error to ``run_command``; rich would end the program with status 1, which means “found”.

        Raises:
            BrokenPipeError: always; the reader of the output is gone.
        """
        raise BrokenPipeError


_BORDERS = 3  # width between two cells
_WIDEST = 100_000
_BETWEEN = " · "  # separates the parts of a cell
_HAN = 8  # minimum width of a cell with Han characters

_output = _Terminal()
_errors = _Terminal(stderr=True)


def print_result(text: str) -> None:
    """Print one line of a result."""
    _output.print(one_line(text))


def print_text(text: str) -> None:
    """Print a result of several lines."""
    _output.print(visible(text))


def print_table(headers: Iterable[str], rows: Iterable[Iterable[str | tuple[str, ...]]]) -> None:
    """Print a table in which no word is broken.

    A file or a pipe gets the table in its full width, one row in a line. On a terminal, lines wrap between
    words; if the words do not fit side by side, each row is printed as several lines of header and cell. If
    there are no rows, a sentence on standard error says that instead.

    Args:
        headers: of the columns; the first one's cells name the rows.
        rows: cells; on a terminal each part of a cell has its own line.
    """
    heads = [Text(header) for header in headers]
    gap = "\n" if _has_width() else _BETWEEN
    cells = [[_cell((cell,) if isinstance(cell, str) else cell, gap) for cell in row] for row in rows]
    if not cells:
        print_progress(_("There is nothing to list."))
        return
    columns = list(zip(heads, *cells, strict=True))
    natural = [max(map(_natural_width, column)) for column in columns]
    least = [max(map(_least_width, column)) for column in columns]
    room = _output.width - _BORDERS * len(columns) - 1
    if not _has_width():
        _output.print(_AtFullWidth(_table(heads, cells, natural)))
    elif sum(least) <= room:
        _output.print(_table(heads, cells, _distribute_width(room, least, natural)))
    else:
        for row in cells:
            print_result(_in_one_line(row[0]))
            for head, cell in zip(heads[1:], row[1:], strict=True):
                print_result(f"  {head.plain}: {_in_one_line(cell)}")


def _has_width() -> bool:
    """Return whether the width of lines is limited: on a terminal, or if the environment sets a width."""
    return _output.is_terminal or "COLUMNS" in os.environ


def _table(heads: Sequence[Text], cells: Sequence[Sequence[Text]], widths: Sequence[int]) -> Table:
    table = Table()
    for head, width in zip(heads, widths, strict=True):
        table.add_column(head, overflow="fold", width=width)
    for row in cells:
        table.add_row(*row)
    return table


def _distribute_width(room: int, least: Sequence[int], natural: Sequence[int]) -> list[int]:
    """Return the width of each column: its minimum, and an equal share of the remaining width.

    Columns that need little are served first, so that the other columns get the rest.

    >>> _distribute_width(20, [2, 2, 2], [3, 30, 30])
    [3, 8, 9]
    """
    widths, room_left = list(least), room - sum(least)
    by_need = sorted(range(len(least)), key=lambda number: natural[number] - least[number])
    for index, number in enumerate(by_need):
        more = min(natural[number] - least[number], room_left // (len(by_need) - index))
        widths[number] += more
        room_left -= more
    return widths


class _AtFullWidth:
    """A table in its full width, independent of the width of the output."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from console.render(self._table, options.update(max_width=_WIDEST))


def _natural_width(cell: Text) -> int:
    """Return the width of a cell's longest line on a terminal."""
    return max(map(cell_len, cell.plain.splitlines()), default=0)


def _least_width(cell: Text) -> int:
    """Return the width of a cell's longest word on a terminal; Han text may be split anywhere."""
    return max(
        (cell_len(word) if word.isascii() else min(cell_len(word), _HAN) for word in cell.plain.split()),
        default=0,
    )


def _in_one_line(cell: Text) -> str:
    return _BETWEEN.join(cell.plain.splitlines())


def _cell(parts: tuple[str, ...], gap: str) -> Text:
    return Text(gap.join(map(one_line, parts)))


def print_progress(text: str) -> None:
    """Print a line of progress to standard error."""
    _errors.print(one_line(text))


def print_error(error: PindnaError) -> None:
    """Print an error in one line; the command continues."""
    print_problem(translator().error(error))


def print_problem(text: str) -> None:
    """Print a line about a problem to standard error."""
    _errors.print(one_line(text), style="red")


def can_ask() -> bool:
    """Return whether a person at a terminal can answer questions."""
    return sys.stdin.isatty() and _errors.is_terminal


def ask(question: str) -> str:
    """Print a question and return the line that the user types; empty at the end of the input."""
    _errors.print(one_line(question), end=" ")
    return sys.stdin.readline()


def print_json_line(value: object) -> None:
    """Print one line of JSON; invisible characters and characters outside the encoding are escaped."""
    stream = _output.file  # not sys.stdout, which a progress bar redirects to stderr
    holds_all = (_output.encoding or "").lower().startswith(("utf", "gb18030"))
    line = json.dumps(value, ensure_ascii=not holds_all)
    stream.write(HIDDEN.sub(_escape, line) + "\n")
    stream.flush()


def _escape(hidden: re.Match[str]) -> str:
    """Return the escape sequence of a character in JSON."""
    return json.dumps(hidden.group())[1:-1] if hidden.group() != "\x7f" else "\\u007f"


def write_document(text: str) -> int:
    """Write a part of a document to standard output: exact, except for visible marks on a terminal."""
    stream = _output.file
    return stream.write(visible(text) if stream.isatty() else text)


def byte_count(number: int) -> str:
    """Return a number of bytes in a readable unit.

    >>> byte_count(24_900_000)
    '24.9 MB'
    """
    return decimal(number)


def write_bytes(data: bytes, *, shown: str) -> None:
    """Write bytes to standard output.

    Args:
        data: written exactly, unless a terminal shows them.
        shown: what a terminal shows in their place.
    """
    if _output.file.isatty():
        print_text(shown)
        return
    stream = sys.stdout.buffer
    stream.write(data)
    stream.flush()


class _Warnings(logging.Handler):
    """Prints warnings of libraries safely; Python would write them to standard error unchanged."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a warning in one line."""
        print_progress(record.getMessage())


def take_over() -> None:
    """Print warnings through this module, and escape characters outside the terminal's encoding."""
    logging.basicConfig(handlers=[_Warnings(logging.WARNING)])
    logging.captureWarnings(capture=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def log_lines(form: Literal["text", "json"], *, program: str) -> None:
    """Write log messages to standard error with their time from now on; for servers."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLineFormatter(program) if form == "json" else TextLineFormatter())
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)


def busy(text: str) -> AbstractContextManager[object]:
    """Show on a terminal what the command is doing, as long as the block runs."""
    return _errors.status(Text(one_line(text)))


def has_bar() -> bool:
    """Return whether a progress display is visible to a person."""
    return _errors.is_terminal


def progress(*, in_bytes: bool = False) -> Progress:
    """Return a progress display on standard error; it shows nothing when that is not a terminal.

    Args:
        in_bytes: what is counted are bytes.
    """
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn() if in_bytes else MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=_errors,
        disable=not has_bar(),
    )
