"""``pindna source``: what to crawl."""

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.accounts.permissions import Identity
from analysis.actions.sources import remove_source, save_source, switch_source
from analysis.queries.sources import every_source, get_source
from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from analysis.words.labels import ENTRY_KINDS, PAGE_KINDS, SOURCE_KINDS, reason_word, word
from crawler.download.private_allowlist import REFUSED, refused_urls
from crawler.sources.definition import BadSource, source_from, source_from_file
from crawler.sources.probe import ProbeStep, probe
from deploy.cli.addresses import complete
from deploy.cli.asking import Yes, confirm_removal
from deploy.cli.console import print_json_line, print_problem, print_progress, print_result
from deploy.cli.identity import As, terminal_identity, user_session
from deploy.cli.options import AsJsonLines, with_options
from deploy.cli.outcomes import Tally
from deploy.cli.session import session
from deploy.cli.source.source_replacing import is_same, may_replace
from storage.records import Source, SourceKind
from storage.settings import load_settings
from tracker.runtime import Runtime

Name = Annotated[str, typer.Argument(metavar="NAME", help=_("Name of a stored source."))]


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionOptions:
    """The options that define a source which no file defines."""

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
            metavar="HOURS",
            help=_("Crawl only in these hours, in the time zone of the source; repeatable."),
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
        """Return the source of that name and these addresses.

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
    """Store a source."""
    is_file = name.endswith(".toml") and not urls
    new = source_from_file(Path(name)) if is_file else options.source(name, urls or ())
    with user_session(by) as (identity, runtime):
        print_result(_store(identity, runtime, new, replacing=replacing, keeps_switch=not is_file))
    for url in refused_urls(new, load_settings().crawler.allow_inner):
        print_problem(_(REFUSED).format(url=url))


def _store(identity: Identity, runtime: Runtime, new: Source, *, replacing: bool, keeps_switch: bool) -> str:
    """Store a source if it may replace the one of its name; return the line to print.

    Args:
        identity: stores it.
        runtime: the stores.
        new: the source.
        replacing: do not ask.
        keeps_switch: it is enabled if the one of its name is.

    Raises:
        SourceThere: there is no terminal to ask at.
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


def try_source(
    name: Annotated[
        str, typer.Argument(metavar="NAME|FILE.toml", help=_("Name of a stored source, or a source file."))
    ],
    *,
    pages: Annotated[int, typer.Option(min=1, max=50, help=_("Maximum number of texts to fetch."))] = 3,
    as_json: AsJsonLines = False,
) -> None:
    """Try a source: status 2 when no text was read, 4 when something that was asked for was not."""
    from_file = source_from_file(Path(name)) if name.endswith(".toml") else None
    needs_services = from_file is None or from_file.kind == "discovery"
    tally = Tally()
    with session() if needs_services else nullcontext() as runtime:
        source = from_file or _stored(runtime, name)
        if not as_json:
            _show_rules(source)
        for step in probe(source, texts=pages):
            tally.used += bool(step.characters and not step.reason)
            tally.missing += bool(step.reason)
            if as_json:
                print_json_line({name: value for name, value in asdict(step).items() if name != "page"})
            else:
                _show_step(step)
    if not tally.used:
        tally.missing += 1  # a source that leads to no text is of no use
        if not as_json:
            print_result(_("No text was read."))
    tally.end()


def _stored(runtime: Runtime | None, name: str) -> Source:
    if runtime is None:
        raise BadSource(where=name, problem=_("there is no such source"))
    return get_source(
        terminal_identity(runtime.settings), runtime.stores, runtime.settings.tracker, name
    ).source


def _show_rules(source: Source) -> None:
    disregarded = _("disregarded: {reason}").format(reason=source.robots_reason)
    robots = _("obeyed") if source.obey_robots else disregarded
    print_result(
        _("Source {name}, {kind}; robots.txt is {robots}.").format(
            name=source.name, kind=word(translator(), SOURCE_KINDS, source.kind), robots=robots
        )
    )


def _show_step(step: ProbeStep) -> None:
    mark = " " + _("(rendered)") if step.rendered else ""
    print_result(f"{word(translator(), ENTRY_KINDS, step.asked)} {step.url}{mark}")
    if step.reason:
        problem = f"  ✗ {reason_word(translator(), step.reason)}"
        problem += f" ({step.status})" if step.status else ""
        print_result(f"{problem} – {_(step.advice)}" if step.advice else problem)
    elif step.asked != "text" and step.texts:
        print_result(f"  ✓ {step.title}".rstrip())
    elif step.kind:
        line = _("{characters} characters, confidence {confidence:.2f}, {encoding}, of {parts} responses")
        figures = line.format(
            characters=step.characters, confidence=step.confidence, encoding=step.encoding, parts=step.parts
        )
        kind = step.kind and word(translator(), PAGE_KINDS, step.kind)
        print_result(
            "  ✓ " + _("{kind} “{title}”: {figures}").format(kind=kind, title=step.title, figures=figures)
        )
    if step.asked != "text" or step.texts:
        leads = _("leads to {texts} texts and {lists} further lists")
        print_result("  " + leads.format(texts=step.texts, lists=step.lists))
        for url in step.first:
            print_result(f"    {url}")


def enable(name: Name, *, by: As = "") -> None:
    """Enable a source."""
    _switch(name, by, enabled=True)
    print_result(_("Source {name} is enabled.").format(name=name))


def disable(name: Name, *, by: As = "") -> None:
    """Disable a source."""
    _switch(name, by, enabled=False)
    print_result(_("Source {name} is disabled.").format(name=name))


def _switch(name: str, by: str, *, enabled: bool) -> None:
    with user_session(by) as (user, runtime):
        switch_source(user, runtime, name, enabled=enabled)


def remove(name: Name, *, yes: Yes = False, by: As = "") -> None:
    """Forget a source."""
    with user_session(by) as (identity, runtime):
        source = get_source(identity, runtime.stores, runtime.settings.tracker, name).source
        line = _("Source {name}: {addresses}. Its settings, pauses and alerts are deleted; its pages stay.")
        print_progress(line.format(name=name, addresses=" ".join(source.addresses)))
        confirm_removal(_("Remove this?"), yes=yes)
        remove_source(identity, runtime, name)
    print_result(_("Source {name} is removed.").format(name=name))
