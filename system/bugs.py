"""Unexpected exceptions: the details go into a file of the user's own, and one line names the file."""

import platform
import sys
import tempfile
import traceback
from pathlib import Path

from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.version import VERSION

MAX_FILES = 100  # of one process: a server may meet the same bug with every request
_files: list[str] = []
_SHOWN_CHARS = 20_000  # of a traceback; an exception may hold a whole page


class Unexpected(PindnaError):
    """An exception that no code of ours expects. Data: ``error``, ``place``, ``path``."""

    template = (
        "An error of pindna itself ({error} in {place}). "
        "Please report it with the details, which are in {path}."
    )
    exit_status = ExitStatus.BUG


def record_bug(error: BaseException) -> Unexpected:
    """Write down an exception and return the line that tells the user of it.

    The line names the exception's class and where it was raised, never its message, which may hold page text.
    The details go into a new file that only the user can read, or to standard error where none can be made;
    those after the hundredth file of a process are not kept, and the line names that one.

    Args:
        error: as it was caught, with its traceback.
    """
    if len(_files) >= MAX_FILES:
        return Unexpected(error=type(error).__name__, place=_place(error), path=_files[-1])
    details = _details(error)
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix="pindna-error-", suffix=".txt", delete=False
        ) as file:
            file.write(details)
        path = file.name
        _files.append(path)
    except OSError:
        sys.stderr.write(details)
        path = "stderr"
    return Unexpected(error=type(error).__name__, place=_place(error), path=path)


def summary_of(error: BaseException) -> str:
    """Return an exception's class and where it was raised, without its message, which may hold page text."""
    return f"{type(error).__name__} in {_place(error)}"


def _details(error: BaseException) -> str:
    """Return versions and the traceback, bounded, as text that cannot steer a terminal."""
    head = f"pindna {VERSION}, Python {platform.python_version()}, {platform.platform()}\n"
    trace = "".join(traceback.format_exception(error))
    if len(trace) > _SHOWN_CHARS:
        half = _SHOWN_CHARS // 2
        trace = f"{trace[:half]}\n…\n{trace[-half:]}\n"
    return head + "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in trace)


def _place(error: BaseException) -> str:
    """Return file and line of the innermost frame."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown"
