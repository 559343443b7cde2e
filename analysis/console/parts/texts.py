"""Texts from outside as text: nothing hidden in them stays hidden, and nothing in them becomes markup."""

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from analysis.visible import link_target, one_line

_SHOWN_CHARS = 300  # of a line; what is longer is cut, and told so


def foreign(text: str, *, most: int = _SHOWN_CHARS, tag: str = "bdi") -> Element:
    """Show a line that somebody else wrote, in its own direction of reading.

    Args:
        text: of a page, a work, a person.
        most: characters shown; an ellipsis stands for the rest.
        tag: of the element.
    """
    line = one_line(text[: most + 1])
    return TextElement(tag=tag, text=line if len(text) <= most else f"{line[:most]}…")


def foreign_link(url: str, text: str = "") -> Element:
    """Show an address of somebody else: a link that opens elsewhere if it is plain http or https, else text.

    Args:
        url: the address.
        text: shown in its place.
    """
    target = link_target(url)
    if target is None:
        return foreign(text or url)
    link = ui.link(target=target, new_tab=True).props(
        'rel="noopener noreferrer nofollow" referrerpolicy="no-referrer"'
    )
    with link:
        foreign(text or url)
    return link


def plain(text: str, tag: str = "span") -> TextElement:
    """Show a text of ours in an element of any kind."""
    return TextElement(tag=tag, text=text)
