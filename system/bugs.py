"""Unexpected exceptions: write the details to a private file and report that file in one line."""

import platform
import sys
import tempfile
import traceback
from pathlib import Path

from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.version import VERSION

MAX_FILES = 100  # per process: a server may hit the same bug on every request
_files: list[str] = []
_SHOWN_CHARS = 20_000  # of a traceback; an exception may contain a whole page


class Unexpected(PindnaError):
    """An exception that pindna does not expect.

    Attributes:
        error: class of the exception.
        place: file and line that raised it.
        path: file with the details.
    """

    template = (
        "pindna failed unexpectedly ({error} in {place}). "
        "Please report this error with the details in {path}."
    )
    exit_status = ExitStatus.BUG


def record_bug(error: BaseException) -> Unexpected:
    """Record an exception and return the error to show to the user.

    The returned line contains the exception's class and where it was raised. It never contains its message,
    which may quote page text. The details go to a new file that only the user can read, or to standard error
    if no file can be created. After ``MAX_FILES`` files a process writes no more; later errors refer to the
    last one.

    Args:
        error: the caught exception, with its traceback.
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
    """Return an exception's class and where it was raised, without its message, which may quote page text."""
    return f"{type(error).__name__} in {_place(error)}"


def _details(error: BaseException) -> str:
    """Return versions and the truncated traceback, with control characters escaped."""
    head = f"pindna {VERSION}, Python {platform.python_version()}, {platform.platform()}\n"
    trace = "".join(traceback.format_exception(error))
    if len(trace) > _SHOWN_CHARS:
        half = _SHOWN_CHARS // 2
        trace = f"{trace[:half]}\n…\n{trace[-half:]}\n"
    return head + "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in trace)


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown"
