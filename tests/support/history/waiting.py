"""What goes on while a run waits: a command that ticks, messages for alerts, arrivals that are recorded.

What waits for a lease of minutes (an alert that was being sent, a turn) is aged once the faults of a phase
are over, as if these minutes had passed.
"""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from support.history.installation import Installation
from support.history.reading import finding_id, renamed

from storage.records import utc_now
from system.errors import PindnaError
from tracker.scans.scanning import tick

PATIENCE_S = 600.0
_TICK_S, _ALERTS_S, _AGED_AFTER_S = 1.0, 2.0, 4.0
_PAUSE_S = 0.2
_LATE = timedelta(seconds=61)
# What ends by itself after a minute or more: collection, field with the time, query of what has not ended.
_OF_MINUTES = (
    ("mailings", "due", {"state": "waiting"}),
    ("alert_marks", "until", {"_id": "turn", "token": {"$ne": ""}}),
    ("turns", "until", {"token": {"$ne": ""}}),
    ("events", "stored", {}),  # one after a number that is missing is held back for a minute
)


class NeverEnded(Exception):
    """Something did not happen in time. The argument says what."""


@dataclass(slots=True)
class Waiting:
    """Waits, and does meanwhile what goes on all the time.

    Attributes:
        installation: that lives on.
    """

    installation: Installation
    _recorded: dict[str, int] = field(default_factory=lambda: {"alerts": 0, "mails": 0})
    _last: dict[str, float] = field(default_factory=dict)
    _held: set[tuple[str, object, str]] = field(default_factory=set)

    def until(self, condition: Callable[[], object], what: str, *, ticks: bool = True) -> None:
        """Wait until a condition holds.

        Args:
            condition: may raise what a service that is down raises.
            what: that is waited for.
            ticks: send on what waits, as a command does that somebody watches; or leave it to beat.

        Raises:
            NeverEnded: it does not hold in time.
        """
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            self._go_on(ticks=ticks)
            with suppress(PindnaError):
                if condition():
                    self.record_arrivals()  # those that came while the condition was checked
                    return
            time.sleep(_PAUSE_S)
        raise NeverEnded(f"{what}, in {PATIENCE_S:.0f} s")

    def _go_on(self, *, ticks: bool) -> None:
        nemesis, runtime = self.installation.nemesis, self.installation.runtime
        for actor in list(nemesis.actors.values()):
            actor.check()
        self.record_arrivals()
        with suppress(PindnaError):
            if ticks and self._is_time("tick", _TICK_S):
                tick(runtime.stores, runtime.settings, runtime.queue.send)
            if self._is_time("alerts", _ALERTS_S):
                with runtime.queue._convert_outages():
                    runtime.queue._celery_app.send_task("analysis.tasks.tell_alerts")
            if not nemesis.is_busy() and self._is_time("age", _AGED_AFTER_S):
                self._age()

    def _is_time(self, name: str, every_s: float) -> bool:
        if time.monotonic() - self._last.get(name, 0.0) < every_s:
            return False
        self._last[name] = time.monotonic()
        return True

    def record_arrivals(self) -> None:
        """Record alerts and mails that came since the last time."""
        recorder, names = self.installation.stage.recorder, self.installation.names
        requests = self.installation.receiver.requests[self._recorded["alerts"] :]
        for request in requests:
            mailing = request.headers["webhook-id"]
            for finding in json.loads(request.body)["events"]:
                site, url = (renamed(finding[name] or "", names) for name in ("site", "url"))
                name = finding_id(finding["kind"], finding["work"]["title"], site, url)
                recorder.record("receiver", "alerted", finding=name, mailing=mailing)
        mails = self.installation.inbox.mails[self._recorded["mails"] :]
        for _, _, content in mails:
            name = content.split(b"Message-ID: <")[1].split(b".")[0].decode()
            recorder.record("mail server", "mailed", id=name)
        self._recorded["alerts"] += len(requests)
        self._recorded["mails"] += len(mails)

    def _age(self) -> None:
        """Let leases of minutes end that nothing has changed since the last time, and events be old."""
        database, now = self.installation.runtime.stores.database, utc_now()
        held = {
            (name, row["_id"], str(row[deadline]))
            for name, deadline, query in _OF_MINUTES
            for row in database[name].find(query)
        }
        deadlines = {name: deadline for name, deadline, _ in _OF_MINUTES}
        for name, key, _ in held & self._held:
            database[name].update_one({"_id": key}, {"$set": {deadlines[name]: now - _LATE}})
            if name != "events":
                self.installation.stage.recorder.record("run", "aged", of=f"{name} {key}")
        self._held = held
