"""What a site's pages teach about their layout: the container of the text, and the frame around it. Pure.

A page is described by its form: the paths of the elements that hold its text and hardly anything else, and
the sentences outside of them. A path is a chain of steps from the body, each the tag with the id, else the
first class, else the number among the children of that tag without a name; digits in names are dropped, for
they number pages. Paths that three pages of different texts share are the site's containers; sentences that
three have outside of their text are its frame.

A path is chosen greedily: the one of most pages, of equal ones the innermost, then the one of most pages that
are left. So a site may have several layouts, and one that went fades as newer pages take the place of its
own in the sample. (Templates as shared structure: Bar-Yossef and Rajagopalan, WWW 2002; as the part of the
tree that pages have in common: Yi, Liu and Li, KDD 2003, and Vieira et al., CIKM 2006, of whose tree distance
nothing is needed where the text of each page is known.)

One pass over the lines and one over the elements of a page; a bounded sample of a site.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from crawler.extraction.outline import Outline
from crawler.extraction.parsing import Element
from crawler.extraction.pruning import HEADINGS
from crawler.extraction.repeats import sentence_hash

SAMPLE_FORMS = 24  # newest pages of a site
MIN_PAGES = 3
MAX_CONTAINERS = 4
MAX_FRAME = 200  # sentences
_MIN_TEXT_SHARE = 0.9  # of the page's text in a container
_MIN_CONTAINER_SHARE = 0.8  # of the container's sentences that are the text
_NEARLY = 0.6  # of the pages that the most frequent path has
_MAX_PATHS = 6  # of a page: the innermost container and what is wrapped around it
_MAX_STEPS = 40
_MAX_NAME = 40  # characters
_MAX_OUTSIDE = 100  # sentences of a page
_MAX_LINE = 200  # characters of one that are kept
_PARAGRAPHS = HEADINGS | {"p", "li", "blockquote", "figure"}  # of a text of one paragraph
_SEPARATOR = " > "
_ID = "#"
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class PageForm:
    """How one page is laid out.

    Attributes:
        paths: of the elements that hold its text and hardly anything else, the innermost first.
        outside: hash → line of the sentences outside of them.
    """

    paths: tuple[str, ...]
    outside: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Template:
    """What a site's pages have in common.

    Attributes:
        containers: paths of the elements that hold the texts.
        frame: hashes of sentences that stand outside of them on several pages.
    """

    containers: frozenset[str] = frozenset()
    frame: frozenset[int] = frozenset()


NO_TEMPLATE = Template()


def form_of(page: Outline, text: Collection[str]) -> PageForm | None:
    """Return the form of a page; None when no element below the body holds its text.

    Args:
        page: the page.
        text: the lines that were taken from it.
    """
    text_lines = set(text)
    inside = [0.0] * len(page.elements)
    prose = [0.0] * len(page.elements)
    for line in page.lines:
        inside[line.block] += line.chars if line.text in text_lines else 0
        prose[line.block] += line.chars if line.is_prose or line.text in text_lines else 0
    inside, prose = page.sums(inside), page.sums(prose)
    total = sum(len("".join(line.split())) for line in text)
    holders = [block for block in range(1, len(inside)) if inside[block] >= _MIN_TEXT_SHARE * total > 0]
    if not holders:
        return None
    innermost = holders[-1]
    around = (block for block in page.path(innermost) if block)
    chain = [block for block in around if inside[block] >= _MIN_CONTAINER_SHARE * prose[block]]
    chain = [block for block in chain if page.elements[block].tag not in _PARAGRAPHS] or chain
    steps = _steps(page, innermost + 1)
    paths = [path for block in chain[:_MAX_PATHS] if (path := _path(page, block, steps))]
    return PageForm(tuple(paths), _outside(page, innermost)) if paths else None


def _outside(page: Outline, container: int) -> dict[int, str]:
    end = page.ends[container]
    lines = (line.text for line in page.lines if line.is_prose and not container <= line.block < end)
    return {sentence_hash(text): text[:_MAX_LINE] for text in islice(dict.fromkeys(lines), _MAX_OUTSIDE)}


def learn_containers(forms: Iterable[Sequence[str]]) -> dict[str, int]:
    """Return the paths that several of a sample's pages share: path → number of these pages."""
    containers: dict[str, int] = {}
    remaining = list(forms)
    while remaining and len(containers) < MAX_CONTAINERS:
        counts = Counter(path for paths in remaining for path in set(paths))
        shared = {path: n for path, n in counts.items() if n >= MIN_PAGES}
        if not shared:
            break
        best = _innermost(remaining, shared)
        containers[best] = shared[best]
        remaining = [paths for paths in remaining if best not in paths]
    return containers


