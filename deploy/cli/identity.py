"""The identity of the user: the given name or else the login name, with the role from the settings."""

import getpass
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from analysis.accounts.permissions import Identity, local_identity
from analysis.words.i18n import gettext as _
from deploy.cli.session import session
from storage.settings import Settings
from tracker.runtime import Runtime

As = Annotated[
    str,
    typer.Option("--as", metavar="NAME", help=_("Name to record for this action; default: the login name.")),
]


@contextmanager
def user_session(by: str = "", *, worker: bool = False) -> Iterator[tuple[Identity, Runtime]]:
    """Open the stores for the user of the terminal; the arguments are those of the two functions it calls."""
    with session(worker=worker) as runtime:
        yield terminal_identity(runtime.settings, by), runtime


def terminal_identity(settings: Settings, by: str = "") -> Identity:
    """Return the identity of the user at this terminal, with the permissions of ``analysis.terminal_role``.

    Args:
        settings: of the installation.
        by: the name that was given with ``--as``; empty: the login name.
    """
    return local_identity(actor(by), settings.analysis.terminal_role)


def actor(name: str) -> str:
    """Return the user's name: ``name``, or else the login name, or else the number of the user."""
    try:
        return name.strip() or getpass.getuser()
    except (OSError, KeyError):  # the user of a container may have no name
        return f"uid {os.getuid()}"
