"""The DNA of texts as coloured strips, which show why two texts match."""

import asyncio

from nicegui import ui

from analysis.console.parts.texts import foreign, plain
from analysis.console.view import View
from analysis.texts.dna_strips import Strip, picture_of, strip_of, strips_of


async def dna_strip(view: View, label: str, text: str) -> None:
    """Show the DNA of a whole text, sampled at equal distances.

    Args:
        view: the page of the console.
        label: what the text is called.
        text: the text.
    """
    strip = await asyncio.to_thread(strip_of, text)
    with ui.element("div").classes("dna"):
        _strip(view, label, strip, "")
        _explain(view)


async def dna_pair(view: View, first: tuple[str, str], second: tuple[str, str]) -> None:
    """Show the DNA of two stretches, one below the other, and mark the parts that agree.

    Args:
        view: the page of the console.
        first: what the one is called, and its text.
        second: likewise.
    """
    strips = await asyncio.to_thread(strips_of, first[1], second[1])
    with ui.element("div").classes("dna"):
        for (label, _), strip in zip((first, second), strips, strict=True):
            columns = len(strip.agrees)
            line = view.ngettext(
                "{same} of {count} window also appears in the other text.",
                "{same} of {count} windows also appear in the other text.",
                columns,
            ).format(same=strip.agreeing, count=columns)
            _strip(view, label, strip, line)
        _explain(view)
        plain(view.gettext("The green line marks the windows that occur in both texts."), "p").classes(
            "soft small"
        )


def _strip(view: View, label: str, strip: Strip, line: str) -> None:
    with ui.element("div").classes("dna-line"):
        foreign(label, most=80).classes("small")
        if line:
            ui.label(line).classes("soft small")
    if not len(strip.digits):
        ui.label(view.gettext("The text is too short for a window.")).classes("soft small")
        return
    picture = ui.element("img").classes("dna-strip")
    picture.props["src"] = picture_of(strip)
    picture.props["alt"] = line or view.gettext("Frequencies of pinyin initials")


def _explain(view: View) -> None:
    text = view.gettext(
        "Each column is a window of 16 letters, and each row is a pinyin initial from b to z. The "
        "stronger the colour, the more often the initial occurs in the window. Homophones and variant "
        "characters do not change the picture."
    )
    plain(text, "p").classes("soft small")
