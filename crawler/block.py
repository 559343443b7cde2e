"""The densest block of sentences on a page, found by following the mass of punctuated text downwards. Pure.

The mass of an element is the number of characters in its lines that hold Chinese sentence punctuation and
are not links. From ``<body>`` the search goes to the child that keeps nearly all of the mass, as long as
there is one: that is the article's container. Children that are mostly links are pruned from it.

It is the second voice beside trafilatura: it answers where that one is silent, and their agreement is the
confidence of a result. One pass over the tree, linear.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from crawler.parsing import Element, Tree, is_element, is_silent, lines_of, visible_chars

_SENTENCE: Final = re.compile("[，。！？；：、…“”「」]")
_PARAGRAPHS: Final = frozenset({"p", "span", "font", "b", "strong", "em", "i", "a", "pre", "blockquote"})
_KEPT_SHARE: Final = 0.75  # of the mass that the next step down must keep
_LINK_SHARE: Final = 0.5  # a child with more of its characters in links is navigation
_LINK_CHARS: Final = 10  # shorter children are left: a linked name inside a sentence


@dataclass(frozen=True, slots=True)
class Block:
    """The main block of a page.

    Attributes:
        lines: its visible lines, navigation pruned.
        chars: characters of the whole block, without white space.
        link_share: share of them inside links.
    """

    lines: tuple[str, ...]
    chars: int
    link_share: float


@dataclass(slots=True)
class _Weight:
    mass: int = 0
    chars: int = 0
    link_chars: int = 0


def main_block(tree: Tree) -> Block:
    """Return the densest block of a page; an empty one when the page shows no text."""
    body = tree.find("body")
    if body is None:
        return Block((), 0, 0.0)
    weights = _weigh(body)
    node = body
    while (heir := _heir(node, weights)) is not None:
        node = heir
    weight = weights[node]
    return Block(
        tuple(lines_of(node, skip=frozenset(_navigation(node, weights)))),
        weight.chars,
        weight.link_chars / max(weight.chars, 1),
    )


def _weigh(body: Element) -> dict[Element, _Weight]:
    """Return the weight of every visible element, children before parents."""
    weights: dict[Element, _Weight] = {}
    for node, in_link in reversed(_visible(body)):
        weight = weights.setdefault(node, _Weight())
        _add_text(weight, (node.text, *(child.tail for child in node)), in_link=in_link)
        parent = node.getparent()
        if node is not body and parent is not None:
            _add(weights.setdefault(parent, _Weight()), weight)
    return weights


def _visible(body: Element) -> list[tuple[Element, bool]]:
    """Return the visible elements in an order with parents first, and whether each lies in a link."""
    found, stack = [], [(body, False)]
    while stack:
        node, in_link = stack.pop()
        if is_silent(node) and node is not body:
            continue
        in_link = in_link or node.tag == "a"
        found.append((node, in_link))
        stack.extend((child, in_link) for child in node if is_element(child))
    return found


def _add_text(weight: _Weight, texts: Iterable[str | None], *, in_link: bool) -> None:
    for text in filter(None, texts):
        chars = visible_chars(text)
        weight.chars += chars
        if in_link:
            weight.link_chars += chars
        elif _SENTENCE.search(text):
            weight.mass += chars


def _add(total: _Weight, part: _Weight) -> None:
    total.mass += part.mass
    total.chars += part.chars
    total.link_chars += part.link_chars


def _heir(node: Element, weights: dict[Element, _Weight]) -> Element | None:
    children = [child for child in node if child in weights and child.tag not in _PARAGRAPHS]
    best = max(children, key=lambda child: weights[child].mass, default=None)
    mass = weights[node].mass
    if best is None or mass == 0 or weights[best].mass < _KEPT_SHARE * mass:
        return None
    return best


def _navigation(node: Element, weights: dict[Element, _Weight]) -> Iterable[Element]:
    """Yield the topmost descendants that are mostly links."""
    stack = list(node)
    while stack:
        child = stack.pop()
        weight = weights.get(child)
        if weight is None:
            continue
        if weight.link_chars > _LINK_SHARE * weight.chars and weight.link_chars >= _LINK_CHARS:
            yield child
        else:
            stack.extend(child)
