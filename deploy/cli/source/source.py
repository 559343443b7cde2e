"""``pindna source``: show and store sources, which define what to crawl."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.accounts.permissions import Identity
from analysis.actions.sources import save_source
from analysis.queries.sources import every_source
from analysis.words.i18n import gettext as _
from crawler.download.private_allowlist import REFUSED, refused_urls
from crawler.sources.definition import source_from, source_from_file
from deploy.cli.addresses import complete
from deploy.cli.console import print_problem, print_result
from deploy.cli.identity import As, user_session
from deploy.cli.options import with_options
from deploy.cli.source.source_replacing import is_same, may_replace
from storage.records import Source, SourceKind
from storage.settings import load_settings
from tracker.runtime import Runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionOptions:
    """The options that define a source without a file."""

    kind: Annotated[SourceKind, typer.Option(help=_("Kind of the source."))] = "news"
    follow: Annotated[
        str, typer.Option(help=_("Regular expression of article or chapter URLs; default: detected."))
    ] = ""
    max_pages: Annotated[int, typer.Option(min=1, help=_("Stop after this number of pages."))] = 10_000
    delay: Annotated[float | None, typer.Option(min=0, max=3600, help=_("Seconds between two requests."))] = (
        None
    )
    hours: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOURS", help=_("Crawl only in these hours, in the time zone of the source; repeatable.")
        ),
    ] = None
    ignore_robots: Annotated[
        str, typer.Option(metavar="REASON", help=_("Disregard robots.txt, for this reason."))
    ] = ""
    render: Annotated[
        bool | None,
        typer.Option(
            "--render/--no-render",
            help=_("Render all pages in a browser, or none; default: the pages that need a browser."),
            show_default=False,
        ),
    ] = None
    screenshot: Annotated[
        bool, typer.Option("--screenshot", help=_("Keep a picture of each text; needs --render."))
    ] = False

    def source(self, name: str, urls: Iterable[str]) -> Source:
        """Return a source with this name, these addresses and the options.

        Raises:
            BadSource: something of it is wrong.
        """
        values: dict[str, Any] = {
            "name": name,
            "kind": self.kind,
            "urls": tuple(map(complete, urls)),
            "follow": self.follow,
            "limits": {"pages": self.max_pages},
            "pace": {"delay_s": self.delay, "hours": tuple(self.hours or ())},
            "robots": {"obey": not self.ignore_robots, "reason": self.ignore_robots},
            "render": "auto" if self.render is None else self.render,
            "screenshot": self.screenshot,
        }
        return source_from(values, where=_("Source {name}").format(name=name))


@with_options
def add(
    name: Annotated[
        str, typer.Argument(metavar="NAME|FILE.toml", help=_("Short name of the source, or a source file."))
    ],
    urls: Annotated[
        list[str] | None,
        typer.Argument(metavar="URL…", help=_("Start addresses: section pages or a catalogue.")),
    ] = None,
    *,
    options: DefinitionOptions,
    replacing: Annotated[
        bool,
        typer.Option("--replace", "--yes", "-y", help=_("Replace the source of that name without asking.")),
    ] = False,
    by: As = "",
) -> None:
    is_file = name.endswith(".toml") and not urls
    new = source_from_file(Path(name)) if is_file else options.source(name, urls or ())
    with user_session(by) as (identity, runtime):
        print_result(_store(identity, runtime, new, replacing=replacing, keeps_switch=not is_file))
    for url in refused_urls(new, load_settings().crawler.allow_inner):
        print_problem(_(REFUSED).format(url=url))


def _store(identity: Identity, runtime: Runtime, new: Source, *, replacing: bool, keeps_switch: bool) -> str:
    """Store a source, if it may replace a source with the same name; return the line to print.

    Args:
        identity: stores it.
        runtime: the stores.
        new: the source.
        replacing: do not ask.
        keeps_switch: it is enabled if the one of its name is.
    """
    views = every_source(identity, runtime.stores, runtime.settings.tracker)
    old = next((view.source for view in views if view.source.name == new.name), None)
    if old is not None:
        new = replace(new, enabled=old.enabled) if keeps_switch else new
        if is_same(new, old):
            return _("Source {name} already has this definition; nothing was changed.").format(name=new.name)
        if not (replacing or may_replace(old, new)):
            return _("Nothing was changed.")
    save_source(identity, runtime, new, previous=old)
    return _("Source {name} is stored; crawl it with `pindna crawl {name}`.").format(name=new.name)
