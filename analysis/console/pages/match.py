"""One match: copied amounts, page and work side by side, publication order, and evidence."""

from urllib.parse import quote

from nicegui import ui

from analysis.console.parts.badges import (
    badge,
    part_badge,
    part_notes,
    review_badge,
    unread_note,
    verdict_badge,
)
from analysis.console.parts.comparison import comparison, side_by_side_title, title_of
from analysis.console.parts.dna import dna_pair
from analysis.console.parts.lists import address
from analysis.console.parts.look_now import look_button
from analysis.console.parts.page_evidence import page_as_it_was, page_evidence, page_versions
from analysis.console.parts.panels import titled_panel
from analysis.console.parts.shares import share_tiles
from analysis.console.parts.texts import foreign, foreign_link, plain
from analysis.console.parts.watch_line import watch_tone
from analysis.console.view import View
from analysis.fields.cells import fact_lines
from analysis.fields.field import visible
from analysis.fields.match_row import MatchRow
from analysis.fields.matches import FACT_FIELDS
from analysis.queries.matches import MatchTexts, get_match, get_texts, matches_of_page
from analysis.queries.page_evidence import captures_of_match, case_of_match, versions_with_matches
from analysis.queries.watching import watch_of_address
from analysis.texts.shares import shares_of
from analysis.words.background import background_lines
from analysis.words.homophones import homophones_line
from analysis.words.labels import DISGUISES, LICENCES, PRECEDENCES
from analysis.words.posts import posts_line
from analysis.words.presence import watch_text
from storage.records import Match

_TITLE_CHARS = 90  # maximum characters of the title on each side


async def build(view: View, *, match: str) -> None:
    """Show a match.

    Args:
        view: the page.
        match: its name.
    """
    match_data = await view.read(get_match, match)
    texts = await view.read(get_texts, match_data)
    page_matches = await view.read(matches_of_page, match_data.page_id)
    view.entitle(
        f"{(match_data.page_title or match_data.url)[:_TITLE_CHARS]} ↔ {title_of(match_data)[:_TITLE_CHARS]}"
    )
    _head(view, match_data)
    await _ways(view, match_data)
    await _watch(view, match_data)
    chars = len(texts.page.text_of(match_data.part)) if texts.page else match_data.page_chars
    share_tiles(view, shares_of(chars, [other for other in page_matches if other.part == match_data.part]))
    _warnings(view, match_data, texts)
    with titled_panel(side_by_side_title(view, match_data.part)):
        await comparison(view, match_data.name, has_others=True)
    _facts(view, match_data)
    with ui.element("div").classes("columns"):
        _first(view, match_data, texts)
        await _dna(view, match_data, texts)
    await _evidence(view, match_data, texts)


def _head(view: View, match: Match) -> None:
    with ui.element("div").classes("match-head"):
        with ui.element("div").classes("row-line"):
            verdict_badge(view, match.verdict)
            if match.review:
                review_badge(view, match.review)
            part_badge(view, match)
            plain(match.name, "span").classes("mono soft")
            for code in match.disguises:
                plain(view.word(DISGUISES, code)).classes("badge accent")
        foreign_link(match.url).classes("small")


async def _ways(view: View, match: Match) -> None:
    """Show links to related pages."""
    case = await view.read(case_of_match, match)
    with ui.element("nav").classes("row-line") as ways:
        ways.props["aria-label"] = view.gettext("Related pages")
        if view.may("matches:decide"):
            ui.link(view.gettext("Review"), f"/review/{quote(match.name)}")
        if case:
            ui.link(view.gettext("Case {name}").format(name=case), f"/cases/{quote(case)}")
        if view.may("pages:read"):
            ui.link(view.gettext("Pages of the site"), address("/pages", {"site": match.site}))


async def _watch(view: View, match: Match) -> None:
    """Show whether the copy is still up, with a button that checks a watched address now."""
    if not view.may("scans:run") or await view.read(watch_of_address, match.url) is None:
        return

    async def show() -> None:
        watch = await view.read(watch_of_address, match.url)
        state.clear()
        if watch is not None:
            with state:
                badge(watch_text(watch, view.texts), watch_tone(watch))

    with ui.element("div").classes("row-line"):
        state = ui.element("div")
        look_button(view, [match.url], renew=show)
    await show()


def _warnings(view: View, match: Match, texts: MatchTexts) -> None:
    part_notes(view, match)
    if texts.page is not None:
        unread_note(view, texts.page)
    if match.page_older:
        plain(view.word(PRECEDENCES, match.page_older_by), "p").classes("note")
    if match.licence and match.licence != "licensed":
        plain(view.word(LICENCES, match.licence), "p").classes("note")
    if match.low_confidence:
        plain(view.gettext("low, because the text is short"), "p").classes("soft small")
    if match.posts:
        foreign(posts_line(match.posts, view.texts), tag="p").classes("soft small")
    if match.homophones:
        plain(homophones_line(match.homophones, view.texts), "p").classes("soft small")
    background = texts.page.background if texts.page else ()
    for line in background_lines(match, background, texts=view.texts):
        foreign(line, tag="p").classes("soft small")


def _facts(view: View, match: Match) -> None:
    """Show the fields of a match that its description lists as facts."""
    fields = visible(FACT_FIELDS, view.identity)
    zone = view.installation.zone
    if facts := [*fact_lines(fields, MatchRow(match=match), view.texts, zone)]:
        with ui.element("dl").classes("facts"):
            for term, value in facts:
                plain(term, "dt")
                foreign(value, tag="dd")


def _first(view: View, match: Match, texts: MatchTexts) -> None:
    """Show which text was published first, if the dates show it."""
    with titled_panel(view.gettext("Publication order")), ui.element("dl").classes("facts"):
        facts = [
            (view.gettext("Date of the work"), view.moment(match.work_published)),
            (view.gettext("Date on the page"), view.moment(match.page_published)),
            (view.gettext("First seen by pindna"), view.moment(match.first_seen)),
            (view.gettext("Last seen by pindna"), view.moment(match.last_seen)),
        ]
        if texts.page is not None and texts.page.fetched is not None:
            facts.append((view.gettext("Fetched"), view.moment(texts.page.fetched)))
        for term, value in facts:
            plain(term, "dt")
            plain(value, "dd")
        plain(view.gettext("In doubt"), "dt")
        plain(
            view.word(PRECEDENCES, match.page_older_by)
            if match.page_older
            else view.gettext("Nothing indicates that the page is older than the work."),
            "dd",
        )


async def _dna(view: View, match: Match, texts: MatchTexts) -> None:
    if texts.page is None or texts.passage is None or not match.spans:
        return
    span = max(match.spans, key=lambda candidate: candidate.page_end - candidate.page_start)
    page = texts.page.text_of(match.part)[span.page_start : span.page_end]
    passage = texts.passage.text[span.passage_start : span.passage_end]
    with titled_panel(view.gettext("DNA of the longest stretch")):
        await dna_pair(view, (view.gettext("The page"), page), (view.gettext("The protected work"), passage))


async def _evidence(view: View, match: Match, texts: MatchTexts) -> None:
    if texts.page is None:
        return
    if view.may("evidence:read"):
        captures = await view.read(captures_of_match, match, texts.page)
        with titled_panel(view.gettext("Evidence")):
            page_evidence(view, match, texts.page, captures)
        with titled_panel(view.gettext("The page as it was fetched")):
            page_as_it_was(view, match, captures)
    if view.may("pages:read"):
        versions = await view.read(versions_with_matches, match, texts.page)
        with titled_panel(view.gettext("Versions of the page")):
            page_versions(view, match, versions)
