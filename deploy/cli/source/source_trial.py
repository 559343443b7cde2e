"""``pindna source test``: show which texts a source would yield."""

from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from analysis.queries.sources import get_source
from analysis.words.i18n import gettext as _
from analysis.words.labels import ENTRY_KINDS, PAGE_KINDS, SOURCE_KINDS
from crawler.sources.definition import BadSource, source_from_file
from crawler.sources.probe import ProbeStep, probe
from crawler.sources.proposed_kind import proposed_kind
from deploy.cli.console import print_json_line, print_result
from deploy.cli.identity import terminal_identity
from deploy.cli.labels import reason_of, word_of
from deploy.cli.options import AsJsonLines
from deploy.cli.outcomes import Tally
from deploy.cli.session import session
from storage.records import Source
from tracker.runtime import Runtime


def try_source(
    name: Annotated[
        str, typer.Argument(metavar="NAME|FILE.toml", help=_("Name of a stored source, or a source file."))
    ],
    *,
    pages: Annotated[int, typer.Option(min=1, max=50, help=_("Maximum number of texts to fetch."))] = 3,
    as_json: AsJsonLines = False,
) -> None:
    """Try a source; the exit status is 2 if no text was read, and 4 if a requested page was not read."""
    from_file = source_from_file(Path(name)) if name.endswith(".toml") else None
    needs_services = from_file is None or from_file.kind == "discovery"
    tally = Tally()
    with session() if needs_services else nullcontext() as runtime:
        source = from_file or _stored(runtime, name)
        if not as_json:
            _show_rules(source)
        steps: list[ProbeStep] = []
        for step in probe(source, texts=pages, pages=True):
            steps.append(step)
            tally.used += bool(step.characters and not step.reason)
            tally.missing += bool(step.reason)
            if as_json:
                print_json_line({name: value for name, value in asdict(step).items() if name != "page"})
            else:
                _show_step(step)
    kind = proposed_kind(source.kind, steps)
    if kind is not None and not as_json:
        line = _("The pages look like those of another kind of source: {kind}.")
        print_result(line.format(kind=word_of(SOURCE_KINDS, kind)))
    if not tally.used:
        tally.missing += 1  # a source without any text is useless
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
            name=source.name, kind=word_of(SOURCE_KINDS, source.kind), robots=robots
        )
    )


def _show_step(step: ProbeStep) -> None:
    mark = " " + _("(rendered)") if step.rendered else ""
    print_result(f"{word_of(ENTRY_KINDS, step.asked)} {step.url}{mark}")
    if step.reason:
        problem = f"  ✗ {reason_of(step.reason)}"
        problem += f" ({step.status})" if step.status else ""
        print_result(f"{problem} – {_(step.advice)}" if step.advice else problem)
    elif step.asked != "text" and step.texts:
        print_result(f"  ✓ {step.title}".rstrip())
    elif step.kind:
        line = _("{characters} characters, confidence {confidence:.2f}, {encoding}, of {parts} responses")
        figures = line.format(
            characters=step.characters, confidence=step.confidence, encoding=step.encoding, parts=step.parts
        )
        kind = step.kind and word_of(PAGE_KINDS, step.kind)
        print_result(
            "  ✓ " + _("{kind} “{title}”: {figures}").format(kind=kind, title=step.title, figures=figures)
        )
    if step.asked != "text" or step.texts:
        leads = _("leads to {texts} texts and {lists} further lists")
        print_result("  " + leads.format(texts=step.texts, lists=step.lists))
        for url in step.first:
            print_result(f"    {url}")
