"""``pindna source``: what to crawl."""

from dataclasses import replace
from typing import Annotated, Literal

import regex
import typer
from rich.table import Table

from analysis.i18n import gettext as _
from crawler.addresses import is_web
from crawler.links import matches
from deploy.cli.console import output, print_json_line, say
from deploy.cli.session import session
from storage.errors import PindnaError
from storage.records import Source

app = typer.Typer(no_args_is_help=True)


class BadSource(PindnaError):
    """A source's definition is wrong. Data: ``name``, ``problem``."""

    template = "Source {name}: {problem}. Correct the command."


@app.command("add", help=_("Add a source, or replace the one of that name."))
def add(
    name: Annotated[str, typer.Argument(help=_("A short name."))],
    urls: Annotated[list[str], typer.Argument(metavar="URL…", help=_("Section pages or a catalogue."))],
    *,
    kind: Annotated[Literal["news", "novel"], typer.Option(help=_("What kind of site it is."))] = "news",
    follow: Annotated[
        str, typer.Option(help=_("Regular expression of article or chapter URLs; guessed without it."))
    ] = "",
    max_pages: Annotated[int, typer.Option(min=1, help=_("Stop after so many pages."))] = 10_000,
    delay: Annotated[
        float | None, typer.Option(min=0, max=3600, help=_("Seconds between two requests."))
    ] = None,
    ignore_robots: Annotated[bool, typer.Option("--ignore-robots", help=_("Disregard robots.txt."))] = False,
) -> None:
    """Store a source."""
    _validate(name, urls, follow)
    new = Source(
        name=name,
        kind=kind,
        start_urls=tuple(urls),
        follow=follow,
        max_pages=max_pages,
        delay_s=delay,
        obey_robots=not ignore_robots,
    )
    with session() as runtime:
        runtime.stores.sources.save(new)
    say(_("Source {name} is stored; crawl it with `pindna crawl {name}`.").format(name=name))


def _validate(name: str, urls: list[str], follow: str) -> None:
    """Refuse what could never be crawled.

    Raises:
        BadSource: a URL is not http(s) or the expression is not one.
    """
    if not name.strip() or not name.isprintable():
        raise BadSource(name=repr(name), problem=_("a source needs a name"))
    for url in urls:
        if not is_web(url) or any(map(str.isspace, url)):
            raise BadSource(name=name, problem=_("{url} is not an http(s) address").format(url=url))
    try:
        for url in urls:
            matches(follow, f"{url}/{'a' * 40}/{'1' * 40}.html")
    except regex.error as error:
        raise BadSource(name=name, problem=_("--follow is not a regular expression")) from error
    except TimeoutError as error:
        raise BadSource(name=name, problem=_("--follow takes for ever on some addresses")) from error


@app.command("list", help=_("List the sources."))
def list_sources(*, as_json: Annotated[bool, typer.Option("--json", help=_("Print JSON."))] = False) -> None:
    """Print every source."""
    with session() as runtime:
        sources = runtime.stores.sources.all()
    if as_json:
        for each in sources:
            row = {
                "name": each.name,
                "kind": each.kind,
                "urls": list(each.start_urls),
                "enabled": each.enabled,
            }
            print_json_line(row)
        return
    table = Table(_("name"), _("kind"), _("addresses"), _("enabled"))
    for each in sources:
        table.add_row(each.name, each.kind, "\n".join(each.start_urls), _("yes") if each.enabled else _("no"))
    output.print(table)


@app.command("enable", help=_("Let scans crawl a source."))
def enable(name: str) -> None:
    """Enable a source."""
    _switch(name, enabled=True)


@app.command("disable", help=_("Let scans leave a source out."))
def disable(name: str) -> None:
    """Disable a source."""
    _switch(name, enabled=False)


@app.command("remove", help=_("Forget a source; its pages stay."))
def remove(name: str) -> None:
    """Forget a source."""
    with session() as runtime:
        runtime.stores.sources.get(name)
        runtime.stores.sources.delete(name)
    say(_("Source {name} is removed.").format(name=name))


def _switch(name: str, *, enabled: bool) -> None:
    with session() as runtime:
        runtime.stores.sources.save(replace(runtime.stores.sources.get(name), enabled=enabled))
    say((_("Source {name} is enabled.") if enabled else _("Source {name} is disabled.")).format(name=name))
