"""A text in many parts of one kind, each in an element of its own, side by side. Pure.

Encyclopedias, laws, products and long reports give each section a block. Between the sections stand links
for editing, tables and pictures, so that one long section can outscore the element around all. Its siblings
of the same kind tell: they have its tag and its class, or where names are missing the same sort of heading,
and sentences of their own. Posts and summaries stand side by side too: those bear dates, or titles that lead
to other pages. Boxes that a site gives one class have its menus between them. Linear in the page.
"""

from collections.abc import Mapping, Sequence

from crawler.extraction.naming import signature_of
from crawler.extraction.outline import Line, Outline
from crawler.extraction.pruning import HEADINGS, PARAGRAPHS
from crawler.extraction.stamps import is_stamp

_MIN_OTHERS = 0.5  # sentences of the other parts, to those of the one that was chosen
_MAX_WRAPPED = 1.1  # sentences of an element, to those of the part that it does nothing but hold
_MAX_LINK_SHARE = 0.3  # of a part, and of all with what stands between them
_MAX_OTHERS = 0.34  # of parts with a date of their own, or with a title that leads elsewhere
_MIN_TITLE_CHARS = 6  # of such a title; 编辑 and 更多 are none
_TABLES = frozenset({"table", "ul", "ol", "dl"})
_EDGE_LINES = 3  # of a part, where its title and its date stand


def container_of_parts(page: Outline, block: int, prose: Sequence[float]) -> int:
    """Return the element around a block and its siblings of the same kind; the block itself without any.

    Of a paragraph all paragraphs beside it are of its kind, for some say nothing in sentences.

    Args:
        page: the page.
        block: number of the element with most of the text.
        prose: value of the sentences in each block, none in those set aside.
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
    """Return the element around a paragraph that holds nothing but paragraphs; else the block itself.

    Tables and lists without links are the text's, as those of an announcement are.
    """
    parent = page.parents[block]
    tags = {page.elements[child].tag for child in children.get(parent, ())}
    is_one_of_many = page.elements[block].tag == "p" and (
        tags <= PARAGRAPHS
        or (tags <= PARAGRAPHS | _TABLES and not _is_menu(page.lines[slice(*spans[parent])]))
    )
    return parent if parent and is_one_of_many else block


def _kind(page: Outline, spans: Sequence[tuple[int, int]], block: int) -> tuple[str, ...]:
    """Return what siblings of one kind share: tag, class and id, else the tag of their heading, if any."""
    element = page.elements[block]
    if element.get("class") or element.get("id"):
        return signature_of(element)
    first = page.elements[page.lines[spans[block][0]].block]
    return (str(element.tag), str(first.tag)) if first.tag in HEADINGS else ()


def _are_parts(page: Outline, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether elements side by side are parts of one text: no posts, no summaries, no boxes of menus.

    Args:
        page: the page.
        spans: numbers of each element's first line and of the line after its last.
    """
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
