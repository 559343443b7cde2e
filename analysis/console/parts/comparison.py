"""A match's page and passage side by side, with the page's other matches on request."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from nicegui import ui

from analysis.console.parts.badges import verdict_badge
from analysis.console.parts.parallel import parallel_texts
from analysis.console.parts.texts import plain
from analysis.console.view import View
from analysis.queries.matches import get_match, get_texts, matches_of_page
from analysis.texts.parallel import ComparedPassage, compared_passage, fits
from analysis.words.labels import NO_TEXT
from analysis.words.visible import one_line
from storage.records import Match, MatchPart, Verdict

_TITLE_CHARS = 80
MAX_OTHERS = 12  # maximum number of passages that can be shown next to a page


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPassage:
    """A passage that the user can select to be shown next to a page.

    Attributes:
        name: of the match, or another unique name.
        title: of its work and passage.
        chars: copied characters.
    """

    name: str
    title: str
    verdict: Verdict
    chars: int


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a page, and its title."""

    title: str
    text: str


def title_of(match: Match) -> str:
    """Return the work of a match; if the work has several passages, also the passage."""
    work = match.edition or match.work_title
    is_other = match.passage_title and match.passage_title != match.work_title
    return f"{work} · {match.passage_title}" if is_other else work


def side_by_side_title(view: View, section: MatchPart) -> str:
    """Return the heading over a text of a page and its passages."""
    if section == "rest":
        return view.gettext("Side by side, outside the article")
    return view.gettext("Side by side")


async def comparison(view: View, match_id: str, *, has_others: bool = False) -> None:
    """Show a match's page and passage side by side.

    Args:
        view: the page of the console.
        match_id: name or id of the match.
        has_others: let people add the page's other matches.

    Raises:
        PindnaError: of :func:`analysis.queries.matches.get_match`.
    """
    match = await view.read(get_match, match_id)
    texts = await view.read(get_texts, match)
    if texts.page is None or texts.passage is None:
        ui.label(view.word(NO_TEXT, "gone")).classes("note")
        return
    page = texts.page.text_of(match.part)
    passages = {match.name: compared_passage(match, match.name, title_of(match), texts.passage.text)}
    if not fits(page, passages[match.name]):
        ui.label(view.word(NO_TEXT, "changed")).classes("note")
        return
    matches = {match.name: match}
    if has_others:
        on_page = await view.read(matches_of_page, match.page_id)
        matches |= {page_match.name: page_match for page_match in on_page if page_match.part == match.part}

    async def load(name: str) -> ComparedPassage | None:
        if name not in passages:
            passage = (await view.read(get_texts, matches[name])).passage
            if passage is None:
                return None
            passages[name] = compared_passage(matches[name], name, title_of(matches[name]), passage.text)
        return passages[name] if fits(page, passages[name]) else None

    choices = [
        ShownPassage(
            name=page_match.name,
            title=title_of(page_match),
            verdict=page_match.verdict,
            chars=page_match.copied_chars,
        )
        for page_match in list(matches.values())[:MAX_OTHERS]
    ]
    title = match.page_title or match.url
    await with_choices(view, PageText(title, page), choices, [match.name], load)


async def with_choices(
    view: View,
    page: PageText,
    choices: Sequence[ShownPassage],
    shown: Sequence[str],
    load: Callable[[str], Awaitable[ComparedPassage | None]],
) -> None:
    """Show a page next to the selected passages, with checkboxes to select others.

    Args:
        view: the page of the console.
        page: what is held against the passages.
        choices: the passages.
        shown: names of those that are shown at first.
        load: returns a passage with its text; None: it cannot be shown.
    """
    chosen = dict.fromkeys(shown)
    turn = asyncio.Lock()
    boxes = ui.element("fieldset").classes("choices")
    container = ui.element("div").classes("parallel-place")

    async def rebuild() -> None:
        async with turn:
            passages = [other for name in list(chosen) if (other := await load(name)) is not None]
            container.clear()
            with container:
                if passages:
                    await parallel_texts(view, page.title, page.text, passages)
                    _tell_left_out(view, passages)
                else:
                    ui.label(view.gettext("Choose a work to compare it with the page.")).classes("empty")

    async def toggle(name: str, *, is_wanted: bool) -> None:
        if is_wanted:
            chosen[name] = None
        else:
            chosen.pop(name, None)
        await rebuild()

    if len(choices) > 1:
        with boxes:
            plain(view.gettext("Works found on the page"), "legend").classes("soft small")
            _boxes(view, choices, set(chosen), toggle)
    else:
        boxes.delete()
    await rebuild()


def _boxes(
    view: View,
    choices: Sequence[ShownPassage],
    chosen: set[str],
    toggle: Callable[..., Awaitable[None]],
) -> None:
    for choice in choices:

        async def change(event: object, name: str = choice.name) -> None:
            await toggle(name, is_wanted=bool(getattr(event, "value", False)))

        with ui.element("div").classes("choice"):
            title = one_line(choice.title[:_TITLE_CHARS])
            ui.checkbox(title, value=choice.name in chosen, on_change=change).props("dense")
            verdict_badge(view, choice.verdict)
            text = view.ngettext("{count:,} character", "{count:,} characters", choice.chars)
            ui.label(text.format(count=choice.chars)).classes("soft small")


def _tell_left_out(view: View, passages: Sequence[ComparedPassage]) -> None:
    more = sum(other.more for other in passages)
    if more:
        text = view.ngettext(
            "{count} shorter stretch is not shown.", "{count} shorter stretches are not shown.", more
        )
        ui.label(text.format(count=more)).classes("soft small")
