"""What people do with notices: look at one before it is made, make, send, resolve and answer it.

Each act is told in the history of the notice's case and in the audit log. A notice is sent when whoever sends
it names it once more, and at most once, whoever asks and however often.
"""

from datetime import datetime

from analysis.accounts.audit import record
from analysis.accounts.permissions import Identity
from analysis.notices.gathering import Wanted
from analysis.notices.making import Made, Preview, make_notice, preview_notice
from analysis.notices.replies import answer
from analysis.notices.sending import Resolution, ready_mail, resolve, send_notice, settle_left
from analysis.notices.smtp import MailNotSent, MailUncertain
from analysis.queries.cases import get_case
from analysis.queries.scope import require_visible
from storage.errors import PindnaError
from storage.records import Notice, Outcome, utc_now
from tracker.runtime import Runtime


class NotNamed(PindnaError):
    """A notice was to be sent without being named once more. Data: ``name``."""

    template = "Nothing was sent: to send {name}, give its name once more."


def preview_of(who: Identity, runtime: Runtime, case_name: str, wanted: Wanted) -> Preview:
    """Return what a notice about a case would be; nothing is made.

    Raises:
        NotPermitted, UnknownId: it is not for this one.
        NoHolder, TooManyAddresses, BadTemplate: it cannot be made at all.
        ServiceDown: MongoDB does not answer.
    """
    who.require("notices:make")
    case, settings = get_case(who, runtime.stores, case_name), runtime.settings
    return preview_notice(
        case,
        wanted,
        runtime.stores,
        settings.analysis.notices,
        timezone=settings.tracker.timezone,
        now=utc_now(),
    )


def make(who: Identity, runtime: Runtime, case_name: str, wanted: Wanted, *, is_draft: bool = False) -> Made:
    """Make a notice about a case, with its evidence; this takes seconds, or minutes for hundreds of pages.

    Raises:
        NotPermitted, UnknownId: it is not for this one.
        FactsMissing, NoHolder …: see :func:`analysis.notices.making.make_notice`.
        ServiceDown: MongoDB does not answer.
    """
    who.require("notices:make")
    now, case = utc_now(), get_case(who, runtime.stores, case_name)
    made = make_notice(case, wanted, runtime, by=who.name, now=now, is_draft=is_draft)
    fields: dict[str, object] = {
        "state": made.notice.state,
        "kind": made.notice.kind,
        "case": case.name,
        "to": made.notice.addressee.name,
        "draft": is_draft,
    }
    _record(who, runtime, made.notice, {}, fields, at=now)
    return made


def send(who: Identity, runtime: Runtime, name: str, *, confirmed: str) -> Notice:
    """Send a notice, at most once; return it.

    Args:
        who: acts.
        runtime: the open services.
        name: of the notice.
        confirmed: its name once more, as whoever sends it gave it.

    Raises:
        NotPermitted, UnknownId: it is not for this one.
        NotNamed: it was not confirmed.
        SendingOff, DraftNotSent, CannotSend, NoMail, NotConfirmed …: see
            :func:`analysis.notices.sending.ready_mail`.
        MailNotSent: the server did not take it; it may be sent again.
        MailUncertain: nobody knows; a person has to say.
        ServiceDown: MongoDB does not answer.
    """
    who.require("notices:send")
    stores, rules, now = runtime.stores, runtime.settings.analysis.notices, utc_now()
    settle_left(stores, now=now)
    notice = _get(who, runtime, name)
    if confirmed.strip().lower() != notice.name:
        raise NotNamed(name=notice.name)
    mail = ready_mail(notice, stores, rules)
    try:
        sent = send_notice(notice, mail, stores, rules, by=who.name, now=now)
    except (MailNotSent, MailUncertain):
        _record_state(who, runtime, notice, at=now)
        raise
    _record_state(who, runtime, notice, at=now)
    return sent


def resolve_notice(
    who: Identity, runtime: Runtime, name: str, *, resolution: Resolution, because: str = ""
) -> Notice:
    """Say what became of a notice that is uncertain, went out by other means, or shall not go out.

    Raises:
        NotPermitted, UnknownId: it is not for this one.
        CannotResolve, DraftNotSent, NotConfirmed: see :func:`analysis.notices.sending.resolve`.
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """
    who.require("notices:send")
    stores, rules, now = runtime.stores, runtime.settings.analysis.notices, utc_now()
    settle_left(stores, now=now)
    notice = _get(who, runtime, name)
    resolved = resolve(notice, resolution, stores, rules, by=who.name, because=because, now=now)
    _record_state(who, runtime, notice, at=now, because=because)
    return resolved


def answer_notice(
    who: Identity, runtime: Runtime, name: str, *, outcome: Outcome, because: str = ""
) -> Notice:
    """Note the reply to a notice; its case follows. Returns the notice.

    Raises:
        NotPermitted, UnknownId: it is not for this one.
        NothingToAnswer: it waits for no reply.
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """
    who.require("cases:write")
    now = utc_now()
    notice = _get(who, runtime, name)
    answered = answer(notice, outcome, runtime.stores, by=who.name, because=because, at=now)
    _record_state(who, runtime, notice, at=now, because=because)
    return answered


def _get(who: Identity, runtime: Runtime, name: str) -> Notice:
    """Return a notice as it is stored: :func:`analysis.queries.notices.get_notice` leaves out its token."""
    notice = runtime.stores.notices.get(name)
    require_visible(who, runtime.stores, notice.work_id, kind="notice", name=name)
    return notice


def _record_state(
    who: Identity, runtime: Runtime, before: Notice, *, at: datetime, because: str = ""
) -> None:
    """Tell the audit log the state of a notice before an act, and as it is stored now."""
    after = runtime.stores.notices.get(before.name)
    _record(who, runtime, before, {"state": before.state}, {"state": after.state}, at=at, because=because)


def _record(
    who: Identity,
    runtime: Runtime,
    notice: Notice,
    before: dict[str, object],
    after: dict[str, object],
    *,
    at: datetime,
    because: str = "",
) -> None:
    record(
        runtime.stores,
        "notice-changed",
        by=who.name,
        at=at,
        subject=f"notice {notice.name}",
        before=before,
        after=after,
        detail={"because": because.strip()} if because.strip() else {},
    )
