"""The common layout of a site's pages: the container of the text, and the frame around it. Pure.

A page is described by its form: the paths of the elements that contain little more than its text, and the
sentences outside them. A path is a chain of steps from the body. Each step is the tag with the id, else the
first class, else the number among the unnamed children of that tag. Digits in names are dropped, because they
number pages. Paths shared by three pages with different texts are the site's containers. Sentences that three
pages have outside their texts are its frame.

Paths are chosen greedily: the path of most pages, among equal ones the innermost, then the path of most
remaining pages. So a site may have several layouts. An old layout disappears when newer pages replace its
pages in the sample. (Templates as shared structure: Bar-Yossef and Rajagopalan, WWW 2002; as the common part
of trees: Yi, Liu and Li, KDD 2003, and Vieira et al., CIKM 2006. Tree distances are not needed here, because
the text of each page is known.)

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

SAMPLE_FORMS = 24  # number of sampled pages of a site, the newest ones
MIN_PAGES = 3
MAX_CONTAINERS = 4
MAX_FRAME = 200  # maximum number of sentences in the frame
_MIN_TEXT_SHARE = 0.9  # minimum share of the page's text in a container
_MIN_CONTAINER_SHARE = 0.8  # minimum share of the container's sentences that belong to the text
_NEARLY = 0.6  # minimum page count of a path, relative to the most frequent path
_MAX_PATHS = 6  # maximum number of paths per page: the innermost container and its wrappers
_MAX_STEPS = 40
_MAX_NAME = 40  # maximum characters of a name
_MAX_OUTSIDE = 100  # maximum number of sentences of a page outside its text
_MAX_LINE = 200  # maximum characters of a sentence outside the text
# elements that are a paragraph, and may be a whole text
_PARAGRAPHS = HEADINGS | {"p", "li", "blockquote", "figure"}
_SEPARATOR = " > "
_ID = "#"
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class PageForm:
    """The layout of one page.

    Attributes:
        paths: of the elements that contain little more than its text, innermost first.
        outside: hash → line of the sentences outside them.
    """

    paths: tuple[str, ...]
    outside: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Template:
    """The common layout of a site's pages.

    Attributes:
        containers: paths of the elements that contain the texts.
        frame: hashes of sentences outside them on several pages.
    """

    containers: frozenset[str] = frozenset()
    frame: frozenset[int] = frozenset()


NO_TEMPLATE = Template()


def form_of(page: Outline, text: Collection[str]) -> PageForm | None:
    """Return the form of a page; None if no element below the body contains its text.

    Args:
        page: the page.
        text: the lines of its text.
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
    """Return the paths that several sampled pages share: path → number of these pages."""
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
    """Return the innermost path among those of nearly the most pages."""
    most = max(counts.values())
    common = [path for path, count in counts.items() if count >= _NEARLY * most]
    depths = {path: min(paths.index(path) for paths in forms if path in paths) for path in common}
    return min(common, key=lambda path: (depths[path], -counts[path], path))


def learn_frame(forms: Iterable[Collection[int]]) -> dict[int, int]:
    """Return the sentences outside the text on several pages: hash → number of these pages."""
    counts = Counter(sentence for outside in forms for sentence in set(outside))
    frequent = [(count, digest) for digest, count in counts.items() if count >= MIN_PAGES]
    return {digest: count for count, digest in sorted(frequent, reverse=True)[:MAX_FRAME]}


def find_container(page: Outline, template: Template) -> int | None:
    """Return the block of a page at a path of its site's template; None if there is none.

    A path with several matching elements is ignored. If there are several containers, the one with most
    sentences is returned.
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
    """Return for each block before ``end`` the step from its parent."""
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
    """Return an element's id, else its first class, marked as in CSS; empty without either."""
    for mark, attribute in ((_ID, "id"), (".", "class")):
        words = _NUMBER.sub("", element.get(attribute) or "").split()
        if words:
            return mark + words[0][:_MAX_NAME]
    return ""


def _path(page: Outline, block: int, steps: Sequence[str]) -> str:
    """Return the path of a block from the nearest element with an id; empty if it is too long."""
    path: list[str] = []
    while block and not (path and _ID in path[-1]):
        path.append(steps[block])
        block = page.parents[block]
    return "" if len(path) > _MAX_STEPS else _SEPARATOR.join(reversed(path))
