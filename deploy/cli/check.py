"""``pindna check``: compare texts with the protected works now."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from analysis.i18n import gettext as _
from analysis.i18n import translator
from analysis.words import DISGUISES, LICENCES, VERDICTS, word
from crawler.addresses import site_of
from deploy.cli.console import complain, errors, print_json_line, say
from deploy.cli.inputs import extracted, prepare, read_input, text_of
from deploy.cli.session import session
from deploy.cli.waiting import warn_of_missing_works
from storage.errors import PindnaError
from storage.records import Span
from storage.settings import load_settings
from tracker.comparison import Comparison, Corpus, Facts, PassageMatch, compare
from tracker.corpus.folder import load_folder, read_folder
from tracker.methods import methods_of
from tracker.profiles import chosen_profiles
from tracker.scanning import NothingToCompareWith

_FOUND = ("copy", "partial", "quote")


def check(
    inputs: Annotated[list[str], typer.Argument(metavar="PATH|URL|-…", help=_("Texts, pages or addresses."))],
    *,
    folder: Annotated[
        Path | None,
        typer.Option("--corpus", metavar="DIR", help=_("Compare with a folder; needs no services.")),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print one JSON object a line."))] = False,
) -> None:
    """Compare inputs with the mother corpus: status 1 when a copy was found, 2 when an input is unusable."""
    found = failed = False
    prepare(inputs)
    with open_corpus(folder) as (corpus, incomplete):
        for name in inputs:
            try:
                text, facts = _read(name)
                result = compare(text, corpus, facts=facts)
            except PindnaError as error:
                if error.exit_status != 2:  # noqa: PLR2004 - a service is down: stop
                    raise
                failed = True
                _show_error(name, error, as_json=as_json)
                continue
            found = found or result.verdict in _FOUND
            _show(name, result, as_json=as_json)
    if failed or incomplete or found:
        raise typer.Exit(2 if failed or incomplete else 1)


def _read(name: str) -> tuple[str, Facts]:
    """Return an input's text, and what else a page says of itself.

    Raises:
        PindnaError: what is wrong with the input.
    """
    raw = read_input(name)
    if not raw.is_page:
        return text_of(raw), Facts()
    page = extracted(raw)
    text = text_of(raw, page)
    bylines = tuple(each for each in (page.title, page.author, page.site_name) if each)
    published = datetime.fromisoformat(page.published) if page.published else None
    return text, Facts(site=site_of(raw.url), bylines=bylines, published=published)


@contextmanager
def open_corpus(folder: Path | None) -> Iterator[tuple[Corpus, bool]]:
    """Open the stored mother corpus, or load a folder into memory; also tell whether works are missing."""
    if folder is None:
        with session() as runtime:
            if not runtime.stores.works.count("indexed"):
                raise NothingToCompareWith
            yield runtime.corpus(), warn_of_missing_works(runtime) > 0
        return
    skipped: list[PindnaError] = []
    with errors.status(_("Loading the works of {folder}").format(folder=folder)):
        settings = load_settings().tracker
        corpus = load_folder(read_folder(folder), report=skipped.append, methods=methods_of(settings))
        corpus = replace(corpus, profiles=chosen_profiles(settings))
    for error in skipped:
        complain(error)
    if not corpus.index.statistics().passages:
        raise NothingToCompareWith
    yield corpus, bool(skipped)


def _show_error(name: str, error: PindnaError, *, as_json: bool) -> None:
    complain(error)
    if as_json:
        print_json_line({"input": name, "error": translator().error(error)})


def _show(name: str, result: Comparison, *, as_json: bool) -> None:
    if as_json:
        print_json_line(as_object(name, result))
        return
    line = _("{name}: {verdict}, {share:.0%} of {chars} characters").format(
        name=name,
        verdict=word(translator(), VERDICTS, result.verdict),
        share=result.coverage,
        chars=result.chars,
    )
    say(line + (_(" (short text: low confidence)") if result.low_confidence else ""))
    if result.dropped:
        say(
            "  "
            + _("Not everything was compared: {count} more passages may be in it.").format(
                count=result.dropped
            )
        )
    if result.capped:
        say(
            "  "
            + _(
                "{count} of its fingerprints stand in so many passages that not all of these were looked at."
            ).format(count=result.capped)
        )
    for match in result.matches:
        say("  " + _match_line(match))
        for note in _notes(match):
            say("    " + note)


def _notes(match: PassageMatch) -> Iterator[str]:
    """Yield what must be known of a match beside its figures."""
    if match.licence and match.licence != "licensed":
        yield word(translator(), LICENCES, match.licence)
    if match.page_older:
        yield _("Warning: the page is older than the work.")
    if match.common:
        yield _("{count} stretches of common text are not counted.").format(count=len(match.common))
    for because in dict.fromkeys(each.because for each in match.suppressed):
        yield _("Dismissed: {because}").format(because=because)


def _match_line(match: PassageMatch) -> str:
    return _(
        "{work} / {passage}: {verdict}, {chars} characters in {spans} stretches, "
        "characters {char:.1%}, sounds {sound:.1%} {disguises}"
    ).format(
        work=match.work.title,
        passage=passage_name(match),
        verdict=word(translator(), VERDICTS, match.verdict),
        chars=match.copied_chars,
        spans=len(match.spans),
        char=match.char_identity,
        sound=match.sound_identity,
        disguises=" ".join(f"[{word(translator(), DISGUISES, name)}]" for name in match.disguises),
    )


def passage_name(match: PassageMatch) -> str:
    """Return the passage's heading, or its number in the work."""
    return match.passage.title or str(match.passage.ordinal + 1)


def as_object(name: str, result: Comparison) -> dict[str, object]:
    """Return the object that ``--json`` prints."""
    return {
        "input": name,
        "chars": result.chars,
        "verdict": result.verdict,
        "coverage": result.coverage,
        "copied_chars": result.copied_chars,
        "low_confidence": result.low_confidence,
        "unaligned": result.dropped,
        "capped": result.capped,
        "matches": [_match_object(match) for match in result.matches],
    }


def _match_object(match: PassageMatch) -> dict[str, object]:
    return {
        "work": match.work.title,
        "passage": passage_name(match),
        "verdict": match.verdict,
        "coverage": match.coverage,
        "passage_coverage": match.passage_coverage,
        "copied_chars": match.copied_chars,
        "char_identity": match.char_identity,
        "sound_identity": match.sound_identity,
        "disguises": list(match.disguises),
        "licence": match.licence or None,
        "page_older": match.page_older,
        "spans": [_span_object(span) for span in match.spans],
        "common": [_span_object(span) for span in match.common],
        "dismissed": [{**_span_object(each.span), "because": each.because} for each in match.suppressed],
    }


def _span_object(span: Span) -> dict[str, object]:
    return {
        "page": [span.page_start, span.page_end],
        "passage": [span.passage_start, span.passage_end],
        "char_identity": span.char_identity,
        "sound_identity": span.sound_identity,
        "disguises": list(span.disguises),
    }
