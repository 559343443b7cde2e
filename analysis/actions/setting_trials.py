"""Try settings in use: send a test mail, request a timestamp, ask a search engine for one sentence.

Addressees of alerts are tried in :mod:`analysis.actions.alerts`.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import make_msgid

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from analysis.actions.source_trials import try_source
from analysis.evidence.timestamps import AuthorityFailed, timestamps
from analysis.notices.mail import write_mail
from analysis.notices.smtp import deliver, require_server
from analysis.words.i18n import N_, Translator
from crawler.sources.probe import ProbeStep
from storage.records import utc_now
from system.errors import PindnaError
from tracker.runtime import Runtime

_PROOF = b"pindna: test of a timestamp authority"
_SUBJECT = N_("Test of the mail settings of pindna")
_TEXT = N_("This mail shows that pindna can send mail with the present settings. No action is needed.")


class NoAuthority(PindnaError):
    """The settings name no timestamp authority."""

    template = "No timestamp authority is configured. Add one, save, and try again."


class NoEngine(PindnaError):
    """A source does not ask a search engine.

    Attributes:
        name: the source.
    """

    template = "Source {name} does not ask a search engine. Choose a source that searches."


@dataclass(frozen=True, slots=True)
class AuthorityTrial:
    """The answer of a timestamp authority.

    Attributes:
        authority: its address.
        time: of the checked timestamp; None: there is none.
        problem: why there is none.
    """

    authority: str
    time: datetime | None = None
    problem: AuthorityFailed | None = None


def send_test_mail(identity: Identity, runtime: Runtime, to: str, texts: Translator) -> str:
    """Send a mail with the settings of notices, and return the reply of the mail server.

    Args:
        identity: the user or program.
        runtime: settings and stores.
        to: mail address that receives it; also the sender if the settings name none.
        texts: translations into the language of the mail.

    Raises:
        NotPermitted: the user may not change settings.
        NoMailServer, PasswordInClear, LoginNotAscii: the settings cannot be used.
        MissingSecret, BadAuthorities: the same.
        BadMailbox: an address is invalid.
        MailNotSent, MailUncertain: the server did not accept it.
    """
    identity.require("settings:write")
    settings = runtime.settings.analysis.notices
    require_server(settings)
    sender = settings.sender or to
    mail = write_mail(
        sender=("pindna", sender),
        to=("", to),
        subject=texts.gettext(_SUBJECT),
        text=texts.gettext(_TEXT),
        attachments=(),
        message_id=make_msgid(domain="pindna.invalid"),
        made=utc_now(),
    )
    record_action(identity, runtime, "try-mail", f"mail server {settings.smtp_host}", detail={"to": to})
    return deliver(mail, settings, sender=sender, to=to)


def request_test_timestamps(identity: Identity, runtime: Runtime) -> list[AuthorityTrial]:
    """Request a timestamp of a fixed text from each authority, check it, and store nothing.

    Raises:
        NotPermitted: the user may not change settings.
        NoAuthority: the settings name no authority.
    """
    identity.require("settings:write")
    settings = runtime.settings.analysis.evidence
    if not settings.authorities:
        raise NoAuthority
    record_action(identity, runtime, "try-authorities", "timestamp authorities")
    stamps, failed = timestamps(_PROOF, settings.authorities, timeout_s=settings.authority_timeout_s)
    good = [AuthorityTrial(stamp.authority, stamp.time) for stamp in stamps]
    return [*good, *(AuthorityTrial(str(error.data["authority"]), problem=error) for error in failed)]


def ask_engine(identity: Identity, runtime: Runtime, name: str) -> ProbeStep | None:
    """Ask the search engine of a stored source for one sentence of a work, and return its answer.

    Returns:
        The answer; None: no work has a sentence to search for.

    Raises:
        NotPermitted: the user may not change sources.
        UnknownRecord: there is no such source.
        NoEngine: it is not of the kind that searches, or reads a file of results.
        Busy, ProbeFailed: the trial cannot run.
    """
    identity.require("sources:write")
    source = runtime.stores.sources.get(name)
    if source.discovery is None or not source.discovery.engine:
        raise NoEngine(name=name)
    record_action(identity, runtime, "try-engine", f"source {name}")
    one_query = replace(source.discovery, sentences=1, queries=1, pages=1)
    steps = try_source(identity, runtime, replace(source, discovery=one_query))
    return next((step for step in steps if step.asked == "query"), None)
