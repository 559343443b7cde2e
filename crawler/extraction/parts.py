"""A text in many parts of one kind, each in its own element, side by side. Pure, linear.

Encyclopedias, laws, products and long reports put each section in a block, with edit links, tables and
pictures between the sections. One long section can then outscore the element around all of them. Parts are
recognised by what they share: tag and class, or without names the same kind of heading, and sentences in
each. Posts and summaries are also side by side, but have dates or titles that link to other pages. Boxes of
one class have menus between them.
"""

from collections.abc import Mapping, Sequence

from crawler.extraction.naming import signature_of
from crawler.extraction.outline import Line, Outline
from crawler.extraction.pruning import HEADINGS, PARAGRAPHS
from crawler.extraction.stamps import is_stamp

_MIN_OTHERS = 0.5  # minimum number of sentences in the other parts, relative to the chosen part
_MAX_WRAPPED = 1.1  # maximum number of sentences in an element, relative to the part that it only wraps
_MAX_LINK_SHARE = 0.3  # maximum share of links in a part, and in all parts including the content between them
_MAX_OTHERS = 0.34  # maximum share of parts with a date, or with a title that links to another page
_MIN_TITLE_CHARS = 6  # minimum characters of a linked title; 编辑 and 更多 are not titles
_TABLES = frozenset({"table", "ul", "ol", "dl"})
_EDGE_LINES = 3  # number of lines at the start or end of a part that may contain its title and date


def container_of_parts(page: Outline, block: int, prose: Sequence[float]) -> int:
    """Return the element around a block and its siblings of the same kind; without siblings, the block.

    If the block is a paragraph, all sibling paragraphs count, because some contain no sentences.

    Args:
        page: the page.
        block: number of the element with most of the text.
        prose: value of the sentences in each block; 0 in asides.
    """
    children, spans = page.children, page.spans
    container = node = _around_paragraphs(page, block, children, spans)
    while node and prose[node] <= _MAX_WRAPPED * prose[container]:
        kind = _kind(page, spans, node)
        siblings = [
            other
            for other in children[page.parents[node]]
            if other != node and prose[other] > 0 and kind and _kind(page, spans, other) == kind
        ]
        node = page.parents[node]
        is_enough = sum(prose[other] for other in siblings) >= _MIN_OTHERS * prose[container]
        if is_enough and _are_parts(page, [spans[member] for member in (container, *siblings)]):
            container = node
    return container


def _around_paragraphs(
    page: Outline, block: int, children: Mapping[int, Sequence[int]], spans: Sequence[tuple[int, int]]
) -> int:
    """Return the element around a paragraph if it contains only paragraphs; otherwise the block itself.

    Tables and lists without links belong to the text, for instance in an announcement.
    """
    parent = page.parents[block]
    tags = {page.elements[child].tag for child in children.get(parent, ())}
    is_one_of_many = page.elements[block].tag == "p" and (
        tags <= PARAGRAPHS
        or (tags <= PARAGRAPHS | _TABLES and not _is_menu(page.lines[slice(*spans[parent])]))
    )
    return parent if parent and is_one_of_many else block


def _kind(page: Outline, spans: Sequence[tuple[int, int]], block: int) -> tuple[str, ...]:
    """Return the tag, class and id that siblings share, or else the tag of their heading, if any."""
    element = page.elements[block]
    if element.get("class") or element.get("id"):
        return signature_of(element)
    first = page.elements[page.lines[spans[block][0]].block]
    return (str(element.tag), str(first.tag)) if first.tag in HEADINGS else ()


def _are_parts(page: Outline, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether adjacent elements are parts of one text, not posts, summaries or boxes of menus."""
    starts, ends = zip(*spans, strict=True)
    parts = [page.lines[start:end] for start, end in spans]
    is_text = not _is_menu(page.lines[min(starts) : max(ends)])
    return is_text and sum(map(_is_other, parts)) <= _MAX_OTHERS * len(parts)


def _is_other(lines: Sequence[Line]) -> bool:
    """Return whether the lines of an element are a post, a summary or a menu."""
    edges = (*lines[:_EDGE_LINES], *lines[-_EDGE_LINES:])
    return _is_menu(lines) or any(
        is_stamp(line) or (line.is_link and line.chars >= _MIN_TITLE_CHARS) for line in edges
    )


def _is_menu(lines: Sequence[Line]) -> bool:
    return sum(line.link_chars for line in lines) > _MAX_LINK_SHARE * sum(line.chars for line in lines)