def _innermost(forms: Sequence[Sequence[str]], counts: Mapping[str, int]) -> str:
    """Return the innermost path that nearly as many pages have as any."""
    most = max(counts.values())
    common = [path for path, count in counts.items() if count >= _NEARLY * most]
    depths = {path: min(paths.index(path) for paths in forms if path in paths) for path in common}
    return min(common, key=lambda path: (depths[path], -counts[path], path))


def learn_frame(forms: Iterable[Collection[int]]) -> dict[int, int]:
    """Return the sentences that stand outside of the text on several pages: hash → number of these pages."""
    counts = Counter(sentence for outside in forms for sentence in set(outside))
    frequent = [(count, digest) for digest, count in counts.items() if count >= MIN_PAGES]
    return {digest: count for count, digest in sorted(frequent, reverse=True)[:MAX_FRAME]}


def find_container(page: Outline, template: Template) -> int | None:
    """Return the block of a page that its site's template names; None when there is none.

    A path that several elements have names none of them. Of several containers the one with most sentences
    is taken.
    """
    if not template.containers:
        return None
    steps, children = _steps(page, len(page.elements)), page.children
    blocks = [
        matches[0]
        for path in sorted(template.containers)
        if len(matches := _blocks_at(path, steps, children)) == 1
    ]
    if not blocks:
        return None
    prose = [0.0] * len(page.elements)
    for line in page.lines:
        prose[line.block] += line.chars if line.is_prose else 0
    sums = page.sums(prose)
    return max(blocks, key=lambda block: (sums[block], block))


def _blocks_at(path: str, steps: Sequence[str], children: dict[int, list[int]]) -> list[int]:
    first, *rest = path.split(_SEPARATOR)
    starts = range(1, len(steps)) if _ID in first else children.get(0, ())
    level = [block for block in starts if steps[block] == first]
    for step in rest:
        level = [child for block in level for child in children.get(block, ()) if steps[child] == step]
    return level


def _steps(page: Outline, end: int) -> list[str]:
    """Return the step of each block below a number from its parent."""
    numbers = Counter[tuple[int, str]]()
    steps = [""]
    for block in range(1, end):
        element = page.elements[block]
        tag, name = str(element.tag), _name(element)
        if not name:
            key = page.parents[block], tag
            name = f":{numbers[key]}"
            numbers[key] += 1
        steps.append(tag + name)
    return steps


def _name(element: Element) -> str:
    """Return an element's id, else its first class, marked as in CSS; empty without any."""
    for mark, attribute in ((_ID, "id"), (".", "class")):
        words = _NUMBER.sub("", element.get(attribute) or "").split()
        if words:
            return mark + words[0][:_MAX_NAME]
    return ""


def _path(page: Outline, block: int, steps: Sequence[str]) -> str:
    """Return the path of a block, from the nearest element with an id; empty when it is too long."""
    path: list[str] = []
    while block and not (path and _ID in path[-1]):
        path.append(steps[block])
        block = page.parents[block]
    return "" if len(path) > _MAX_STEPS else _SEPARATOR.join(reversed(path))
