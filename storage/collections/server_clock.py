"""The clock shared by all machines of an installation: that of the document server.

Leases are claimed on one machine and checked on another. With clocks ten minutes apart, a worker would claim
records that another has just begun, or never claim those of a killed worker. So each process corrects its
clock by the server's. The driver reads the server's time anyway: each reply to its heartbeat (``hello``,
every ten seconds) contains it, and the first reply comes before the first command.

A difference of less than a second is ignored, because a reply may take that long.

Source: MongoDB's command ``hello``, field ``localTime``.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from pymongo import monitoring

from storage.records import utc_now

_TOLERANCE = timedelta(seconds=1)


class ServerClock(monitoring.ServerHeartbeatListener):
    """Returns the server's time; this machine's until the first reply of the server.

    Args:
        machine: the clock of this machine.
    """

    def __init__(self, machine: Callable[[], datetime] = utc_now) -> None:
        self._machine = machine
        self._ahead = timedelta(0)

    def now(self) -> datetime:
        """Return the time, aware UTC."""
        return self._machine() + self._ahead

    def started(self, event: monitoring.ServerHeartbeatStartedEvent) -> None:
        """Do nothing."""

    def failed(self, event: monitoring.ServerHeartbeatFailedEvent) -> None:
        """Keep the last known difference."""

    def succeeded(self, event: monitoring.ServerHeartbeatSucceededEvent) -> None:
        """Read the time of the primary; other members may differ, and do not decide leases.

        An awaited reply has no measurable delay, because the server held it back.
        """
        server_time = event.reply.document.get("localTime")
        if server_time is None or not event.reply.is_writable:
            return
        under_way = timedelta(0) if event.awaited else timedelta(seconds=event.duration)
        ahead = server_time.replace(tzinfo=UTC) - (self._machine() - under_way / 2)
        self._ahead = ahead if abs(ahead) > _TOLERANCE + under_way / 2 else timedelta(0)
