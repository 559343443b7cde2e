"""Checks of arguments before any server starts, so that a wrong path is reported at once."""

from collections.abc import Sequence
from pathlib import Path

import typer

from deploy.cli.console import print_error
from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.local_files import file_error


def problem_of(path: Path) -> PindnaError | None:
    """Return the error for a path that does not exist; None if it exists."""
    try:
        path.stat()
    except (OSError, ValueError) as error:
        return file_error(path, error if isinstance(error, OSError) else FileNotFoundError())
    return None


def require_one(paths: Sequence[Path]) -> None:
    """Check that at least one path exists; otherwise print the problem of each path.

    Raises:
        typer.Exit: none does.
    """
    problems = [problem_of(path) for path in paths]
    if None in problems:
        return
    for problem in filter(None, problems):
        print_error(problem)
    raise typer.Exit(ExitStatus.UNUSABLE)


def require(path: Path | None) -> None:
    """Check that a path exists, if a path was given.

    Raises:
        MissingFile, UnreadableFile: it does not.
    """
    problem = None if path is None else problem_of(path)
    if problem is not None:
        raise problem
