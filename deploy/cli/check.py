"""``pindna check``: compare texts with the protected works now."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from analysis.background import background_as_object, background_line
from analysis.homophones import homophones_line
from analysis.i18n import gettext as _
from analysis.i18n import ngettext, translator
from analysis.labels import DISGUISES, LICENCES, PRECEDENCES, VERDICTS, word
from deploy.cli.console import print_error, print_json_line, print_result
from deploy.cli.inputs import error_object, extract_page, prepare, read_input, require_some, text_of
from deploy.cli.mother_corpus import open_corpus
from deploy.cli.options import AsJsonLines
from deploy.cli.outcomes import FOUND_VERDICTS, Tally, as_error
from storage.errors import PindnaError
from storage.local_files import readable
from storage.records import Homophone, Span
from storage.settings import load_settings
from storage.sites import host_of, site_of
from tracker.comparison import Comparison, Corpus, Facts, PassageMatch, compare
from tracker.corpus.texts import compared_text


class OnlyWithFolder(PindnaError):
    """A folder of background texts was given without one of works."""

    template = "--background goes with --corpus; `pindna corpus add --background` adds to the stored works."


def check(
    inputs: Annotated[list[str], typer.Argument(metavar="PATH|URL|-…", help=_("Texts, pages or addresses."))],
    *,
    folder: Annotated[
        Path | None,
        typer.Option("--corpus", metavar="DIR", help=_("Compare with a folder; needs no services.")),
    ] = None,
    background: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help=_("With --corpus: a folder of texts that are nobody's.")),
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Compare inputs with the mother corpus; with ``--json`` every input has its line, errors included."""
    if background is not None and folder is None:
        raise OnlyWithFolder
    tally = Tally()
    limit = load_settings().tracker.max_file_bytes
    require_some(inputs, tally, as_json=as_json)
    prepare(inputs)
    with open_corpus(folder, background=background) as (corpus, left_out):
        for name in inputs:
            outcome = tally.fatal if tally.is_down and tally.fatal else _outcome(name, corpus, limit)
            if isinstance(outcome, PindnaError):
                tally.note(outcome)
                _show_error(name, outcome, as_json=as_json)
                continue
            tally.done += 1
            tally.left += outcome.dropped
            tally.found = tally.found or outcome.verdict in FOUND_VERDICTS
            _show(name, outcome, left_out, as_json=as_json)
    tally.left += left_out
    if tally.status:
        raise typer.Exit(tally.status)


def _outcome(name: str, corpus: Corpus, limit: int) -> Comparison | PindnaError:
    """Return what the comparison of an input says, or why there is none."""
    try:
        text, facts = _text_and_facts(name, limit)
        return compare(compared_text(text, readable(name)), corpus, facts=facts)
    except Exception as error:  # noqa: BLE001 - one input that ends in a bug must not hide the others
        return as_error(error)


def _text_and_facts(name: str, limit: int) -> tuple[str, Facts]:
    """Return an input's text and, of a page, its site, bylines and date.

    Raises:
        PindnaError: what is wrong with the input.
    """
    raw = read_input(name, max_bytes=limit)
    if not raw.is_page:
        return text_of(raw, needs_han=False), Facts()
    page = extract_page(raw)
    text = text_of(raw, page, needs_han=False)
    bylines = tuple(byline for byline in (page.title, page.author, page.site_name) if byline)
    facts = Facts(host=host_of(raw.url), site=site_of(raw.url), bylines=bylines, published=page.published)
    return text, facts


def _show_error(name: str, error: PindnaError, *, as_json: bool) -> None:
    print_error(error)
    if as_json:
        print_json_line(error_object(name, error))


