"""Send mailings until they are delivered or expire. Addressees do not wait for each other."""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from analysis.alerts.calendar import after_quiet
from analysis.alerts.outcomes import NotDelivered, message_of
from analysis.alerts.webhooks import body_of, post
from analysis.alerts.wording import text_of
from analysis.words.i18n import N_, translator
from storage.collections.outbox import OutboxStore
from storage.records import Mailing, Occasion, utc_now
from storage.settings.alerts import Addressee, AlertSettings
from system.errors import PindnaError
from system.extras import importing_extra
from system.messages import Message
from system.secrets import secret_of

log = logging.getLogger(__name__)

LEASE = timedelta(minutes=5)  # a service never needs this long
MAX_BACK_OFF = timedelta(hours=6)
_FIRST_BACK_OFF = timedelta(minutes=1)
_AT_ONE_TIME = 10  # maximum number of mailings to one addressee per run
_THREADS = 32
_PATIENCE_S = 50.0  # the task ends after this time; sending to slower services continues


@dataclass(frozen=True, slots=True)
class Sender:
    """Sends mailings.

    Attributes:
        outbox: the mailings.
        settings: settings of alerts.
        zone: the configured time zone.
        clock: returns the present time.
    """

    outbox: OutboxStore
    settings: AlertSettings
    zone: tzinfo
    clock: Callable[[], datetime] = utc_now

    def send_all(self, *, patience_s: float = _PATIENCE_S) -> int:
        """Send all due mailings, to all addressees at once. Return the number of delivered mailings.

        Raises:
            ServiceDown: MongoDB does not answer; mailings whose delivery was not recorded are sent again.
        """
        self._record_no_addressee()
        if not self.settings.addressees:
            return 0
        pool = ThreadPoolExecutor(min(_THREADS, len(self.settings.addressees)))
        try:
            tasks = [pool.submit(self.send_to, name) for name in self.settings.addressees]
            finished = wait(tasks, patience_s).done
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        return sum(task.result() for task in finished)

    def _record_no_addressee(self) -> None:
        """Record the reason on mailings to addressees that are no longer configured."""
        before = self.clock() - timedelta(days=self.settings.give_up_days)
        for name in self.outbox.waiting_addressees():
            if name not in self.settings.addressees:
                problem = Message(N_("the settings contain no addressee “{name}”"), {"name": name})
                self.outbox.fail_unknown_addressee(name, problem, before=before)

    def send_to(self, name: str) -> int:
        """Send the due mailings of an addressee until one fails. Return the number of delivered mailings."""
        through = 0
        for mailing in self.outbox.ready(name, now=self.clock(), limit=_AT_ONE_TIME):
            claimed = self.outbox.claim(mailing, until=self.clock() + LEASE)
            if claimed is None:
                continue
            if not self._try_to_send(claimed):
                break
            through += 1
        return through

    def _try_to_send(self, mailing: Mailing) -> bool:
        occasions = [delivery.occasion for delivery in self.outbox.deliveries_of(mailing)]
        try:
            answer = deliver(mailing, occasions, self.settings.addressees[mailing.addressee], self.zone)
        except NotDelivered as error:
            self._record_failure(mailing, error.message)
            return False
        except PindnaError as error:
            self._record_failure(mailing, message_of(error))
            return False
        self.outbox.record_sent(mailing, at=self.clock(), answer=answer)
        return True

    def _record_failure(self, mailing: Mailing, error: Message) -> None:
        now = self.clock()
        is_over = now - mailing.since >= timedelta(days=self.settings.give_up_days)
        wait_for = min(MAX_BACK_OFF, _FIRST_BACK_OFF * 2 ** min(mailing.attempts - 1, 20))
        addressee = self.settings.addressees[mailing.addressee]
        due = after_quiet(now + wait_for, addressee, self.settings, self.zone)
        self.outbox.record_failure(mailing, error, due=None if is_over else due)
        log.warning("mailing %s to %s was not delivered", mailing.id, mailing.addressee)


def deliver(mailing: Mailing, occasions: Sequence[Occasion], addressee: Addressee, zone: tzinfo) -> str:
    """Send a mailing and return a short answer.

    Raises:
        ExtraMissing: the extra ``alerts`` is not installed.
        MissingSecret: a variable that the addressee refers to is not set.
        NotDelivered: the service did not accept it; the error does not contain the address.
    """
    try:
        return _deliver(mailing, occasions, addressee, zone)
    except PindnaError:
        raise
    except Exception as error:  # noqa: BLE001 - a library's; its words may hold the address
        log.error("mailing %s to %s: %s", mailing.id, mailing.addressee, type(error).__name__)  # noqa: TRY400 - the same
        raise NotDelivered(problem=Message(N_("the library of the service failed"))) from None


def _deliver(mailing: Mailing, occasions: Sequence[Occasion], addressee: Addressee, zone: tzinfo) -> str:
    texts = translator(addressee.language, "console")
    where = f"analysis.alerts.addressees.{mailing.addressee}"
    if addressee.webhook:
        address = secret_of(addressee.webhook, where=f"{where}.webhook")
        secret = secret_of(addressee.secret, where=f"{where}.secret")
        return post(address, secret, mailing.id, body_of(mailing, occasions, texts))
    with importing_extra():
        from analysis.alerts.services import max_bytes_of, send, service_of  # noqa: PLC0415 - apprise, of an extra

    address = secret_of(addressee.address, where=f"{where}.address")
    service = service_of(address)
    text = text_of(
        occasions,
        cadence=mailing.cadence,
        mailing_id=mailing.id,
        texts=texts,
        zone=zone,
        max_bytes=max_bytes_of(service),
    )
    return send(service, address, text, mailing.id)
