"""Matches on a terminal and as JSON: rows of a table, and one match with both texts side by side."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from analysis.accounts.permissions import Identity
from analysis.fields.cells import fact_lines, json_object
from analysis.fields.match_row import MatchRow
from analysis.fields.matches import FACT_FIELDS, JSON_FIELDS, TERMINAL_FIELDS
from analysis.queries.matches import get_texts, with_presences
from analysis.words.background import background_lines
from analysis.words.figures import percent
from analysis.words.homophones import homophones_line
from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from analysis.words.labels import DISGUISES, LICENCES, PRECEDENCES, REORDERED, VERDICTS, word
from analysis.words.page_texts import match_notes, place_line
from analysis.words.posts import posts_line
from analysis.words.presence import presence_as_object, presence_text
from analysis.words.reviews import decision_lines, full_state, short_state
from deploy.cli.clock import local_moment, own_zone
from deploy.cli.console import print_result, print_table
from deploy.cli.labels import word_of
from deploy.cli.tables import Cell, cells_of, headers_of
from storage.records import Match, Presence
from tracker.runtime import Runtime

if TYPE_CHECKING:
    from analysis.texts.excerpts import Excerpt, SideBySide
    from analysis.texts.marking import MarkedRun

_UNMARKED = ("equal", "layout", "reordered")


def match_cells(match: Match, presence: Presence | None) -> tuple[Cell, ...]:
    """Return a match as a row of a table.

    Args:
        match: what was found.
        presence: whether its text is still up; None when no crawl looked.
    """
    titles = tuple(dict.fromkeys(filter(None, (match.work_title, match.edition, match.passage_title))))
    state = short_state(match, translator())
    verdict, position = word_of(VERDICTS, match.verdict), place_line(match, translator())
    up = presence_text(presence, translator(), local_moment) if presence else ""
    cells: dict[str, Cell] = {
        "verdict": (verdict, position) if position else verdict,
        "review": (state, match.because) if match.because else state,
        "copied_chars": str(match.copied_chars),
        "work": titles,
        "page_title": (match.url, up) if up else match.url,
    }
    return cells_of(TERMINAL_FIELDS, MatchRow(match=match, presence=presence), cells)


def print_matches(matches: Iterable[tuple[Match, Presence | None]]) -> bool:
    """Print matches and whether their texts are still up as a table; returns whether there are any."""
    rows = [match_cells(match, presence) for match, presence in matches]
    if rows:
        print_table(headers_of(TERMINAL_FIELDS), rows)
    return bool(rows)


def show_match(match: Match, user: Identity, runtime: Runtime) -> None:
    """Print a match: the finding, the decisions, and both texts side by side."""
    words = translator()
    verdict = word(words, VERDICTS, match.verdict)
    print_result(f"{match.name}  {verdict} · {full_state(match, words, own_zone())}")
    for line in _facts(match):
        print_result(f"  {line}")
    for name, value in fact_lines(FACT_FIELDS, MatchRow(match=match), words, own_zone()):
        print_result("  " + _("{name}: {value}").format(name=name, value=value))
    for _match, presence in with_presences(user, runtime.stores, [match]):
        if presence is not None:
            print_result("  " + presence_text(presence, words, local_moment))
    for line in decision_lines(match, words, own_zone()):
        print_result(f"  {line}")
    texts = get_texts(user, runtime.stores, match)
    for line in background_lines(match, texts.page.background if texts.page else (), texts=words):
        print_result(f"  {line}")
    excerpts = None
    if texts.page is not None and texts.passage is not None:
        from analysis.texts.excerpts import side_by_side  # noqa: PLC0415 - alignment, which lists need not

        excerpts = side_by_side(match, texts.page.text_of(match.part), texts.passage.text)
    if excerpts is None:
        print_result(
            "  "
            + _(
                "The texts cannot be shown: the page or the passage has changed since the comparison, or "
                "is no longer stored."
            )
        )
    else:
        _show_texts(excerpts)


def _facts(match: Match) -> Iterator[str]:
    """Yield the lines with the facts about a match."""
    title = f"{match.work_title} {match.passage_title}".strip()
    yield _("Work: {title}").format(title=title)
    if match.edition:
        yield _("Edition: {title}").format(title=match.edition)
    yield _("Page: {title} {url}").format(title=match.page_title, url=match.url)
    yield from match_notes(match, translator())
    if match.posts:
        yield posts_line(match.posts, translator())
    yield _("Site: {site}").format(site=match.site)
    yield _("{chars} characters copied: {share} of the page, {passage} of the passage").format(
        chars=match.copied_chars, share=percent(match.coverage), passage=percent(match.passage_coverage)
    )
    if match.disguises:
        names = _(", ").join(word_of(DISGUISES, name) for name in match.disguises)
        yield _("Disguises: {names}").format(names=names)
    if match.homophones:
        yield homophones_line(match.homophones, translator())
    if match.licence:
        yield word_of(LICENCES, match.licence)
    if match.work_published is not None:
        yield _("Date on the work: {date}").format(date=match.work_published)
    if match.page_published is not None:
        yield _("Date on the page: {date}").format(date=match.page_published)
    yield _("First seen {first}, last seen {last}").format(
        first=local_moment(match.first_seen), last=local_moment(match.last_seen)
    )
    if match.replaced is not None:
        yield _("An earlier version of the page, replaced since {date}").format(
            date=local_moment(match.replaced)
        )
    if match.page_older:
        yield word_of(PRECEDENCES, match.page_older_by)


def _show_texts(texts: "SideBySide") -> None:
    """Print the stretches of a match; differences are in brackets."""
    rows = [
        (str(number) if first else "", _side(row, "page"), _side(row, "passage"))
        for number, excerpt in enumerate(texts.excerpts, 1)
        for first, row in _rows(excerpt)
    ]
    print_table(("", _("the page"), _("the work")), rows)
    for number, excerpt in enumerate(texts.excerpts, 1):
        for code in filter(REORDERED.__contains__, excerpt.span.disguises):
            print_result(f"  {number}: {word_of(REORDERED, code)}")
    if texts.left_out_spans:
        print_result(_("… {chars} more characters in further stretches").format(chars=texts.left_out_chars))


def _rows(excerpt: "Excerpt") -> Iterator[tuple[bool, tuple["MarkedRun", ...]]]:
    """Yield the rows of a stretch, each with a flag for the first row."""
    for number, row in enumerate(excerpt.rows):
        yield number == 0, row


def _side(runs: "Iterable[MarkedRun]", side: str) -> str:
    parts = ((run.kind, run.page if side == "page" else run.passage) for run in runs)
    text = "".join(piece if kind in _UNMARKED or not piece else f"[{piece}]" for kind, piece in parts)
    return " ".join(text.split())


def match_as_object(match: Match, presence: Presence | None) -> dict[str, object]:
    """Return the object that ``--json`` prints for a match, including whether its text is still up."""
    shown_presence = presence_as_object(presence) if presence else None
    return {**json_object(JSON_FIELDS, MatchRow(match=match)), "presence": shown_presence}
