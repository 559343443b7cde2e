"""A clock that a benchmark moves for every process of pindna at once, by days in a moment.

Records get their times from :func:`storage.records.times.utc_now`, in every process. What is started in a
:class:`MovedClock`'s environment adds to it what a file holds just then, so a worker that runs for minutes
lives through weeks. Leases and pauses that Redis ends by its own clock are aged by :func:`age`; the document
server's clock, which nobody moves, corrects nothing.
"""

import mmap
import os
import struct
from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from pymongo.monitoring import ServerHeartbeatSucceededEvent

from storage.collections.server_clock import ServerClock
from storage.records import times
from storage.servers.redis_client import Client

_VARIABLE = "BENCHMARKS_MOVED_CLOCK"
_AHEAD = struct.Struct("d")  # seconds
_TESTS = Path(__file__).parents[2]
_DAY_MS = 86_400_000


class MovedClock:
    """The clock of this process, and of those in its environment.

    Args:
        folder: where it may keep files.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "ahead"
        self._file.write_bytes(_AHEAD.pack(0.0))
        start = folder / "start"
        start.mkdir()
        (start / "sitecustomize.py").write_text(
            "from support.faults.moved_clock import follow\n\nfollow()\n", encoding="utf-8"
        )
        self.environment: Mapping[str, str] = {
            "PYTHONPATH": f"{start}{os.pathsep}{_TESTS}",
            _VARIABLE: str(self._file),
        }
        os.environ[_VARIABLE] = str(self._file)
        follow()

    def move_to(self, moment: datetime) -> None:
        """Let it be some moment now."""
        ahead = moment - datetime.now(moment.tzinfo)
        with self._file.open("r+b") as stream:
            stream.write(_AHEAD.pack(ahead.total_seconds()))


def follow() -> None:
    """Let this process tell the time that the environment's clock shows; without one the machine's."""
    name = os.environ.get(_VARIABLE)
    if not name:
        return
    with Path(name).open("rb") as stream:
        shown = mmap.mmap(stream.fileno(), _AHEAD.size, access=mmap.ACCESS_READ)

    class Moved(datetime):
        """A date and time whose present is that of the moved clock, and of no kind of its own."""

        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + timedelta(seconds=_AHEAD.unpack_from(shown)[0])

    vars(times)["datetime"] = Moved
    ServerClock.succeeded = _correct_nothing  # type: ignore[assignment, method-assign]


def _correct_nothing(_clock: ServerClock, _event: ServerHeartbeatSucceededEvent) -> None:
    """Hear the document server's time, and go by the moved clock."""


def age(client: Client) -> None:
    """Take a day off the time that keys in Redis have to live."""
    for key in list(client.scan_iter(count=1000)):
        left = int(client.pttl(key))
        if left > 0:
            client.pexpire(key, max(1, left - _DAY_MS))
