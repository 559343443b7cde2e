"""Pass errors from a child process to its parent through standard error.

The child calls :func:`report_error` and exits with the status that it returns. The parent calls
:func:`last_line`, which ignores everything that libraries wrote before the last line. The line before the
last contains template and data as JSON, after a record separator (RFC 7464). :func:`last_message` reads that
line.
"""

import json
import sys

from system.errors import PindnaError
from system.messages import Figure, Message

MAX_ERROR_BYTES = 64 * 1024  # read from the end of standard error: a line may contain a whole document
_SEPARATOR = "\x1e"


def report_error(error: PindnaError) -> int:
    """Write an error as the last line on standard error, and return the exit status to use."""
    message = message_of(error)
    parts = json.dumps({"template": message.template, "data": message.data})
    sys.stderr.write(f"{_SEPARATOR}{parts}\n{error}\n")
    sys.stderr.flush()
    return error.exit_status


def last_line(errors: bytes) -> str:
    """Return the last line that a child wrote on standard error, or an empty text.

    Args:
        errors: the child's standard error, or the end of it.
    """
    lines = errors[-MAX_ERROR_BYTES:].decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""


def message_of(error: PindnaError) -> Message:
    """Return an error as a message that can be stored."""
    return Message(error.template, {name: _figure(value) for name, value in error.data.items()})


def _figure(value: object) -> Figure:
    return value if isinstance(value, str | int | float) else str(value)


def last_message(errors: bytes) -> Message:
    """Return the last error that a child reported with :func:`report_error`, or an empty message.

    Args:
        errors: the child's standard error, or the end of it.
    """
    lines = (
        errors[-MAX_ERROR_BYTES:].decode("utf-8", "replace").split("\n")
    )  # splitlines() would also split at the separator
    parts = next((line[1:] for line in reversed(lines) if line.startswith(_SEPARATOR)), "")
    try:
        return Message(**json.loads(parts))
    except (ValueError, TypeError):
        return Message()
