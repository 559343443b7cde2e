"""Questions before something is removed or replaced; a script gives the answers as options."""

from collections.abc import Mapping
from typing import Annotated

import typer

from analysis.words.i18n import gettext as _
from deploy.cli.console import ask, can_ask, print_progress, print_result
from system.errors import PindnaError

_YES = frozenset({"y", "yes", "是", "好", "对"})

Yes = Annotated[bool, typer.Option("--yes", "-y", help=_("Do not ask for confirmation."))]


class NotAsked(PindnaError):
    """There is no terminal for a question, and no option contains the answer. Data: ``options``."""

    template = "Nothing was done, because there is no terminal for a question. Answer it with {options}."


def is_confirmed(question: str, *, yes: bool) -> bool:
    """Ask whether to continue; return the answer.

    Args:
        question: one line; what it is about was printed before.
        yes: the user said so beforehand.

    Raises:
        NotAsked: there is no terminal.
    """
    if yes:
        return True
    if not can_ask():
        raise NotAsked(options="--yes")
    return ask(f"{question} [y/N]").strip().casefold() in _YES


def confirm_removal(question: str, *, yes: bool) -> None:
    """Ask whether to remove the printed items; the arguments are the same as for :func:`is_confirmed`.

    Raises:
        typer.Exit: the answer is no.
        NotAsked: there is no terminal.
    """
    if not is_confirmed(question, yes=yes):
        print_result(_("Nothing was removed."))
        raise typer.Exit


def choose(question: str, answers: Mapping[str, str], *, options: str) -> str:
    """Ask until the user types one of the answers; return its key, or an empty string for Enter.

    Args:
        question: one line.
        answers: what each key does; the keys are what is typed.
        options: what a script would have said.

    Raises:
        NotAsked: there is no terminal.
    """
    if not can_ask():
        raise NotAsked(options=options)
    for key, meaning in answers.items():
        print_progress(f"  {key}  {meaning}")
    while True:
        answer = ask(question).strip().casefold()
        if answer in answers or not answer:
            return answer
