"""The start of the command line. It prints a user's mistake as one line, without a traceback.

A command is imported only when the arguments name it (:mod:`deploy.cli.commands`). An import contract limits
what else this module may load.
"""

import errno
import gc
import os
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.main import get_command

from analysis.words.i18n import N_
from analysis.words.i18n import gettext as _
from deploy.cli.commands import Command, Group, add_commands
from deploy.cli.console import print_error, print_problem, print_progress, print_result, print_text, take_over
from deploy.cli.help import HelpfulGroup, with_help
from deploy.cli.usage import usage_line
from system.bugs import record_bug
from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.extras import missing_extra_error
from system.version import VERSION

_COMPLETION = "_PINDNA_COMPLETE"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class OutputFull(PindnaError):
    """The disk is full, so the output cannot be written. Data: ``problem``."""

    template = "The output cannot be written ({problem}). Make room, then run the command again."
    exit_status = ExitStatus.DOWN


class _CarriedError(Exception):
    """A wrapper that carries an exception past Typer, which would otherwise end with status 1."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


class _Commands(HelpfulGroup):
    """The group of all commands; it carries errors for a closed pipe and Ctrl-D past Typer."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command in the arguments, and wrap the exceptions that Typer would handle."""
        try:
            return super().invoke(ctx)
        except (BrokenPipeError, EOFError) as error:
            raise _CarriedError(error) from error


_COMMANDS: Group = {
    "demo": Command("demo.demo", N_("Run the complete workflow on sample data.")),
    "up": Command("services.services", N_("Start the embedded services, a worker and the schedule.")),
    "serve": Command("services.serve", N_("Serve the web console and the REST API.")),
    "doctor": Command(
        "services.services",
        N_("Check the installation: list problems, their solutions, and the parts that work."),
    ),
    "corpus": Command("corpus", N_("The protected works."), "CORPUS"),
    "licence": Command(
        "holder", N_("Licences: which sites may publish which works, and on what terms."), "LICENCE"
    ),
    "index": Command("index", N_("The fingerprint index."), "INDEX"),
    "source": Command("source", N_("Sources: the sites and addresses to crawl."), "SOURCE"),
    "page": Command("page", N_("Stored versions and evidence of an address."), "PAGE"),
    "site": Command("site", N_("Contacts and learnt data of sites."), "SITE"),
    "crawl": Command("scan.scan", N_("Crawl one source and compare its pages.")),
    "extract": Command("page.extract", N_("Show the text and the fields that are extracted from a page.")),
    "scan": Command("scan.scan", N_("Crawl every enabled source and compare what is new: the daily job.")),
    "check": Command("check.check", N_("Compare texts with the protected works, without storing anything.")),
    "profile": Command("review", N_("Show the thresholds of verdicts, and try others."), "PROFILE"),
    "review": Command("review", N_("Review matches."), "REVIEW"),
    "case": Command("case", N_("Cases: all matches of one work on one site."), "CASE"),
    "evidence": Command("evidence", N_("Sealed packages of evidence for matches."), "EVIDENCE"),
    "watch": Command("watch", N_("The takedown watch: are the copies of confirmed cases still up?"), "WATCH"),
    "holder": Command("holder", N_("Rights holders, and the proofs of their rights."), "HOLDER"),
    "notice": Command("notice", N_("Notices about cases, and their results."), "NOTICE"),
    "dismiss": Command(
        "review.review", N_("Dismiss matches as not infringing; their stretches are never new again.")
    ),
    "dismissals": Command("review", N_("Dismissed stretches."), "DISMISSALS"),
    "alert": Command("alert", N_("Alerts to people and programs: rules, tests, outbox."), "ALERT"),
    "settings": Command("settings", N_("Settings that are changed without a restart."), "SETTINGS"),
    "compare": Command("compare.compare", N_("Compare two texts by every method.")),
    "dedupe": Command("compare.dedupe", N_("Find groups of near-duplicates among many texts.")),
    "measure": Command(
        "compare", N_("Measure the frequencies that the methods use on your own texts."), "MEASURE"
    ),
    "person": Command("user", N_("Export or erase the data of a person on request."), "PERSON"),
    "user": Command("user", N_("Accounts of the console and the API."), "USER"),
    "token": Command("user", N_("Tokens with which programs use the API."), "TOKEN"),
    "backup": Command("backup", N_("Back up the database, and restore it."), "BACKUP"),
    "upgrade": Command("backup.upgrade", N_("Upgrade the database of an earlier version.")),
    "report": Command("report.report", N_("Write a report of the results.")),
}


