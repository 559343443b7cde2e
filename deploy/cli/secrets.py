"""Secrets that people type: never an argument, which every process of the machine could read."""

import getpass
import sys

from analysis.accounts.passwords import PasswordsDiffer
from analysis.words.i18n import gettext as _
from deploy.cli.console import can_ask
from system.errors import PindnaError

_MAX_CHARS = 10_000


class NoTerminal(PindnaError):
    """A person must answer at a terminal, and there is none."""

    template = "Run this at a terminal: it shows a secret and asks for an answer."


class NoPassword(PindnaError):
    """No password was typed or piped."""

    template = "No password was given. Type one, or pipe it into the command as one line."


def new_password() -> str:
    """Ask twice for a new password without showing it; a script pipes it as one line.

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
