"""A piece of a generated page, and the techniques that make and change pieces."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from storage.records import UnreadReason

# What class names say about a piece is no reason to leave its text out.
CLASS_NAMES = (
    "c",
    "x",
    "text",
    "ad",
    "comment",
    "footer",
    "sidebar",
    "hidden",
    "related",
    "share",
    "copyright",
)


class Choices:
    """Where techniques draw their variants and the names of their classes from."""

    def __init__(self, pick: Callable[[Sequence[Any]], Any]) -> None:
        self.pick = pick
        self._count = 0

    def class_name(self) -> str:
        """Return a class name that the page has not used yet."""
        self._count += 1
        return f"{self.pick(CLASS_NAMES)}{self._count}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """Markup around a part of the protected text.

    Attributes:
        html: for the body.
        css: its rules, for a style element in the same document.
        head: markup for the head of the page.
        resources: path → (type, body) of what the page requests.
        names: of the techniques that made it.
        unread: reasons that may explain why its text is in neither text of the page.
        is_xml: it may be used in XHTML.
        is_last: nothing can follow it in a document.
    """

    html: str
    css: str = ""
    head: str = ""
    resources: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    unread: frozenset[UnreadReason] = frozenset()
    is_xml: bool = True
    is_last: bool = False

    def with_html(self, html: str, **changes: Any) -> "Fragment":
        """Return the fragment with other markup, and further rules after its own."""
        css = self.css + changes.pop("more_css", "")
        return replace(self, html=html, css=css, **changes)

    def document(self) -> str:
        """Return it as a separate document."""
        return f"<!DOCTYPE html><meta charset=utf-8>{self.head}{self.style()}{self.html}"

    def style(self) -> str:
        """Return its rules as a style element."""
        return f"<style>{self.css}</style>" if self.css else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Technique:
    """A way to put text on a page, or to change how it is put there.

    Attributes:
        name: unique.
        apply: makes a fragment from paragraphs (forms) or from a fragment (all others).
        unread: reasons of unread text that fit it.
        is_xml: what it makes may be used in XHTML.
    """

    name: str
    apply: Callable[[Any, Choices], Fragment]
    unread: frozenset[UnreadReason] = frozenset()
    is_xml: bool = True

    def __call__(self, source: Any, choices: Choices) -> Fragment:
        made = self.apply(source, choices)
        return replace(
            made,
            names=(*made.names, self.name),
            unread=made.unread | self.unread,
            is_xml=made.is_xml and self.is_xml,
        )
