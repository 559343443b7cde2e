"""The file ``stack.json``, which stores the chosen ports and the started processes between commands.

The file is only a hint. A process counts as pindna's only if its start time, user, program and command line
also fit (``processes.py``). A missing, truncated or foreign file is read as an empty state.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from system.private_files import write_private


@dataclass(frozen=True, slots=True)
class ProcessMark:
    """The identification of a process: its number and its start time.

    Args:
        pid: its number.
        started: when it started, in seconds since 1970, as psutil reports it.
    """

    pid: int
    started: float


@dataclass(frozen=True, slots=True)
class State:
    """Ports and processes by service name."""

    ports: Mapping[str, int] = field(default_factory=dict)
    marks: Mapping[str, ProcessMark] = field(default_factory=dict)

    def with_port(self, name: str, port: int) -> "State":
        """Return the state with a port added."""
        return replace(self, ports={**self.ports, name: port})

    def with_mark(self, name: str, mark: ProcessMark) -> "State":
        """Return the state with a process added."""
        return replace(self, marks={**self.marks, name: mark})

    def without_mark(self, name: str) -> "State":
        """Return the state with a process removed."""
        return replace(self, marks={key: mark for key, mark in self.marks.items() if key != name})


_FORMAT = TypeAdapter(State)


def load(path: Path) -> State:
    """Read the state; an unreadable file gives an empty state.

    Raises:
        OSError: the file exists but cannot be opened.
    """
    try:
        return _FORMAT.validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return State()


def save(path: Path, state: State) -> None:
    """Write the state atomically: after a crash there is the old file or the new one.

    Raises:
        OSError: the folder cannot be written to.
    """
    write_private(path, _FORMAT.dump_json(state, indent=2))
