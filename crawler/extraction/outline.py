"""A page as a sequence of lines, each with its innermost block element. Pure, linear.

One walk over the tree, without recursion (broken pages nest a hundred thousand deep), collects the visible
text and how much of each line is links and sentences. Elements are numbered in document order, so sums over
subtrees take one loop from the last number to the first.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

from crawler.extraction.parsing import BLOCKS, SILENT, Element, count_chars
from fingerprint.text.han import HAN

# The pattern begins with a character set, so the regex engine can skip to these characters.
SENTENCE = re.compile(
    rf"[，。！？；…﹐﹒﹔﹖﹗．｡,.!?;](?:(?<=[，。！？；…﹐﹒﹔﹖﹗])|(?<=[{HAN}][．｡])|(?<=[{HAN}][,.!?;])(?!\w))"
)
_HAN = re.compile(f"[{HAN}]+")


class Line(NamedTuple):
    """A visible line. A named tuple, because a page has hundreds of lines.

    Attributes:
        text: its text with single spaces, never empty.
        chars: characters without white space.
        link_chars: number of these characters in links.
        marks: sentence punctuation outside links.
        block: number of the innermost block element around it.
    """

    text: str
    chars: int
    link_chars: int
    marks: int
    block: int

    @property
    def is_prose(self) -> bool:
        """Return whether the line consists of sentences rather than labels."""
        return self.marks > 0 and 2 * self.link_chars < self.chars

    @property
    def is_link(self) -> bool:
        """Return whether most of the line is a link."""
        return 2 * self.link_chars > self.chars


def line_of(text: str) -> Line:
    """Return a line of plain text, outside any element."""
    bare = "".join(text.split())
    return Line(text, len(bare), 0, count_chars(SENTENCE, bare), 0)


@dataclass(frozen=True)
class Outline:
    """A page's lines and block elements, with cached counts.

    Attributes:
        lines: in document order.
        elements: block elements in document order, the body first.
        parents: number of each block's innermost block ancestor; 0 for the body itself.
        ends: for each block, the number after its last descendant.
    """

    lines: tuple[Line, ...]
    elements: tuple[Element, ...]
    parents: tuple[int, ...]
    ends: tuple[int, ...]

    @cached_property
    def chars(self) -> int:
        """Return the number of characters of all lines."""
        return sum(line.chars for line in self.lines)

    @cached_property
    def prose_chars(self) -> int:
        """Return the number of characters in its sentences."""
        return sum(line.chars for line in self.lines if line.is_prose)

    @cached_property
    def link_share(self) -> float:
        """Return the share of the characters in links."""
        return sum(line.link_chars for line in self.lines) / max(1, self.chars)

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """Return the children of each block that has any, in order."""
        children: dict[int, list[int]] = {}
        for block in range(1, len(self.parents)):
            children.setdefault(self.parents[block], []).append(block)
        return children

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Return for each block its first line and the line after its last; (count, 0) without lines."""
        starts, ends = [len(self.lines)] * len(self.elements), [0] * len(self.elements)
        for number, line in enumerate(self.lines):
            starts[line.block] = min(starts[line.block], number)
            ends[line.block] = number + 1
        parents = self.parents
        for block in range(len(starts) - 1, 0, -1):
            parent = parents[block]
            starts[parent] = min(starts[parent], starts[block])
            ends[parent] = max(ends[parent], ends[block])
        return list(zip(starts, ends, strict=True))

    def with_menu(self, numbers: range) -> "Outline":
        """Return the page with some lines treated as links, which are not part of a text."""
        if not numbers:
            return self
        lines = list(self.lines)
        lines[numbers.start : numbers.stop] = (
            line._replace(link_chars=line.chars, marks=0) for line in lines[numbers.start : numbers.stop]
        )
        return replace(self, lines=tuple(lines))

    def path(self, block: int) -> Iterator[int]:
        """Yield the number of a block and of its ancestors, the body last."""
        while block:
            yield block
            block = self.parents[block]
        yield 0

    def sums(self, values: list[float]) -> list[float]:
        """Return the sum over each block's subtree, given the values of the single blocks."""
        totals, parents = list(values), self.parents
        for block in range(len(totals) - 1, 0, -1):
            totals[parents[block]] += totals[block]
        return totals


def without_marks(page: Outline) -> Outline:
    """Return a page on which every Chinese line outside links counts as a sentence.

    Verse, subtitles and old editions have no sentence punctuation.
    """
    lines = (
        line._replace(marks=1) if line.marks == 0 and 2 * count_chars(_HAN, line.text) > line.chars else line
        for line in page.lines
    )
    return replace(page, lines=tuple(lines))


@dataclass(slots=True)
class _Writer:
    """Collects the pieces of the current line."""

    lines: list[Line] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)

    def add(self, text: str | None, *, in_link: bool) -> None:
        """Add a text, if any; white space at the beginning of a line is dropped."""
        if text and (self.pieces or not text.isspace()):
            self.pieces.append(text)
            if in_link:
                self.linked.append(text)

    def end(self, block: int) -> None:
        if not self.pieces:
            return
        words = "".join(self.pieces).split()
        bare, linked = "".join(words), "".join("".join(self.linked).split()) if self.linked else ""
        marks = len(SENTENCE.findall(bare))
        marks -= len(SENTENCE.findall(linked)) if linked and marks else 0
        self.lines.append(Line(" ".join(words), len(bare), len(linked), max(0, marks), block))
        self.pieces.clear()
        self.linked.clear()


# The state to restore when an element ends: its remaining siblings, the number of the innermost
# block, and whether a link surrounds it; then the element's block number, if it is a block, and the
# text after it.
_Around: TypeAlias = tuple[Iterator[Element], int, bool, int | None, str | None]


def outline(body: Element, *, hidden: Collection[Element] = frozenset()) -> Outline:
    """Return the lines and blocks below an element.

    Args:
        body: the root of the walk.
        hidden: further elements to skip, in addition to the silent ones.
    """
    elements, parents, writer = [body], [0], _Writer()
    writer.add(body.text, in_link=False)
    siblings, block, in_link = iter(body), 0, False
    around: list[_Around] = []
    while True:
        for node in siblings:
            tag = node.tag
            if not isinstance(tag, str) or tag in SILENT or node in hidden:
                writer.add(node.tail, in_link=in_link)
                continue
            text, is_block, is_leaf = node.text, tag in BLOCKS, not len(node)
            inner, inside = block, in_link or tag == "a"
            if is_block:
                writer.end(block)
                if text or not is_leaf:
                    inner = len(elements)
                    elements.append(node)
                    parents.append(block)
            writer.add(text, in_link=inside)
            if not is_leaf:
                around.append((siblings, block, in_link, inner if is_block else None, node.tail))
                siblings, block, in_link = iter(node), inner, inside
                break
            if is_block:
                writer.end(inner)
            writer.add(node.tail, in_link=in_link)
        else:
            if not around:
                break
            siblings, block, in_link, number, tail = around.pop()
            if number is not None:
                writer.end(number)
            writer.add(tail, in_link=in_link)
    writer.end(0)
    return Outline(tuple(writer.lines), tuple(elements), tuple(parents), _ends(parents))


def _ends(parents: Sequence[int]) -> tuple[int, ...]:
    ends = list(range(1, len(parents) + 1))
    for block in range(len(ends) - 1, 0, -1):
        parent = parents[block]
        ends[parent] = max(ends[parent], ends[block])
    return tuple(ends)
