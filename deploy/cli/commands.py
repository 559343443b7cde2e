"""The commands of the command line by name: the module of each command, and its help text.

A group of commands is a table in its folder's ``__init__``. Only the modules of commands that the arguments
may mean are imported, because each module imports its libraries.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib import import_module

import typer

from analysis.words.i18n import gettext as _


@dataclass(frozen=True, slots=True)
class Command:
    """The module of a command or of a group of commands.

    Attributes:
        module: below the package of the table that lists it; empty: that package.
        help: marked for translation.
        name: of its function or table in the module; default: the word that is typed.
    """

    module: str
    help: str
    name: str = ""


Group = Mapping[str, Command]  # key: the word that users type


def add_commands(
    app: typer.Typer, commands: Group, arguments: Collection[str] | None, *, package: str = "deploy.cli"
) -> None:
    """Add commands to an application.

    Args:
        app: changed.
        commands: by name.
        arguments: as the user wrote them; the commands that they do not name get only their help. None
            loads all commands.
        package: that contains their modules.
    """
    for name, command in commands.items():
        if arguments is not None and name not in arguments:
            app.command(name, help=_(command.help))(_not_loaded)
            continue
        module = f"{package}.{command.module}".rstrip(".")
        loaded: Callable[..., object] | Group = getattr(
            import_module(module), command.name or name.replace("-", "_")
        )
        if isinstance(loaded, Mapping):
            group = typer.Typer(no_args_is_help=True)
            add_commands(group, loaded, arguments, package=module)
            app.add_typer(group, name=name, help=_(command.help))
        else:
            app.command(name, help=_(command.help))(loaded)


def _not_loaded() -> None:
    """Replace a command that the arguments do not name; it is never called."""
