"""Pass errors from a child process to its parent through standard error.

The child calls :func:`report_error`, which writes two lines. The first line has a record separator (RFC 7464)
and then the error's template and data as JSON. The last line has the error as text. The child then exits with
the status that the function returns. The parent reads the first line with :func:`last_message`, and the last
one with :func:`last_line`. Both ignore what libraries wrote before these lines.
"""

import json
import sys

from system.errors import PindnaError
from system.messages import Figure, Message

MAX_ERROR_BYTES = 64 * 1024  # bytes read from the end of standard error; a line may be a whole document
_SEPARATOR = "\x1e"


def report_error(error: PindnaError) -> int:
    """Write an error to standard error, and return the exit status to use."""
    message = message_of(error)
    encoded = json.dumps({"template": message.template, "data": message.data})
    sys.stderr.write(f"{_SEPARATOR}{encoded}\n{error}\n")
    sys.stderr.flush()
    return error.exit_status


def last_line(errors: bytes) -> str:
    """Return the last line that a child wrote to standard error, or an empty text.

    Args:
        errors: the child's standard error, or the end of it.
    """
    lines = errors[-MAX_ERROR_BYTES:].decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""


def message_of(error: PindnaError) -> Message:
    """Return an error as a message that can be stored and translated."""
    return Message(error.template, {name: _storable_value(value) for name, value in error.data.items()})


def _storable_value(value: object) -> Figure:
    """Return a text or a number unchanged, and any other value as text."""
    return value if isinstance(value, str | int | float) else str(value)


def last_message(errors: bytes) -> Message:
    """Return the last error that a child reported with :func:`report_error`, or an empty message.

    Args:
        errors: the child's standard error, or the end of it.
    """
    lines = (
        errors[-MAX_ERROR_BYTES:].decode("utf-8", "replace").split("\n")
    )  # splitlines() would also split at the separator
    encoded = next((line[1:] for line in reversed(lines) if line.startswith(_SEPARATOR)), "")
    try:
        return Message(**json.loads(encoded))
    except (ValueError, TypeError):
        return Message()
