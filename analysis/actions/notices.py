"""Notices that are made, sent, and accounted for."""

from pathlib import Path

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from analysis.notices.gathering import NoticeRequest
from analysis.notices.making import MadeNotice, NoticePreview, make_notice, preview_notice
from analysis.notices.replies import answer as answer_notice
from analysis.notices.sending import Resolution, ready_mail, send_notice, settle_interrupted
from analysis.notices.sending import resolve as resolve_notice
from analysis.queries.cases import get_case
from analysis.queries.notices import get_notice
from storage.records import Notice, Outcome, utc_now
from system.errors import PindnaError
from tracker.runtime import Runtime


class NotConfirmedByName(PindnaError):
    """A notice is to be sent, and its name was not confirmed. Data: ``name``."""

    template = "To send this notice, confirm its name: {name}."


def preview(identity: Identity, runtime: Runtime, case: str, request: NoticeRequest) -> NoticePreview:
    """Return a notice as it would be, with what is missing marked; nothing is stored.

    Raises:
        NotPermitted: notices are not this one's to make.
        UnknownId: there is no such case, or not for this one.
        NoHolder, TooManyAddresses, BadTemplate: it cannot be made so.
    """
    identity.require("notices:make")
    return preview_notice(get_case(identity, runtime.stores, case), request, runtime, now=utc_now())


def make(
    identity: Identity,
    runtime: Runtime,
    case: str,
    request: NoticeRequest,
    *,
    is_draft: bool = False,
    evidence: Path | None = None,
) -> MadeNotice:
    """Make a notice about a case, with the evidence that goes with it; it is not sent.

    Args:
        identity: makes it.
        runtime: the open services.
        case: its name.
        request: what to write, and to whom.
        is_draft: missing facts are marked instead of refused.
        evidence: a package that exists already; None: one is made.

    Raises:
        NotPermitted, UnknownId: see :func:`preview`.
        FactsMissing …: see :func:`analysis.notices.making.make_notice`.
    """
    identity.require("notices:make")
    about = get_case(identity, runtime.stores, case)
    made = make_notice(
        about, request, runtime, by=identity.name, now=utc_now(), is_draft=is_draft, evidence=evidence
    )
    after = {"case": about.name, "kind": made.notice.kind, "draft": made.notice.is_draft}
    note_act(identity, runtime, "make", f"notice {made.notice.name}", after=after)
    return made


def ready(identity: Identity, runtime: Runtime, name: str) -> Notice:
    """Return a notice that can be sent once a person confirms it.

    Raises:
        NotPermitted: notices are not this one's to send.
        UnknownId: there is no such notice, or not for this one.
        SendingOff, CannotSend …: what prevents it, see :func:`analysis.notices.sending.ready_mail`.
    """
    identity.require("notices:send")
    stores = runtime.stores
    settle_interrupted(stores, now=utc_now())
    notice = get_notice(identity, stores, name)
    ready_mail(notice, stores, runtime.settings.analysis.notices)
    return notice


def send(identity: Identity, runtime: Runtime, name: str, *, confirm: str) -> Notice:
    """Send a notice, at most once.

    Args:
        identity: confirms it.
        runtime: the open services.
        name: of the notice.
        confirm: the name once more: nothing goes out by a slip.

    Raises:
        NotPermitted: notices are not this one's to send.
        UnknownId: there is no such notice, or not for this one.
        NotConfirmedByName: it was not named once more.
        SendingOff, CannotSend, MailNotSent, MailUncertain …: see :mod:`analysis.notices.sending`.
    """
    identity.require("notices:send")
    stores, rules, now = runtime.stores, runtime.settings.analysis.notices, utc_now()
    settle_interrupted(stores, now=now)
    get_notice(identity, stores, name)
    notice = stores.notices.get(name)
    if confirm.strip().lower() != notice.name:
        raise NotConfirmedByName(name=notice.name)
    mail = ready_mail(notice, stores, rules)
    note_act(identity, runtime, "send", f"notice {notice.name}", before={"state": notice.state}, at=now)
    return send_notice(notice, mail, stores, rules, by=identity.name, now=now)


def resolve(
    identity: Identity, runtime: Runtime, name: str, resolution: Resolution, *, reason: str = ""
) -> Notice:
    """Say what became of a notice that is uncertain, or that went by other means.

    Raises:
        NotPermitted, UnknownId: see :func:`send`.
        CannotResolve, DraftNotSent, NotConfirmed: see :func:`analysis.notices.sending.resolve`.
    """
    identity.require("notices:send")
    settle_interrupted(runtime.stores, now=utc_now())
    get_notice(identity, runtime.stores, name)
    before = runtime.stores.notices.get(name)
    rules = runtime.settings.analysis.notices
    after = resolve_notice(
        before, resolution, runtime.stores, rules, by=identity.name, reason=reason, now=utc_now()
    )
    return _note_change(identity, runtime, "resolve", before, after)


def answer(identity: Identity, runtime: Runtime, name: str, outcome: Outcome, *, reason: str = "") -> Notice:
    """Note the reply to a notice; its case follows.

    Raises:
        NotPermitted, UnknownId: see :func:`send`.
        ServiceDown: MongoDB does not answer; see :func:`analysis.notices.replies.answer` for what else.
    """
    identity.require("notices:send")
    get_notice(identity, runtime.stores, name)
    before = runtime.stores.notices.get(name)
    after = answer_notice(before, outcome, runtime.stores, by=identity.name, reason=reason, at=utc_now())
    return _note_change(identity, runtime, "answer", before, after)


def _note_change(identity: Identity, runtime: Runtime, act: str, before: Notice, after: Notice) -> Notice:
    states = {"state": before.state}, {"state": after.state}
    note_act(identity, runtime, act, f"notice {before.name}", before=states[0], after=states[1])
    return after
