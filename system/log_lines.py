"""Log lines with the time and the ids of the current work, as JSON or as text.

JSON lines are for log collectors. They have the keys ``time``, ``level``, ``program``, ``process``,
``logger`` and ``message``, and the ids that :func:`log_ids` sets: ``task``, ``task_id``, ``scan``, ``source``
and ``page``. For an exception they also have ``error`` and ``trace``. JSON lines are pure ASCII. Text lines
show the same information to a person at a terminal. A line has at most about 20,000 bytes. It contains no
page text: for an exception it shows the class and the stack, but never the message. User names, passwords and
tokens are masked.
"""

import json
import logging
import os
import re
import socket
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path

from system.bugs import summary_of
from system.errors import PindnaError

MAX_CHARS = 1_000  # maximum length of a message; in ASCII a character takes up to six bytes
_MAX_IDS, _MAX_ID_CHARS = 5, 200
_MAX_FRAMES = 20
_CELERY = "celery.app.trace"  # this logger quotes an exception as the argument ``exc``
_USER = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^\s/@'\"]*@", re.IGNORECASE)
_TOKEN = re.compile(r"\bpindna_[A-Za-z0-9_-]{20,}")
_ids: ContextVar[dict[str, str | list[str]]] = ContextVar("log_ids", default={})  # noqa: B039 - never changed


@contextmanager
def log_ids(**ids: str | Iterable[str]) -> Iterator[None]:
    """Add ids to each line that is logged within the block, in addition to the ids of enclosing blocks.

    Args:
        **ids: name → value or values. At most five values of a name are shown, and empty values are omitted.
    """
    limited_ids = {name: _limit_ids(value) for name, value in ids.items()}
    token = _ids.set({**_ids.get(), **{name: value for name, value in limited_ids.items() if value}})
    try:
        yield
    finally:
        _ids.reset(token)


def _limit_ids(value: str | Iterable[str]) -> str | list[str]:
    """Return an id, or the first five of several ids, each shortened."""
    if isinstance(value, str):
        return value[:_MAX_ID_CHARS]
    distinct_ids = sorted({log_id for log_id in value if log_id})
    shown = [log_id[:_MAX_ID_CHARS] for log_id in distinct_ids[:_MAX_IDS]]
    return shown[0] if len(shown) == 1 else shown


class JsonLineFormatter(logging.Formatter):
    """Formatter that writes a record as one line of JSON.

    Args:
        program: ``worker``, ``beat`` or ``console``.
    """

    def __init__(self, program: str) -> None:
        super().__init__()
        self._program = program
        self._host = socket.gethostname()

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without a line break."""
        error = record.exc_info[1] if record.exc_info else None
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "program": self._program,
            "process": f"{self._host}:{os.getpid()}",
            "logger": record.name,
            "message": _mask_credentials(_message_of(record, error)),
            **_ids.get(),
        }
        if error is not None:
            line |= {"error": summary_of(error), "trace": _trace(error)}
        return json.dumps(line)


class TextLineFormatter(logging.Formatter):
    """Formatter that writes a record as one line of text, with the same information as JSON lines."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without a line break."""
        time = datetime.fromtimestamp(record.created).astimezone().isoformat(" ", timespec="milliseconds")
        error = record.exc_info[1] if record.exc_info else None
        parts = [f"{time} {record.levelname} {record.name}: {_mask_credentials(_message_of(record, error))}"]
        parts += [f"{name}={value}" for name, value in _ids.get().items()]
        if error is not None:
            parts += [summary_of(error), f"({' > '.join(_trace(error))})"]
        line = " ".join(parts)
        return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in line)


def _message_of(record: logging.LogRecord, error: BaseException | None) -> str:
    """Return a record's message, in which an unexpected exception is replaced by its class and line."""
    if error is not None and record.name == _CELERY and isinstance(record.args, Mapping):
        return str(record.msg) % {**record.args, "exc": summary_of(error)}
    if isinstance(record.args, tuple):
        return str(record.msg) % tuple(map(_without_message, record.args)) if record.args else str(record.msg)
    return record.getMessage()


def _without_message(value: object) -> object:
    """Return a summary of an unexpected exception, and any other value unchanged."""
    if isinstance(value, BaseException) and not isinstance(value, PindnaError):
        return summary_of(value)
    return value


def _mask_credentials(text: str) -> str:
    """Return the beginning of a text, with user names, passwords and tokens replaced by asterisks."""
    shown = _TOKEN.sub("pindna_***", _USER.sub(r"\1***@", text[: 2 * MAX_CHARS]))
    return shown if len(shown) <= MAX_CHARS else shown[: MAX_CHARS - 1] + "…"


def _trace(error: BaseException) -> list[str]:
    """Return the last stack frames of an exception, the innermost last."""
    frames = traceback.extract_tb(error.__traceback__)[-_MAX_FRAMES:]
    return [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
