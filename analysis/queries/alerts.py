"""Alerts: receivers, rules and waiting messages, for operators."""

from dataclasses import dataclass

from analysis.accounts.permissions import Identity
from analysis.alerts.overview import AddresseeStatus, addressee_statuses
from storage.collections.stores import Stores
from storage.records import Mailing, MailingState
from storage.settings.alerts import AlertSettings

NEWEST = 20  # mailings of each state
_STATES: tuple[MailingState, ...] = ("failed", "waiting", "sent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Alerts:
    """What is known of alerts.

    Attributes:
        ways: the addressees.
        mailings: the newest of each state: given up, waiting, sent.
        failed: how many were given up.
    """

    ways: tuple[AddresseeStatus, ...]
    mailings: tuple[Mailing, ...]
    failed: int


def alerts(identity: Identity, stores: Stores, settings: AlertSettings) -> Alerts:
    """Return addressees and mailings.

    Raises:
        NotPermitted: settings are not this one's to read.
    """
    identity.require("settings:read")
    mailings = [mailing for state in _STATES for mailing in stores.outbox.listed(state, limit=NEWEST)]
    return Alerts(
        ways=tuple(addressee_statuses(settings, stores.outbox)),
        mailings=tuple(mailings),
        failed=stores.outbox.count("failed"),
    )
