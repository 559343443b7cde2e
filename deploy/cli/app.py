"""Wiring of the command line, and its outermost boundary: one line for a user's mistake, no traceback.

Only the modules of commands that the arguments may mean are imported, for each brings its libraries with it.
"""

import errno
import os
import sys
from collections.abc import Collection
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from analysis.i18n import N_
from analysis.i18n import gettext as _
from deploy.cli.console import complain, errors, tolerate_any_text
from storage.errors import PindnaError

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class OutputFull(PindnaError):
    """There is no room for what is printed or stored. Data: ``problem``."""

    template = "The output cannot be written ({problem}). Make room, then run the command again."
    exit_status = 3


class _Command(NamedTuple):
    """Where a command, or a group of commands, is, and what help says of it."""

    module: str
    name: str
    help: str


_COMMANDS: Final = {
    "demo": _Command("demo", "demo", N_("Run the whole job on sample data.")),
    "up": _Command("services", "up", N_("Start the embedded services, a worker and the schedule.")),
    "doctor": _Command("services", "doctor", N_("Tell what is reachable, what is wrong and how to mend it.")),
    "corpus": _Command("corpus", "app", N_("The protected works.")),
    "licence": _Command("licence", "app", N_("Which sites may publish which works, on what terms.")),
    "index": _Command("index", "app", N_("The fingerprint index.")),
    "source": _Command("source", "app", N_("What to crawl.")),
    "page": _Command("page", "app", N_("What is stored of one address.")),
    "site": _Command("site", "app", N_("What is known of the sites.")),
    "crawl": _Command("scan", "crawl", N_("Crawl one source and compare its pages.")),
    "extract": _Command("extract", "extract", N_("Show what extraction sees in a page.")),
    "scan": _Command(
        "scan", "scan", N_("Crawl every enabled source and compare what is new: the daily job.")
    ),
    "check": _Command("check", "check", N_("Compare texts with the protected works now.")),
    "profile": _Command("profile", "app", N_("The thresholds of verdicts, and trying others.")),
    "review": _Command("review", "app", N_("What analysts say of matches.")),
    "dismiss": _Command(
        "review", "dismiss", N_("Say that matches do not infringe; their stretches never come back as new.")
    ),
    "dismissals": _Command("review", "dismissals_app", N_("What was dismissed.")),
    "compare": _Command("compare", "compare", N_("Compare two texts by every method.")),
    "dedupe": _Command("dedupe", "dedupe", N_("Find groups of near-duplicates among many texts.")),
    "measure": _Command("measure", "app", N_("Learn what the methods need to know from your own texts.")),
    "report": _Command("report", "report", N_("Write a report of what was found.")),
}


def application(words: Collection[str] = ()) -> typer.Typer:
    """Return the command line.

    Args:
        words: the arguments; it has the commands that they name, or all if they name none.
    """
    app = typer.Typer(
        help=_("Find copies of protected Chinese texts on the web."),
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(options)
    for name in [each for each in _COMMANDS if each in words] or _COMMANDS:
        module, attribute, told = _COMMANDS[name]
        found = getattr(import_module(f"deploy.cli.{module}"), attribute)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name, help=_(told))
        else:
            app.command(name, help=_(told))(found)
    return app


def options(
    *,
    data_dir: Annotated[
        Path | None,
        typer.Option(help=_("Data folder of the embedded services, for this command.")),
    ] = None,
) -> None:
    """Set what concerns every command."""
    if data_dir is not None:
        os.environ["PINDNA_STORAGE__DATA_DIR"] = str(data_dir.expanduser().absolute())


def main() -> None:
    """Run the command line and exit with its status.

    0 ok; 1 ``check`` found a copy; 2 wrong usage or input; 3 a service is down; 130 interrupted.
    """
    tolerate_any_text()
    try:
        application(sys.argv[1:])()
    except PindnaError as error:
        complain(error)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        errors.print(_("Interrupted. What was stored is kept; the next command goes on with it."))
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; there is nobody to tell
        sys.exit(0)
    except OSError as error:
        if error.errno not in _FULL:
            raise
        complain(OutputFull(problem=error.strerror))
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is buffered fails again
        sys.exit(OutputFull.exit_status)
