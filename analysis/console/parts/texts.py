"""Foreign texts: hidden characters become visible, and nothing becomes markup."""

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from analysis.words.visible import link_target, one_line

_SHOWN_CHARS = 300  # maximum characters of a line; longer lines are cut, with a remark


def foreign(text: str, *, most: int = _SHOWN_CHARS, tag: str = "bdi") -> Element:
    """Show a line of foreign text, in the reading direction of its script.

    Args:
        text: of a page, a work, a person.
        most: characters shown; an ellipsis replaces the rest.
        tag: of the element.
    """
    return TextElement(tag=tag, text=_shown(text, most))


def _shown(text: str, most: int) -> str:
    line = one_line(text[: most + 1])
    return line if len(text) <= most else f"{line[:most]}…"


def inner_link(text: str, target: str) -> Element:
    """Show a line of foreign text as a link to another page of the console.

    Args:
        text: of a page, a work, a person.
        target: address in the console.
    """
    return ui.link(_shown(text, _SHOWN_CHARS), target).classes("foreign")


def foreign_link(url: str, text: str = "") -> Element:
    """Show a foreign address: as a link to a new tab if it is plain http or https, else as text.

    Args:
        url: the address.
        text: shown in its place.
    """
    target = link_target(url)
    if target is None:
        return foreign(text or url)
    link = ui.link(_shown(text or url, _SHOWN_CHARS), target, new_tab=True).classes("foreign")
    return link.props('rel="noopener noreferrer nofollow" referrerpolicy="no-referrer"')


def plain(text: str, tag: str = "span") -> TextElement:
    """Show one of pindna's texts in an element of any kind."""
    return TextElement(tag=tag, text=text)


def capitalised(text: str) -> str:
    """Return a text with a capital first letter, unless it begins with a name such as robots.txt."""
    first, _, _ = text.partition(" ")
    return text[:1].upper() + text[1:] if first.isalpha() else text
