"""The element that contains the page's article, by a score of the lines in every element. Pure.

Let p be the characters of an element's sentences, and n those of its links and labels. Its score is p·p / (p
+ n): its sentences, weighted by their share. The element with the highest score is the article's container.
Elements inside it lack sentences; elements around it add menus, teasers and footers. (After maximum
subsequence segmentation, Pasternack and Roth, WWW 2009, applied to the tree instead of the sequence.)

Sentences count less if there is menu text between them and the line that the page's description or title
repeats. They hardly count in an element whose class names comments, related links or a footer. One pass over
the lines and one over the elements: linear.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from crawler.extraction.contents import links_within, section_headings
from crawler.extraction.entries import entry_text, is_entry
from crawler.extraction.naming import code_blocks, is_aside, signature_of
from crawler.extraction.other_stories import other_stories
from crawler.extraction.outline import Line, Outline, line_of, without_marks
from crawler.extraction.parts import container_of_parts
from crawler.extraction.pruning import (
    HEADINGS,
    WRITTEN,
    blocks_to_prune,
    is_menu,
    teaser_blocks,
)
from crawler.extraction.title_lines import MIN_TITLE, description_line, title_line

# maximum share of the page in an aside: if the title is known to be outside it, and otherwise
_MAX_ASIDE = (0.95, 0.5)
_ASIDE_VALUE = 0.25  # factor for a sentence in an aside
_MAX_LINE_CHARS = 400  # maximum number of characters of a line that count
_LABEL_COST = 0.5  # cost of each character of a label
_LABEL_CHARS = 60
# cost of each link, and of each label in an element without sentences, regardless of its length
_LINE_COST = 4.0
_ABOVE_TITLE = 0.3  # factor for a sentence above the title
# The amount of noise in between that reduces a value to 1/e, and the smallest factor.
_NEAR_LEAD = (400.0, 0.05)
_NEAR_TITLE = (1500.0, 0.3)
_MAX_ABSTRACT_GAP = 200  # maximum characters between an abstract and the article
_MIN_ABSTRACT_LINES = 2  # minimum number of lines in the article below an abstract
_MIN_ABSTRACT_FACTOR = 2  # an article is at least this many times as long as its abstract
_MIN_ARTICLE_PROSE = 0.8  # minimum share of sentences in an article below its abstract

# minimum score of the element around the block and its beginning, as a share of the best score
_MIN_AROUND = 0.9
_LAYOUT = frozenset({"table", "tbody", "tr"})
_MIN_COLUMN_VALUE = 20  # minimum value of a sentence below the title in its column
_HEADING_DEPTH = 2  # maximum depth of a line inside its heading element
# Constants for texts without sentence punctuation.
_MAX_SENTENCES = 300  # a page with more characters of sentences is not searched for such a text
_MIN_VERSE_CHARS = 200
_MIN_VERSE_FACTOR = 4  # the text is at least this many times as long as the sentences
# minimum number of distinct lines, at least a quarter of all; cells of tables repeat more often
_MIN_VERSE_LINES = 12
_MIN_VERSE_SHARE = 0.5  # minimum share of the page's characters outside links
_MAX_VERSE_LINKS = 0.1


@dataclass(frozen=True, slots=True)
class Block:
    """The article's block.

    Attributes:
        lines: its lines without links and without pruned parts.
        all_lines: its lines with menus and links, without summaries of other articles.
        chars: characters in its element, without white space.
        link_share: share of these characters inside links.
        prose_chars: characters of sentences in ``lines``.
        prose_share: their share of the page's characters of sentences.
        lead: the line of the page that its description repeats; empty if there is none.
        is_verse: its lines have no sentence punctuation.
        is_titled: the page's title appears in the block or above it, not as a link. Titles of few characters
            do not count: the name of a book or section does not identify the text below it.
        linked_headings: number of its headings that link to other pages; 0 if all belong to pruned summaries.
        number: number of its element; 0 for the whole page.
        other_chars: characters of sentences in other stories below it, or in other columns.
    """

    lines: tuple[Line, ...]
    all_lines: tuple[Line, ...]
    chars: int
    link_share: float
    prose_chars: int
    prose_share: float
    lead: str = ""
    is_verse: bool = False
    is_titled: bool = False
    linked_headings: int = 0
    number: int = 0
    other_chars: int = 0

    @property
    def is_anchored(self) -> bool:
        """Return whether the page's description repeats a line of the page."""
        return bool(self.lead)


