"""How a process that we start says what went wrong: the last line on standard error is for the user.

The child writes it with :func:`report_error` and ends with the error's exit status; its parent reads it with
:func:`last_line`. Whatever libraries wrote before is passed over. The line before the last holds the same as
template and data, in JSON after a record separator (RFC 7464), for :func:`last_message`.
"""

import json
import sys

from system.errors import PindnaError
from system.messages import Figure, Message

MAX_ERROR_BYTES = 64 * 1024  # of standard error that are looked at, for the line may hold a whole document
_SEPARATOR = "\x1e"


def report_error(error: PindnaError) -> int:
    """Write an error as the last line on standard error, and return the exit status to end with."""
    message = message_of(error)
    parts = json.dumps({"template": message.template, "data": message.data})
    sys.stderr.write(f"{_SEPARATOR}{parts}\n{error}\n")
    sys.stderr.flush()
    return error.exit_status


def last_line(errors: bytes) -> str:
    """Return the last line that a child wrote on standard error; empty when it wrote none.

    Args:
        errors: what it wrote, or the end of that.
    """
    lines = errors[-MAX_ERROR_BYTES:].decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""


def message_of(error: PindnaError) -> Message:
    """Return an error as it is stored."""
    return Message(error.template, {name: _figure(value) for name, value in error.data.items()})


def _figure(value: object) -> Figure:
    return value if isinstance(value, str | int | float) else str(value)


def last_message(errors: bytes) -> Message:
    """Return the last error that a child wrote on standard error as template and data; empty without one.

    Args:
        errors: what it wrote, or the end of that.
    """
    lines = errors[-MAX_ERROR_BYTES:].decode("utf-8", "replace").split("\n")  # the separator ends a line, too
    parts = next((line[1:] for line in reversed(lines) if line.startswith(_SEPARATOR)), "")
    try:
        return Message(**json.loads(parts))
    except (ValueError, TypeError):
        return Message()
