"""The record of a run: what happened, when, and to which actor, as lines of JSON."""

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Event = Mapping[str, Any]


@dataclass(slots=True)
class Recorder:
    """Writes the history of a run; any thread may record.

    Attributes:
        path: the file, a line for each event.
        events: the same as values: ``t`` in seconds since the beginning, ``actor``, ``event``, and more.
    """

    path: Path
    events: list[Event] = field(default_factory=list)
    _began: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def record(self, actor: str, event: str, **details: Any) -> None:
        """Record an event; the details must be values of JSON."""
        with self._lock:
            row = {"t": round(time.monotonic() - self._began, 2), "actor": actor, "event": event, **details}
            self.events.append(row)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
