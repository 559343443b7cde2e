"""Send one mail to one mail server: it is accepted, certainly not accepted, or the result is unknown.

A server accepts a mail with its reply 250 to the end of the data (RFC 5321, 4.2.5 and 6.1). An error before
the data, and every refusal by the server, is certain. When the connection is lost after the data began, the
result is unknown: the lost part may be the server's reply.
"""

import base64
import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from storage.settings.results import LOOPBACK_NAMES, NoticeSettings
from system.errors import PindnaError, one_line
from system.exit_status import ExitStatus
from system.secrets import mask_secrets, secret_of

STEPS = 10  # the connection is cut after this many times ``timeout_s``
_MAX_REPLIES = 1024 * 1024  # maximum bytes of all replies over one connection
_DONE = 250
_TAKEN = range(200, 300)
_REFUSED = range(400, 600)


class MailNotSent(PindnaError):
    """The mail server certainly did not accept the mail.

    Attributes:
        server: name of the server.
        problem: its reply, or the error.
    """

    template = (
        "The mail was not sent. Answer of {server}: “{problem}”. Correct the cause, then send the "
        "notice again."
    )
    exit_status = ExitStatus.DOWN


class BadAuthorities(MailNotSent):
    """The file of certificates cannot be used.

    Attributes:
        path: the file.
        problem: what is wrong with it.
    """

    template = (
        "Cannot read the certificates in {path}: {problem}. Set analysis.notices.smtp_ca_file to "
        "a PEM file of certificates."
    )
    exit_status = ExitStatus.UNUSABLE


class MailUncertain(PindnaError):
    """The connection was lost while the mail was being sent.

    Attributes:
        server: name of the server.
        problem: the error.
    """

    template = (
        "It is unknown whether {server} accepted the mail ({problem}). Ask the recipient or check"
        " the mail server's log, then record the result."
    )
    exit_status = ExitStatus.DOWN


class PasswordInClear(PindnaError):
    """A password would cross a network unencrypted.

    Attributes:
        server: name of the server.
    """

    template = (
        "pindna does not send the password for {server} unencrypted. Set "
        "analysis.notices.smtp_security to tls."
    )


class LoginNotAscii(PindnaError):
    """User name or password contain characters that SMTP cannot send.

    Attributes:
        server: name of the server.
    """

    template = (
        "User name and password for {server} must consist of ASCII characters. Change them at the "
        "server and in the settings."
    )


class NoMailServer(PindnaError):
    """The settings name no mail server."""

    template = "No mail server is configured. Set analysis.notices.smtp_host."


def require_server(settings: NoticeSettings) -> None:
    """Check that the settings name a usable mail server.

    Raises:
        NoMailServer: they name none.
        PasswordInClear: they require a login without encryption on another machine.
        LoginNotAscii: user name or password are not ASCII.
        MissingSecret: the password is not in the environment.
        BadAuthorities: the file of certificates cannot be used.
    """
    if not settings.smtp_host:
        raise NoMailServer
    if settings.smtp_security != "none":
        _tls_context(settings)
    if settings.smtp_user:
        if settings.smtp_security == "none" and settings.smtp_host not in LOOPBACK_NAMES:
            raise PasswordInClear(server=settings.smtp_host)
        if not (settings.smtp_user + _password(settings)).isascii():
            raise LoginNotAscii(server=settings.smtp_host)


def _password(settings: NoticeSettings) -> str:
    where = "analysis.notices.smtp_password"
    reference = settings.smtp_password or "${PINDNA_SECRET_SMTP_PASSWORD}"
    return secret_of(reference, where=where)


def _secrets(settings: NoticeSettings) -> list[str]:
    """Return the password in every form that a login sends, because servers may repeat their input."""
    if not settings.smtp_user:
        return []
    password = _password(settings)
    plain = f"\0{settings.smtp_user}\0{password}"  # AUTH PLAIN, and AUTH LOGIN below
    return [password, *(base64.b64encode(form.encode()).decode() for form in (plain, password))]


def deliver(mail: bytes, settings: NoticeSettings, *, sender: str, to: str) -> str:
    """Send a mail to the mail server and return the reply with which the server accepted it.

    Args:
        mail: the result of :func:`analysis.notices.mail.write_mail`.
        settings: the server.
        sender: envelope sender.
        to: envelope recipient.

    Raises:
        MailNotSent: the server certainly did not accept it.
        MailUncertain: the connection was lost while sending.
    """
    server = f"{settings.smtp_host}:{settings.smtp_port}"
    deadline = time.monotonic() + STEPS * settings.timeout_s
    secrets = _secrets(settings)

    def problem_of(error: BaseException) -> str:
        return mask_secrets(one_line(_error_text(error)), secrets)

    begun = False
    try:
        with _connect(settings, deadline) as smtp:
            _require_success(smtp.mail(sender))
            _require_success(smtp.rcpt(to), also=(251,))
            # too late: another process may already mark the mail as uncertain
            if time.monotonic() > deadline:
                raise TimeoutError
            begun = True
            code, words = smtp.data(mail)
    except smtplib.SMTPDataError as error:  # the server refused the data before any was sent
        raise MailNotSent(server=server, problem=problem_of(error)) from error
    except (OSError, smtplib.SMTPException, ValueError) as error:
        kind = MailUncertain if begun else MailNotSent
        raise kind(server=server, problem=problem_of(error)) from error
    receipt = mask_secrets(one_line(f"{code} {_decode_reply(words)}"), secrets)
    if code in _TAKEN:
        return receipt
    raise (MailNotSent if code in _REFUSED else MailUncertain)(server=server, problem=receipt)


