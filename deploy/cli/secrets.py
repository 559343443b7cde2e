"""Secrets that people type. They are never arguments, because every process of a machine can read these."""

import getpass
import sys

from analysis.accounts.passwords import PasswordsDiffer
from analysis.words.i18n import gettext as _
from deploy.cli.console import can_ask
from system.errors import PindnaError

_MAX_CHARS = 10_000


class NoTerminal(PindnaError):
    """A person must answer at a terminal, but there is no terminal."""

    template = "Run this at a terminal: it shows a secret and asks for an answer."


class NoPassword(PindnaError):
    """The input contained no password."""

    template = "No password was given. Type one, or pipe it into the command as one line."


class NoSecret(PindnaError):
    """The input contained no secret."""

    template = "No secret was given. Type it, or pipe it into the command as one line."


def typed_secret() -> str:
    """Ask for a secret without showing it; a script writes it to standard input as one line.

    Raises:
        NoSecret: there is none.
    """
    secret = getpass.getpass(_("Secret:") + " ") if can_ask() else sys.stdin.readline(_MAX_CHARS)
    if not secret.strip():
        raise NoSecret
    return secret.strip()


def new_password() -> str:
    """Ask twice for a new password without showing it; a script writes it to standard input as one line.

    Raises:
        PasswordsDiffer, NoPassword: there is none to be taken.
    """
    if not can_ask():
        password = sys.stdin.readline(_MAX_CHARS).rstrip("\r\n")
    else:
        password = getpass.getpass(_("New password:") + " ")
        if password != getpass.getpass(_("Repeat the password:") + " "):
            raise PasswordsDiffer
    if not password:
        raise NoPassword
    return password
