"""Who does what a command does: the name that was given, else the login name."""

import getpass
import os
from typing import Annotated

import typer

from analysis.words.i18n import gettext as _

As = Annotated[str, typer.Option("--as", metavar="NAME", help=_("Who does it; default: the login name."))]


def actor(name: str) -> str:
    """Return who does it: ``name``, the login name where that is empty, the user's number without one."""
    try:
        return name.strip() or getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        return f"uid {os.getuid()}"
