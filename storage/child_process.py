"""How a process that we start says what went wrong: the last line on standard error is for the user.

The child writes it with :func:`report_error` and ends with the error's exit status; its parent reads it with
:func:`last_line`. Whatever libraries wrote before is passed over.
"""

import sys

from storage.errors import PindnaError

MAX_ERROR_BYTES = 64 * 1024  # of standard error that are looked at, for the line may hold a whole document


def report_error(error: PindnaError) -> int:
    """Write an error as the last line on standard error, and return the exit status to end with."""
    sys.stderr.write(f"{error}\n")
    sys.stderr.flush()
    return error.exit_status


def last_line(errors: bytes) -> str:
    """Return the last line that a child wrote on standard error; empty when it wrote none.

    Args:
        errors: what it wrote, or the end of that.
    """
    lines = errors[-MAX_ERROR_BYTES:].decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""
