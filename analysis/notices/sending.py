"""Send a notice at most once, and record the result in its cases.

``made → sending → sent | failed | uncertain``. ``sending`` is stored before the first byte is sent, ``sent``
after the server has accepted the mail. A process that ends in between leaves ``sending``; after its lease
this becomes ``uncertain`` until a user decides. Nothing here sends a notice again automatically. The events
of the cases follow from the stored notice, so recording them may be repeated.
"""

import hashlib
import secrets
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from analysis.notices.case_events import record_event, record_made, record_sent, state_of, stored_case
from analysis.notices.infringements import confirmed_urls
from analysis.notices.mail import envelope_of
from analysis.notices.smtp import STEPS, MailNotSent, MailUncertain, deliver, require_server
from analysis.words.i18n import N_
from analysis.words.labels import CASE_STATES, NOTICE_STATES, label
from storage.collections.owners import owner_of
from storage.collections.stores import Stores
from storage.records import MOVES, EventKind, Notice, NoticeCase, NoticeState, Work
from storage.settings.results import NoticeSettings
from system.errors import PindnaError
from system.local_files import read_file

Resolution = Literal["sent", "not-sent", "withdrawn"]

_MAX_MAIL = 200 * 1024 * 1024
_MARGIN_S = 60.0


class SendingOff(PindnaError):
    """Sending is switched off in the settings."""

    template = "Sending is switched off. To send notices, set analysis.notices.send to true."


class CannotSend(PindnaError):
    """A notice cannot be sent in its state.

    Attributes:
        name: name of the notice.
        state: its state.
    """

    template = "Cannot send {name}: its state is “{state}”."


class CannotResolve(PindnaError):
    """A result cannot be recorded for a notice in its state.

    Attributes:
        name: name of the notice.
        state: its state.
        resolution: the result.
    """

    template = "{name} is “{state}”. The result “{resolution}” cannot be recorded in this state."


class DraftNotSent(PindnaError):
    """A draft is never sent.

    Attributes:
        name: name of the notice.
    """

    template = "{name} is a draft. Supply the missing facts and make the notice again, not as a draft."


class NoMail(PindnaError):
    """A notice has no mail.

    Attributes:
        name: name of the notice.
    """

    template = (
        "{name} has no mail: the recipient or the holder had no mail address when it was made. "
        "Add the address and make the notice again."
    )


class MailChanged(PindnaError):
    """The mail of a notice was changed after it was made.

    Attributes:
        name: name of the notice.
        path: file of the mail.
    """

    template = "{path} is not the original mail of {name}. Make the notice again."


class NotConfirmed(PindnaError):
    """A notice cannot be sent in the state of one of its cases.

    Attributes:
        name: name of the case.
        state: its state.
    """

    template = (
        "Case {name} is “{state}”. Notices are sent only for confirmed cases. Review its matches first."
    )


class ClaimWithdrawn(PindnaError):
    """A notice lists an address whose match is no longer confirmed.

    Attributes:
        name: name of the notice.
        url: the address.
        work: title of the work.
    """

    template = (
        "{name} claims a copy of “{work}” at {url}, but this match is no longer confirmed. Make the notice "
        "again."
    )


class HolderChanged(PindnaError):
    """A work of a notice has another rights holder since the notice was made.

    Attributes:
        name: name of the notice.
        work: title of the work.
        holder: the holder in whose name the notice is written.
    """

    template = (
        "{name} is written in the name of {holder}, but the rights holder of “{work}” has changed since. "
        "Make the notice again."
    )


