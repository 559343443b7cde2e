"""Who does what is typed: a name that is given, or the login name."""

import getpass
from typing import Annotated

import typer

from analysis.i18n import gettext as _

By = Annotated[str | None, typer.Option("--as", "--by", help=_("Who does so; not given: your login name."))]


def name_of(by: str | None) -> str:
    """Return who does what is typed, for the history.

    Args:
        by: the name that was given; None: the login name, empty where the system knows none.
    """
    if by is not None:
        return by.strip()
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a process without an account, as in some containers
        return ""
