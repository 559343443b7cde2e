"""The author that a page states. Pure.

JSON-LD and meta elements come first, except names of sites and programs. Elements marked as the author
follow, then labels such as 作者： in the lines around the heading, then labels below the text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from crawler.extraction.outline import Line, Outline
from crawler.extraction.parsing import Element, Tree, XPath, text_of
from crawler.extraction.result import MAX_NAME_CHARS, field_text
from fingerprint.text.han import HAN

_MARKED = XPath("//@itemprop[. = 'author']/.. | //@rel[. = 'author']/..")
_NAME_INSIDE = XPath("(.//*[@itemprop='name'])[1]")
# Class and id of the author's name, matched as a whole: author-list and the like are other things.
_NAMED = re.compile(
    r"(?:^|[\s_-])(?:author|writer|byline|nick(?:[_-]?name)?|user_?name|post[_-]?author|p-author)(?:[_-]?name)?(?:\s|$)",
    re.IGNORECASE,
)
_NAME = r"[^\s，。,;；|｜:：/\\()（）\[\]【】<>《》]{1,20}(?: [A-Za-z.·]{1,20}){0,3}"
_LABEL = re.compile(
    rf"(?:本文作者|原文作者|文章作者|作\s*者|撰\s*文|撰\s*稿|执\s*笔|楼\s*主)\s*[:：/丨|｜]\s*({_NAME})"
    rf"|(?:^|[\s　])(?:文|記者|记者)\s*[:：/／丨|｜]\s*({_NAME})"
    rf"|(?:^|[\s　])(?:本报|本報)?(?:记者|記者)\s+({_NAME})"
    rf"|^\W{{0,2}}(?:by|author)\s*[:：]?\s+({_NAME})",
    re.IGNORECASE,
)
# A reporter as newspapers write it: 記者陳雅玲／台北報導, （中央社記者陳雅玲台北5日電）, 本报记者 许文 王五.
_REPORTER = re.compile(
    rf"(?:記者|记者)\s*([{HAN}]{{2,4}}(?:[、,，][{HAN}]{{2,4}}){{0,2}})\s*[/／╱∕]"
    rf"|(?:記者|记者)([{HAN}]{{3}})[{HAN}]{{2,6}}\d{{1,2}}日(?:專|专)?[電电]"
    rf"|(?:本报|本報)(?:记者|記者)\s*[:：]?\s*([{HAN}·]{{2,8}}(?:[ 、　][{HAN}·]{{2,4}}){{0,3}})"
    rf"(?![{HAN}]*\s*[:：])"
)
# Labels with their value on the next line.
_ALONE = re.compile(r"\W{0,2}(?:本文|原文|文章)?(?:作\s*者|撰\s*文|撰\s*稿)\s*[:：]?")
# Labels of this text's author that are reliable at any position.
_CERTAIN = re.compile(r"(?:本文|原文|文章)作者\s*[:：/丨|｜]")
# Labels of the next field, without colon, because no space may separate two fields.
_NEXT_FIELD = re.compile(
    r"(?:来源|來源|发布时间|发布日期|时间|時間|日期|浏览次数|浏览|瀏覽|点击|阅读|閱讀|责任编辑|编辑|編輯|责编|译者|摄影|字号|更新|审核)$"
)
# Further labels, recognised by their colon: 小川状态：连载.
_FIELD = re.compile(
    r"(?:状态|狀態|类别|類別|类型|類型|分类|分類|题材|字数|字數|篇幅|人气|人氣|点击|點擊|点击数|收藏|推荐|推薦|月票|评分|評分|评论|評論|热度|进度|進度"
    r"|最新章节|最新章節|最新|更新时间|更新時間|最后更新|更新日期|更新|发布|發佈|发表时间|发表于|发表|日期|时间|時間|来源|來源|出处|标签|標籤|关键词"
    r"|书号|出版社|出版|定价|大小|下载|下載|格式|语言|地区|简介|簡介|内容简介|作品|主角|系列|连载|完结|授权|性质|首发|频道|栏目|浏览|瀏覽|阅读|閱讀"
    r"|查看|编辑|編輯|责编|翻译|译者|摄影|校对|审核|回复|等级|积分|粉丝|关注|投稿|编者|主播|播音|朗读)$"
)
_LABEL_END = re.compile(r"(?:作\s*者|撰\s*文|撰\s*稿|执\s*笔|楼\s*主)\s*[:：/丨|｜]\s*$")
_NAME_TAGS = ("a", "span", "em", "b", "strong", "i", "font")
_COLON = re.compile(r"\s*[:：]")
_ADDED = re.compile(r"[\[【(（].*$|作品(?:集|大全)?$|的小说$|的博客$")
_PREFIX = re.compile(
    r"^(?:(?:本报|本報|特约|见习|首席)?(?:记者|記者)|作者|文|by\s)\s*[:：/／]?\s*", re.IGNORECASE
)
# Names of programs, and addresses, that generators write into meta elements.
_NO_NAME = re.compile(
    r"discuz|comsenz|wordpress|hexo|hugo|typecho|z-?blog|dede|phpcms|phpwind|empire|ecms|jekyll|ghost|drupal|joomla"
    r"|帝国|织梦|https?:|www\.|\.(?:com|cn|net|org)\b|^(?:admin(?:istrator)?|author|editor|root|user|null|undefined|none"
    r"|管理员|匿名|佚名|未知|原创|网络|互联网|本站|编辑)$|^edited\b|有限公司|版权所有|keywords|设计制作",
    re.IGNORECASE,
)
# The beginning of recommendations below a text, whose authors wrote other texts.
_OTHERS = re.compile(
    r"\W*(?:热门|精品|好书|小说|作品|同类|相关|猜你|大家|最新|更多|编辑|书友)?[^，。：:]{0,4}(?:推荐|推薦|喜欢|喜歡|在看|相关|相關)"
)
_BELOW, _ABOVE, _END = 15, 5, 8  # numbers of searched lines: below the heading, above it, and below the text
_MAX_BYLINE_CHARS = 40  # maximum length of a byline at the beginning of a text
_MAX_ALONE_CHARS = 12  # maximum length of a name on its own line
_MAX_LINE_CHARS = 120
_MAX_MARKED = 20
_MAX_MARKED_CHARS = 30


def author_of(
    tree: Tree, page: Outline, *, fields: Sequence[str], site_name: str, heading: int | None
) -> str | None:
    """Return the author of a page; None if the page names none.

    Args:
        tree: the whole page.
        page: its visible lines.
        fields: authors in its JSON-LD and meta elements, the most certain first.
        site_name: the name of the site, which is not an author.
        heading: number of the line with its title.
    """
    names = (_person(name, site_name) for name in chain(fields, _marked(tree)))
    labelled = (line.text for line in page.lines if _CERTAIN.search(line.text[:_MAX_LINE_CHARS]))
    return (
        next(filter(None, names), None)
        or _as_marked_up(_byline(_around(page, heading)), tree)
        or next(filter(None, _by_class(tree, site_name)), None)
        or _byline(labelled)
    )


def _marked(tree: Tree) -> Iterator[str]:
    """Yield the names in elements that structured data (such as microdata) mark as the author."""
    for element in _MARKED(tree)[:_MAX_MARKED]:
        (named,) = _NAME_INSIDE(element) or [element]
        yield named.get("content") or text_of(named)


def _by_class(tree: Tree, site_name: str) -> Iterator[str | None]:
    """Yield the names in elements whose class or id marks the author."""
    count = 0
    for element in tree.iterdescendants("*"):
        classes = element.get("class")
        if classes and count < _MAX_MARKED and _NAMED.search(classes):
            count += 1
            text = text_of(element)
            if len(text) <= _MAX_MARKED_CHARS:
                yield _byline([text]) or _person(text, site_name)


def _around(page: Outline, heading: int | None) -> Iterator[str]:
    at = heading or 0
    last = max((number for number, line in enumerate(page.lines) if line.is_prose), default=0)
    below = at + _BELOW if last <= at else min(at + _BELOW, last)
    yield from (line.text for line in page.lines[max(0, at - _ABOVE) : below + 1])
    yield from (line.text for line in page.lines[max(at, last - _END) : last + 1])
    yield from _until_others(page.lines[max(at, last + 1) : last + _END])


def _until_others(lines: Sequence[Line]) -> Iterator[str]:
    """Yield the lines below a text, up to a recommendation, without authors below a link to their work."""
    for number, line in enumerate(lines):
        if _OTHERS.match(line.text):
            return
        if not (number and lines[number - 1].is_link and not line.is_link):
            yield line.text


def _as_marked_up(name: str | None, tree: Tree) -> str | None:
    """Return a name without the text after its element: 作者：<a>小川</a>加入书架."""
    if name is None:
        return None
    for element in tree.iter(*_NAME_TAGS):
        text = text_of(element) if _is_labelled(element) else ""
        if text and name != text and name.startswith(text):
            return _bare(text) or name
    return name


def _is_labelled(element: Element) -> bool:
    """Return whether the text before an element ends with an author label."""
    previous, parent = element.getprevious(), element.getparent()
    before = previous.tail if previous is not None else None if parent is None else parent.text
    return _LABEL_END.search(before or "") is not None


def _byline(texts: Iterable[str]) -> str | None:
    is_next = False
    for text in texts:
        names = [text] if is_next and len(text) <= _MAX_ALONE_CHARS else _names_in(text)
        is_next = _ALONE.fullmatch(text) is not None
        for name in filter(None, map(_bare, names)):
            if not _NO_NAME.search(name):
                return name
    return None


def _names_in(text: str) -> Iterator[str]:
    """Yield the names that follow a label in a line; of a long line, only the reporter at its beginning."""
    is_long = len(text) > _MAX_LINE_CHARS
    patterns = (_REPORTER,) if is_long else (_REPORTER, _LABEL)
    for pattern in patterns:
        if match := pattern.search(text[:_MAX_BYLINE_CHARS] if is_long else text):
            name = next(filter(None, match.groups()))
            yield _FIELD.sub("", name) if _COLON.match(text, match.end()) else name


def _person(name: str, site_name: str) -> str | None:
    """Return the name if it can be a person's; None for the name of a site or a program."""
    reporter = _REPORTER.search(name[:MAX_NAME_CHARS])
    bare = _bare(next(filter(None, reporter.groups())) if reporter else name)
    if not bare or _NO_NAME.search(bare) or bare == site_name:
        return None
    return bare


def _bare(name: str) -> str | None:
    """Return a name without the words that sites add to it."""
    bare = _PREFIX.sub("", field_text(name, max_chars=MAX_NAME_CHARS))
    bare = _NEXT_FIELD.sub("", _ADDED.sub("", bare)).strip(" 　、/|·-")
    return None if not bare or bare.isdigit() else bare