@contextmanager
def _connect(settings: NoticeSettings, deadline: float) -> Iterator[smtplib.SMTP]:
    """Open a connection and log in. The connection is cut at the deadline."""
    cutter = _Cutter(deadline)
    try:
        kind = _BoundedTlsConnection if settings.smtp_security == "tls" else _BoundedConnection
        smtp = kind(settings, cutter)
        try:
            smtp.ehlo_or_helo_if_needed()
            if settings.smtp_security == "starttls":
                _require_success(smtp.starttls(context=_tls_context(settings)), also=(220,))
                smtp.ehlo()
            if settings.smtp_user:
                smtp.login(settings.smtp_user, _password(settings))
            yield smtp
        finally:
            smtp.close()  # no QUIT, because its reply would not matter
    finally:
        cutter.end()


class _Cutter:
    """Cuts a connection at a deadline: every read and write then fails at once."""

    def __init__(self, deadline: float) -> None:
        self._end: socket.socket | None = None
        self._timer = threading.Timer(max(0.0, deadline - time.monotonic()), self._cut)
        self._timer.daemon = True
        self._timer.start()

    def watch(self, connected: socket.socket) -> None:
        """Register the socket before TLS wraps it."""
        self._end = connected.dup()

    def end(self) -> None:
        self._timer.cancel()
        if self._end is not None:
            self._end.close()

    def _cut(self) -> None:
        with suppress(OSError):
            if self._end is not None:
                self._end.shutdown(socket.SHUT_RDWR)


class _Replies:
    """The replies of a server, bounded in size."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._room = file, _MAX_REPLIES

    def readline(self, size: int) -> bytes:
        """Return the next line.

        Raises:
            OSError: the server sends too much.
        """
        line = self._file.readline(size)
        self._room -= len(line)
        if self._room < 0:
            raise OSError("it does not stop talking")
        return line

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class _BoundedConnection(smtplib.SMTP):
    """A connection whose greeting, TLS handshake and replies are bounded from the first byte."""

    def __init__(self, settings: NoticeSettings, cutter: _Cutter) -> None:
        self._cutter = cutter
        super().__init__(settings.smtp_host, settings.smtp_port, timeout=settings.timeout_s)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        connected: socket.socket = super()._get_socket(host, port, timeout)  # type: ignore[misc]
        self._cutter.watch(connected)
        return connected

    def getreply(self) -> tuple[int, bytes]:
        """Return the server's next reply."""
        if self.file is None and self.sock is not None:
            self.file = _Replies(self.sock.makefile("rb"))
        return super().getreply()


class _BoundedTlsConnection(smtplib.SMTP_SSL, _BoundedConnection):
    """A bounded connection over TLS."""

    def __init__(self, settings: NoticeSettings, cutter: _Cutter) -> None:
        self._cutter = cutter
        server, timeout = (settings.smtp_host, settings.smtp_port), settings.timeout_s
        smtplib.SMTP_SSL.__init__(self, *server, timeout=timeout, context=_tls_context(settings))


def _tls_context(settings: NoticeSettings) -> ssl.SSLContext:
    """Return the context that verifies the server's certificate.

    Raises:
        BadAuthorities: the file of certificates cannot be used.
    """
    try:
        context = ssl.create_default_context(cafile=settings.smtp_ca_file)
    except ssl.SSLError:
        raise BadAuthorities(path=settings.smtp_ca_file, problem="it contains no certificate") from None
    except OSError as error:
        raise BadAuthorities(path=settings.smtp_ca_file, problem=error.strerror) from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _require_success(reply: tuple[int, bytes], *, also: tuple[int, ...] = ()) -> None:
    """Check that the server replied with success.

    Raises:
        smtplib.SMTPResponseException: it did not.
    """
    code, words = reply
    if code not in (_DONE, *also):
        raise smtplib.SMTPResponseException(code, words)


def _error_text(error: BaseException) -> str:
    """Return the message of an error, with the server's reply if there is one."""
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{error.smtp_code} {_decode_reply(error.smtp_error)}"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return str(error) or type(error).__name__


def _decode_reply(words: bytes | str) -> str:
    return words.decode("utf-8", "replace") if isinstance(words, bytes) else words
