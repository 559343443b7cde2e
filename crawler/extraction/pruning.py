"""What stands inside the article's block and is no part of the article. Pure."""

from collections.abc import Sequence

from crawler.extraction.naming import code_blocks, is_aside, make_of
from crawler.extraction.outline import Line, Outline
from crawler.extraction.parsing import Element

_LABELS = 4  # so many lines without a sentence are a table or a menu
_LINK_SHARE = 0.5
_LINK_CHARS = 4
_DOMINANT = 0.7  # of an element's value in one child: that child is the article
ITEM_LINES = 3  # a linked title, a label or two, a summary
MAX_HEADED = 0.7  # of the sentences below linked titles is a list of other articles
_LINKED_TITLE = 8  # characters of link in the summary's own line
_MIN_TEASERS = 3
_TEASERS_SHARE = 0.6  # of the block's value
_PARAGRAPHS = frozenset({"p", "blockquote", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "figure"})


def pruned(page: Outline, held: Sequence[Line], inside: range, sums: Sequence[float]) -> set[int]:
    """Return the blocks inside the article that are no part of it: menus, teasers, what is appended to it.

    Args:
        page: the page.
        held: the lines of the article's block.
        inside: numbers of the blocks that it holds, its own first.
        sums: what each block is worth.
    """
    return (
        _menus(page, held, inside, sums) | _appended(page, inside, sums) | _teasers(page, held, inside, sums)
    )


def _menus(page: Outline, held: Sequence[Line], inside: range, sums: Sequence[float]) -> set[int]:
    """Return the blocks worth less than nothing, and more than a heading."""
    codes = code_blocks(page)
    counts, chars, links = ([0.0] * len(page.elements) for _ in range(3))
    for line in held:
        counts[line.block] += not line.is_prose and line.block not in codes
        chars[line.block] += line.chars
        links[line.block] += line.link_chars
    labels, chars, links = page.sums(counts), page.sums(chars), page.sums(links)
    found: set[int] = set()
    for block in inside[1:]:
        is_menu = sums[block] < 0 and (
            labels[block] >= _LABELS
            or links[block] > _LINK_SHARE * chars[block]
            or is_aside(page.elements[block])
        )
        if is_menu or page.parents[block] in found:
            found.add(block)
    return found


def _teasers(page: Outline, held: Sequence[Line], inside: range, sums: Sequence[float]) -> set[int]:
    """Return the blocks whose sentences are summaries: nearly each has a link before it."""
    prose, headed = ([0.0] * len(page.elements) for _ in range(2))
    for number, line in enumerate(held):
        if line.is_prose:
            prose[line.block] += 1
            before = held[max(0, number - ITEM_LINES) : number]
            headed[line.block] += line.link_chars >= _LINKED_TITLE or any(each.is_link for each in before)
    prose, headed = page.sums(prose), page.sums(headed)
    ends = page.ends()
    dropped: set[int] = set()
    for block in inside[1:]:
        if block in dropped:
            continue
        is_list = prose[block] >= _MIN_TEASERS and headed[block] >= MAX_HEADED * prose[block]
        if is_list and sums[block] < _TEASERS_SHARE * sums[inside[0]]:
            dropped.update(range(block, ends[block]))
    return dropped


def _appended(page: Outline, inside: range, sums: Sequence[float]) -> set[int]:
    """Return the blocks that follow the article proper in its container and are built otherwise.

    Where one child holds nearly all of the value, notices and teasers in other children behind it are not
    the article, however well they are punctuated; a second part of the article has the same tag and class.
    """
    ends = page.ends()
    node, dropped = inside[0], set[int]()
    below = _children(page)
    while True:
        children = below.get(node, [])
        heir = max(children, key=lambda block: sums[block], default=None)
        if heir is None or sums[heir] < _DOMINANT * sums[node] or page.elements[heir].tag in _PARAGRAPHS:
            return dropped
        make = make_of(page.elements[heir])
        for block in children:
            if block > heir and not _belongs(page.elements[block], make):
                dropped.update(range(block, ends[block]))
        node = heir


def _children(page: Outline) -> dict[int, list[int]]:
    """Return the blocks right below each block that has some, in order."""
    children: dict[int, list[int]] = {}
    for block in range(1, len(page.parents)):
        children.setdefault(page.parents[block], []).append(block)
    return children


def _belongs(element: Element, article: tuple[str, ...]) -> bool:
    """Return whether what follows the article proper, which is of that make, is a further part of it."""
    return element.tag in _PARAGRAPHS or make_of(element) == article


def is_menu(line: Line) -> bool:
    """Return whether a line is a link and no more."""
    return line.is_link and line.chars >= _LINK_CHARS