def _show(name: str, result: Comparison, left_out: int, *, as_json: bool) -> None:
    if as_json:
        print_json_line(as_object(name, result, left_out))
        return
    line = _("{name}: {verdict}, {share:.0%} of {chars} characters").format(
        name=name,
        verdict=word(translator(), VERDICTS, result.verdict),
        share=result.coverage,
        chars=result.chars,
    )
    print_result(line + (_(" (short text: low confidence)") if result.low_confidence else ""))
    if result.is_joint:
        print_result("  " + _("No match alone is so grave: all that is copied was judged together."))
    if result.dropped:
        print_result(
            "  "
            + _("Not everything was compared: {count} more passages may be in it.").format(
                count=result.dropped
            )
        )
    if result.capped:
        print_result(
            "  "
            + _(
                "{count} of its fingerprints stand in so many passages that not all of these were looked at."
            ).format(count=result.capped)
        )
    for own in result.background:
        print_result("  " + background_line(own, translator()))
    for match in result.matches:
        print_result("  " + _match_line(match))
        for note in _notes(match):
            print_result("    " + note)


def _notes(match: PassageMatch) -> Iterator[str]:
    """Yield the notes that go with a match."""
    if match.homophones:
        yield homophones_line(match.homophones, translator())
    if match.licence and match.licence != "licensed":
        yield word(translator(), LICENCES, match.licence)
    if match.page_older_by:
        yield word(translator(), PRECEDENCES, match.page_older_by)
    if match.common:
        count = len(match.common)
        yield ngettext(
            "{count} stretch of common text is not counted.",
            "{count} stretches of common text are not counted.",
            count,
        ).format(count=count)
    for because in dict.fromkeys(suppression.because for suppression in match.suppressed):
        yield _("Dismissed: {because}").format(because=because)


def _match_line(match: PassageMatch) -> str:
    line = ngettext(
        "{work} / {passage}: {verdict}, {chars} characters in {spans} stretch, "
        "characters {char:.1%}, sounds {sound:.1%} {disguises}",
        "{work} / {passage}: {verdict}, {chars} characters in {spans} stretches, "
        "characters {char:.1%}, sounds {sound:.1%} {disguises}",
        len(match.spans),
    )
    return line.format(
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


def as_object(name: str, result: Comparison, left_out: int = 0) -> dict[str, object]:
    """Return the object that ``--json`` prints.

    Args:
        name: the input as the user wrote it.
        result: of its comparison.
        left_out: how much of the mother corpus could not be compared with.
    """
    return {
        "input": readable(name),
        "chars": result.chars,
        "verdict": result.verdict,
        "joint": result.is_joint,
        "coverage": result.coverage,
        "copied_chars": result.copied_chars,
        "low_confidence": result.low_confidence,
        "unaligned": result.dropped,
        "capped": result.capped,
        "left_out": left_out,
        "matches": [_match_as_object(match) for match in result.matches],
        "background": [background_as_object(own) for own in result.background],
    }


def _match_as_object(match: PassageMatch) -> dict[str, object]:
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
        "homophones": [_homophone_as_object(pair) for pair in match.homophones],
        "licence": match.licence or None,
        "page_older": bool(match.page_older_by),
        "page_older_by": match.page_older_by or None,
        "spans": [_span_as_object(span) for span in match.spans],
        "common": [_span_as_object(span) for span in match.common],
        "dismissed": [
            {**_span_as_object(suppression.span), "because": suppression.because}
            for suppression in match.suppressed
        ],
    }


def _homophone_as_object(pair: Homophone) -> dict[str, object]:
    return {
        "page": pair.page,
        "passage": pair.passage,
        "character": pair.character,
        "syllable": pair.syllable,
        "original": pair.original,
        "original_syllable": pair.original_syllable,
        "kind": pair.kind,
        "times": pair.times,
    }


def _span_as_object(span: Span) -> dict[str, object]:
    return {
        "page": [span.page_start, span.page_end],
        "passage": [span.passage_start, span.passage_end],
        "char_identity": span.char_identity,
        "sound_identity": span.sound_identity,
        "disguises": list(span.disguises),
    }
