"""Where the command line prints: results to standard output, everything else to standard error."""

import io
import json
import sys
from collections.abc import Callable, Iterable

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from analysis.i18n import translator
from analysis.visible import visible
from storage.errors import PindnaError

output = Console(highlight=False, soft_wrap=True)
errors = Console(stderr=True, highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """Print a line of result; markup in it is text, and what would steer the terminal is shown."""
    output.print(visible(text), markup=False)


def tell(text: str) -> None:
    """Print a line of progress to standard error, like :func:`say`."""
    errors.print(visible(text), markup=False)


def complain(error: PindnaError) -> None:
    """Print the one line of an error; the command goes on."""
    errors.print(visible(translator().error(error)), style="red", markup=False)


def for_each(names: Iterable[str], do: Callable[[str], str]) -> bool:
    """Do something for each name, and print what it returns; a name that it cannot be done for is told.

    Args:
        names: as the user wrote them.
        do: raises a user's mistake as an error of status 2, and the others go on.

    Returns:
        Whether it was done for all.

    Raises:
        PindnaError: a service is down.
    """
    done = True
    for name in names:
        try:
            told = do(name)
        except PindnaError as error:
            if error.exit_status != 2:  # noqa: PLR2004 - a service is down: stop
                raise
            complain(error)
            done = False
        else:
            say(told)
    return done


def print_text(text: str) -> None:
    """Print a text as it is, never wrapped."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def print_json_line(value: object) -> None:
    """Print one line of JSON; escaped where standard output cannot hold Chinese."""
    encoding = (sys.stdout.encoding or "").lower()
    print_text(json.dumps(value, ensure_ascii="utf" not in encoding and "gb" not in encoding))


def tolerate_any_text() -> None:
    """Let characters that a terminal's encoding lacks appear as escapes instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def progress(*, in_bytes: bool = False) -> Progress:
    """Return a progress display on standard error; it shows nothing when that is not a terminal.

    Args:
        in_bytes: what is counted are bytes.
    """
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn() if in_bytes else MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=errors,
        disable=not errors.is_terminal,
    )
