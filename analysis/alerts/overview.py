"""Show users the state of alerts: addressees, rules and mailings; never an address or a secret."""

from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from analysis.alerts.sending import deliver
from analysis.alerts.wording import KINDS
from analysis.words.i18n import N_, Translator
from analysis.words.labels import CADENCES, word
from analysis.words.labels import VERDICTS as VERDICT_WORDS
from storage.collections.outbox import OutboxStore, mailing_id
from storage.records import VERDICTS, Cadence, Mailing, Occasion, zone_of
from storage.settings import Settings
from storage.settings.alerts import Addressee, AlertRule, AlertSettings
from system.errors import BadSettings, PindnaError, UnknownRecord
from system.messages import Message
from system.names import unknown_record
from system.secrets import MissingSecret, referred_secret, secret_of

TEST = N_("This is a test alert from pindna. No action is needed.")


@dataclass(frozen=True, slots=True)
class AddresseeStatus:
    """An addressee, and whether the settings suffice to reach it.

    Attributes:
        name: name of the addressee.
        missing: variables that it refers to and that are not set on this machine.
        waiting: deliveries that are not packed yet because of digests or quiet hours.
    """

    name: str
    addressee: Addressee
    missing: tuple[str, ...]
    waiting: int


def addressee_statuses(settings: AlertSettings, outbox: OutboxStore) -> list[AddresseeStatus]:
    """Return the status of each configured addressee."""
    return [
        AddresseeStatus(
            name,
            addressee,
            _missing_secrets(addressee),
            sum(outbox.count_waiting(name, cadence) for cadence in get_args(Cadence)),
        )
        for name, addressee in settings.addressees.items()
    ]


def _missing_secrets(addressee: Addressee) -> tuple[str, ...]:
    missing = []
    for reference in filter(None, (addressee.address, addressee.webhook, addressee.secret)):
        try:
            secret_of(reference, where="")
        except MissingSecret as error:
            missing.append(str(error.data["name"]))
        except BadSettings as error:  # a file that cannot be used
            missing.append(str(error.data["where"]))
        except PindnaError:  # a stored secret whose key is not here
            missing.append(referred_secret(reference))
    return tuple(missing)


@dataclass(frozen=True, slots=True)
class RuleWords:
    """A rule in words. Empty fields do not restrict it.

    Attributes:
        when: how often it sends.
        events: the events that it covers.
        only: works, rights holders, sites and states that it covers, and the minimum of copied characters.
        verdicts: the verdicts that it covers.
    """

    when: str
    events: tuple[str, ...]
    only: tuple[str, ...]
    verdicts: tuple[str, ...]


def rule_words(rule: AlertRule, texts: Translator) -> RuleWords:
    """Return a rule in words."""
    least = texts.ngettext("at least {count} character", "at least {count} characters", rule.min_chars)
    chars = (least.format(count=rule.min_chars),) if rule.min_chars else ()
    is_of_all = set(rule.verdicts) == set(VERDICTS)
    return RuleWords(
        when=word(texts, CADENCES, rule.when),
        events=tuple(texts.gettext(KINDS[kind]) for kind in rule.events),
        only=(*rule.works, *rule.holders, *rule.sites, *rule.states, *chars),
        verdicts=() if is_of_all else tuple(word(texts, VERDICT_WORDS, code) for code in rule.verdicts),
    )


def last_of(mailing: Mailing, texts: Translator) -> tuple[datetime | None, str]:
    """Return when a mailing is tried next or was sent, and the last answer."""
    if mailing.state == "sent":
        return mailing.sent, mailing.answer
    return mailing.due if mailing.state == "waiting" else None, texts.message(mailing.error)


def addressee_of(settings: AlertSettings, name: str) -> Addressee:
    """Return an addressee by name.

    Raises:
        UnknownRecord: there is no such addressee.
    """
    if name not in settings.addressees:
        raise _unknown_addressee(settings, name)
    return settings.addressees[name]


def _unknown_addressee(settings: AlertSettings, name: str) -> UnknownRecord:
    return unknown_record(kind=N_("addressee"), name=name, known_names=list(settings.addressees))


def send_test(settings: Settings, name: str, *, now: datetime) -> str:
    """Send a test to an addressee immediately, and return the answer.

    Raises:
        UnknownRecord: there is no such addressee.
        MissingSecret: a variable that it refers to is not set.
        NotDelivered: the service did not accept it.
    """
    addressee = addressee_of(settings.analysis.alerts, name)
    test = Occasion(id=f"test:{now.isoformat()}", kind="test", at=now, message=Message(TEST))
    key = mailing_id(name, [test.id])
    mailing = Mailing(
        id=key, addressee=name, cadence="at-once", deliveries=(test.id,), made=now, since=now, due=now
    )
    return deliver(mailing, [test], addressee, zone_of(settings.tracker.timezone))
