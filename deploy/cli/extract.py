"""``pindna extract``: what extraction sees in a page."""

from typing import Annotated

import typer

from analysis.i18n import gettext as _
from analysis.i18n import translator
from crawler.extraction import Extracted
from deploy.cli.console import complain, print_json_line, say
from deploy.cli.inputs import extracted, read_input
from storage.errors import PindnaError


def extract(
    inputs: Annotated[list[str], typer.Argument(metavar="PATH|URL…", help=_("Saved pages or addresses."))],
    *,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print one JSON object a line."))] = False,
) -> None:
    """Print the text and the fields of pages."""
    failed = False
    for name in inputs:
        try:
            page = extracted(read_input(name))
        except PindnaError as error:
            failed = True
            complain(error)
            if as_json:
                row = {"input": name, "error": translator().error(error)}
                print_json_line(row)
            continue
        _show(name, page, as_json=as_json)
    if failed:
        raise typer.Exit(2)


def _show(name: str, page: Extracted, *, as_json: bool) -> None:
    fields = page.as_dict()
    if as_json:
        print_json_line({"input": name, **fields})
        return
    say(f"== {name}")
    for field, value in fields.items():
        if field != "text":
            say(f"{field}: {value}")
    say("")
    say(page.text)
