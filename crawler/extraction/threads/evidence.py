"""Whether a page is a discussion: equal posts, not an article with readers' comments below it. Pure.

Both repeat a template with author and date. A page whose posts begin directly below its title is a thread. If
another text is above the posts, the page must identify itself as a discussion: by schema.org data, its
address, the names of its elements, or words that only forums use.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from crawler.extraction.nextpage import canonical_url
from crawler.extraction.outline import Outline
from crawler.extraction.parsing import Tree, text_of

_TYPES = re.compile(r"\b(?:DiscussionForumPosting|QAPage)\b")
_ARTICLE_TYPES = re.compile(
    r"\"@type\"\s*+:\s*+(?:\[\s*+)?\"(?:NewsArticle|ReportageNewsArticle|BlogPosting|Article)\""
)
_ADDRESS = re.compile(
    r"/(?:threads?|topics?|t|questions?|q|discussions?|d|viewtopic|showthread|showtopic|forum|forums|bbs|club|ask|wenda)"
    r"(?:[/?._-]|$)|viewthread|[?&](?:tid|topic|thread)=",
    re.IGNORECASE,
)
_HOST = re.compile(
    r"^(?:[\w-]+\.)*(?:bbs|forums?|tieba|club|ask|wenda|zhidao|community|discuss|luntan)\.", re.IGNORECASE
)
_NAMES = re.compile(
    r"(?:^|[\s_-])(?:topic|threads?(?!-(?:even|odd|alt))|questions?|answers?|discussions?|forums?|bbs|tiezi|qa|viewthread|viewtopic|postlist|post-?stream)(?:[\s_-]|$)",
    re.IGNORECASE,
)
_ARTICLE_NAMES = re.compile(r"(?:^|[\s_-])(?:articles?|news|blog|entry)(?:[\s_-]|$)", re.IGNORECASE)
_BLOGS = re.compile(r"wordpress|hexo|hugo|jekyll|typecho|z-?blog|ghost|gridea|halo", re.IGNORECASE)
_WORDS = re.compile(
    r"楼主|樓主|沙发|板凳|只看该作者|回帖|回贴|发帖|跟帖|跟贴|[条個个]回[复覆答帖]|被采纳|采纳为|最佳(?:答案|回复|回答)"
    r"|\d\s*(?:个|個)?回答|写回答|我来回答|提问者|问题描述|共收到|讨论数量|返回列表|发新帖|电梯直达"
)
_QUESTION = re.compile(r"[?？](?:[\W_]|$)|怎么办|[吗呢](?:[\W_]|$)")
# Words above answers, which no comments below an article have.
_ANSWERS = re.compile(
    r"最佳(?:答案|回答)|被(?:提问者)?采纳|采纳为|其[他它]回答|\d\s*[个個条]回答|写回答|我来回答|提问者"
)
_FORUM = re.compile(r"论坛|論壇|贴吧|社区|社區|问答|問答|\bbbs\b", re.IGNORECASE)
_LINES_ABOVE = 5  # number of lines above the first post that are searched for signs
_THREAD = 2  # minimum number of signs that prove a thread


@dataclass(frozen=True, slots=True)
class Replies:
    """Posts of a page that share a template.

    Attributes:
        first: number of the first line of the text above them; without one, of the posts.
        start: number of the first line of the posts.
        own_chars, chars: characters of the text above them, and of the posts.
        is_numbered: most posts state their number in the thread, or name their author as a member.
        is_answered: most posts have a button to answer, quote or report them.
        is_signed: most posts name their author.
    """

    first: int
    start: int
    own_chars: int
    chars: int
    is_numbered: bool
    is_answered: bool = False
    is_signed: bool = False


def is_discussion(tree: Tree, page: Outline, replies: Replies, *, url: str) -> bool:
    """Return whether the replies belong to a thread.

    Args:
        tree: the whole page.
        page: its lines and blocks.
        replies: its possible posts.
        url: its address, if known.
    """
    if any(_TYPES.search(name) for name in _item_types(tree)):
        return True
    address = urlsplit(url or canonical_url(tree))
    above = _names(page, replies.first)
    words = "\n".join(line.text for line in page.lines[max(0, replies.first - _LINES_ABOVE) :])
    signs = (
        _ADDRESS.search(f"{address.path}?{address.query}") is not None,
        _HOST.search(address.netloc) is not None,
        any(_NAMES.search(name) for name in (*above, *_names(page, replies.start))),
        _WORDS.search(words) is not None,
    )
    if replies.own_chars == 0:
        points = sum(signs) + _signs_in_title(tree) + replies.is_answered + replies.is_signed
        return replies.is_numbered or points >= _THREAD
    is_answer = _ANSWERS.search(words) is not None and _QUESTION.search(_full_title(tree)) is not None
    points = sum(signs) + (replies.chars > replies.own_chars) + is_answer
    points -= _is_named_article(above) + _is_blog(tree)
    return points >= _THREAD


def _signs_in_title(tree: Tree) -> int:
    """Return the number of signs in the title of a page of posts alone: a question, the name of a forum."""
    full = _full_title(tree)
    return sum(pattern.search(full) is not None for pattern in (_QUESTION, _FORUM))


def _full_title(tree: Tree) -> str:
    title = tree.find(".//title")
    return "" if title is None else text_of(title)


def _is_named_article(names: Iterable[str]) -> bool:
    """Return whether the innermost element name that identifies a text marks it as an article."""
    telling = (name for name in names if _NAMES.search(name) or _ARTICLE_NAMES.search(name))
    return not _NAMES.search(next(telling, "topic"))


def _is_blog(tree: Tree) -> bool:
    """Return whether blog software made the page, or its JSON-LD says that it is an article."""
    generators = (meta.get("content") or "" for meta in tree.iterfind(".//meta[@name='generator']"))
    scripts = (script.text or "" for script in tree.iterfind(".//script[@type='application/ld+json']"))
    return any(map(_BLOGS.search, generators)) or any(map(_ARTICLE_TYPES.search, scripts))


def _item_types(tree: Tree) -> Iterable[str]:
    for element in tree.iterfind(".//*[@itemtype]"):
        yield element.get("itemtype") or ""
    for script in tree.iterfind(".//script[@type='application/ld+json']"):
        text = script.text or ""
        if not _ARTICLE_TYPES.search(text):
            yield text


def _names(page: Outline, line: int) -> list[str]:
    blocks = page.path(page.lines[line].block)
    elements = (page.elements[block] for block in blocks if block)
    return [f"{element.get('class') or ''} {element.get('id') or ''}" for element in elements]