def ready_mail(notice: Notice, stores: Stores, settings: NoticeSettings) -> bytes:
    """Return the mail of a notice that may be sent.

    Raises:
        SendingOff, NoMailServer, PasswordInClear, MissingSecret: the settings do not allow it.
        DraftNotSent, CannotSend, NoMail, MailChanged, NotConfirmed, ClaimWithdrawn, HolderChanged: the
            notice does not allow it.
    """
    if not settings.send:
        raise SendingOff
    require_server(settings)
    if notice.is_draft:
        raise DraftNotSent(name=notice.name)
    if notice.state not in ("made", "failed"):
        raise CannotSend(name=notice.name, state=label(NOTICE_STATES, notice.state))
    if "eml" not in notice.files:
        raise NoMail(name=notice.name)
    check_claims(notice, stores)
    file = notice.files["eml"]
    mail = read_file(Path(file.path), max_bytes=_MAX_MAIL)
    if hashlib.sha256(mail).hexdigest() != file.sha256:
        raise MailChanged(name=notice.name, path=file.path)
    return mail


def check_claims(notice: Notice, stores: Stores) -> None:
    """Check that every claim is still about a confirmed match, a confirmed case and the same holder.

    Raises:
        NotConfirmed, ClaimWithdrawn, HolderChanged: a claim is not.
    """
    works = stores.works.get_many({notice_case.work_id for notice_case in notice.cases})
    for notice_case in notice.cases:
        case = stored_case(notice_case, stores)
        if notice.kind != "counsel" and "notified" not in MOVES[case.state]:
            raise NotConfirmed(name=case.name, state=label(CASE_STATES, case.state))
        withdrawn = set(notice_case.urls) - confirmed_urls(case, stores) if notice_case.urls else ()
        for url in sorted(withdrawn)[:1]:
            raise ClaimWithdrawn(name=notice.name, url=url, work=notice_case.work_title)
        work = works.get(notice_case.work_id)
        if work is not None and _has_new_holder(work, notice_case, notice):
            raise HolderChanged(name=notice.name, work=notice_case.work_title, holder=notice.holder)


def _has_new_holder(work: Work, notice_case: NoticeCase, notice: Notice) -> bool:
    """Return whether a work now belongs to neither its former holder nor the holder of the notice."""
    if notice_case.work_holder is None:
        return False
    return owner_of(work.holder) not in {owner_of(notice_case.work_holder), owner_of(notice.holder)}


def send_notice(
    notice: Notice, mail: bytes, stores: Stores, settings: NoticeSettings, *, by: str, now: datetime
) -> Notice:
    """Send a notice that a user confirmed, and record it in its cases.

    Args:
        notice: the notice as it was read.
        mail: the result of :func:`ready_mail`.
        stores: the database.
        settings: the mail server.
        by: the user who confirmed it.
        now: the time.

    Raises:
        CannotSend: another process sends or sent it.
        MailNotSent: the server did not accept it; it may be sent again.
        MailUncertain: it is unknown whether it was sent; a user has to decide.
    """
    sender, to = envelope_of(mail, name=notice.name)
    record_made(notice, stores)
    token = secrets.token_hex(8)
    until = now + timedelta(seconds=STEPS * settings.timeout_s + _MARGIN_S)
    claimed = stores.notices.advance(
        notice,
        "sending",
        {"token": token, "sending": now, "sending_until": until, "sent_by": by, "problem": ""},
        since=("made", "failed"),
    )
    if not claimed:
        current = stores.notices.get(notice.name)
        raise CannotSend(name=current.name, state=label(NOTICE_STATES, current.state))
    try:
        receipt = deliver(mail, settings, sender=sender, to=to)
    except MailNotSent as error:
        _record_not_sent(
            notice, "failed", stores, token=token, by=by, now=now, problem=str(error.data["problem"])
        )
        raise
    except BaseException as error:  # after an interruption, too, the result is unknown
        problem = str(error.data["problem"]) if isinstance(error, MailUncertain) else type(error).__name__
        _record_not_sent(notice, "uncertain", stores, token=token, by=by, now=now, problem=problem)
        raise
    due = now + timedelta(days=settings.reply_days)
    stores.notices.advance(
        notice,
        "sent",
        {"sent": now, "receipt": receipt, "problem": "", "reply_due": due},
        since=("sending", "uncertain"),  # another process may have marked it as uncertain
        only=token,
    )
    return record_sent(stores.notices.get(notice.name), stores)


