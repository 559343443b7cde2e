"""The command line as a user types it, inside the process of the tests: no program has to start.

A command gets standard streams, an environment, a folder and caches of its own, and leaves nothing behind.
What only a program shows (its boundary, signals, a full or closed output) is tested with one; see
:mod:`support.processes`.
"""

import io
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from unittest import mock

from analysis.words import i18n
from deploy.cli import app, clock, console, inputs
from deploy.cli.console import _Warnings


class Stream(io.TextIOWrapper):
    """Standard input, output or error of a command, as a terminal or a pipe."""

    def __init__(self, data: bytes = b"", *, is_terminal: bool = False) -> None:
        buffer = io.BytesIO(data)
        super().__init__(buffer, encoding="utf-8", errors="backslashreplace", write_through=True)
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal

    def text(self) -> str:
        """Return what was written."""
        self.flush()
        return self.buffer.getvalue().decode("utf-8", "replace")


def run_command(
    *arguments: object,
    environment: Mapping[str, str],
    folder: Path,
    stdin: bytes = b"",
    status: int | None = 0,
    is_terminal: bool = False,
    program: Callable[[list[str]], int] = app.run_command,
) -> CompletedProcess[str]:
    """Run a command and return its exit status and its output.

    Args:
        arguments: what follows ``pindna``.
        environment: all that it sees of the environment.
        folder: where it runs.
        stdin: its standard input.
        status: the exit status that it must have; None for any.
        is_terminal: its input comes from a terminal, and its output goes to one.
        program: what is run with the arguments.
    """
    words = [str(argument) for argument in arguments]
    output, errors = Stream(is_terminal=is_terminal), Stream(is_terminal=is_terminal)
    with ExitStack() as stack:
        stack.enter_context(chdir(folder))
        stack.enter_context(mock.patch.dict(os.environ, environment, clear=True))
        for name, stream in (
            ("stdin", Stream(stdin, is_terminal=is_terminal)),
            ("stdout", output),
            ("stderr", errors),
        ):
            stack.enter_context(mock.patch.object(sys, name, stream))
        stack.enter_context(_fresh_process())
        done = CompletedProcess(words, program(words))
    done.stdout, done.stderr = output.text(), errors.text()
    assert status is None or done.returncode == status, (done.stdout, done.stderr)
    return done


def run_alone(folder: Path, *arguments: object, **options: Any) -> CompletedProcess[str]:
    """Run a command in a folder where no service could be found."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8"}
    return run_command(*arguments, environment=environment, folder=folder, **options)


@contextmanager
def _fresh_process() -> Iterator[None]:
    """Let nothing that a process keeps be older than the block, or outlive it."""
    i18n._from_settings.cache_clear()
    clock.own_zone.cache_clear()
    for terminal in (console._output, console._errors):
        terminal._width = None  # as wide as the environment of the command says
    root, warnings = logging.getLogger(), _Warnings(logging.WARNING)
    root.addHandler(warnings)
    try:
        yield
    finally:
        root.removeHandler(warnings)
        if inputs._reader.cache_info().currsize:
            inputs._reader().close()
            inputs._reader.cache_clear()
        i18n._from_settings.cache_clear()
        clock.own_zone.cache_clear()
