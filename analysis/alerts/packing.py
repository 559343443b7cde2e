"""What is due to an addressee becomes a mailing: a digest, or all that is to be told at once."""

from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import get_args

from analysis.alerts.calendar import after_quiet
from analysis.alerts.webhooks import MAX_EVENTS
from storage.alert_settings import Addressee, AlertSettings
from storage.collections.outbox import OutboxStore, mailing_id
from storage.records import Cadence, Mailing

MAX_TOGETHER = 5000  # of a text, which counts what it has no room for
_MAX_MAILINGS = 50  # to one addressee at a time


def pack(
    outbox: OutboxStore,
    settings: AlertSettings,
    zone: tzinfo,
    *,
    now: datetime,
    keep: Callable[[], bool],
) -> int:
    """Pack all that is due; returns how many mailings it came to.

    Args:
        outbox: whose turn is ours.
        settings: of alerts.
        zone: of the settings.
        now: the present.
        keep: keeps the turn; False when it was lost.

    Raises:
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """
    made = 0
    for name, addressee in settings.addressees.items():
        for mailing in outbox.unpacked(name):
            outbox.pack(mailing)
        for cadence in get_args(Cadence):
            for _ in range(_MAX_MAILINGS):
                if not keep():
                    return made
                mailing = _next(outbox, name, addressee, cadence, settings, zone, now)
                if mailing is None:
                    break
                outbox.pack(mailing)
                made += 1
    return made


def _next(
    outbox: OutboxStore,
    name: str,
    addressee: Addressee,
    cadence: Cadence,
    settings: AlertSettings,
    zone: tzinfo,
    now: datetime,
) -> Mailing | None:
    """Return the next mailing to an addressee, None when nothing is due."""
    limit = MAX_EVENTS if addressee.webhook else MAX_TOGETHER
    deliveries = [delivery.id for delivery in outbox.due(name, cadence, now=now, limit=limit)]
    if not deliveries:
        return None
    return Mailing(
        id=mailing_id(name, deliveries),
        addressee=name,
        cadence=cadence,
        deliveries=tuple(deliveries),
        made=now,
        since=now,
        due=after_quiet(now, addressee, settings, zone) if cadence == "at-once" else now,
    )