def application(arguments: Collection[str] | None = None) -> typer.Typer:
    """Return the command line.

    Args:
        arguments: as the user wrote them; the commands that they do not name are there for help only. None
            means all commands, whole.
    """
    app = typer.Typer(
        cls=_Commands,
        help=_("Find copies of protected Chinese texts on the web."),
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(options)
    is_completing = _COMPLETION in os.environ  # the shell passes the typed words in the environment
    add_commands(app, _COMMANDS, None if is_completing else arguments)
    return with_help(app)


def show_version(is_requested: bool) -> None:  # noqa: FBT001 - as Typer calls it
    """Print the version and end the command, if the option was given."""
    if is_requested:
        print_result(f"pindna {VERSION}")
        raise typer.Exit


def options(
    *,
    data_dir: Annotated[
        Path | None, typer.Option(help=_("Data folder of the embedded services, for this command."))
    ] = None,
    version: Annotated[  # noqa: ARG001 - its callback acts on it
        bool, typer.Option("--version", callback=show_version, help=_("Show the version and exit."))
    ] = False,
) -> None:
    """Set the options of every command."""
    if data_dir is not None:
        os.environ["PINDNA_STORAGE__DATA_DIR"] = str(data_dir.expanduser().absolute())


def main() -> None:
    """Run the command line and exit with a status of :class:`~system.exit_status.ExitStatus`."""
    take_over()
    status = run_command(sys.argv[1:])
    if status == ExitStatus.READER_GONE:
        sys.stderr.close()  # the pipe has no reader, so a failed flush must not be reported
    try:
        sys.stdout.flush()
    except OSError:  # the error was reported; a flush at exit would fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def run_command(arguments: list[str]) -> int:
    """Run a command, print an error that stopped it in one line, and return the exit status.

    Args:
        arguments: as the user wrote them.
    """
    try:
        command = _loaded(arguments)
        status = command.main(arguments, prog_name="pindna", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        return _explain(error)
    except _CarriedError as carried:
        return _report(carried.error)
    except KeyboardInterrupt:
        status = ExitStatus.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the outermost boundary: anything else is a bug of pindna
        return _report(error)
    if status == ExitStatus.INTERRUPTED:
        print_progress(_("Interrupted. The stored results are kept; the next command continues with them."))
    return int(status or ExitStatus.DONE)


def _loaded(arguments: list[str]) -> Any:
    """Import the commands in the arguments and return the command line, without garbage collections."""
    gc.disable()
    try:
        return get_command(application(arguments))
    finally:
        gc.freeze()
        gc.enable()


def _report(error: Exception) -> ExitStatus:
    """Print why a command stopped: error, full disk, missing extra or bug; a closed pipe is silent."""
    if isinstance(error, BrokenPipeError):
        return ExitStatus.READER_GONE
    if isinstance(error, PindnaError):
        problem = error
    elif isinstance(error, OSError) and error.errno in _FULL:
        problem = OutputFull(problem=error.strerror)
    elif isinstance(error, ModuleNotFoundError) and (missing := missing_extra_error(error)):
        problem = missing
    else:
        problem = record_bug(error)
    print_error(problem)
    return problem.exit_status


def _explain(error: typer.TyperException) -> int:
    """Print what is wrong with the arguments and how to get help; without arguments, print the help."""
    context = getattr(error, "ctx", None)
    if context is not None and error.format_message() == context.get_help():
        print_text(error.format_message())
        return ExitStatus.UNUSABLE
    print_problem(usage_line(error))
    if context is not None:
        print_progress(_("`{command} --help` explains it.").format(command=context.command_path))
    return ExitStatus.UNUSABLE
