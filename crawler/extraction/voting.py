"""Chooses the article's text among the results of several extractors, with a confidence. Pure.

The block comes first, for it costs a tenth of the others. Where it has nearly every sentence of the page, it
is taken. Otherwise trafilatura is run, and where the two disagree readability too: the block is overruled
only when these two agree with each other against it. Two can agree on the wrong story: where the page's
description says how the article begins, only texts that hold this line overrule the block.

What the site's other pages taught (:mod:`crawler.extraction.template`) is one more voice. It spares the
libraries where it says what the block says, and it overrules the block where a library says the same as it,
unless sentences would be lost that are not the site's frame: a site that teaches one place and puts a copy in
another is judged by the other voices.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from crawler.extraction.block import Block
from crawler.extraction.libraries import readability_lines, trafilatura_lines
from crawler.extraction.optional_steps import OptionalSteps, OverBudget
from crawler.extraction.outline import Line, Outline, line_of
from crawler.extraction.parsing import Tree, iterwalk
from crawler.extraction.repeats import sentence_hash
from crawler.extraction.title_lines import squeeze
from crawler.extraction.trimming import trim

_SHINGLE = 5
# Of a block that needs no other extractor.
_MIN_SURE_PROSE = 0.75  # of the page's sentences
_MAX_SURE_LINKS = 0.35
_MIN_SURE_CHARS = 200
_MIN_PROSE_CHARS = 100  # of sentences on a page of links; with fewer, no extractor makes it an article
_MAX_LINK_SHARE = 0.8
_MIN_AGREEMENT = 0.9  # 2·|A∩B| / (|A|+|B|) over 5-grams: the same text but for a line or two
_MAX_OVERRULED = 0.5  # agreement of a block that the others overrule
_MIN_CONFIRMED_PROSE = 0.5  # of the page's sentences in a block that the template alone confirms
_MAX_LOST = 0.25  # sentences of the block that are lost to the template's, to the sentences of these
_MAX_FRAME_CHARS = 600  # of the frame that do not count as lost
_MIN_LEAD_SHARE = 0.5  # of the line that the description repeats, in a text that overrules the block
# Of a page that libraries are run on: they copy the page's tree, and go through each element's subtree.
# Pages that were looked at had 6,000 elements at most, in subtrees of 100,000 together.
MAX_ELEMENTS = 20_000
MAX_SUBTREES = 500_000  # elements of each element's subtree, summed up
MAX_CHARS = 500_000


@dataclass(frozen=True, slots=True)
class Choice:
    """The lines of the article, and the confidence in them.

    Attributes:
        confidence: agreement with the other extractors, in [0, 1]; where only the block was taken, its share
            of the page's sentences; where the site's template confirms it, the mean of that share and their
            agreement, for the template was learnt from blocks.
        is_ruled: whether the source's own rules chose the lines.
        is_embedded: whether they stand in the page's data.
        is_named: whether these data hold what the page's description says, or name its title.
    """

    lines: tuple[str, ...]
    confidence: float
    is_ruled: bool = False
    is_embedded: bool = False
    is_named: bool = False


@dataclass(frozen=True, slots=True)
class Taught:
    """What a site's pages teach about one of them.

    Attributes:
        block: the container of the text.
        frame: hashes of sentences that the site has outside of its texts.
    """

    block: Block
    frame: frozenset[int] = frozenset()


def choose(
    tree: Tree,
    page: Outline,
    block: Block,
    *,
    title: str = "",
    taught: Taught | None = None,
    steps: OptionalSteps | None = None,
) -> Choice:
    """Return the article's lines; those of the block alone where the libraries cannot be run.

    Args:
        tree: the page without hidden elements.
        page: its lines.
        block: the article's block.
        title: the page's title, which is no part of the text.
        taught: what the site's other pages teach.
        steps: notes that the libraries could not be run.
    """
    block_lines = _texts(trim(block.lines, title=title))
    site = () if taught is None else _texts(trim(taught.block.lines, title=title))
    likeness = _agreement(block_lines, site)
    if likeness >= _MIN_AGREEMENT and block.prose_share >= _MIN_CONFIRMED_PROSE:
        return Choice(block_lines, fmean((block.prose_share, likeness)))
    is_contested = (
        taught is not None and likeness < _MIN_AGREEMENT and _loses_little(block, taught=taught, site=site)
    )
    alone = Choice(block_lines, block.prose_share)
    is_menu = block.prose_chars < _MIN_PROSE_CHARS and page.link_share > _MAX_LINK_SHARE
    if not is_contested and (is_sure(block) or is_menu):
        return alone
    rival = site if is_contested else ()
    return (steps or OptionalSteps()).attempt(
        "opinions",
        lambda: _vote(tree, page, block_lines, rival=rival, title=title, lead=block.lead),
        otherwise=alone,
    )


def _loses_little(block: Block, *, taught: Taught, site: Sequence[str]) -> bool:
    """Return whether the template's text has nearly all of the block's sentences, the frame's aside."""
    held = set(site)
    lost = [line for line in block.lines if line.is_prose and line.text not in held]
    framed = sum(line.chars for line in lost if sentence_hash(line.text) in taught.frame)
    chars = sum(line.chars for line in lost) - min(framed, _MAX_FRAME_CHARS)
    return chars <= _MAX_LOST * taught.block.prose_chars