NO_BLOCK = Block((), (), 0, 0.0, 0, 0.0)


def whole_page(page: Outline) -> Block:
    """Return the whole page as its block, for pages whose article block cannot be found."""
    prose = page.prose_chars
    return Block(page.lines, page.lines, page.chars, page.link_share, prose, 1.0)


def text_block(text: Sequence[str], *, is_titled: bool) -> Block:
    """Return the lines of a text as a block, for a text that is in no element of the page."""
    lines = tuple(map(line_of, text))
    chars = sum(line.chars for line in lines)
    return Block(lines, lines, chars, 0.0, _prose(lines), 1.0, is_titled=is_titled)


def main_block(page: Outline, *, title: str = "", descriptions: Sequence[str] = ()) -> Block:
    """Return the article's block; an empty block if the page has neither sentences nor verse.

    If there is hardly a sentence, a text without punctuation is searched.

    Args:
        page: the page.
        title: its title.
        descriptions: from its meta elements.
    """
    block = _best(page, title, descriptions)
    if block.prose_chars >= _MAX_SENTENCES or block.other_chars > block.prose_chars:
        return block
    verse = without_marks(page)
    least = max(_MIN_VERSE_CHARS, _MIN_VERSE_FACTOR * block.prose_chars)
    if verse.prose_chars < least:
        return block
    other = _best(verse, title, descriptions)
    is_text = (
        other.prose_chars >= least
        and len({line.text for line in other.lines}) >= max(_MIN_VERSE_LINES, len(other.lines) // 4)
        and other.prose_share >= _MIN_VERSE_SHARE
        and other.link_share <= _MAX_VERSE_LINKS
    )
    return replace(other, is_verse=True) if is_text else block


def block_at(page: Outline, number: int, *, title: str = "", descriptions: Sequence[str] = ()) -> Block:
    """Return the article's block for a known element number; see :func:`main_block` for the arguments."""
    return _best(page, title, descriptions, at=number)


def _best(page: Outline, title: str, descriptions: Sequence[str], *, at: int | None = None) -> Block:
    """Return the block with the highest score, or the block ``at`` a number; empty without a sentence."""
    lead = description_line(page, descriptions, title=title)
    heading = title_line(page, title)
    anchor = heading if lead is None else lead
    asides = _asides(page, anchor=anchor)
    codes = code_blocks(page)
    stories = other_stories(page, title=heading)
    values = [
        0.0
        if line.block in codes or line.block in stories
        else _value(page, line, is_aside=asides[line.block])
        for line in page.lines
    ]
    sums = page.sums(_by_block(page, values))
    outside_asides = _outside_asides(page, values, asides)
    whole = page.sums(_by_block(page, outside_asides))
    _discount(page, values, lead=lead, heading=heading)
    scores = _scores(page, values)
    best = _best_block(range(len(scores)), scores)
    is_other = lead is not None and not _holds(page, best, page.lines[lead].block)
    if lead is not None and is_other and (asides[best] or not _follows(page, best, lead)):
        best = _best_block(page.path(page.lines[lead].block), scores)
    if at is not None:
        best = at
    elif whole[best] > 0:
        best = container_of_parts(page, best, whole)
    table = best
    if at is None:
        best = _titled_column(page, best, heading, values)
    columns = set(range(table, page.ends[table])) - set(range(best, page.ends[best]))
    end = page.ends[best]
    if at is None and whole[best] > 0:
        best = _with_beginning(page, best, scores, outside_asides, heading)
    if scores[best] <= 0:
        return NO_BLOCK
    inside = range(best, end)
    lines = [line for line in page.lines if line.block in inside]
    near = page.sums(_by_block(page, [max(0.0, value) for value in values]))
    teasers = teaser_blocks(page, lines, inside, near, anchor=anchor)
    dropped = teasers | blocks_to_prune(page, lines, inside, sums, near)
    if best not in stories:
        dropped |= stories.intersection(inside)
        teasers |= stories.intersection(inside)
    if anchor is not None and not asides[best]:
        dropped.update(block for block in inside if asides[block])
    block = _block(page, lines, dropped, teasers, lead="" if lead is None else page.lines[lead].text)
    is_titled = heading is not None and len(title) >= MIN_TITLE and page.lines[heading].block < inside.stop
    if is_entry(page):
        text = tuple(entry_text(page, block.lines, inside))
        block = replace(block, lines=text, prose_chars=_prose(text))
    outside = stories | columns
    other_lines = [line for line in page.lines if line.block in outside] if outside else []
    return replace(block, is_titled=is_titled, number=best, other_chars=_prose(other_lines))


def _with_beginning(
    page: Outline, block: int, scores: Sequence[float], values: Sequence[float], heading: int | None
) -> int:
    """Return the element that contains a block and similar sentences above it; otherwise the block itself.

    The abstract of an encyclopedia entry has its own element, with a table and the contents below it. The
    element around all of them then scores slightly less than the block. The abstract is recognised because
    its paragraphs have the same class as the others.

    Args:
        page: the page.
        block: number of the element with most of the text.
        scores: score of each element.
        values: value of the sentences in each line; 0 in asides.
        heading: number of the line with the title.
    """
    ends, kinds = page.ends[block], Counter[tuple[str, ...]]()
    first = len(page.lines)
    for number, line in enumerate(page.lines):
        if block <= line.block < ends and values[number] > 0:
            first = min(first, number)
            kinds[signature_of(page.elements[line.block])] += 1
    kind = max(kinds, key=lambda name: kinds[name], default=())
    if heading is None or not kind or not kind[1]:
        return block
    above = [page.lines[number].block for number in range(heading, first) if values[number] > 0]
    nearest = max((other for other in above if signature_of(page.elements[other]) == kind), default=0)
    for around in page.path(block):
        if around == 0 or scores[around] < _MIN_AROUND * scores[block]:
            break
        if around < nearest:
            return around
    return block


def _titled_column(page: Outline, block: int, heading: int | None, values: Sequence[float]) -> int:
    """Return the column of a layout table that contains the title and sentences; otherwise the block."""
    if heading is None or page.elements[block].tag not in _LAYOUT:
        return block
    if not block <= page.lines[heading].block < page.ends[block]:
        return block
    around = takewhile(lambda other: other != block, page.path(page.lines[heading].block))
    columns = [other for other in around if page.elements[other].tag == "td"]
    for column in reversed(columns):
        lines = range(heading + 1, page.spans[column][1])
        if any(values[number] >= _MIN_COLUMN_VALUE for number in lines):
            return column
    return block


def _outside_asides(page: Outline, values: Sequence[float], asides: Sequence[bool]) -> list[float]:
    return [
        0.0 if asides[line.block] else max(0.0, value) for line, value in zip(page.lines, values, strict=True)
    ]


def _scores(page: Outline, values: Sequence[float]) -> list[float]:
    """Return p · p / (p + n) for each block."""
    prose = page.sums(_by_block(page, [max(0.0, value) for value in values]))
    noise = page.sums(_by_block(page, [max(0.0, -value) for value in values]))
    return [p * p / (p + n) if p else -n for p, n in zip(prose, noise, strict=True)]


def _best_block(blocks: Iterable[int], scores: Sequence[float]) -> int:
    return max(blocks, key=lambda block: (scores[block], block))


def _holds(page: Outline, block: int, other: int) -> bool:
    return block in page.path(other)


def _follows(page: Outline, block: int, lead: int) -> bool:
    """Return whether the lead is an abstract above a separate article, not an article above teasers."""
    ends = page.ends[block]
    inside = [number for number, line in enumerate(page.lines) if block <= line.block < ends]
    between = page.lines[lead + 1 : inside[0]]
    lines = [page.lines[number] for number in inside]
    return (
        inside[0] > lead
        and sum(line.is_prose for line in lines) >= _MIN_ABSTRACT_LINES
        and _prose(lines) > _MIN_ABSTRACT_FACTOR * page.lines[lead].chars
        and sum(line.chars for line in between) < _MAX_ABSTRACT_GAP
        and _prose(lines) > _MIN_ARTICLE_PROSE * sum(line.chars for line in lines)
    )


def _block(
    page: Outline, lines: Sequence[Line], dropped: Collection[int], teasers: Collection[int], *, lead: str
) -> Block:
    chars = sum(line.chars for line in lines)
    kept = tuple(line for line in lines if line.block not in dropped and not is_menu(line))
    rest = tuple(line for line in lines if line.block not in teasers)
    if not any(line.is_prose for line in rest):  # there are only summaries, so they are the text of the page
        rest = tuple(lines)
    is_headed = any(_is_linked_heading(page, line) for line in rest)
    return Block(
        lines=kept,
        all_lines=rest,
        chars=chars,
        link_share=sum(line.link_chars for line in lines) / max(1, chars),
        prose_chars=_prose(kept),
        prose_share=_prose(kept) / max(1, page.prose_chars),
        lead=lead,
        linked_headings=sum(_is_linked_heading(page, line) for line in lines) if is_headed else 0,
    )


def _is_linked_heading(page: Outline, line: Line) -> bool:
    if not line.is_link:
        return False
    path = list(islice(page.path(line.block), _HEADING_DEPTH))
    headings = [page.elements[block] for block in path if page.elements[block].tag in HEADINGS]
    anchors = [anchor for heading in headings[:1] for anchor in heading.iterfind(".//a[@href]")]
    return any(not (anchor.get("href") or "").strip().startswith("#") for anchor in anchors[:1])


def _prose(lines: Sequence[Line]) -> int:
    return sum(line.chars for line in lines if line.is_prose)


def _asides(page: Outline, *, anchor: int | None) -> list[bool]:
    """Return for each block whether its class, or that of an ancestor, marks it as not the article.

    A block that contains the title, or nearly the whole page, is never an aside.
    """
    around = set() if anchor is None else set(page.path(page.lines[anchor].block))
    max_share = _MAX_ASIDE[anchor is None]
    chars = page.sums(_by_block(page, [line.chars for line in page.lines]))
    asides = [False] * len(page.elements)
    for block in range(1, len(asides)):
        is_part = block not in around and 0 < chars[block] < max_share * chars[0]
        asides[block] = asides[page.parents[block]] or (is_part and is_aside(page.elements[block]))
    return asides


def _value(page: Outline, line: Line, *, is_aside: bool) -> float:
    if line.is_prose:
        return min(line.chars - line.link_chars, _MAX_LINE_CHARS) * (_ASIDE_VALUE if is_aside else 1.0)
    if line.is_link:
        return -line.chars - _LINE_COST
    is_written = page.elements[line.block].tag in WRITTEN
    return -_LABEL_COST * min(line.chars, _LABEL_CHARS) - (0.0 if is_written else _LINE_COST)


def _discount(page: Outline, values: list[float], *, lead: int | None, heading: int | None) -> None:
    """Reduce the value of sentences above the anchor, and below it by the noise in between.

    A table of contents is not noise. Sentences below a heading that it lists keep their value.
    """
    anchor = lead if lead is not None else heading
    if anchor is None:
        return
    scale, min_share = _NEAR_TITLE if lead is None else _NEAR_LEAD
    contents = links_within(page)
    sections = section_headings(page, contents)
    noise = 0.0
    for number in range(anchor, len(values)):
        if number in sections:
            noise = 0.0
        elif values[number] < 0:
            noise -= 0.0 if number in contents else values[number]
        else:
            values[number] *= max(min_share, math.exp(-noise / scale))
    top = anchor if heading is None or heading > anchor else heading
    for number in range(top):
        if values[number] > 0:
            values[number] *= _ABOVE_TITLE


def _by_block(page: Outline, values: Sequence[float]) -> list[float]:
    line_values = [0.0] * len(page.elements)
    for line, value in zip(page.lines, values, strict=True):
        line_values[line.block] += value
    return line_values
