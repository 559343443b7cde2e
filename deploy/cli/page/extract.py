"""``pindna extract``: the text and fields of a page."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.queries.sources import get_source, taught_of
from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from analysis.words.page_texts import piece_line, unread_line
from crawler.extraction import NO_CONTEXT, ExtractedPage, PageContext
from crawler.extraction.rules import rules_from
from crawler.extraction.template import NO_TEMPLATE, Template
from crawler.readers.questions import TraceQuestion
from deploy.cli.console import print_error, print_json_line, print_result, print_text
from deploy.cli.identity import user_session
from deploy.cli.inputs import (
    NotAPage,
    Raw,
    answer_to,
    error_object,
    extract_page,
    prepare,
    read_input,
    require_some,
)
from deploy.cli.options import AsJsonLines
from deploy.cli.outcomes import Tally, as_error
from storage.settings import load_settings
from system.errors import PindnaError
from system.local_files import read_file, readable
from system.sites import host_of

_TEXTS = frozenset({"text", "rest", "rest_pieces", "unread"})  # fields that are printed after the others

# A function from the address of a page to the known facts about its site.
KnownOf = Callable[[str], PageContext]


class UnreadableRules(PindnaError):
    """A file of rules is not valid TOML. Data: ``path``, ``problem``."""

    template = "{path} is not a file of rules in TOML: {problem}."


def extract(
    inputs: Annotated[list[str], typer.Argument(metavar="PATH|URL…", help=_("Saved pages or addresses."))],
    *,
    rules: Annotated[
        Path | None, typer.Option(help=_("TOML file of rules that say where text and fields are."))
    ] = None,
    source: Annotated[
        str, typer.Option(help=_("Source whose rules and learnt text positions are used."))
    ] = "",
    offsets: Annotated[
        bool, typer.Option("--offsets", help=_("Also show where in the page each stretch of the text is."))
    ] = False,
    render: Annotated[
        bool, typer.Option("--render", help=_("Render addresses in a browser and read the rendered pages."))
    ] = False,
    as_json: AsJsonLines = False,
) -> None:
    tally = Tally()
    require_some(inputs, tally, as_json=as_json)
    prepare(inputs)
    known_of = _knowledge_of_sites(rules, source)
    limit = load_settings().tracker.max_file_bytes
    for name in inputs:
        try:
            raw = _page_input(name, limit, render=render)
            page = extract_page(raw, context=known_of(raw.url))
            more = {"offsets": _offsets(page.text, raw)} if offsets else {}
        except Exception as raised:  # noqa: BLE001 - one page that ends in a bug must not hide the others
            error = as_error(raised)
            tally.note(error)
            print_error(error)
            if as_json:
                print_json_line(error_object(name, error))
            continue
        tally.used += 1
        _show(name, page, more, as_json=as_json)
    tally.end()


def _page_input(name: str, limit: int, *, render: bool) -> Raw:
    """Read an input, and refuse it if it cannot be a page."""
    raw = read_input(name, max_bytes=limit, render=render)
    if raw.has_other_form:
        raise NotAPage(path=raw.name)
    return raw


def _knowledge_of_sites(path: Path | None, source: str) -> KnownOf:
    """Return the function that gives known facts about sites: from a file of rules, a source, or nowhere."""
    if path is not None:
        context = PageContext(rules_from(_table(path)))
        return lambda _url: context
    if not source:
        return lambda _url: NO_CONTEXT
    with user_session() as (identity, runtime):
        record = get_source(identity, runtime.stores, runtime.settings.tracker, source).source
        taught = taught_of(identity, runtime.stores, {host_of(url) for url in record.start_urls})
    repeated = {host: repeats.removed for host, (repeats, _template) in taught.items()}
    templates = {
        host: Template(learnt.used, learnt.frame_hashes) for host, (_repeats, learnt) in taught.items()
    }
    everywhere: frozenset[int] = frozenset().union(*repeated.values())
    return lambda url: PageContext(
        record.rules,
        repeated.get(host_of(url), frozenset()) if url else everywhere,
        timezone=record.timezone,
        template=templates.get(host_of(url), NO_TEMPLATE) if url else NO_TEMPLATE,
    )


def _table(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(read_file(path).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnreadableRules(path=str(path), problem=error) from error


def _offsets(text: str, raw: Raw) -> list[list[int]]:
    """Return for every stretch its [start, end] in the text and its [start, end] in the decoded page."""
    pieces = answer_to(TraceQuestion(text, raw.data, raw.url, raw.declared), raw)
    return [[piece.start, piece.end, piece.source_start, piece.source_end] for piece in pieces]


def _show(name: str, page: ExtractedPage, more: dict[str, Any], *, as_json: bool) -> None:
    """Print a page as a JSON object, or as its fields, its article and the pieces of its other text."""
    fields = {**page.as_dict(), **more}
    if as_json:
        print_json_line({"input": readable(name), **fields})
        return
    print_result(f"== {name}")
    for field, value in fields.items():
        if field not in _TEXTS:
            print_result(f"{field}: {value}")
    if line := unread_line(page.unread, translator()):
        print_result(line)
    print_result("")
    print_text(page.text)
    for piece in page.rest_pieces:
        print_result("")
        print_result(f"-- {piece_line(piece, translator())}")
        print_text(page.rest[piece.start : piece.end])
