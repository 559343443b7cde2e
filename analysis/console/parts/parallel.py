"""A page next to works: two panes that scroll together, with a chip per stretch and marked changes.

A single browser component (``parallel.js``) shows all of it, even for very many stretches. It inserts texts
as text, never as markup, and requests further content when the user opens it.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from nicegui import events, ui
from nicegui.element import Element

from analysis.console.view import View
from analysis.texts.parallel import ComparedPassage, Parallel, ParallelStretch, TooMuchShown
from analysis.words.figures import percent
from analysis.words.labels import CHANGES, DISGUISES, SYLLABLES
from analysis.words.visible import one_line

_CHIPS = 24  # number of chips that are shown at first
_SAMPLES = {"variant": "灣", "latin": "qing", "replaced": "灯", "inserted": "灯", "deleted": "灯"}
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_TITLE_CHARS = 200


class ParallelTexts(Element, component="parallel.js"):
    """Two panes: a page, and the passages that it is compared with.

    Args:
        view: the page of the console.
        title: of the page.
        parallel: the texts.
        passages: the passages, in the order of ``parallel``.
    """

    def __init__(
        self, view: View, title: str, parallel: Parallel, passages: Sequence[ComparedPassage]
    ) -> None:
        super().__init__()
        self._view = view
        self._parallel = parallel
        self._titles = [title, *(other.title for other in passages)]
        self._props["words"] = _words(view)
        self._props["marks"] = _marks(view)
        self._props["first"] = _CHIPS
        self._props["stretches"] = [
            _stretch_shown(view, parallel.stretch(index), stretch, is_one=len(passages) == 1)
            for index, stretch in enumerate(parallel.stretches())
        ]
        self.on("stretch", self._open_stretch)
        self.on("gap", self._open_gap)

    def show(self, content: tuple[list[dict[str, Any]], list[list[dict[str, Any]]]]) -> None:
        """Show the result of :meth:`analysis.texts.parallel.Parallel.content`."""
        page, passages = content
        titles = [one_line(title[:_TITLE_CHARS]) for title in self._titles]
        self._props["page"] = {"title": titles[0], "parts": page}
        self._props["passages"] = [
            {"title": title, "parts": parts} for title, parts in zip(titles[1:], passages, strict=True)
        ]
        self.update()

    async def _open_stretch(self, event: events.GenericEventArguments) -> None:
        await self._open(lambda: self._parallel.open_stretch(int(event.args)))

    async def _open_gap(self, event: events.GenericEventArguments) -> None:
        arguments = event.args
        await self._open(lambda: self._parallel.open_gap(int(arguments["section"]), int(arguments["part"])))

    async def _open(self, widen: Any) -> None:
        try:
            widen()
        except (IndexError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, TooMuchShown):
                ui.notify(self._view.gettext("No more text can be shown on this page."))
            return
        self.show(await asyncio.to_thread(self._parallel.content))


async def parallel_texts(
    view: View, title: str, page: str, passages: Sequence[ComparedPassage]
) -> ParallelTexts:
    """Show a page next to passages.

    Args:
        view: the page of the console.
        title: of the page.
        page: its text.
        passages: the passages; their stretches fit the texts.
    """
    parallel = await asyncio.to_thread(Parallel, page, passages)
    content = await asyncio.to_thread(parallel.content)
    element = ParallelTexts(view, title, parallel, passages)
    element.show(content)
    return element


def _stretch_shown(
    view: View, stretch: ParallelStretch, data: dict[str, Any], *, is_one: bool
) -> dict[str, Any]:
    label = f"{'' if is_one else _LETTERS[data['other'] % len(_LETTERS)]}{data['number']}"
    disguises = [view.word(DISGUISES, code) for code in stretch.span.disguises]
    chars = view.ngettext("{count:,} character", "{count:,} characters", stretch.chars)
    words = [chars.format(count=stretch.chars), *disguises]
    if stretch.standing == "common":
        words.append(view.gettext("common text, not counted"))
    if stretch.standing == "dismissed":
        words.append(view.gettext("dismissed, not counted"))
    return {
        **data,
        "label": label,
        "text": " · ".join(words),
        "detail": _detail(view, stretch, label, words),
    }


def _detail(view: View, stretch: ParallelStretch, label: str, words: Sequence[str]) -> str:
    span = stretch.span
    position = view.gettext(
        "Stretch %(number)s: page characters %(a)s–%(b)s, passage characters %(c)s–%(d)s"
    ) % {
        "number": label,
        "a": span.page_start + 1,
        "b": span.page_end,
        "c": span.passage_start + 1,
        "d": span.passage_end,
    }
    identities = [
        f"{view.gettext('Character identity')} {percent(span.char_identity)}",
        f"{view.gettext('Sound identity')} {percent(span.sound_identity)}",
    ]
    reason = [one_line(stretch.reason[:_TITLE_CHARS])] if stretch.reason else []
    return " · ".join([position, *words, *identities, *reason])


def _marks(view: View) -> list[dict[str, str]]:
    marks = []
    for kind, label in CHANGES.items():
        sample, syllable = SYLLABLES.get(kind, (_SAMPLES.get(kind, ""), ""))
        marks.append({"kind": kind, "label": view.gettext(label), "sample": sample, "syllable": syllable})
    return marks


def _words(view: View) -> dict[str, str]:
    return {
        "page": view.gettext("The page"),
        "passage": view.gettext("The protected work"),
        "marks": view.gettext("What is marked"),
        "differences": view.gettext("Differences"),
        "matches": view.gettext("Same characters"),
        "linked": view.gettext("Scroll together"),
        "legend": view.gettext("Legend"),
        "sample": "青灯",
        "equal": view.gettext("The same"),
        "stretches": view.gettext("Stretches"),
        "all": view.gettext("All stretches"),
        "more": view.gettext("{count} more characters"),
        "toPage": view.gettext("Stretch {number}: to the same stretch of the page"),
        "toPassage": view.gettext("Stretch {number}: to the same stretch of the work"),
    }
