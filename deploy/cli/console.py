"""Where the command line prints: results to standard output, everything else to standard error.

The only module of the command line that writes to a terminal. Titles, addresses, headers, file names and
messages of servers were chosen by others; in what people read here, whatever is invisible or would steer the
terminal is a visible mark, markup is text, and a line stays one line. Documents that a program or a file
receives stay exact.
"""

import io
import json
import logging
import re
import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
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

from analysis.i18n import gettext as _
from analysis.i18n import translator
from analysis.visible import HIDDEN, one_line, visible
from storage.errors import PindnaError


class _Terminal(Console):
    """A console that no printed text can steer, by any means of rich."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, soft_wrap=True, markup=False, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is printed, made visible; only rich's own control codes are left as they are."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Raise to the command line's boundary, where rich would end with status 1: “found”.

        Raises:
            BrokenPipeError: always; the reader of the output is gone.
        """
        raise BrokenPipeError


_output = _Terminal()
_errors = _Terminal(stderr=True)


def print_result(text: str) -> None:
    """Print a line of result."""
    _output.print(one_line(text))


def print_text(text: str) -> None:
    """Print a text of several lines."""
    _output.print(visible(text))


def print_table(headers: Iterable[str], rows: Iterable[Iterable[str | tuple[str, ...]]]) -> None:
    """Print a table; the first column, which names the rows, is as wide as its longest name.

    In the place of a table without rows a sentence says so, on standard error.

    Args:
        headers: of the columns.
        rows: cells; of several parts, each stands on a line of its own.
    """
    cells = [[_cell((cell,) if isinstance(cell, str) else cell) for cell in row] for row in rows]
    if not cells:
        print_progress(_("There is nothing to list."))
        return
    table = Table()
    for number, header in enumerate(headers):
        # What names a row can be typed as it stands; any other long word goes on in the next line.
        width = None if number else max(_width(row[0]) for row in cells)
        is_one_word = not number and not any(" " in row[0].plain for row in cells)
        table.add_column(header, overflow="fold", min_width=width, no_wrap=is_one_word)
    for row in cells:
        table.add_row(*row)
    _output.print(table)


def _width(cell: Text) -> int:
    """Return the width of a cell's longest word in columns of the terminal."""
    return max(map(cell_len, cell.plain.split()), default=0)


def _cell(parts: tuple[str, ...]) -> Text:
    return Text("\n".join(map(one_line, parts)))


def print_progress(text: str) -> None:
    """Print a line of progress to standard error."""
    _errors.print(one_line(text))


def print_error(error: PindnaError) -> None:
    """Print the one line of an error; the command goes on."""
    print_problem(translator().error(error))


def print_problem(text: str) -> None:
    """Print a line about what is wrong to standard error."""
    _errors.print(one_line(text), style="red")


def can_ask() -> bool:
    """Return whether somebody sits at a terminal who can be asked."""
    return sys.stdin.isatty() and _errors.is_terminal


def ask(question: str) -> str:
    """Print a question and return the line that is typed; empty when the input ends."""
    _errors.print(one_line(question), end=" ")
    return sys.stdin.readline()


def print_json_line(value: object) -> None:
    """Print one line of JSON; hidden characters and those that the encoding lacks are escaped."""
    stream = _output.file  # not sys.stdout: a progress bar puts its own stream there, which leads to stderr
    holds_all = (_output.encoding or "").lower().startswith(("utf", "gb18030"))
    line = json.dumps(value, ensure_ascii=not holds_all)
    stream.write(HIDDEN.sub(_escape, line) + "\n")
    stream.flush()


def _escape(hidden: re.Match[str]) -> str:
    """Return a character as JSON escapes it."""
    return json.dumps(hidden.group())[1:-1] if hidden.group() != "\x7f" else "\\u007f"


def write_document(text: str) -> int:
    """Write a part of a document to standard output: exactly, but where people read it, made visible."""
    stream = _output.file
    return stream.write(visible(text) if stream.isatty() else text)


def byte_count(number: int) -> str:
    """Return a number of bytes in the unit that suits it.

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
    """Prints warnings of libraries, which Python would write to standard error as they are."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a warning in one line."""
        print_progress(record.getMessage())


def take_over() -> None:
    """Send warnings through this module, and escape characters that the terminal's encoding lacks."""
    logging.basicConfig(handlers=[_Warnings(logging.WARNING)])
    logging.captureWarnings(capture=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def busy(text: str) -> AbstractContextManager[object]:
    """Show on a terminal what is being done, as long as the block runs."""
    return _errors.status(Text(one_line(text)))


def has_bar() -> bool:
    """Return whether a progress display is seen by somebody."""
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
