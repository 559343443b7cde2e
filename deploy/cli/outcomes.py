"""The outcomes of a command's inputs, and the exit status that follows from them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import typer

from deploy.cli.console import print_error, print_result
from storage.records import TAKEN, Verdict
from storage.settings import TrackerSettings
from system.bugs import record_bug
from system.errors import PindnaError
from system.exit_status import ExitStatus

# Verdicts that make a command end with FOUND: docs/decisions/0046-exit-statuses.md.
FOUND_VERDICTS = TAKEN
_FATAL = (ExitStatus.BUG, ExitStatus.DOWN)


def found_verdicts(settings: TrackerSettings) -> tuple[Verdict, ...]:
    """Return the verdicts that make ``check`` and ``scan`` end with FOUND under these settings."""
    return (*FOUND_VERDICTS, "reworded") if settings.reworded_is_found else FOUND_VERDICTS


@dataclass(slots=True)
class Tally:
    """Counts the outcomes of the inputs; every input counts towards the status.

    Attributes:
        used: inputs that were processed.
        missing: inputs, or parts of them, that could not be used or were not (fully) compared.
        has_found: whether the command found what it looks for.
        fatal: the gravest error that no input caused: a bug, or a service that is down.
    """

    used: int = 0
    missing: int = 0
    has_found: bool = False
    fatal: PindnaError | None = None

    def note(self, error: PindnaError) -> None:
        """Count an input that was skipped, and keep its error if it is fatal."""
        self.missing += 1
        if error.exit_status in _FATAL and (self.fatal is None or error.exit_status > self.fatal.exit_status):
            self.fatal = error

    @property
    def status(self) -> ExitStatus:
        """The exit status: a fatal error comes before findings, and findings come before skipped inputs."""
        if self.fatal is not None:
            return self.fatal.exit_status
        if self.has_found:
            return ExitStatus.FOUND
        if self.missing:
            return ExitStatus.PARTLY if self.used else ExitStatus.UNUSABLE
        return ExitStatus.DONE

    def end(self) -> None:
        """End the command with the status, unless every input succeeded.

        Raises:
            typer.Exit: with the status.
        """
        if self.status:
            raise typer.Exit(self.status)

    @property
    def is_down(self) -> bool:
        """Return whether a service is down, so that further inputs need not be tried."""
        return self.fatal is not None and self.fatal.exit_status == ExitStatus.DOWN


def as_error(error: Exception) -> PindnaError:
    """Return the exception if it is a PindnaError; otherwise return an error that reports a bug."""
    return error if isinstance(error, PindnaError) else record_bug(error)


def for_each(names: Iterable[str], do: Callable[[str], str | None]) -> Tally:
    """Call a function for each name and print its result, if any; an unusable name is reported.

    Args:
        names: as the user wrote them.
        do: raises a user's mistake as an error of status 2, after which the other names follow.

    Raises:
        PindnaError: a service is down.
    """
    tally = Tally()
    for name in names:
        try:
            line = do(name)
        except PindnaError as error:
            if error.exit_status != ExitStatus.UNUSABLE:
                raise
            print_error(error)
            tally.note(error)
        else:
            if line is not None:
                print_result(line)
            tally.used += 1
    return tally
