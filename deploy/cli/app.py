"""Wiring of the command line, and its outermost boundary: one line for a user's mistake, no traceback."""

import errno
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from analysis.i18n import gettext as _
from deploy.cli import (
    check,
    compare,
    corpus,
    dedupe,
    demo,
    extract,
    index,
    licence,
    measure,
    page,
    profile,
    report,
    review,
    scan,
    services,
    site,
    source,
)
from deploy.cli.console import complain, errors, tolerate_any_text
from storage.errors import PindnaError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class OutputFull(PindnaError):
    """There is no room for what is printed or stored. Data: ``problem``."""

    template = "The output cannot be written ({problem}). Make room, then run the command again."
    exit_status = 3


app = typer.Typer(
    help=_("Find copies of protected Chinese texts on the web."),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
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


app.command("demo", help=_("Run the whole job on sample data."))(demo.demo)
app.command("up", help=_("Start the embedded services, a worker and the schedule."))(services.up)
app.command("doctor", help=_("Tell what is reachable, what is wrong and how to mend it."))(services.doctor)
app.add_typer(corpus.app, name="corpus", help=_("The protected works."))
app.add_typer(licence.app, name="licence", help=_("Which sites may publish which works, on what terms."))
app.add_typer(index.app, name="index", help=_("The fingerprint index."))
app.add_typer(source.app, name="source", help=_("What to crawl."))
app.add_typer(page.app, name="page", help=_("What is stored of one address."))
app.add_typer(site.app, name="site", help=_("What is known of the sites."))
app.command("crawl", help=_("Crawl one source and compare its pages."))(scan.crawl)
app.command("extract", help=_("Show what extraction sees in a page."))(extract.extract)
app.command("scan", help=_("Crawl every enabled source and compare what is new: the daily job."))(scan.scan)
app.command("check", help=_("Compare texts with the protected works now."))(check.check)
app.add_typer(profile.app, name="profile", help=_("The thresholds of verdicts, and trying others."))
app.add_typer(review.app, name="review", help=_("What analysts say of matches."))
app.command("dismiss", help=_("Say that matches do not infringe; their stretches never come back as new."))(
    review.dismiss
)
app.add_typer(review.dismissals_app, name="dismissals", help=_("What was dismissed."))
app.command("compare", help=_("Compare two texts by every method."))(compare.compare)
app.command("dedupe", help=_("Find groups of near-duplicates among many texts."))(dedupe.dedupe)
app.add_typer(measure.app, name="measure", help=_("Learn what the methods need to know from your own texts."))
app.command("report", help=_("Write a report of what was found."))(report.report)


def main() -> None:
    """Run the command line and exit with its status.

    0 ok; 1 ``check`` found a copy; 2 wrong usage or input; 3 a service is down; 130 interrupted.
    """
    tolerate_any_text()
    try:
        app()
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
