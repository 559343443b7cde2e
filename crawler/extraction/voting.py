"""Choice of the article's text among the results of several extractors, with a confidence. Pure.

The block comes first, because it takes a tenth of the time of the others. If it contains nearly every
sentence of the page, it is the result. Otherwise readability runs, and if the two disagree, trafilatura too,
which takes six times as long. The block is overruled only if these two agree with each other against it. Both
may agree on the wrong story: if the page's description contains the beginning of the article, only texts with
this line can overrule the block.

The template from the site's other pages (:mod:`crawler.extraction.template`) is another voice. If it agrees
with the block, no library runs. If a library agrees with it, it overrules the block, unless sentences outside
the site's frame would be lost. So a site cannot hide a copy by teaching one container and using another.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
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
# A block with these values needs no other extractor.
_MIN_SURE_PROSE = 0.75  # minimum share of the page's sentences
_MAX_SURE_LINKS = 0.35
_MIN_SURE_CHARS = 200
_MIN_PROSE_CHARS = 100  # minimum characters of sentences of an article on a page of links
_MAX_LINK_SHARE = 0.8
_ALONE = 0.985  # confidence in a block that has all sentences and that no other extractor confirms
_BRIEF = 0.6  # confidence in a brief with a longer story of its own below it
_MIN_AGREEMENT = 0.9  # minimum 2·|A∩B| / (|A|+|B|) over 5-grams for two texts that differ in a line or two
_MAX_OVERRULED = 0.5  # if the agreement with the block is lower, the others overrule the block
_MIN_CONFIRMED_PROSE = 0.5  # minimum share of the page's sentences in a block that only the template confirms
_MAX_LOST = 0.25  # maximum lost sentences of the block, relative to the sentences of the template's text
_MAX_FRAME_CHARS = 600  # maximum characters of the frame that do not count as lost
_MIN_LEAD_SHARE = 0.5  # minimum share of the described line in a text that overrules the block
# Bounds of a page for the libraries, which copy its tree and walk each element's subtree. They are
# several times those of real pages.
MAX_ELEMENTS = 20_000
MAX_SUBTREES = 500_000  # maximum sum of the sizes of all elements' subtrees
MAX_CHARS = 500_000
_FEW_ELEMENTS = 1_000  # so few elements stay below the bound even if each is inside the previous one


@dataclass(frozen=True, slots=True)
class Choice:
    """The lines of the article, and the confidence in them.

    Attributes:
        confidence: agreement with the other extractors, in [0, 1]. If only the block was taken, its share
            of the page's sentences. If the site's template confirms it, the mean of that share and their
            agreement, because the template was learnt from blocks.
        is_ruled: the source's rules chose the lines.
        is_embedded: the lines are from the page's data.
        is_named: these data contain the text of the page's description, or its title.
        title: title in these data, if it is not the page's.
    """

    lines: tuple[str, ...]
    confidence: float
    is_ruled: bool = False
    is_embedded: bool = False
    is_named: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class TemplateBlock:
    """The site's template, applied to one page.

    Attributes:
        block: the container of the text.
        frame: hashes of sentences that the site has outside its texts.
    """

    block: Block
    frame: frozenset[int] = frozenset()


def choose(
    tree: Tree,
    page: Outline,
    block: Block,
    *,
    title: str = "",
    template_block: TemplateBlock | None = None,
    steps: OptionalSteps | None = None,
) -> Choice:
    """Return the article's lines; only the block's lines if the libraries cannot run.

    Args:
        tree: the page without hidden elements.
        page: its lines.
        block: the article's block.
        title: the page's title, which is not part of the text.
        template_block: the result of the site's template.
        steps: records that the libraries could not run.
    """
    block_lines = _texts(trim(block.lines, title=title))
    site = () if template_block is None else _texts(trim(template_block.block.lines, title=title))
    likeness = _agreement(block_lines, site)
    if likeness >= _MIN_AGREEMENT and block.prose_share >= _MIN_CONFIRMED_PROSE:
        return Choice(block_lines, fmean((block.prose_share, likeness)))
    is_contested = (
        template_block is not None
        and likeness < _MIN_AGREEMENT
        and _loses_little(block, template_block=template_block, site=site)
    )
    alone = Choice(block_lines, _ALONE * block.prose_share)
    is_menu = block.prose_chars < _MIN_PROSE_CHARS and page.link_share > _MAX_LINK_SHARE
    if not is_contested and (is_sure(block) or is_menu):
        return alone
    rival = site if is_contested else ()
    choice = (steps or OptionalSteps()).attempt(
        "opinions",
        lambda: _vote(tree, page, block_lines, rival=rival, title=title, lead=block.lead),
        otherwise=alone,
    )
    if block.is_titled and choice.lines != block_lines and block.other_chars > block.prose_chars:
        return replace(alone, confidence=_BRIEF)  # the libraries took the longest story
    return choice


def _loses_little(block: Block, *, template_block: TemplateBlock, site: Sequence[str]) -> bool:
    """Return whether the template's text has nearly all of the block's sentences outside the frame."""
    held = set(site)
    lost = [line for line in block.lines if line.is_prose and line.text not in held]
    framed = sum(line.chars for line in lost if sentence_hash(line.text) in template_block.frame)
    chars = sum(line.chars for line in lost) - min(framed, _MAX_FRAME_CHARS)
    return chars <= _MAX_LOST * template_block.block.prose_chars


def _vote(
    tree: Tree, page: Outline, block_lines: tuple[str, ...], *, rival: tuple[str, ...], title: str, lead: str
) -> Choice:
    """Return the lines that most extractors choose as the article.

    ``rival`` has the lines by the site's template, if they may replace the block's. ``lead`` is the line that
    the page's description repeats.
    """
    if page.chars > MAX_CHARS or _is_too_large(tree):
        raise OverBudget
    rival = rival if _holds(rival, lead) else ()
    third = None if rival else _text_by(readability_lines, tree, title)
    if third and (support := _agreement(block_lines, third)) >= _MIN_AGREEMENT:
        return Choice(block_lines, support)  # trafilatura alone cannot overrule both
    second = _text_by(trafilatura_lines, tree, title)
    agreement = _agreement(block_lines, second)
    if agreement >= _MIN_AGREEMENT:
        return Choice(block_lines, agreement)
    if (support := _agreement(rival, second)) >= _MIN_AGREEMENT:
        return Choice(rival, support)
    third = _text_by(readability_lines, tree, title) if third is None else third
    if (support := _agreement(rival, third)) >= _MIN_AGREEMENT:
        return Choice(rival, support)
    return _majority(block_lines, second, third, agreement, lead)


def _is_too_large(tree: Tree) -> bool:
    """Return whether a tree has too many elements, or subtrees that are too large in total."""
    if sum(1 for _ in islice(tree.iter(), _FEW_ELEMENTS)) < _FEW_ELEMENTS:
        return False
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
