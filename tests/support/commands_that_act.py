"""What each command of the command line does, for the test that reads the audit log after it.

Every module of ``support.terminal_acts`` describes the commands of one noun: ``ACTS`` are the commands that
change something, each with arguments that make it do so; ``READS`` are those that only read.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import pytest
from support import terminal_acts
from typer.main import get_command

from deploy.cli.app import application
from storage.collections.stores import Stores
from storage.settings import Settings

# Nouns whose commands nobody has described yet. The list shrinks.
NOT_DESCRIBED = frozenset(
    {
        "check", "compare", "dedupe", "demo", "doctor", "extract", "measure", "profile", "serve", "up",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class World:
    """What a command finds: works, matches and cases of :mod:`support.two_holders`.

    Attributes:
        stores: the database.
        settings: of the test.
        folder: where the command runs.
        environment: of the command; a preparation may add to it.
        patch: replaces functions until the test ends.
    """

    stores: Stores
    settings: Settings
    folder: Path
    environment: dict[str, str]
    patch: pytest.MonkeyPatch


def nothing(world: World) -> None:
    """Prepare nothing."""


@dataclass(frozen=True, slots=True)
class Act:
    """A command that changes something.

    Attributes:
        command: as it is typed: ``case confirm``.
        arguments: what follows it; ``--as`` is added by the test.
        prepare: makes the world such that the command changes something; may return further arguments.
        stdin: what is piped or typed.
        status: the exit status of success.
        is_terminal: somebody sits at a terminal.
        environment: further variables.
        name_option: says who does it.
    """

    command: str
    arguments: tuple[object, ...] = ()
    prepare: Callable[[World], object] = nothing
    stdin: str = ""
    status: int = 0
    is_terminal: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    name_option: str = "--as"

    @property
    def words(self) -> list[str]:
        """The words of the command."""
        return self.command.split()


def described() -> Iterator[ModuleType]:
    """Yield the modules that describe commands."""
    for module in iter_modules(terminal_acts.__path__):
        yield import_module(f"support.terminal_acts.{module.name}")


def all_acts() -> list[Act]:
    """Return every act that is described."""
    return [act for module in described() for act in module.ACTS]


def all_reads() -> list[str]:
    """Return every command that is described as one that only reads."""
    return [command for module in described() for command in module.READS]


def all_commands() -> set[str]:
    """Return every command of the application, as it is typed."""
    return set(_commands_of(get_command(application()), ()))


def _commands_of(command: Any, words: tuple[str, ...]) -> Iterator[str]:
    below = getattr(command, "commands", None)
    if below is None:
        yield " ".join(words)
        return
    for name, own in below.items():
        yield from _commands_of(own, (*words, name))
