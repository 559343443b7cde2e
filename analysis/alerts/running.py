"""Run alerts: store, pack and send new deliveries. Any number of programs may do so at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from analysis.alerts.context import AlertContext, Check
from analysis.alerts.packing import Packer
from analysis.alerts.producers import all_batches
from analysis.alerts.rules import deliveries_of
from analysis.alerts.sending import Sender
from storage.collections.stores import Stores
from storage.records import OccasionKind, utc_now, zone_of
from storage.settings import Settings

TURN_S = 120.0
_FORGOTTEN_AT_ONCE = 100  # maximum number of old mailings that one run deletes


@dataclass(frozen=True, slots=True)
class AlertRun:
    """Counts of a run: new deliveries, packed mailings and delivered mailings."""

    new: int = 0
    packed: int = 0
    sent: int = 0


def run_alerts(
    stores: Stores,
    settings: Settings,
    *,
    checks: Mapping[OccasionKind, Check],
    clock: Callable[[], datetime] = utc_now,
) -> AlertRun:
    """Store, pack and send all new alerts.

    Args:
        stores: the database.
        settings: rules and addressees.
        checks: checks of the installation, see :mod:`analysis.alerts.checks`.
        clock: returns the present time.

    Raises:
        ServiceDown: MongoDB does not answer; nothing is lost.
    """
    alerts = settings.analysis.alerts
    if not alerts.addressees:
        stores.outbox.forget_marks()
        Sender(stores.outbox, alerts, zone_of(settings.tracker.timezone), clock).send_all()
        return AlertRun()
    new, packed = 0, 0
    token = stores.outbox.claim_turn(now=clock(), lease_s=TURN_S)
    if token is not None:
        try:
            keep = partial(_renew_lease, stores, token, clock)
            new = (
                _store_new_deliveries(stores, settings, checks, keep, clock)
                if alerts.rules
                else _delete_marks(stores)
            )
            zone = zone_of(settings.tracker.timezone)
            packed = Packer(stores.outbox, alerts, zone, clock()).pack_all(keep=keep)
            stores.outbox.forget_sent(clock() - timedelta(days=alerts.keep_days), limit=_FORGOTTEN_AT_ONCE)
        finally:
            stores.outbox.end_turn(token)
    sent = Sender(stores.outbox, alerts, zone_of(settings.tracker.timezone), clock).send_all()
    return AlertRun(new, packed, sent)


def _store_new_deliveries(
    stores: Stores,
    settings: Settings,
    checks: Mapping[OccasionKind, Check],
    keep: Callable[[], bool],
    clock: Callable[[], datetime],
) -> int:
    """Store the deliveries of new occasions, and return their number."""
    zone, alerts, new = zone_of(settings.tracker.timezone), settings.analysis.alerts, 0
    for batch in all_batches(AlertContext(stores, clock(), settings.analysis, checks)):
        if not keep():
            break
        new += stores.outbox.add(deliveries_of(batch.occasions, alerts, zone, clock()))
        batch.finish()
    return new


def _delete_marks(stores: Stores) -> int:
    """Delete all marks, so rules that are made later cover only later events."""
    stores.outbox.forget_marks()
    return 0


def _renew_lease(stores: Stores, token: str, clock: Callable[[], datetime]) -> bool:
    return stores.outbox.extend_turn(token, now=clock(), lease_s=TURN_S)
