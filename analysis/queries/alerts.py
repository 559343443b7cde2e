"""Alerts: addressees, rules and waiting mailings, for operators."""

from collections.abc import Iterable
from dataclasses import dataclass

from analysis.accounts.permissions import Identity
from analysis.alerts.overview import AddresseeStatus, addressee_statuses
from storage.collections.stores import Stores
from storage.records import Mailing, MailingState
from storage.settings.alerts import AlertSettings

NEWEST = 20  # maximum number of mailings per state
_STATES: tuple[MailingState, ...] = ("failed", "waiting", "sent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Alerts:
    """The addressees of alerts and the newest mailings.

    Attributes:
        ways: the addressees.
        mailings: the newest mailings of each state: failed, waiting, sent.
        failed: number of failed mailings.
    """

    ways: tuple[AddresseeStatus, ...]
    mailings: tuple[Mailing, ...]
    failed: int


def addressees(identity: Identity, stores: Stores, settings: AlertSettings) -> tuple[AddresseeStatus, ...]:
    """Return the addressees of alerts, with the deliveries that wait for each.

    Raises:
        NotPermitted: the user may not read settings.
    """
    identity.require("settings:read")
    return tuple(addressee_statuses(settings, stores.outbox))


def newest_mailings(
    identity: Identity, stores: Stores, states: Iterable[MailingState], *, limit: int = NEWEST
) -> list[Mailing]:
    """Return mailings grouped by state, the newest of each state first.

    Raises:
        NotPermitted: the user may not read settings.
    """
    identity.require("settings:read")
    return [mailing for state in states for mailing in stores.outbox.listed(state, limit=limit)]


def alerts(identity: Identity, stores: Stores, settings: AlertSettings) -> Alerts:
    """Return addressees and mailings.

    Raises:
        NotPermitted: the user may not read settings.
    """
    return Alerts(
        ways=addressees(identity, stores, settings),
        mailings=tuple(newest_mailings(identity, stores, _STATES)),
        failed=stores.outbox.count("failed"),
    )
