"""The parts of the article's block that do not belong to the article. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice, takewhile

from crawler.extraction.naming import code_blocks, is_aside, signature_of
from crawler.extraction.outline import Line, Outline
from crawler.extraction.parsing import Element, label_of
from crawler.extraction.stamps import is_stamp

_MIN_LABELS = 4  # minimum number of lines without a sentence in a table or a menu
_MAX_LINK_SHARE = 0.5
_MIN_LINK_CHARS = 4
_MIN_TEXT_SHARE = 0.5  # share of the value of all sentences; a block with a higher share is not a menu
_MIN_DOMINANT_SHARE = 0.7  # minimum share of an element's value in the child that is the article
_ITEM_LINES = 3  # number of lines in a list item: a linked title, a label or two, a summary
_MAX_SUMMARY_LINES = 2  # maximum number of lines of sentences below one title; a text has more
MAX_HEADED = 0.7  # maximum share of sentences that follow a link; if it is higher, they are summaries
_MIN_LINKED_TITLE = 8  # minimum characters of a linked title
_MAX_TITLE_TIMES = 3  # maximum number of times that a title appears on a page
_MIN_TEASERS = 3
_MAX_TEASERS_SHARE = 0.6  # maximum share of teasers in the value of the block's sentences
_MAX_ANCHORED_TEASERS = 1.0  # maximum share of teasers if the title or description is above other sentences
# Marks of a source in an encyclopedia: a link back to the sentence, or the date when it was read.
_CITATION = re.compile(r"^\W*(?:\d+[.、．]?\s*)?[↑^]|引用日期|原始[内內]容|[存歸归][档檔][于於]")
_ITEMS = frozenset({"li", "dd"})
_ITEM_DEPTH = 4
_MIN_SOURCES = 3
_MIN_CITED = 0.6  # minimum share of items with such a mark in a list of sources
_ADDRESS = re.compile(r"\b(?:https?://|mailto:)", re.IGNORECASE)
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# Elements for written text. Menus without links use other elements.
WRITTEN = HEADINGS | {"p", "li", "td", "th", "dd", "dt", "blockquote", "figcaption", "section"}
PARAGRAPHS = HEADINGS | {"p", "blockquote", "pre", "figure"}


def blocks_to_prune(
    page: Outline,
    lines: Sequence[Line],
    inside: range,
    sums: Sequence[float],
    near: Sequence[float],
) -> set[int]:
    """Return the blocks inside the article's block that are not the article: menus, appendices.

    Args:
        page: the page.
        lines: the lines of the article's block.
        inside: numbers of the blocks in it, itself first.
        sums: value of each block.
        near: value of the sentences alone, reduced far from the title or the description.
    """
    return (
        _menus(page, lines, inside, sums, near) | _appendices(page, inside, near) | _source_lists(page, lines)
    )


def _source_lists(page: Outline, lines: Sequence[Line]) -> set[int]:
    """Return the lists of sources: most items state where and when something was read."""
    cited = {_item(page, line.block) for line in lines if _CITATION.search(line.text)} - {0}
    lists = {page.parents[item] for item in cited} if len(cited) >= _MIN_SOURCES else set()
    sources: set[int] = set()
    for block in lists:
        items = [child for child in page.children[block] if page.elements[child].tag in _ITEMS]
        if len(cited.intersection(items)) >= max(_MIN_SOURCES, _MIN_CITED * len(items)):
            sources.update(range(block, page.ends[block]))
    return sources


def _item(page: Outline, block: int) -> int:
    """Return the innermost list item around a block; 0 without one."""
    around = islice(page.path(block), _ITEM_DEPTH)
    return next((other for other in around if page.elements[other].tag in _ITEMS), 0)


def _menus(
    page: Outline, lines: Sequence[Line], inside: range, sums: Sequence[float], near: Sequence[float]
) -> set[int]:
    """Return the blocks of negative value that are more than a heading and less than most of the text."""
    counts, chars, links = ([0.0] * len(page.elements) for _ in range(3))
    for line, is_label in zip(lines, _labels(page, lines), strict=True):
        counts[line.block] += is_label
        chars[line.block] += line.chars
        links[line.block] += line.link_chars
    labels, chars, links = page.sums(counts), page.sums(chars), page.sums(links)
    menus: set[int] = set()
    for block in inside[1:]:
        is_most = near[block] > _MIN_TEXT_SHARE * near[inside[0]]
        is_menu = (sums[block] < 0 and not is_most) and (
            labels[block] >= _MIN_LABELS
            or links[block] > _MAX_LINK_SHARE * chars[block]
            or is_aside(page.elements[block])
        )
        if is_menu or page.parents[block] in menus:
            menus.add(block)
    return menus


def _labels(page: Outline, lines: Sequence[Line]) -> list[bool]:
    """Return for each line whether it can be an entry of a menu.

    A line without sentence and link may also be verse, a caption, a table cell or a list item. Such a line
    belongs to the text if it is between two sentences, or in an element for written text. An address that is
    written out counts as a link.
    """
    codes = code_blocks(page)
    prose = [number for number, line in enumerate(lines) if line.is_prose]
    between = range(prose[0], prose[-1]) if prose else range(0)
    return [
        not line.is_prose
        and line.block not in codes
        and (
            line.is_link
            or _ADDRESS.search(line.text) is not None
            or (number not in between and page.elements[line.block].tag not in WRITTEN)
        )
        for number, line in enumerate(lines)
    ]


def teaser_blocks(
    page: Outline, lines: Sequence[Line], inside: range, near: Sequence[float], *, anchor: int | None
) -> set[int]:
    """Return the blocks inside the article's block that are summaries: nearly each sentence follows a link.

    If the title or the description is outside the summaries, these may be longer than the article.

    Args:
        page: the page.
        lines: the lines of the article's block.
        inside: numbers of the blocks in it, itself first.
        near: value of the sentences alone, reduced far from the title or the description.
        anchor: number of the line that the title or the description repeats.
    """
    around = set() if anchor is None else set(page.path(page.lines[anchor].block))
    prose, headed = ([0.0] * len(page.elements) for _ in range(2))
    titled = headed_sentences(page, lines) | _lines_with_titles(page, lines)
    for number, line in enumerate(lines):
        if line.is_prose:
            prose[line.block] += 1
            headed[line.block] += number in titled
    prose, headed = page.sums(prose), page.sums(headed)
    ends = page.ends
    dropped: set[int] = set()
    for block in inside[1:]:
        if block in dropped:
            continue
        is_list = prose[block] >= _MIN_TEASERS and headed[block] >= MAX_HEADED * prose[block]
        share = _MAX_ANCHORED_TEASERS if anchor is not None and block not in around else _MAX_TEASERS_SHARE
        if is_list and near[block] < share * near[inside[0]]:
            dropped.update(range(block, ends[block]))
    return dropped


def _lines_with_titles(page: Outline, lines: Sequence[Line]) -> set[int]:
    """Return the numbers of the lines that begin with a link as long as a title."""
    # the first link of each block, because one block may contain all lines of a page
    first: dict[int, str] = {}
    titled: set[int] = set()
    for number, line in enumerate(lines):
        if line.link_chars < _MIN_LINKED_TITLE:
            continue
        if line.block not in first:
            anchor = page.elements[line.block].find(".//a[@href]")
            first[line.block] = "" if anchor is None else " ".join(label_of(anchor).split())
        title = first[line.block]
        if len(title) >= _MIN_LINKED_TITLE and line.text.startswith(title):
            titled.add(number)
    return titled


def headed_sentences(page: Outline, lines: Sequence[Line]) -> set[int]:
    """Return the numbers of the lines of sentences that follow a link, as summaries and comments do.

    Repeated links, such as 编辑 below each heading, are not titles; with a date they belong to comments.
    Links above a heading that is not a link do not count for the lines below it.
    """
    links = Counter(line.text for line in lines if line.is_link)
    headed: set[int] = set()
    for number, line in enumerate(lines):
        before = lines[max(0, number - _ITEM_LINES) : number] if line.is_prose else ()
        since_link = takewhile(lambda other: not other.is_link, reversed(before))
        if sum(other.is_prose for other in since_link) >= _MAX_SUMMARY_LINES:
            continue
        below = _below_heading(page, before)
        above = [other.text for other in below if other.is_link]
        is_titled = any(_is_title(text, links[text]) for text in above)
        if is_titled or (above and any(map(is_stamp, below))):
            headed.add(number)
    return headed


def _is_title(link: str, times: int) -> bool:
    """Return whether a link can be a title, by how often it appears on the page; long titles may repeat."""
    return times == 1 or (len(link) >= _MIN_LINKED_TITLE and times <= _MAX_TITLE_TIMES)


def _below_heading(page: Outline, lines: Sequence[Line]) -> Sequence[Line]:
    for number in range(len(lines) - 1, -1, -1):
        if page.elements[lines[number].block].tag in HEADINGS and not lines[number].is_link:
            return lines[number + 1 :]
    return lines


def _appendices(page: Outline, inside: range, sums: Sequence[float]) -> set[int]:
    """Return the blocks after the article proper in its container that have another signature.

    If one child has nearly all of the value, notices and teasers in later children are not the article,
    however well punctuated. A second part of the article has the same signature.
    """
    ends = page.ends
    node, dropped = inside[0], set[int]()
    below = page.children
    while True:
        children = below.get(node, [])
        heir = max(children, key=lambda block: sums[block], default=None)
        if (
            heir is None
            or sums[heir] < _MIN_DOMINANT_SHARE * sums[node]
            or page.elements[heir].tag in PARAGRAPHS
        ):
            return dropped
        signature = signature_of(page.elements[heir])
        for block in children:
            if block > heir and not _belongs(page.elements[block], signature):
                dropped.update(range(block, ends[block]))
        node = heir


def _belongs(element: Element, signature: tuple[str, ...]) -> bool:
    """Return whether an element after the article proper, with that signature, is another part of it."""
    return element.tag in PARAGRAPHS or signature_of(element) == signature


def is_menu(line: Line) -> bool:
    """Return whether a line is only a link."""
    return line.is_link and line.chars >= _MIN_LINK_CHARS
