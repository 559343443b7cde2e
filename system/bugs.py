"""Unexpected exceptions: write the details to a private file, and report that file in one line."""

import platform
import sys
import tempfile
import traceback
from pathlib import Path

from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.version import VERSION

MAX_FILES = 100  # per process, because a server may hit the same bug on every request
_files: list[str] = []
_MAX_TRACE_CHARS = 20_000  # an exception may contain a whole page


class UnexpectedError(PindnaError):
    """An exception that pindna does not expect.

    Attributes:
        error: class of the exception.
        place: file and line that raised it.
        path: file with the details.
    """

    code = "unexpected"
    template = (
        "pindna failed unexpectedly ({error} in {place}). "
        "Please report this error with the details in {path}."
    )
    exit_status = ExitStatus.BUG


def record_bug(error: BaseException) -> UnexpectedError:
    """Record an exception and return the error to show to the user.

    The returned error shows the class of the exception and the line that raised it. It never shows the
    message of the exception, which may quote page text. The details go to a new file that only the user can
    read, or to standard error if no file can be created. A process writes at most ``MAX_FILES`` files; later
    errors refer to the last file.

    Args:
        error: the caught exception, with its traceback.
    """
    if len(_files) >= MAX_FILES:
        return UnexpectedError(error=type(error).__name__, place=_raising_line(error), path=_files[-1])
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
    return UnexpectedError(error=type(error).__name__, place=_raising_line(error), path=path)


def summary_of(error: BaseException) -> str:
    """Return the class of an exception and the line that raised it, without its message.

    The message may quote page text.
    """
    return f"{type(error).__name__} in {_raising_line(error)}"


def _details(error: BaseException) -> str:
    """Return the versions and the traceback, shortened in the middle, with control characters escaped."""
    head = f"pindna {VERSION}, Python {platform.python_version()}, {platform.platform()}\n"
    trace = "".join(traceback.format_exception(error))
    if len(trace) > _MAX_TRACE_CHARS:
        half = _MAX_TRACE_CHARS // 2
        trace = f"{trace[:half]}\n…\n{trace[-half:]}\n"
    return head + "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in trace)


def _raising_line(error: BaseException) -> str:
    """Return the file name and the number of the line that raised an exception."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown"
