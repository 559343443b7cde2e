"""Which of several opinions about the article's text to take, and how sure to be. Pure.

The block is asked first, for it costs a tenth of the others. Where it holds nearly every sentence of the page
there is nothing left to differ about. Otherwise trafilatura is asked, and where the two disagree readability
too: only when those two agree with each other against the block is the block overruled.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from crawler.extraction.block import Block
from crawler.extraction.libraries import readability_lines, trafilatura_lines
from crawler.extraction.outline import Line, Outline, line_of
from crawler.extraction.parsing import Tree
from crawler.extraction.steps import OverBudget, Steps
from crawler.extraction.title_lines import squeeze
from crawler.extraction.trimming import trim

_SHINGLE = 5
_SURE_PROSE = 0.75  # of the page's sentences in one block
_SURE_LINKS = 0.35
_SURE_CHARS = 200
_MIN_PROSE_CHARS = (
    100  # characters of sentences on a page that is nearly all links: no opinion makes it an article
)
_MENU = 0.8
_AGREED = 0.9  # 2·|A∩B| / (|A|+|B|) over 5-grams: the same text but for a line or two
_OVERRULED = 0.5
# Of a page that others are asked about: they copy the page's tree, and look through all that an element holds
# for each element. Pages that were looked at had 6,000 elements at most, in subtrees of 100,000 together.
MAX_ELEMENTS = 20_000
MAX_SUBTREES = 500_000  # elements of each element's subtree, summed up
MAX_CHARS = 500_000


@dataclass(frozen=True, slots=True)
class Choice:
    """The lines of the article, and how sure that is.

    Attributes:
        confidence: agreement with the opinions that were asked, in [0, 1]; where only the block was, the
            share of the page's sentences that it holds.
        is_ruled: the source's own rules say so.
    """

    lines: tuple[str, ...]
    confidence: float
    is_ruled: bool = False


def choose(tree: Tree, page: Outline, block: Block, *, title: str = "", steps: Steps | None = None) -> Choice:
    """Return the article's lines; those of the block alone where others cannot be asked.

    Args:
        tree: the page, what is hidden taken out.
        page: its lines.
        block: its densest block.
        title: its title, which is no part of the text.
        steps: takes note when others cannot be asked.
    """
    own = _texts(trim(block.lines, title=title))
    alone = Choice(own, block.prose_share)
    if is_sure(block) or (block.prose_chars < _MIN_PROSE_CHARS and page.link_share > _MENU):
        return alone
    steps = steps or Steps()
    return steps.attempt("opinions", lambda: _heard_all(tree, page, own, title), otherwise=alone)


def _heard_all(tree: Tree, page: Outline, own: tuple[str, ...], title: str) -> Choice:
    """Return the lines that the opinions about a page make the article's.

    Raises:
        OverBudget: the page is too large to ask others.
    """
    depths = {tree: 1}
    for element in islice(tree.iterdescendants(), MAX_ELEMENTS):
        depths[element] = depths[element.getparent()] + 1
    if len(depths) > MAX_ELEMENTS or sum(depths.values()) > MAX_SUBTREES or page.chars > MAX_CHARS:
        raise OverBudget
    second = _heard(trafilatura_lines, tree, title)
    agreement = _agreement(own, second)
    if agreement >= _AGREED:
        return Choice(own, agreement)
    third = _heard(readability_lines, tree, title)
    return _outvoted(own, second, third, agreement)


def is_sure(block: Block) -> bool:
    """Return whether the block needs no second opinion."""
    return (
        block.prose_share >= _SURE_PROSE
        and block.link_share <= _SURE_LINKS
        and block.prose_chars >= _SURE_CHARS
    )


def _outvoted(
    own: tuple[str, ...], second: tuple[str, ...], third: tuple[str, ...], agreement: float
) -> Choice:
    others = _agreement(second, third)
    seconded = max(agreement, _agreement(own, third))
    if not own or (others >= _AGREED and seconded < _OVERRULED):
        return Choice(second or third, others if second and third else 0.0)
    return Choice(own, seconded)


def _heard(voice: Callable[[Tree], list[str]], tree: Tree, title: str) -> tuple[str, ...]:
    return _texts(trim([line_of(text) for text in voice(tree)], title=title))


def _texts(lines: Sequence[Line]) -> tuple[str, ...]:
    return tuple(line.text for line in lines)


def _agreement(one: Sequence[str], other: Sequence[str]) -> float:
    ours, theirs = _shingles(one), _shingles(other)
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else 0.0


def _shingles(lines: Sequence[str]) -> Counter[str]:
    squeezed = squeeze("".join(lines))
    return Counter(squeezed[at : at + _SHINGLE] for at in range(len(squeezed) - _SHINGLE + 1))
