"""Pack the due deliveries of an addressee into mailings: digests and immediate alerts."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import get_args

from analysis.alerts.calendar import after_quiet
from analysis.alerts.webhooks import MAX_EVENTS
from storage.collections.outbox import OutboxStore, mailing_id
from storage.records import Cadence, Mailing
from storage.settings.alerts import AlertSettings

# maximum number of deliveries in one text; if they do not fit, the text states their number
MAX_TOGETHER = 5000
_MAX_MAILINGS = 50  # maximum number of mailings to one addressee at a time


@dataclass(frozen=True, slots=True)
class Packer:
    """Packs mailings.

    Attributes:
        outbox: the outbox, whose lease this process has.
        settings: settings of alerts.
        zone: the configured time zone.
        now: the present time.
    """

    outbox: OutboxStore
    settings: AlertSettings
    zone: tzinfo
    now: datetime

    def pack_all(self, *, keep: Callable[[], bool]) -> int:
        """Pack everything that is due, and return the number of mailings.

        Args:
            keep: renews the lease; returns False if it was lost.
        """
        made = 0
        for name in self.settings.addressees:
            for broken_off in self.outbox.interrupted_packings(name):
                self.outbox.pack(broken_off)
            for cadence in get_args(Cadence):
                for _ in range(_MAX_MAILINGS):
                    mailing = self.next(name, cadence) if keep() else None
                    if mailing is None:
                        break
                    self.outbox.pack(mailing)
                    made += 1
        return made

    def next(self, name: str, cadence: Cadence) -> Mailing | None:
        """Return the next mailing to an addressee; None if nothing is due."""
        addressee = self.settings.addressees[name]
        limit = MAX_EVENTS if addressee.webhook else MAX_TOGETHER
        deliveries = [delivery.id for delivery in self.outbox.due(name, cadence, now=self.now, limit=limit)]
        if not deliveries:
            return None
        is_urgent = cadence == "at-once"
        return Mailing(
            id=mailing_id(name, deliveries),
            addressee=name,
            cadence=cadence,
            deliveries=tuple(deliveries),
            made=self.now,
            since=self.now,
            due=after_quiet(self.now, addressee, self.settings, self.zone) if is_urgent else self.now,
        )
