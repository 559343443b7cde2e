"""Make notices, send them, and record their replies."""

from dataclasses import dataclass
from pathlib import Path

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from analysis.notices.form_files import FormFile, fill_form
from analysis.notices.forms import find_form
from analysis.notices.gathering import NoticeRequest
from analysis.notices.making import LetterOptions, MadeNotices, NoticePreview, make_notices, preview_notice
from analysis.notices.replies import answer as answer_notice
from analysis.notices.sending import Resolution, ready_mail, send_notice, settle_interrupted
from analysis.notices.sending import resolve as resolve_notice
from analysis.queries.notices import LetterScope, cases_of_letter, get_notice
from storage.records import Notice, Outcome, utc_now
from system.errors import PindnaError
from tracker.runtime import Runtime


class NotConfirmedByName(PindnaError):
    """The user did not confirm the name of the notice to send.

    Attributes:
        name: name of the notice.
    """

    template = "To send this notice, confirm its name: {name}."


def preview(
    identity: Identity, runtime: Runtime, scope: LetterScope, request: NoticeRequest
) -> NoticePreview:
    """Return the text of a notice with missing facts marked, without storing anything.

    Raises:
        NotPermitted: the user may not make notices.
        UnknownId: there is no such case, or the user may not see it.
        NoCasesChosen, NothingToList: there is nothing to write about.
        NoHolder, SeveralHolders, SeveralSites, BadTemplate: the notice cannot be made.
    """
    identity.require("notices:make")
    cases = cases_of_letter(identity, runtime.stores, scope, request)
    return preview_notice(cases, request, runtime, now=utc_now(), whole_site=bool(scope.site))


def make(
    identity: Identity,
    runtime: Runtime,
    scope: LetterScope,
    request: NoticeRequest,
    *,
    is_draft: bool = False,
    evidence: Path | None = None,
) -> MadeNotices:
    """Make a letter about cases of one holder on one site with its evidence package, without sending it.

    Args:
        identity: the user or program that makes it.
        runtime: the open services.
        scope: the cases, or the site.
        request: kind and recipient of the notice.
        is_draft: mark missing facts instead of refusing the notice.
        evidence: an existing package; None: make a package.

    Raises:
        NotPermitted, UnknownId, NoCasesChosen: see :func:`preview`.
        FactsMissing …: see :func:`analysis.notices.making.make_notices`.
    """
    identity.require("notices:make")
    cases = cases_of_letter(identity, runtime.stores, scope, request)
    options = LetterOptions(whole_site=bool(scope.site), is_draft=is_draft, evidence=evidence)
    made = make_notices(cases, request, runtime, by=identity.name, now=utc_now(), options=options)
    for notice in made.notices:
        after = {"case": " ".join(notice.case_names), "kind": notice.kind, "draft": notice.is_draft}
        record_action(identity, runtime, "make", f"notice {notice.name}", after=after)
    return made


@dataclass(frozen=True, slots=True)
class FilledForm:
    """The form of a platform, filled for a notice.

    Attributes:
        name: name of the form and of the notice, for a file or a folder.
        files: the sheet, and the lists of addresses.
    """

    name: str
    files: tuple[FormFile, ...]


def fill(identity: Identity, runtime: Runtime, name: str, form: str) -> FilledForm:
    """Fill the form of a platform for a notice.

    Args:
        identity: the user or program that fills it.
        runtime: the open services.
        name: name of the notice.
        form: name of the form; see :func:`analysis.queries.notices.forms_of`.

    Raises:
        NotPermitted: the user may not make notices.
        UnknownId: there is no such notice, or the user may not see it.
        UnknownForm, BadForm: the form does not exist, or a file of the user does not describe it.
        FormOfDraft, NotConfirmed, ClaimWithdrawn, HolderChanged: the notice does not fill a form.
    """
    identity.require("notices:make")
    settings = runtime.settings
    platform_form = find_form(form, settings.analysis.notices.forms)
    notice = get_notice(identity, runtime.stores, name)
    files = fill_form(notice, platform_form, runtime.stores, timezone=settings.tracker.timezone)
    record_action(identity, runtime, "form", f"notice {notice.name}", detail={"form": platform_form.name})
    return FilledForm(f"{platform_form.name}-{notice.name}", files)


def ready(identity: Identity, runtime: Runtime, name: str) -> Notice:
    """Return a notice, if it can be sent after a user confirms it.

    Raises:
        NotPermitted: the user may not send notices.
        UnknownId: there is no such notice, or the user may not see it.
        SendingOff, CannotSend …: it cannot be sent; see :func:`analysis.notices.sending.ready_mail`.
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
        identity: the user who confirms it.
        runtime: the open services.
        name: name of the notice.
        confirm: the name of the notice again, so that nothing is sent by mistake.

    Raises:
        NotPermitted: the user may not send notices.
        UnknownId: there is no such notice, or the user may not see it.
        NotConfirmedByName: ``confirm`` is not the name of the notice.
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
    record_action(identity, runtime, "send", f"notice {notice.name}", before={"state": notice.state}, at=now)
    return send_notice(notice, mail, stores, rules, by=identity.name, now=now)


def resolve(
    identity: Identity, runtime: Runtime, name: str, resolution: Resolution, *, reason: str = ""
) -> Notice:
    """Record whether an uncertain notice was sent, or that a notice was sent without pindna.

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
    return _record_change(identity, runtime, "resolve", before, after)


def answer(identity: Identity, runtime: Runtime, name: str, outcome: Outcome, *, reason: str = "") -> Notice:
    """Record the reply to a notice, and move its case.

    Raises:
        NotPermitted, UnknownId: see :func:`send`.
        ServiceDown: MongoDB does not answer. For further errors, see :func:`analysis.notices.replies.answer`.
    """
    identity.require("notices:send")
    get_notice(identity, runtime.stores, name)
    before = runtime.stores.notices.get(name)
    after = answer_notice(before, outcome, runtime.stores, by=identity.name, reason=reason, at=utc_now())
    return _record_change(identity, runtime, "answer", before, after)


def _record_change(identity: Identity, runtime: Runtime, act: str, before: Notice, after: Notice) -> Notice:
    states = {"state": before.state}, {"state": after.state}
    record_action(identity, runtime, act, f"notice {before.name}", before=states[0], after=states[1])
    return after
