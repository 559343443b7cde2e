"""The time that all machines of an installation agree on: that of the document server.

Leases are taken on one machine and judged on another. By clocks ten minutes apart a worker would take what
the other has just begun, or never take what a killed one left. So each process corrects its own clock by that
of the server, which the driver hears of anyhow: each answer to its heartbeat (``hello``, every ten seconds)
tells the server's time, the first of them before the first command is sent.

A clock that is off by less than a second is left as it is: an answer may have been that long on its way.

Source: MongoDB's command ``hello``, field ``localTime``.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from pymongo import monitoring

from storage.records import utc_now

_TOLERANCE = timedelta(seconds=1)


class ServerClock(monitoring.ServerHeartbeatListener):
    """Tells the server's time; this machine's until the server has answered once.

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
        """Nothing is known yet."""

    def failed(self, event: monitoring.ServerHeartbeatFailedEvent) -> None:
        """What was known holds on."""

    def succeeded(self, event: monitoring.ServerHeartbeatSucceededEvent) -> None:
        """Learn from the member that takes writes; others may be off, and are not asked for leases.

        An awaited answer was not under way for as long as it took: the server held it back.
        """
        server_time = event.reply.document.get("localTime")
        if server_time is None or not event.reply.is_writable:
            return
        under_way = timedelta(0) if event.awaited else timedelta(seconds=event.duration)
        ahead = server_time.replace(tzinfo=UTC) - (self._machine() - under_way / 2)
        self._ahead = ahead if abs(ahead) > _TOLERANCE + under_way / 2 else timedelta(0)
