"""The kind of a page: a text to compare, or the reason why it is not one. Pure.

A text is a block of at least 20 Han characters, less than nine tenths of it links, and with at least 1 %
sentence punctuation if it contains links. A list is one of these, unless the page's title or description
identifies its text: several linked headings with texts below them, a few sentences on a page of links, or
fewer than 100 characters on a page that is half links. A text is obfuscated, that is, a font shows other
characters, if it has more than 1 % private-use characters of several kinds, more than 5 % of CJK Extension A,
or hardly any common character. The bounds were measured on real pages.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from crawler.extraction.anchors import Anchor
from crawler.extraction.block import Block
from crawler.extraction.notices import says_gone
from crawler.extraction.outline import Line, Outline
from crawler.extraction.parsing import Tree, count_chars, visible_chars
from crawler.extraction.pruning import MAX_HEADED, headed_sentences
from crawler.extraction.short_texts import SURE_CHARS, count_han, is_text
from fingerprint.text.decoding import common_character_share
from fingerprint.text.han import CHAPTER_TITLE, EXTENSION_A, UNIFIED
from fingerprint.text.variants import fold
from storage.records import PageKind

_BLOCKED = re.compile(
    r"人机验证|安全验证|(?:输入|填写|请完成)[^。]{0,10}验证码|滑动验证|拖动滑块|访问过于频繁|访问频率(?:过高|太快)|异常流量"
    r"|您的?(?:IP|访问)[^。]{0,20}(?:封|禁|限制|拒绝|阻断)|拒绝访问|访问被拒绝|Access Denied|Just a moment"
    r"|Attention Required|403 Forbidden|网站防火墙|captcha|Checking your browser"
    r"|(?:请|需要?)先?(?:登录|登陆)后?(?:才能|才可以?|方可|即可|再|继续)?[^。\n]{0,4}(?:查看|阅读|访问|浏览|观看|继续|进入|操作)"
    r"|(?:登录|登陆)后(?:可以?|即可|才能|才可以?|方可)(?:查看|阅读|继续|访问|浏览)"
    r"|VIP章节[^。]{0,12}(?:订阅|购买|登录)|订阅(?:本章)?后(?:才能|即可|可以?)(?:阅读|查看)|账号已?被(?:封|禁)",
    re.IGNORECASE,
)
_LOGIN_TITLE = re.compile(r"登录|登陆|登錄|登入|密码|密碼|log ?in|sign ?in", re.IGNORECASE)
# Words that occur in log-in forms and next to them.
_LOGIN_WORDS = re.compile(
    r"(?:用户|会员|账号|帐号|手机|邮箱|微信|QQ|快速|安全|立即|免费|自动|记住|忘记|找回|没有|还没有|使用|第三方|请输入|一键)?"
    r"(?:登录|登陆|登錄|登入|注册|註冊|密码|密碼|用户名|账号|帐号|验证码|手机号码?|邮箱)(?:登录|登陆|注册|我|密码|名|地址|方式)?"
)
_BROKEN = re.compile(
    r"内容加载失败|章节内容(?:加载失败|缺失|正在手打)|正在手打中[，,]请稍等|内容正在(?:加载|更新)中"
)
_CHAPTER_LINKS = frozenset({"上一章", "下一章", "章节目录", "返回目录", "章節目錄", "返回书页"})
_PUNCTUATION = re.compile("[，。！？；：、…“”‘’「」『』,!?;．｡]+")
_MAX_BLOCKED_CHARS = 800  # maximum characters of a ban page
_MIN_STORY_CHARS = 250  # minimum characters of sentences in a story; a ban page has fewer
_MIN_JUDGED = 100  # minimum number of Han characters that are needed to judge the font of a text
_MAX_LINK_SHARE = 0.9
_MIN_TEXT_SHARE = 0.05  # minimum share of a text in a page of links, or in any page with a short text
_MIN_LIST_LINK_SHARE = 0.5  # minimum share of links on a short page that is a list
_MIN_AGREEMENT = 0.1  # minimum confidence in a text on a page that is half links
_STOPS = ("。", "！", "？", "”", "」", "…", "；")
_MIN_SENTENCES = 0.7  # minimum share of lines of such a text that are whole sentences
_MAX_REMARK_LINKS = 0.7
_MIN_LINKED_HEADINGS = 3
_MIN_LISTS = 3  # minimum number of lists on a portal
_MAX_NOTE_CHARS = 600  # maximum characters of sentences in a note on a portal
_MORE = re.compile(
    r"[\[(（【+]?\s*(?:查看|阅读|浏览)?(?:更多|更多内容|全部|more|MORE|More)\s*[>»》›+.…\])）】\s]*"
)
_INSTITUTION = re.compile(
    rf"(?:欢迎(?:访问|光临|来到|您?访问))?[{UNIFIED}（）()·\s]{{2,24}}"
    r"(?:学校|中学|小学|大学|学院|幼儿园|研究所|研究院|图书馆|博物馆|医院|政府|委员会|管理局|教育局|协会|学会|网站|官网|首页|主页)"
)
_MIN_ITEMS = 4
_MIN_TOPICS = 3  # minimum number of linked topics on a page that is more than a log-in form
_MIN_TOPIC_HAN = 4
_MIN_CHAPTER_LINKS = 8  # minimum number of linked chapters in a catalogue
_MAX_CATALOGUE_CHARS = 800  # maximum characters of sentences above it, such as the blurb
_TURNS = frozenset({"上一章", "下一章", "上一页", "下一页"})
# A register: most lines are a name and a date.
_DATED = re.compile(r"\d{4}\s*[-/.年]\s*\d{1,2}|\d{1,2}\s*月\s*\d{1,2}\s*日")
_MIN_ENTRIES = 8
_MIN_DATED = 0.8
_MAX_ENTRY_HAN = 12
_MIN_PUNCTUATION = 0.01
_MAX_TEXT_LINKS = 0.1  # maximum share of links in a text with fewer marks, such as verse or numbered headings
_MIN_MARKS = 50  # minimum number of punctuation marks in an article full of program code
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
_EXTENSION = re.compile(f"[{EXTENSION_A}]+")
_HAN = re.compile(f"[{UNIFIED}]+")
_MAX_PRIVATE_SHARE = 0.01
_MIN_PRIVATE = 10  # minimum number of private-use characters; fewer are icons
_MIN_PRIVATE_KINDS = 3  # minimum number of different ones; one or two are blanks and bullets
_MAX_EXTENSION_SHARE = 0.05
_MIN_COMMON_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Evidence:
    """The facts that decide a page's kind.

    Attributes:
        title: the page's title.
        page: its visible lines.
        block: the article's block; for a text in the page's data, its lines.
        text: the cleaned text that was extracted.
        raw: the text before cleaning, with its private-use characters; without a text, the whole page.
        turns_page: the page says that the text continues on another page.
        has_next_page: the address of a next page is known.
        is_ruled: the source's rules found the text, so the page is not a list.
        is_thread: the text consists of posts.
        is_serial: the page is a chapter (:func:`is_chapter`).
        confidence: confidence in the text.
    """

    title: str
    page: Outline
    block: Block
    text: str
    raw: str
    turns_page: bool
    has_next_page: bool
    is_ruled: bool = False
    is_thread: bool = False
    is_serial: bool = False
    confidence: float = 1.0


def page_kind(tree: Tree, evidence: Evidence) -> PageKind:
    """Return the kind of a page; the first obstacle in the order of the checks decides."""
    chars = visible_chars(evidence.text)
    if _is_blocked(evidence) or _is_login(tree, evidence):
        return "blocked"
    if is_obfuscated(evidence.raw):
        return "obfuscated"
    if _is_incomplete(evidence):
        return "incomplete"
    if not is_text(evidence.text) and evidence.page.link_share < _MIN_LIST_LINK_SHARE:
        return "empty"
    return _kind_of_text(evidence, chars)


def _kind_of_text(evidence: Evidence, chars: int) -> PageKind:
    if evidence.is_thread and is_text(evidence.text):
        return "thread"
    if _is_list(evidence, chars):
        return "list"
    is_chapter_text = evidence.is_serial and not says_gone(evidence.title, evidence.text)
    return "chapter" if is_chapter_text else "article"


def is_obfuscated(text: str) -> bool:
    """Return whether a font must show other characters than these."""
    chars = visible_chars(text)
    if chars == 0:
        return False
    private = _PRIVATE.findall(text)
    extension = count_chars(_EXTENSION, text)
    han = extension + count_chars(_HAN, text)
    has_font = len(set(private)) >= _MIN_PRIVATE_KINDS and len(private) >= _MIN_PRIVATE
    if has_font and len(private) > _MAX_PRIVATE_SHARE * chars:
        return True
    if extension > _MAX_EXTENSION_SHARE * max(han, 1):
        return True
    return han >= _MIN_JUDGED and common_character_share(text) < _MIN_COMMON_SHARE


def _is_incomplete(evidence: Evidence) -> bool:
    if is_text(evidence.text) and evidence.has_next_page:
        return False
    return evidence.turns_page or _BROKEN.search(fold(evidence.raw)) is not None


def _is_blocked(evidence: Evidence) -> bool:
    lines = evidence.page.lines
    if sum(line.chars for line in lines) >= _MAX_BLOCKED_CHARS:
        return False
    if evidence.block.prose_chars >= _MIN_STORY_CHARS:  # the text is a news brief about bans or passwords
        lines = ()
    text = "\n".join((evidence.title, *(line.text for line in lines)))
    return _BLOCKED.search(fold(text)) is not None


def _is_login(tree: Tree, evidence: Evidence) -> bool:
    """Return whether the page asks for a password and shows hardly anything else.

    Sites show a log-in form next to lists and texts. If the title asks for a password, the page may have a
    menu.
    """
    if evidence.page.chars >= _MAX_BLOCKED_CHARS:
        return False
    is_titled = _LOGIN_TITLE.search(evidence.title) is not None
    lines = (line for line in evidence.page.lines if not (is_titled and line.is_link))
    if not is_titled and sum(_leads_on(line) for line in evidence.page.lines) >= _MIN_TOPICS:
        return False
    return not is_text(_LOGIN_WORDS.sub("", "".join(line.text for line in lines))) and bool(
        tree.xpath("//input[@type='password' or @type='PASSWORD']")
    )


def _leads_on(line: Line) -> bool:
    """Return whether a line is a link to a text or topic, not a word of a menu or of a log-in form."""
    return line.is_link and count_han(_LOGIN_WORDS.sub("", line.text)) >= _MIN_TOPIC_HAN


def _is_list(evidence: Evidence, chars: int) -> bool:
    if evidence.is_ruled:
        return not is_text(evidence.text)
    return (
        _is_short_list(evidence, chars)
        or _is_catalogue(evidence)
        or _is_register(evidence.text)
        or _is_index(evidence, chars)
        or _is_unconfirmed(evidence)
        or _is_remark_among_links(evidence.page, chars)
        or _is_remark(evidence.page, evidence.block)
        or _is_portal(evidence.page, evidence.block, evidence.title)
        or is_summaries(evidence.page, evidence.block)
    )


def _is_short_list(evidence: Evidence, chars: int) -> bool:
    """Return whether a page has no text, or only a few words among links that nothing confirms."""
    if not is_text(evidence.text):
        return True
    page, block = evidence.page, evidence.block
    if chars >= SURE_CHARS or block.is_anchored:
        return False
    is_linked = page.link_share >= _MIN_LIST_LINK_SHARE and not block.is_titled
    return is_linked or chars < _MIN_TEXT_SHARE * page.chars


def _is_catalogue(evidence: Evidence) -> bool:
    """Return whether the text is a blurb next to the chapters of its book."""
    if CHAPTER_TITLE.search(evidence.title) or evidence.block.prose_chars > _MAX_CATALOGUE_CHARS:
        return False
    links = [line.text for line in evidence.page.lines if line.is_link]
    chapters = sum(CHAPTER_TITLE.search(text) is not None for text in links)
    return chapters >= _MIN_CHAPTER_LINKS and _TURNS.isdisjoint(links)


def _is_register(text: str) -> bool:
    """Return whether nearly every line is a name with a date."""
    lines = text.split("\n")
    if len(lines) < _MIN_ENTRIES:
        return False
    dated = sum(_DATED.search(line) is not None and count_han(line) <= _MAX_ENTRY_HAN for line in lines)
    return dated >= _MIN_DATED * len(lines)


def _is_index(evidence: Evidence, chars: int) -> bool:
    """Return whether the text has next to no punctuation and is not verse or the like."""
    marks = count_chars(_PUNCTUATION, evidence.text)
    has_few_marks = marks < _MIN_PUNCTUATION * chars and marks < _MIN_MARKS
    has_links = evidence.block.chars == 0 or evidence.block.link_share > _MAX_TEXT_LINKS
    return has_few_marks and has_links


def _is_unconfirmed(evidence: Evidence) -> bool:
    """Return whether extractors found lines among links without any agreement, and few are sentences."""
    page, lines = evidence.page, evidence.text.split("\n")
    if page.link_share < _MIN_LIST_LINK_SHARE or evidence.confidence >= _MIN_AGREEMENT:
        return False
    sentences = sum(line.endswith(_STOPS) for line in lines)
    return sentences < _MIN_SENTENCES * len(lines) and not evidence.block.is_anchored


def _is_remark_among_links(page: Outline, chars: int) -> bool:
    """Return whether the text is only a remark on a page of links."""
    return page.link_share > _MAX_LINK_SHARE and chars < _MIN_TEXT_SHARE * page.chars


def _is_remark(page: Outline, block: Block) -> bool:
    """Return whether a page of links has hardly a sentence, and neither title nor description in it."""
    is_found = block.is_anchored or block.is_titled or block.is_verse
    return page.link_share > _MAX_REMARK_LINKS and block.prose_chars < _MIN_STORY_CHARS and not is_found


def _is_portal(page: Outline, block: Block, title: str) -> bool:
    """Return whether the text is a note on a page of several lists, each with a link to its full version.

    The name of a school or an office at the top is not a title of the note.
    """
    more = sum(line.is_link and _MORE.fullmatch(line.text) is not None for line in page.lines)
    is_titled = block.is_titled and _INSTITUTION.fullmatch(title) is None
    is_named = block.is_anchored or is_titled
    return more >= _MIN_LISTS and block.prose_chars < _MAX_NOTE_CHARS and not is_named


def is_summaries(page: Outline, block: Block) -> bool:
    """Return whether a block consists of the beginnings of other pages' texts."""
    return _is_digest(block) or _alternates(page, block)


def _is_digest(block: Block) -> bool:
    """Return whether the text consists of the beginnings of several articles, each below its linked title."""
    return block.linked_headings >= _MIN_LINKED_HEADINGS and not block.is_anchored and not block.is_titled


def _alternates(page: Outline, block: Block) -> bool:
    """Return whether nearly every sentence follows a link, as summaries in a list do."""
    prose = sum(line.is_prose for line in block.all_lines)
    if prose < _MIN_ITEMS or block.is_anchored:
        return False
    return len(headed_sentences(page, block.all_lines)) > MAX_HEADED * prose


def is_chapter(title: str, anchors: Iterable[Anchor]) -> bool:
    """Return whether a page is a chapter, by its title or its links to other chapters."""
    return CHAPTER_TITLE.search(title) is not None or any(
        anchor.label in _CHAPTER_LINKS for anchor in anchors
    )
