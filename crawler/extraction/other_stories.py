"""Other stories below a brief: each in its own element, below a heading that announces or links it. Pure.

A brief of one sentence is shorter than the story that the site recommends below it. That story is not its
continuation if its element begins with words such as 推荐阅读, or with a heading that links to another page,
or if it is like the element of the brief and has such a heading and date. The title must be above
the brief, and a sentence between the two. Linear.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from crawler.extraction.outline import Line, Outline
from crawler.extraction.parsing import Element
from crawler.extraction.pruning import headed_sentences
from crawler.extraction.stamps import is_stamp
from crawler.extraction.title_lines import is_title, squeeze
from crawler.extraction.trimming import is_notice
from fingerprint.text.variants import fold

_ANNOUNCED = re.compile(
    r"\W*(?:相关|延伸|扩展|推荐|更多|热门|精彩|猜你|为你|为您|大家都在|相關|推薦|熱門)"
    r"[^，。：:]{0,4}(?:阅读|新闻|文章|报道|故事|小说|资讯|内容|推荐|看|喜欢|閱讀|新聞|報導|推薦|喜歡)[:：]?\W*"
)
_DIGITS = re.compile(r"\d+")
_HEADINGS = ("h1", "h2", "h3", "h4")
_BOXES = frozenset({"div", "section", "article", "aside", "li", "td"})
_MIN_BRIEF_CHARS = 20  # minimum characters of sentences between the title and the other story
_MIN_ITEMS = 2  # minimum number of summaries below an announcement
_MIN_HEADED = 0.8  # minimum share of sentences there that follow a link
_STAMP_LINES = 3  # number of lines below a heading that may contain its date
_Kind: TypeAlias = tuple[str, str]
_STOPS = ("。", "！", "？", "”", "」", "…", "）")


def other_stories(page: Outline, *, title: int | None) -> set[int]:
    """Return the blocks of other stories; ``title`` is the number of the line with the page's title."""
    if title is None or page.elements[page.lines[title].block].tag not in _HEADINGS:
        return set()
    first = _end_of_brief(page, title)
    if first is None:
        return set()
    around_title = set(page.path(page.lines[title].block))
    above = set(around_title)
    frames = _frames(page, title, around_title)
    for line in page.lines[title + 1 : first]:
        above.update(page.path(line.block))
    stories, kinds = set[int](), set[_Kind]()
    spans = page.spans
    for block in range(1, len(page.elements)):
        start = spans[block][0]
        if block in above or block in stories or not first <= start < len(page.lines):
            continue
        if page.elements[block].tag not in _BOXES:
            continue
        lines = page.lines[start : spans[block][1]]
        if _is_other(page, lines, squeeze(page.lines[title].text)) or _is_like(page, block, lines, frames):
            stories.update(range(block, page.ends[block]))
            kinds.add(_kind(page.elements[block]))
    # a list of stories, of which the first is no more the page's text than the stories
    is_list = any(_kind(page.elements[block]) in kinds for block in above - around_title)
    return (set() if is_list else stories) | _announced_items(page, first)


def _announced_items(page: Outline, first: int) -> set[int]:
    """Return the blocks from a line such as 推荐阅读 on if they are only links with summaries."""
    number = next((at for at in range(first, len(page.lines)) if _is_announcement(page.lines[at])), None)
    if number is None:
        return set()
    parent = page.parents[page.lines[number].block]
    lines = page.lines[number : page.spans[parent][1]]
    prose = sum(line.is_prose for line in lines)
    if prose < _MIN_ITEMS or len(headed_sentences(page, lines)) < _MIN_HEADED * prose:
        return set()
    return {line.block for line in lines} - {line.block for line in page.lines[:number]}


def _is_announcement(line: Line) -> bool:
    return not line.is_prose and not line.is_link and _ANNOUNCED.fullmatch(line.text) is not None


def _end_of_brief(page: Outline, title: int) -> int | None:
    """Return the number of the line after the first sentence below the title; None without a sentence."""
    for number in range(title + 1, len(page.lines)):
        line = page.lines[number]
        is_sentence = line.is_prose and line.chars >= _MIN_BRIEF_CHARS and line.text.endswith(_STOPS)
        if is_sentence and not is_notice(fold(squeeze(line.text))):
            return number + 1
    return None


def _is_other(page: Outline, lines: Sequence[Line], title: str) -> bool:
    """Return whether an element with these lines begins like another story, and contains its sentences."""
    if lines[0].is_prose or is_title(lines[0], title) or not any(line.is_prose for line in lines):
        return False
    head = page.elements[lines[0].block]
    return _ANNOUNCED.fullmatch(lines[0].text) is not None or (
        head.tag in _HEADINGS and _links_away(head, lines[0])
    )


def _frames(page: Outline, title: int, around_title: Collection[int]) -> dict[_Kind, str]:
    """Return the kind of each element around a dated title → the tag of its heading."""
    head = page.elements[page.lines[title].block]
    if not any(map(is_stamp, page.lines[title + 1 : title + 1 + _STAMP_LINES])):
        return {}
    kinds = (_kind(page.elements[block]) for block in around_title if block)
    return {kind: str(head.tag) for kind in kinds if kind[1]}


def _is_like(page: Outline, block: int, lines: Sequence[Line], frames: Mapping[_Kind, str]) -> bool:
    """Return whether an element is like one around the title: with such a heading, a date and sentences."""
    head = page.elements[lines[0].block]
    return (
        bool(frames)
        and frames.get(_kind(page.elements[block])) == head.tag
        and any(map(is_stamp, lines[1 : 1 + _STAMP_LINES]))
        and any(line.is_prose for line in lines)
    )


def _kind(element: Element) -> _Kind:
    """Return the tag and the first class, which the stories of a list share."""
    first = (element.get("class") or "").split()[:1]
    return str(element.tag), _DIGITS.sub("", "".join(first))


def _links_away(heading: Element, line: Line) -> bool:
    """Return whether a heading links to another page, not to a section such as its own."""
    anchor = heading.find(".//a[@href]")
    target = "" if anchor is None else (anchor.get("href") or "").strip()
    return line.is_link and bool(target) and "#" not in target and not target.startswith("javascript:")
