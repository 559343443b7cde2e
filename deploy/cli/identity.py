"""Who does what a command does: the name that was given, else the login name, in the role of the settings."""

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
    """Open the stores for the user of the terminal; arguments as of both functions that it joins."""
    with session(worker=worker) as runtime:
        yield terminal_identity(runtime.settings, by), runtime


def terminal_identity(settings: Settings, by: str = "") -> Identity:
    """Return who asks at this terminal, and what the settings let them do (``analysis.terminal_role``).

    Args:
        settings: of the installation.
        by: the name that was given with ``--as``; empty: the login name.
    """
    return local_identity(actor(by), settings.analysis.terminal_role)


def actor(name: str) -> str:
    """Return who does it: ``name``, the login name where that is empty, the user's number without one."""
    try:
        return name.strip() or getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        return f"uid {os.getuid()}"
