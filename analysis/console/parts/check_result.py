"""The result of a check: verdict, shares, list of matches, texts side by side."""

from collections.abc import Iterator

from nicegui import ui

from analysis.actions.check import Checked
from analysis.console.parts.badges import part_badge, verdict_badge
from analysis.console.parts.comparison import (
    MAX_OTHERS,
    PageText,
    ShownPassage,
    side_by_side_title,
    with_choices,
)
from analysis.console.parts.shares import share_tiles
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign, plain
from analysis.console.view import View
from analysis.texts.parallel import ComparedPassage, compared_passage
from analysis.texts.shares import shares_of
from analysis.words.background import background_line
from analysis.words.figures import percent
from analysis.words.homophones import homophones_line
from analysis.words.labels import DISGUISES, LICENCES, MATCH_PARTS, PRECEDENCES, VERDICTS
from analysis.words.page_texts import DOUBTFUL, match_notes, rest_line, unread_line
from storage.records import MatchPart
from tracker.comparison import Comparison, PassageMatch

_SHOWN_MATCHES = 100
_BACKGROUND = 10


async def check_result(view: View, checked: Checked) -> None:
    """Show the result of a check.

    Args:
        view: the page of the console.
        checked: what was compared, and what it has from protected works.
    """
    comparison = checked.comparison
    with ui.element("div").classes("row-line"):
        plain(view.gettext("Result"), "h2").classes("subtitle")
        verdict_badge(view, comparison.verdict)
        foreign(checked.name, most=120).classes("soft")
    share_tiles(
        view, shares_of(len(checked.text), [match for match in comparison.matches if match.part == "article"])
    )
    for line in _remarks(view, checked):
        plain(line, "p").classes("soft small")
    if line := unread_line(checked.unread, view.texts):
        plain(line, "p").classes("note")
    if not comparison.matches:
        plain(view.gettext("No text of the protected works was found."), "p").classes("empty")
        return
    _list(view, comparison)
    for section in MATCH_PARTS:
        await _side_by_side(view, checked, section)


def check_summary(view: View, checked: Checked) -> str:
    """Return the result of a check in a sentence, for screen readers."""
    comparison = checked.comparison
    count = len(comparison.matches)
    line = view.ngettext("{verdict}: {count} match", "{verdict}: {count} matches", count)
    return line.format(verdict=view.word(VERDICTS, comparison.verdict), count=count)


def _remarks(view: View, checked: Checked) -> Iterator[str]:
    comparison = checked.comparison
    if checked.left_out:
        line = view.ngettext(
            "{count} work is not in the index, so nothing was compared with it.",
            "{count} works are not in the index, so nothing was compared with them.",
            checked.left_out,
        )
        yield line.format(count=checked.left_out)
    if line := rest_line(comparison.rest_chars, view.texts):
        yield line
    if comparison.is_doubtful:
        yield view.gettext(DOUBTFUL)
    if comparison.low_confidence:
        yield view.gettext("The text is short, so the confidence of the verdict is low.")
    if comparison.is_joint:
        yield view.gettext("The verdict is for all copied text together. No single match is this serious.")
    if comparison.dropped:
        line = view.gettext("Not everything was compared: {count} more passages may match.")
        yield line.format(count=comparison.dropped)
    if comparison.capped:
        line = view.gettext(
            "{count} fingerprints of the text occur in too many passages; some of these passages were "
            "not compared."
        )
        yield line.format(count=comparison.capped)
    for background in comparison.background[:_BACKGROUND]:
        yield background_line(background, view.texts)


def _list(view: View, comparison: Comparison) -> None:
    columns = (
        Column(view.gettext("Work"), "wide"),
        Column(view.gettext("Verdict"), "word"),
        Column(view.gettext("Characters copied"), "number"),
        Column(view.gettext("Information (bits)"), "number"),
        Column(view.gettext("Character identity"), "number"),
        Column(view.gettext("Sound identity"), "number"),
        Column(view.gettext("Disguises"), "wide"),
    )
    table = Table(view.gettext("Text from protected works"), columns)
    for match in comparison.matches[:_SHOWN_MATCHES]:
        with table.row() as row:
            with row.cell():
                foreign(_title(match))
                for note in _notes(view, match):
                    foreign(note, most=1_000, tag="div").classes("soft small")
            with row.cell():
                verdict_badge(view, match.verdict)
                part_badge(view, match)
            row.cell(f"{match.copied_chars:,}")
            row.cell("–" if match.information_bits is None else f"{match.information_bits:,}")
            row.cell(percent(match.char_identity))
            row.cell(percent(match.sound_identity))
            row.cell(view.gettext(", ").join(view.word(DISGUISES, code) for code in match.disguises) or "–")
    more = len(comparison.matches) - _SHOWN_MATCHES
    if more > 0:
        line = view.ngettext(
            "{count} more match is not listed.", "{count} more matches are not listed.", more
        )
        plain(line.format(count=more), "p").classes("soft small")


def _notes(view: View, match: PassageMatch) -> Iterator[str]:
    yield from match_notes(match, view.texts)
    if match.homophones:
        yield homophones_line(match.homophones, view.texts)
    if match.licence and match.licence != "licensed":
        yield view.word(LICENCES, match.licence)
    if match.page_older_by:
        yield view.word(PRECEDENCES, match.page_older_by)


def _title(match: PassageMatch) -> str:
    passage = match.passage.title
    return f"{match.work.title} · {passage}" if passage and passage != match.work.title else match.work.title


async def _side_by_side(view: View, checked: Checked, match_section: MatchPart) -> None:
    """Show one text of a page next to the passages that it matches."""
    of_part = [match for match in checked.comparison.matches if match.part == match_section]
    if not of_part:
        return
    matches = {str(number): match for number, match in enumerate(of_part[:MAX_OTHERS])}
    choices = [
        ShownPassage(name=name, title=_title(match), verdict=match.verdict, chars=match.copied_chars)
        for name, match in matches.items()
    ]

    async def load(name: str) -> ComparedPassage | None:
        match = matches[name]
        return compared_passage(match, name, _title(match), match.passage.text)

    title = side_by_side_title(view, match_section)
    section = ui.element("section").classes("panel")
    section.props["aria-label"] = title
    with section:
        plain(title, "h2").classes("subtitle")
        page = PageText(checked.name, checked.text_of(match_section))
        await with_choices(view, page, choices, [choices[0].name], load)
