"""``pindna check``: compare texts with the protected works immediately."""

from pathlib import Path
from typing import Annotated

import typer

from analysis.reading.untrusted_pages import facts_of, texts_of
from analysis.words.i18n import gettext as _
from crawler.pages.two_readings import ANSWERED
from deploy.cli.check.check_view import CheckedInput, show_comparison
from deploy.cli.check.texts_below import Input, inputs_below
from deploy.cli.console import print_error, print_json_line
from deploy.cli.inputs import error_object, extract_page, prepare, require_some, text_of
from deploy.cli.mother_corpus import open_corpus
from deploy.cli.options import AsJsonLines
from deploy.cli.outcomes import Tally, as_error, found_verdicts
from deploy.cli.reading_rules import reading_rules
from storage.settings import load_settings
from system.errors import PindnaError
from system.local_files import readable
from tracker.comparison import Corpus, Facts, compare
from tracker.corpus.forms import Rules
from tracker.corpus.layout import REMARKS
from tracker.corpus.texts import compared_text


class OnlyWithFolder(PindnaError):
    """The command got a folder of background texts, but no folder of works."""

    template = (
        "Use --background only with --corpus; `pindna corpus add --background` adds background texts "
        "to the stored works."
    )


def check(
    inputs: Annotated[
        list[str],
        typer.Argument(metavar="PATH|URL|-…", help=_("Texts, pages, folders, archives or addresses.")),
    ],
    *,
    folder: Annotated[
        Path | None,
        typer.Option("--corpus", metavar="DIR", help=_("Compare with a folder; needs no services.")),
    ] = None,
    background: Annotated[
        Path | None, typer.Option(metavar="DIR", help=_("Folder of background texts; only with --corpus."))
    ] = None,
    render: Annotated[
        bool,
        typer.Option("--render", help=_("Render addresses in a browser and compare the rendered pages.")),
    ] = False,
    as_json: AsJsonLines = False,
) -> None:
    """Compare inputs with the mother corpus; with ``--json`` every input yields one line, even an error."""
    if background is not None and folder is None:
        raise OnlyWithFolder
    tally = Tally()
    settings = load_settings().tracker
    rules, verdicts = reading_rules(settings), set(found_verdicts(settings))
    require_some(inputs, tally, as_json=as_json)
    prepare(inputs)
    with open_corpus(folder, background=background) as (corpus, left_out):
        for source in inputs_below(inputs, rules):
            down = tally.fatal if tally.is_down else None
            outcome = down or _outcome(source, corpus, rules, tally, render=render)
            if isinstance(outcome, PindnaError):
                tally.note(outcome)
                _show_error(source.name, outcome, as_json=as_json)
                continue
            tally.used += 1
            tally.missing += outcome.comparison.dropped + bool(outcome.unread)
            tally.has_found = tally.has_found or not verdicts.isdisjoint(outcome.comparison.verdicts)
            show_comparison(source.name, outcome, left_out, as_json=as_json)
    tally.missing += left_out
    tally.end()


def _outcome(
    source: Input, corpus: Corpus, rules: Rules, tally: Tally, *, render: bool
) -> CheckedInput | PindnaError:
    """Return the result of comparing an input, or the error; count the parts that were not compared."""
    try:
        return _compared(source, corpus, rules, tally, render=render)
    except Exception as error:  # noqa: BLE001 - one input that ends in a bug must not hide the others
        return as_error(error)


def _compared(source: Input, corpus: Corpus, rules: Rules, tally: Tally, *, render: bool) -> CheckedInput:
    """Compare an input. For a page this compares article and rest, with its site, bylines and date."""

    def report(remark: PindnaError) -> None:
        print_error(remark)
        if not isinstance(remark, REMARKS):  # remarks do not change the text
            tally.note(remark)

    if source.row is not None:
        text = compared_text(source.row.text, readable(source.name))
        return CheckedInput(compare(text, corpus, facts=Facts(published=source.row.published)))
    raw = source.raw(rules.max_bytes, render=render)
    if not raw.is_page:
        text = compared_text(text_of(raw, needs_han=False, report=report), readable(source.name))
        return CheckedInput(compare(text, corpus, facts=Facts()))
    page = extract_page(raw)
    texts = texts_of(page, raw.name)
    comparison = compare(texts.article, corpus, facts=facts_of(page, raw.url), rest=texts.rest)
    needs_browser = bool(raw.url) and not raw.is_rendered and not ANSWERED.isdisjoint(texts.unread)
    return CheckedInput(comparison, unread=texts.unread, needs_browser=needs_browser)


def _show_error(name: str, error: PindnaError, *, as_json: bool) -> None:
    print_error(error)
    if as_json:
        print_json_line(error_object(name, error))
