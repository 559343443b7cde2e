"""Lines of a page that its title or description repeats: they show where the article is. Pure.

A brief of three sentences among longer teasers cannot be recognised by its length. But the description
contains its first sentence, and its title is above it.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from crawler.extraction.outline import Line, Outline
from crawler.extraction.parsing import Element
from crawler.extraction.stamps import is_stamp
from fingerprint.text.han import CHAPTER_TITLE

_GRAM = 12  # so many consecutive characters occur twice on a page only as a quotation
_STEP = 6
_MAX_LEAD = 90  # used characters of a description; the rest may come from the end of the article
MIN_TITLE = 5  # minimum characters of a title that is recognised at any position
_MAX_TITLE = 60
_MIN_LEAD = 20
_TITLE_SHARE = 0.6  # minimum matching share of the title if the page abridges it
_FULL_STOPS = ("。", "；", "”", "」")
_STOPS = ("。", "！", "？", "”", "」", "…")
# maximum characters of a line that is cached; folding makes at most 18 characters of one
_MAX_KEPT_CHARS = 200
_TURNS = re.compile(r"[上下][一]?[章节回]")  # links to the chapters before and after
_TITLE_NAME = re.compile(
    r"(?:^|[\s_-])(?:arti|article|news|content|post|main|info|detail|show|text|txt|page)?[_-]?"
    r"(?:title|tit|headline|biaoti|bt|subject)(?:$|[\s_-])",
    re.IGNORECASE,
)
_SITE = re.compile(
    r"\S{2,12}(?:网|网站|論壇|论坛|社区|频道|门户|日报|晚报|早报|时报|文学|在线|书屋|博客|首页)"
)
_MAX_NAMES_CHARS = 200
_LINES_ABOVE = 20  # number of lines above a text that may contain its title
_BYLINE = re.compile(r"[\[(【]?(?:文章)?(?:作者|来源|來源|发布者|发布人|发布时间|日期|时间)[:：]")
_FIELD = re.compile(
    r"[>›»|]|当前位置|首页|^(?:专题|栏目|分类|标签|来源|作者|编辑|责编|字体|字号|分享|阅读|浏览|点击)"
)
_HEADINGS = frozenset({"h1", "h2", "h3"})


def squeeze(text: str) -> str:
    """Return a text without white space and width variants, for comparison."""
    return (_squeeze_line if len(text) <= _MAX_KEPT_CHARS else _squeeze_line.__wrapped__)(text)


@lru_cache(maxsize=1024)  # cached, because several steps squeeze the same lines; 8 MB at most
def _squeeze_line(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def description_line(page: Outline, descriptions: Sequence[str], *, title: str) -> int | None:
    """Return the number of the first line of sentences that shares text with a description.

    Args:
        page: the page.
        descriptions: from its meta elements and JSON-LD.
        title: parts of a description that repeat it do not count.
    """
    grams = description_grams(descriptions, title=title)
    if not grams:
        return None
    for number, line in enumerate(page.lines):
        if line.is_prose and line.chars >= _MIN_LEAD:
            plain = squeeze(line.text)
            if any(gram in plain for gram in grams):
                return number
    return None


def description_grams(descriptions: Sequence[str], *, title: str) -> frozenset[str]:
    """Return squeezed pieces of the descriptions that only the described text contains."""
    squeezed_title = squeeze(title)
    return frozenset(
        gram
        for description in map(squeeze, descriptions)
        for at in range(0, min(len(description), _MAX_LEAD) - _GRAM + 1, _STEP)
        if (gram := description[at : at + _GRAM]) not in squeezed_title
    )


def title_line(page: Outline, title: str) -> int | None:
    """Return the number of the line that shows the title above the article; headings come first.

    A short title, such as that of an entry or a poem, may occur anywhere, so only a heading counts.
    """
    squeezed_title = squeeze(title)
    candidates = [
        number
        for number, line in enumerate(page.lines)
        if 2 * line.link_chars <= line.chars and is_title(line, squeezed_title)
    ]
    headings = [number for number in candidates if page.elements[page.lines[number].block].tag in _HEADINGS]
    other_lines = candidates if len(squeezed_title) >= MIN_TITLE else ()
    return next(iter(headings or other_lines), None)


def names_site(title: str) -> bool:
    """Return whether a title can be the name of a site, which its pages show next to their titles."""
    return _SITE.fullmatch(title) is not None


def page_heading(page: Outline) -> str:
    """Return the page's heading: the heading of the highest level with most sentences below it."""
    by_level: dict[str, list[tuple[int, str]]] = {}
    level = text = ""
    below = 0
    for line in (*page.lines, None):
        tag = "" if line is None else page.elements[line.block].tag
        if line is None or tag in _HEADINGS:
            if text:
                by_level.setdefault(level, []).append((below, text))
            is_heading = line is not None and not line.is_link and MIN_TITLE <= line.chars <= _MAX_TITLE
            level, text, below = (tag, line.text, 0) if line is not None and is_heading else ("", "", 0)
        elif line.is_prose:
            below += line.chars
    candidates = by_level[min(by_level)] if by_level else []
    below, text = max(candidates, key=lambda candidate: candidate[0], default=(0, ""))
    return text if below else ""


def unmarked_title(page: Outline) -> str:
    """Return the title of a text that no heading contains; empty without one.

    It is the last line above the text whose class names a title, or the line directly above its date or
    author. Old sites have the same title element on all pages.
    """
    first = next((at for at, line in enumerate(page.lines) if _is_sentence(line)), 0)
    named = dated = ""
    for number in range(max(0, first - _LINES_ABOVE), first):
        line, above = page.lines[number], page.lines[max(0, number - 1)]
        if _may_be_title(line) and _TITLE_NAME.search(_names_of(page.elements[line.block])):
            named = line.text
        is_byline = is_stamp(line) or _BYLINE.match(squeeze(line.text)) is not None
        if not dated and is_byline and not line.is_link and _may_be_title(above):
            dated = above.text
    return named or dated


def _is_sentence(line: Line) -> bool:
    return line.is_prose and line.chars >= _MIN_LEAD and line.text.endswith(_STOPS)


def _may_be_title(line: Line) -> bool:
    return (
        not line.is_link
        and MIN_TITLE <= line.chars <= _MAX_TITLE
        and not line.text.endswith(_FULL_STOPS)
        and not is_stamp(line)
        and _FIELD.search(line.text) is None
        and _BYLINE.match(squeeze(line.text)) is None
    )


def _names_of(element: Element) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}"[:_MAX_NAMES_CHARS]


def chapter_title(page: Outline) -> str:
    """Return the chapter's heading on a page that is titled after its book; empty without one."""
    headings: list[str] = []
    for line in page.lines:
        if line.is_prose:
            break
        is_heading = page.elements[line.block].tag in _HEADINGS and not line.is_link
        if is_heading and line.chars <= _MAX_TITLE and CHAPTER_TITLE.search(line.text):
            headings.append(line.text)
    turns = any(line.is_link and _TURNS.search(line.text) for line in page.lines)
    return headings[0] if len(headings) == 1 and turns else ""


def is_title(line: Line, title: str) -> bool:
    """Return whether a line is the (squeezed) title, or most of it."""
    if not title or line.chars > 2 * len(title):
        return False
    plain = squeeze(line.text)
    # the line is a sentence that contains the title
    if len(plain) > len(title) and plain.endswith(_FULL_STOPS):
        return False
    return plain == title or (
        len(plain) >= max(MIN_TITLE, _TITLE_SHARE * len(title)) and (plain in title or title in plain)
    )
