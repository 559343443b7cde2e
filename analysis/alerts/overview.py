"""What `pindna alert` shows: addressees, rules, and how mailings fare. Nothing of an address or a secret."""

from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from analysis.alerts.sending import deliver
from analysis.i18n import N_
from storage.alert_settings import Addressee, AlertSettings
from storage.collections.outbox import OutboxStore, mailing_id
from storage.errors import UnknownRecord
from storage.messages import Message
from storage.names import unknown_record
from storage.records import Cadence, Mailing, Occasion, zone_of
from storage.secrets import MissingSecret, secret_of
from storage.settings import Settings

TEST = N_("This is a test of pindna's alerts; nothing happened.")


@dataclass(frozen=True, slots=True)
class Way:
    """An addressee, and whether it can be reached as far as the settings say.

    Attributes:
        name: of the addressee.
        missing: variables that it names and that are not set here.
        waiting: deliveries that are not packed yet, in digests or because of quiet hours.
    """

    name: str
    addressee: Addressee
    missing: tuple[str, ...]
    waiting: int


def ways(settings: AlertSettings, outbox: OutboxStore) -> list[Way]:
    """Return the addressees of the settings.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    return [
        Way(
            name,
            addressee,
            _missing(addressee),
            sum(outbox.count_waiting(name, cadence) for cadence in get_args(Cadence)),
        )
        for name, addressee in settings.addressees.items()
    ]


def _missing(addressee: Addressee) -> tuple[str, ...]:
    missing = []
    for reference in filter(None, (addressee.address, addressee.webhook, addressee.secret)):
        try:
            secret_of(reference, where="")
        except MissingSecret as error:
            missing.append(str(error.data["name"]))
    return tuple(missing)


def addressee_of(settings: AlertSettings, name: str) -> Addressee:
    """Return an addressee.

    Raises:
        UnknownRecord: there is none of that name.
    """
    if name not in settings.addressees:
        raise _unknown(settings, name)
    return settings.addressees[name]


def _unknown(settings: AlertSettings, name: str) -> UnknownRecord:
    return unknown_record(kind=N_("addressee"), name=name, known=list(settings.addressees))


def send_test(settings: Settings, name: str, *, now: datetime) -> str:
    """Send an addressee a test at once, whatever the hour, and return what came back.

    Raises:
        UnknownRecord: there is none of that name.
        MissingSecret: a variable that it names is not set.
        NotDelivered: it was not taken.
    """
    addressee = addressee_of(settings.analysis.alerts, name)
    test = Occasion(id=f"test:{now.isoformat()}", kind="test", at=now, message=Message(TEST))
    key = mailing_id(name, [test.id])
    mailing = Mailing(
        id=key, addressee=name, cadence="at-once", deliveries=(test.id,), made=now, since=now, due=now
    )
    return deliver(mailing, [test], addressee, zone_of(settings.tracker.timezone))