def _record_not_sent(
    notice: Notice,
    state: NoticeState,
    stores: Stores,
    *,
    token: str,
    by: str,
    now: datetime,
    problem: str,
) -> None:
    """Record that a notice was not sent, or that this is unknown."""
    since: tuple[NoticeState, ...] = ("sending", "uncertain")
    if stores.notices.advance(notice, state, {"problem": problem}, since=since, only=token):
        kind: EventKind = "notice-failed" if state == "failed" else "notice-uncertain"
        record_event(notice, kind, stores, at=now, by=by, reason=problem, key=token)


def settle_interrupted(stores: Stores, *, now: datetime) -> int:
    """Mark notices of ended processes as uncertain, and record sent notices in their cases.

    Returns:
        The number of notices that became uncertain.
    """
    interrupted = stores.notices.interrupted_sends(now)
    problem = N_("the process that sent it ended")
    for notice in interrupted:
        _record_not_sent(
            notice, "uncertain", stores, token=notice.token, by=notice.sent_by, now=now, problem=problem
        )
    for notice in stores.notices.unreported():
        record_sent(notice, stores)
    return len(interrupted)


def resolve(
    notice: Notice,
    resolution: Resolution,
    stores: Stores,
    settings: NoticeSettings,
    *,
    by: str,
    reason: str,
    now: datetime,
) -> Notice:
    """Record the result of an uncertain notice, or of one that was delivered by other means.

    Args:
        notice: the notice as it was read.
        resolution: ``sent``: it was sent, also by post; ``not-sent``: an uncertain one was not sent and may
            be sent again; ``withdrawn``: it shall not be sent.
        stores: the database.
        settings: when a reply is due.
        by: the user who decides.
        reason: how the user knows.
        now: the time.

    Raises:
        CannotResolve: its state does not allow it.
        DraftNotSent: drafts are not sent.
        NotConfirmed: the state of the case does not allow a notice.
    """
    record_made(notice, stores)
    if resolution == "sent":
        if notice.is_draft:
            raise DraftNotSent(name=notice.name)
        if notice.state != "uncertain" and notice.kind != "counsel":
            _require_confirmed_case(notice, stores)
        due = now + timedelta(days=settings.reply_days)
        sent = notice.sending if notice.state == "uncertain" and notice.sending else now
        fields = {"sent": sent, "reply_due": due, "sent_by": by, "because": reason}
        resolved = stores.notices.advance(notice, "sent", fields, since=("uncertain", "made", "failed"))
    elif resolution == "not-sent":
        resolved = stores.notices.advance(notice, "failed", {"because": reason}, since=["uncertain"])
    else:
        resolved = stores.notices.advance(notice, "withdrawn", {"because": reason}, since=("made", "failed"))
    current = stores.notices.get(notice.name)
    if not resolved:
        state = label(NOTICE_STATES, current.state)
        raise CannotResolve(name=current.name, state=state, resolution=resolution)
    if resolution == "sent":
        return record_sent(current, stores)
    kind: EventKind = "notice-failed" if resolution == "not-sent" else "notice-withdrawn"
    record_event(current, kind, stores, at=now, by=by, reason=reason, key=f"{resolution}:{notice.token}")
    return current


def _require_confirmed_case(notice: Notice, stores: Stores) -> None:
    """Check that at least one case allows a notice that was sent by other means; the others stay as they are.

    Raises:
        NotConfirmed: no case allows it.
    """
    states = [state_of(notice_case, stores) for notice_case in notice.cases]
    if not any("notified" in MOVES[state] for state in states):
        raise NotConfirmed(name=notice.cases[0].name, state=label(CASE_STATES, states[0]))
