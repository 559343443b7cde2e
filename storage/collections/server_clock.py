"""The clock shared by all machines of an installation: that of the document server.

Leases are claimed on one machine and checked on another. With clocks ten minutes apart, a worker would claim
records that another has just begun, or never claim those of a killed worker. So each process corrects its
clock by the clock of the server. The driver reads the server's time anyway: each reply to its heartbeat
(``hello``, every ten seconds) contains it, and the first reply comes before the first command.

A difference of less than a second is ignored, because a reply may take a second.

Between two replies the time is measured by a monotonic clock, which cannot be set. If the machine's ordinary
clock were used, a worker whose clock is set an hour ahead would claim records for an hour and ten seconds.

Source: MongoDB's command ``hello``, field ``localTime``.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from pymongo import monitoring

from storage.records import utc_now

_TOLERANCE = timedelta(seconds=1)
# On Linux this clock also counts the time in which the machine sleeps.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def _elapsed_s() -> float:
    return time.clock_gettime(_CLOCK)


class ServerClock(monitoring.ServerHeartbeatListener):
    """Returns the server's time, or this machine's time until the first reply of the server.

    Args:
        machine: the clock of this machine.
        elapsed_s: the seconds since some moment, by a clock that cannot be set.
    """

    def __init__(
        self, machine: Callable[[], datetime] = utc_now, elapsed_s: Callable[[], float] = _elapsed_s
    ) -> None:
        self._machine = machine
        self._elapsed_s = elapsed_s
        self._read: tuple[datetime, float] | None = None  # server's time and monotonic time at the last reply

    def now(self) -> datetime:
        """Return the time, aware UTC, in whole milliseconds."""
        if self._read is None:
            return self._machine()
        moment, read_s = self._read
        return moment + timedelta(milliseconds=int((self._elapsed_s() - read_s) * 1000))

    def started(self, event: monitoring.ServerHeartbeatStartedEvent) -> None:
        """Ignore the start of a heartbeat."""

    def failed(self, event: monitoring.ServerHeartbeatFailedEvent) -> None:
        """Ignore a failed heartbeat: the time continues from the last reply."""

    def succeeded(self, event: monitoring.ServerHeartbeatSucceededEvent) -> None:
        """Read the time of the primary; the clocks of other members are not used for leases.

        A reply that the driver waits for has no measurable delay, because the server withheld it until a
        change.
        """
        server_time = event.reply.document.get("localTime")
        if server_time is None or not event.reply.is_writable:
            return
        under_way = timedelta(0) if event.awaited else timedelta(seconds=event.duration)
        machine_time = self._machine()
        ahead = server_time.replace(tzinfo=UTC) - (machine_time - under_way / 2)
        is_other = abs(ahead) > _TOLERANCE + under_way / 2
        self._read = (machine_time + ahead if is_other else machine_time, self._elapsed_s())
