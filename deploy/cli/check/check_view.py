"""The output of ``pindna check`` for each input."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from analysis.words.background import background_as_object, background_line
from analysis.words.homophones import homophones_line
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext, translator
from analysis.words.labels import DISGUISES, LICENCES, PRECEDENCES, VERDICTS
from analysis.words.page_texts import DOUBTFUL, match_notes, pieces_as_objects, rest_line, unread_line
from deploy.cli.console import print_json_line, print_result
from deploy.cli.labels import word_of
from deploy.cli.objects import object_of
from storage.records import Span, UnreadReason, Work
from system.local_files import readable
from tracker.comparison import Comparison, PassageMatch

_FIELDS = (
    "input chars verdict joint=is_joint coverage copied_chars low_confidence unaligned=dropped capped "
    "left_out rest_chars rest_verdict doubtful=is_doubtful unread matches background"
)
_MATCH = (
    "work passage role work_published verdict coverage passage_coverage copied_chars "
    "information_bits char_identity sound_identity disguises homophones part found_in also_contained "
    "licence page_older page_older_by spans common dismissed"
)
_HOMOPHONE = "page passage character syllable original original_syllable kind times"


@dataclass(frozen=True, slots=True)
class CheckedInput:
    """The result for an input that was compared.

    Attributes:
        found: what it has from protected works.
        unread: what of it could not be compared.
        needs_browser: it is an address, and a browser may show that.
    """

    comparison: Comparison
    unread: Mapping[UnreadReason, int] = field(default_factory=dict)
    needs_browser: bool = False


def show_comparison(name: str, checked: CheckedInput, left_out: int, *, as_json: bool) -> None:
    """Print the result of comparing an input.

    Args:
        name: the input as the user wrote it.
        checked: the input.
        left_out: how much of the mother corpus could not be compared with.
        as_json: as an object.
    """
    if as_json:
        print_json_line(as_object(name, checked, left_out))
        return
    result = checked.comparison
    verdict = word_of(VERDICTS, result.verdict)
    if result.is_doubtful:
        line = _("{name}: {verdict}, outside the article").format(name=name, verdict=verdict)
    else:
        line = _("{name}: {verdict}, {share:.0%} of {chars} characters").format(
            name=name, verdict=verdict, share=result.coverage, chars=result.chars
        )
    print_result(line + (_(" (short text: low confidence)") if result.low_confidence else ""))
    for line in _texts_lines(checked):
        print_result("  " + line)
    if result.is_joint:
        print_result(
            "  " + _("The verdict is for all copied text together. No single match is this serious.")
        )
    if result.dropped:
        print_result(
            "  "
            + _("Not everything was compared: {count} more passages may match.").format(count=result.dropped)
        )
    if result.capped:
        print_result(
            "  "
            + _(
                "{count} fingerprints of the text occur in too many passages; some of these passages "
                "were not compared."
            ).format(count=result.capped)
        )
    for background in result.background:
        print_result("  " + background_line(background, translator()))
    for match in result.matches:
        print_result("  " + _match_line(match))
        for note in _notes(match):
            print_result("    " + note)


def _texts_lines(checked: CheckedInput) -> Iterator[str]:
    """Yield lines about a page's other text: what was compared, what was not, and if a person must check."""
    texts = translator()
    yield from filter(
        None, (rest_line(checked.comparison.rest_chars, texts), unread_line(checked.unread, texts))
    )
    if checked.needs_browser:
        yield _("Run the command again with --render: a browser may show what could not be compared.")
    if checked.comparison.is_doubtful:
        yield texts.gettext(DOUBTFUL)


def _notes(match: PassageMatch) -> Iterator[str]:
    """Yield the notes about a match."""
    yield from match_notes(match, translator())
    if match.work.role == "earlier":
        yield _earlier_line(match.work)
    if match.homophones:
        yield homophones_line(match.homophones, translator())
    if match.licence and match.licence != "licensed":
        yield word_of(LICENCES, match.licence)
    if match.page_older_by:
        yield word_of(PRECEDENCES, match.page_older_by)
    if match.common:
        count = len(match.common)
        yield ngettext(
            "{count} stretch of common text is not counted.",
            "{count} stretches of common text are not counted.",
            count,
        ).format(count=count)
    for reason in dict.fromkeys(suppression.because for suppression in match.suppressed):
        yield _("Dismissed: {because}").format(because=reason)


def _earlier_line(work: Work) -> str:
    if work.published is None:
        return _("Copied from an earlier publication without a known date.")
    return _("Copied from an earlier publication, dated {date}.").format(date=work.published)


def _match_line(match: PassageMatch) -> str:
    line = ngettext(
        "{title}: {verdict}, {chars} characters in {spans} stretch, "
        "characters {char:.1%}, sounds {sound:.1%}{information} {disguises}",
        "{title}: {verdict}, {chars} characters in {spans} stretches, "
        "characters {char:.1%}, sounds {sound:.1%}{information} {disguises}",
        len(match.spans),
    )
    bits = match.information_bits
    shown = line.format(
        title=_title(match),
        verdict=word_of(VERDICTS, match.verdict),
        chars=match.copied_chars,
        spans=len(match.spans),
        char=match.char_identity,
        sound=match.sound_identity,
        information="" if bits is None else _(", information {bits:,} bits").format(bits=bits),
        disguises=" ".join(f"[{word_of(DISGUISES, name)}]" for name in match.disguises),
    )
    return shown.rstrip()


def _title(match: PassageMatch) -> str:
    """Return the title of a match: the work and, if the work has several passages, the passage."""
    if not match.passage.title and len(match.work.passage_ids) == 1:
        return match.work.title
    number = _("passage {number}").format(number=match.passage.ordinal + 1)
    return f"{match.work.title} / {match.passage.title or number}"


def passage_name(match: PassageMatch) -> str:
    """Return the heading of a passage, or its number in the work if it has no heading."""
    return match.passage.title or str(match.passage.ordinal + 1)


def as_object(name: str, checked: CheckedInput, left_out: int = 0) -> dict[str, object]:
    """Return the object that ``--json`` prints for an input.

    Args:
        name: the input as the user wrote it.
        checked: the input.
        left_out: how much of the mother corpus could not be compared with.
    """
    return object_of(
        checked.comparison,
        _FIELDS,
        input=readable(name),
        left_out=left_out,
        unread=checked.unread,
        matches=list(map(_match_as_object, checked.comparison.matches)),
        background=list(map(background_as_object, checked.comparison.background)),
    )


def _match_as_object(match: PassageMatch) -> dict[str, object]:
    return object_of(
        match,
        _MATCH,
        work=match.work.title,
        passage=passage_name(match),
        role=match.work.role,
        work_published=match.work.published,
        homophones=[object_of(pair, _HOMOPHONE) for pair in match.homophones],
        found_in=pieces_as_objects(match.found_in),
        licence=match.licence or None,
        page_older=bool(match.page_older_by),
        page_older_by=match.page_older_by or None,
        spans=list(map(_span_as_object, match.spans)),
        common=list(map(_span_as_object, match.common)),
        dismissed=[
            {**_span_as_object(suppression.span), "because": suppression.because}
            for suppression in match.suppressed
        ],
    )


def _span_as_object(span: Span) -> dict[str, object]:
    return object_of(
        span,
        "page passage char_identity sound_identity disguises",
        page=[span.page_start, span.page_end],
        passage=[span.passage_start, span.passage_end],
    )
