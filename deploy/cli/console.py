"""Where the command line prints: results to standard output, everything else to standard error."""

import sys

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from analysis.i18n import translator
from storage.errors import PindnaError

output = Console(highlight=False, soft_wrap=True)
errors = Console(stderr=True, highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """Print a line of result; markup in it is text."""
    output.print(text, markup=False)


def tell(text: str) -> None:
    """Print a line of progress to standard error."""
    errors.print(text, markup=False)


def complain(error: PindnaError) -> None:
    """Print the one line of an error; the command goes on."""
    errors.print(translator().error(error), style="red", markup=False)


def print_json_line(text: str) -> None:
    """Print one line of JSON as it is, never wrapped."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def progress() -> Progress:
    """Return a progress display on standard error; it shows nothing when that is not a terminal."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=errors,
        disable=not errors.is_terminal,
    )