def _vote(
    tree: Tree, page: Outline, block_lines: tuple[str, ...], *, rival: tuple[str, ...], title: str, lead: str
) -> Choice:
    """Return the lines that most extractors take for the article's.

    Args:
        tree: the page without hidden elements.
        page: its lines.
        block_lines: those of the block.
        rival: those that the site's template says, where they may take the place of the block's.
        title: of the page.
        lead: the line that its description repeats.

    Raises:
        OverBudget: the page is too large for the libraries.
    """
    if page.chars > MAX_CHARS or _is_too_large(tree):
        raise OverBudget
    rival = rival if _holds(rival, lead) else ()
    second = _text_by(trafilatura_lines, tree, title)
    agreement = _agreement(block_lines, second)
    if agreement >= _MIN_AGREEMENT:
        return Choice(block_lines, agreement)
    if (support := _agreement(rival, second)) >= _MIN_AGREEMENT:
        return Choice(rival, support)
    third = _text_by(readability_lines, tree, title)
    if (support := _agreement(rival, third)) >= _MIN_AGREEMENT:
        return Choice(rival, support)
    return _majority(block_lines, second, third, agreement, lead)


def _is_too_large(tree: Tree) -> bool:
    """Return whether a tree has too many elements, or too many in each one's subtree together."""
    depth = elements = subtrees = 0
    for event, _ in iterwalk(tree, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if event == "start":
            elements, subtrees = elements + 1, subtrees + depth
            if elements > MAX_ELEMENTS or subtrees > MAX_SUBTREES:
                return True
    return False


def is_sure(block: Block) -> bool:
    """Return whether the block needs no other extractor."""
    return (
        block.prose_share >= _MIN_SURE_PROSE
        and block.link_share <= _MAX_SURE_LINKS
        and block.prose_chars >= _MIN_SURE_CHARS
    )


def _majority(
    block_lines: tuple[str, ...], second: tuple[str, ...], third: tuple[str, ...], agreement: float, lead: str
) -> Choice:
    """Return the block's lines, unless the other two agree with each other against it."""
    agreement_of_others = _agreement(second, third)
    support = max(agreement, _agreement(block_lines, third))
    is_against = agreement_of_others >= _MIN_AGREEMENT and support < _MAX_OVERRULED
    if not block_lines or (is_against and _holds(second, lead)):
        return Choice(second or third, agreement_of_others if second and third else 0.0)
    return Choice(block_lines, support)


def _holds(lines: Sequence[str], lead: str) -> bool:
    """Return whether a text holds a line, or most of it."""
    lead_shingles = _shingles([lead])
    return (lead_shingles & _shingles(lines)).total() >= _MIN_LEAD_SHARE * lead_shingles.total()


def _text_by(library: Callable[[Tree], list[str]], tree: Tree, title: str) -> tuple[str, ...]:
    return _texts(trim([line_of(text) for text in library(tree)], title=title))


def _texts(lines: Sequence[Line]) -> tuple[str, ...]:
    return tuple(line.text for line in lines)


def _agreement(first: Sequence[str], second: Sequence[str]) -> float:
    if not first or not second:
        return 0.0
    ours, theirs = _shingles(first), _shingles(second)
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else 0.0


def _shingles(lines: Sequence[str]) -> Counter[str]:
    squeezed = squeeze("".join(lines))
    return Counter(squeezed[at : at + _SHINGLE] for at in range(len(squeezed) - _SHINGLE + 1))
