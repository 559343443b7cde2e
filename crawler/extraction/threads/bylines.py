"""Author, date and number of a post, from the lines and elements around its text. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from crawler.extraction.outline import Outline
from crawler.extraction.parsing import Element, is_element, label_of
from crawler.extraction.publication import Clock
from crawler.extraction.stamps import date_start, is_stamp, post_number_of
from crawler.extraction.threads.records import Record
from storage.records import ClaimedDate

# Whole class names, from the surest to the least sure.
_NAMES = (
    re.compile(r"[\w-]*(?:user|nick|author|member|poster|login)[-_]?name|nick|uname", re.IGNORECASE),
    re.compile(r"author|poster|creator|name|fn", re.IGNORECASE),
)
_PROFILE = re.compile(
    r"space[-.=]uid|[?&]uid=|mod=space|/(?:u|user|users|member|members|people|profile|space|author|home)/|memberlist"
    r"|viewprofile|home/main|/@|username=",
    re.IGNORECASE,
)
# Labels of links to members that are not the members' names.
_NO_NAME = re.compile(
    r"发消息|发短消息|加好友|只看|查看|关注|私信|打招呼|回复|引用|举报|主题|帖子|积分|精华|收听|听众|个人资料|串门|主页|声望"
    r"|^\W*$|^[\d\s]+$|最后由|编辑|楼主|沙发|板凳|地板|^(?:作者|发表于|发布于|发表|於|于|时间|日期|引用|顶|踩|赞|来自|IP)[:：]?$"
)
_LABELS = re.compile(
    r"^(?:\W*(?:作者|发帖人|发表者|网友|用户|层主|楼主|匿名用户|by|posted by|author)\s*[:：]?\s*)+"
    r"|(?:发表|发布|回复|回答|写|提问)[于於在]?\W*$|[\[【(（](?:作者|楼主|版主|层主|博主)[)）】\]]",
    re.IGNORECASE,
)
_PLACES = re.compile(r"(?:^|\s)(?:#?\d{1,6}\s*[楼樓#F]|#\s?\d{1,6}|第\s*\d+\s*[楼樓])(?=\s|$|\W)")
_ENDS = " \t　·•|-–—,，:：/›»>[]【】()（）"
_MAX_NAME_CHARS = 30
_MAX_LABEL_CHARS = 120  # maximum characters of a text around a name
_MAX_STAMPS = 3  # maximum number of stamps of a post
_MAX_ELEMENTS = 150  # maximum number of elements of a post that are searched for a name and a date
_SEPARATORS = re.compile(r"\s+[|·•／/]\s+|\s{2,}|\s+(?=发表|发布|回复|回答|提问)")


def member_of(page: Outline, record: Record, lines: Sequence[int]) -> str | None:
    """Return the author of a post from names of elements, or from links to members.

    Args:
        page: its lines and blocks.
        record: the post.
        lines: numbers of its lines outside its text.
    """
    outside_texts = {page.lines[at].text for at in lines}
    best, least = "", len(_NAMES) + 1
    for element in islice(_elements(page.elements[record.block]), _MAX_ELEMENTS):
        rank = _rank(element)
        if (
            rank < least
            and (name := _name(label_of(element)))
            and any(name in text for text in outside_texts)
        ):
            best, least = name, rank
    return best or None


def _rank(element: Element) -> int:
    """Return the rank of an element that may contain a member's name: class names first, links last."""
    names = (element.get("class") or "").split()
    names += [element.get("itemprop") or "", element.get("rel") or ""]
    for rank, pattern in enumerate(_NAMES):
        if any(pattern.fullmatch(name) for name in names):
            return rank
    return len(_NAMES) if _PROFILE.search(element.get("href") or "") else len(_NAMES) + 1


def _elements(root: Element) -> Iterator[Element]:
    return (element for element in root.iter() if is_element(element))


def name_in(page: Outline, lines: Sequence[int]) -> str | None:
    """Return the name before the date in one of the lines, or on a short separate line."""
    for at in lines:
        text = page.lines[at].text
        date = date_start(text)
        name = _name(text if date is None else text[:date])
        if name and not page.lines[at].is_prose:
            return name
    return None


def _name(text: str) -> str:
    """Return a name without the text around it; empty if there is none."""
    label = " ".join(text[:_MAX_LABEL_CHARS].split())
    bare = _PLACES.sub(" ", _LABELS.sub("", label)).strip(_ENDS)
    bare = _LABELS.sub("", _SEPARATORS.split(bare)[0]).strip(_ENDS)
    if not bare or len(bare) > _MAX_NAME_CHARS or _NO_NAME.search(bare) or date_start(bare) is not None:
        return ""
    return bare


def date_of(page: Outline, record: Record, lines: Sequence[int], clock: Clock) -> ClaimedDate | None:
    """Return the date of a post: from elements for machines, otherwise from its stamp."""
    stamps = list(islice((at for at in lines if is_stamp(page.lines[at])), _MAX_STAMPS))
    exact = clock.first(_machine_dates(page, record, stamps))
    texts = [text[date_start(text) or 0 :] for text in (page.lines[at].text for at in stamps)]
    return exact or clock.first(texts) or clock.first(texts, is_relative=True)


def _machine_dates(page: Outline, record: Record, stamps: Sequence[int]) -> Iterator[str]:
    """Yield the full dates that elements around a stamp contain, next to a shorter form such as 昨天."""
    for block in dict.fromkeys(page.lines[at].block for at in stamps or [record.stamp]):
        for element in islice(_elements(page.elements[block]), _MAX_ELEMENTS):
            yield element.get("datetime") or element.get("title") or ""


def post_number_in(page: Outline, lines: Sequence[int]) -> int | None:
    """Return the post number given in the lines around the post's text."""
    texts = (page.lines[at].text for at in lines)
    return next((number for text in texts if (number := post_number_of(text)) is not None), None)
