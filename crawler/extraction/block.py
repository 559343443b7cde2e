"""The block of sentences that is the page's article, by weighing the lines below every element. Pure.

Each line counts: p for the characters of its sentences, n for those of links and labels. An element is worth
p·p / (p + n) over all its lines, its sentences times their share, and the one worth most is the article's
container: an element further in misses sentences, one further out takes in menus, teasers and footers (after
maximum subsequence segmentation, Pasternack and Roth, WWW 2009, on the tree instead of on the sequence).

Sentences count less the more menu lies between them and the line that the page's description or title names,
and hardly in an element whose class says that it is comments, related links or a footer. One pass over the
lines and one over the elements: linear.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crawler.extraction.naming import code_blocks, is_aside
from crawler.extraction.outline import Line, Outline
from crawler.extraction.pruning import is_menu, pruned
from crawler.extraction.title_lines import described, titled

_MAX_ASIDE = (0.95, 0.5)  # of the page's characters, where the title is known to be outside, else
_ASIDE_VALUE = 0.25  # of a sentence there
_MAX_LINE_CHARS = 400  # characters of one line that count
_LABEL_COST = 0.5  # a character
_LABEL_CHARS = 60
_LINE_COST = 4.0  # a link or label, however short
_BEFORE = 0.3  # of a sentence above the title
# Noise in between that lets a value fall to 1/e, and the least that is left of it.
_NEAR_LEAD = (400.0, 0.05)
_NEAR_TITLE = (1500.0, 0.3)
_ABSTRACT_GAP = 200  # characters between an abstract and the article
_ABSTRACT_LINES = 2
_ABSTRACT_TIMES = 2  # as long as its abstract is the least an article can be
_ABSTRACT_PURITY = 0.8  # of an article's characters are sentences


@dataclass(frozen=True, slots=True)
class Block:
    """The article's block.

    Attributes:
        lines: what it holds, menus and links inside it left out.
        held: what it holds, menus and all.
        chars: characters of the whole block, without white space.
        link_share: share of them inside links.
        prose_chars: characters of sentences in ``lines``.
        prose_share: share of the page's sentences that lie in it, in characters.
        is_anchored: the page's description names a line of it.
    """

    lines: tuple[Line, ...]
    held: tuple[Line, ...]
    chars: int
    link_share: float
    prose_chars: int
    prose_share: float
    is_anchored: bool


NO_BLOCK = Block((), (), 0, 0.0, 0, 0.0, is_anchored=False)


def whole_page(page: Outline) -> Block:
    """Return all of a page as its block, for when it cannot be told where the article is."""
    prose = _prose(page.lines)
    return Block(page.lines, page.lines, page.chars, page.link_share, prose, 1.0, is_anchored=False)


def main_block(page: Outline, *, title: str = "", descriptions: Sequence[str] = ()) -> Block:
    """Return the article's block; an empty one when the page shows no sentence.

    Args:
        page: the page.
        title: its title.
        descriptions: what its meta elements say that it is about.
    """
    lead = described(page, descriptions, title=title)
    heading = titled(page, title)
    asides = _asides(page, anchor=heading if lead is None else lead)
    codes = code_blocks(page)
    values = [
        0.0 if line.block in codes else _value(line, is_aside=asides[line.block]) for line in page.lines
    ]
    _discount(values, lead=lead, heading=heading)
    sums = _scores(page, values)
    best = _heaviest(range(len(sums)), sums)
    if lead is not None and not _holds(page, best, page.lines[lead].block) and not _follows(page, best, lead):
        best = _heaviest(page.path(page.lines[lead].block), sums)
    if sums[best] <= 0:
        return NO_BLOCK
    return _block(page, best, page.sums(_by_block(page, values)), is_anchored=lead is not None)


def _scores(page: Outline, values: Sequence[float]) -> list[float]:
    """Return p · p / (p + n) for each block: its sentences times their share beside links and labels."""
    prose = page.sums(_by_block(page, [max(0.0, value) for value in values]))
    noise = page.sums(_by_block(page, [max(0.0, -value) for value in values]))
    return [p * p / (p + n) if p else -n for p, n in zip(prose, noise, strict=True)]


def _heaviest(blocks: Iterable[int], sums: Sequence[float]) -> int:
    return max(blocks, key=lambda block: (sums[block], block))


def _holds(page: Outline, block: int, other: int) -> bool:
    return block in page.path(other)


def _follows(page: Outline, block: int, lead: int) -> bool:
    """Return whether the lead is an abstract above an article of its own, not the article above teasers."""
    ends = page.ends()[block]
    inside = [number for number, line in enumerate(page.lines) if block <= line.block < ends]
    between = page.lines[lead + 1 : inside[0]]
    held = [page.lines[number] for number in inside]
    return (
        inside[0] > lead
        and sum(line.is_prose for line in held) >= _ABSTRACT_LINES
        and _prose(held) > _ABSTRACT_TIMES * page.lines[lead].chars
        and sum(line.chars for line in between) < _ABSTRACT_GAP
        and _prose(held) > _ABSTRACT_PURITY * sum(line.chars for line in held)
    )


def _block(page: Outline, best: int, sums: list[float], *, is_anchored: bool) -> Block:
    inside = range(best, page.ends()[best])
    held = [line for line in page.lines if line.block in inside]
    chars = sum(line.chars for line in held)
    dropped = pruned(page, held, inside, sums)
    kept = tuple(line for line in held if line.block not in dropped and not is_menu(line))
    return Block(
        lines=kept,
        held=tuple(held),
        chars=chars,
        link_share=sum(line.link_chars for line in held) / max(1, chars),
        prose_chars=_prose(kept),
        prose_share=_prose(kept) / max(1, _prose(page.lines)),
        is_anchored=is_anchored,
    )


def _prose(lines: Sequence[Line]) -> int:
    return sum(line.chars for line in lines if line.is_prose)


def _asides(page: Outline, *, anchor: int | None) -> list[bool]:
    """Return for each block whether its class, or that of a block around it, sets it apart.

    What holds the title, or nearly the whole page, cannot be beside the point.
    """
    around = set() if anchor is None else set(page.path(page.lines[anchor].block))
    most = _MAX_ASIDE[anchor is None]
    chars = page.sums(_by_block(page, [line.chars for line in page.lines]))
    asides = [False] * len(page.elements)
    for block in range(1, len(asides)):
        is_part = block not in around and chars[block] < most * chars[0]
        asides[block] = asides[page.parents[block]] or (is_part and is_aside(page.elements[block]))
    return asides


def _value(line: Line, *, is_aside: bool) -> float:
    if line.is_prose:
        return min(line.chars - line.link_chars, _MAX_LINE_CHARS) * (_ASIDE_VALUE if is_aside else 1.0)
    if line.is_link:
        return -line.chars - _LINE_COST
    return -_LABEL_COST * min(line.chars, _LABEL_CHARS) - _LINE_COST


def _discount(values: list[float], *, lead: int | None, heading: int | None) -> None:
    """Lower the value of sentences that much noise parts from the anchor, or that stand above the title."""
    anchor = lead if lead is not None else heading
    if anchor is None:
        return
    scale, least = _NEAR_TITLE if lead is None else _NEAR_LEAD
    noise = 0.0
    for number in range(anchor, len(values)):
        if values[number] < 0:
            noise -= values[number]
        else:
            values[number] *= max(least, math.exp(-noise / scale))
    for number in range(anchor):
        if values[number] > 0:
            values[number] *= _BEFORE


def _by_block(page: Outline, values: Sequence[float]) -> list[float]:
    own = [0.0] * len(page.elements)
    for line, value in zip(page.lines, values, strict=True):
        own[line.block] += value
    return own
