"""Quotes of earlier posts, signatures, and text that the forum adds to posts. Pure, linear.

A passage marked as a quote is removed if an earlier post of the page contains it. Other quotes are the
author's choice and stay text. A passage that is only marked as a quote or a signature is removed only if it
is short. Otherwise a site could mark a chapter as a quote, to keep it from being compared.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from crawler.extraction.outline import Outline

_QUOTE = re.compile(
    r"(?:^|[\s_-])(?:quotes?|quoted|blockquote|bbcode_?quote|reply-?to|quote_?title|citation)(?:[\s_-]|$)",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(
    r"(?:^|[\s_-])(?:sign|signature|sigline|sig|user-?sign|qianming)(?:[\s_-]|$)", re.IGNORECASE
)
_HEADER = re.compile(
    r"(?:发表|發表|发布|發布|回复|回覆)[于於]|写道|寫道|说道?\s*[:：]|^\W*引用|^\W*回[复覆]|原帖由"
    r"|wrote|said\s*:|posted by|^\W*@\S+",
    re.IGNORECASE,
)
_HEADER_LINES = 2  # number of lines at the beginning of a quote that may contain its author
_MIN_HELD = 0.8  # minimum share of a quote's characters in earlier posts
# Maximum characters of quotes from other pages and of signatures: of each, and of all distinct ones together.
_MAX_BELIEVED_CHARS = 200
_MAX_ALL_BELIEVED_CHARS = 1_000
_KEY_CHARS = 20  # number of characters that identify a line
_MIN_KEY_CHARS = 4
_FORUM = re.compile(
    r"(?:发|發|来|來)自.{0,6}(?:手机|手機|客户端|iphone|android|安卓|小程序|贴吧).{0,20}|[\[【]复制链接[\]】]"
    r"|.{0,30}(?:您|你)需要.{0,4}登录.{0,4}才可以(?:下载|查看).{0,40}"
    r"|.{0,60}\(\s*\d[\d.]* ?[KM]?B(?:ytes)?\s*, ?下载次数: ?\d+\)|下载次数: ?\d+"
    r"|点击文件名下载附件|下载附件(?:保存到相册)?"
    r"|(?:昨天|前天|\d{4}-\d{1,2}-\d{1,2})? ?\d{1,2}:\d{2} ?上传|(?:收起|查看|展开)(?:回复|全部).{0,10}"
    r"|(?:使用道具|举报|回复|支持|反对|引用|收藏|分享|点赞|评论|只看该作者|\s|\d|[|·()])+",
    re.IGNORECASE,
)
_EDITED = re.compile(
    r"[\[【(（]?\s*本(?:帖|贴|楼|主题).{0,4}最[后後]由.{1,60}?[编編][辑輯](?:过)?\s*[\]】)）]?"
)
_SEPARATOR = re.compile(r"[-—_=*～~·.]{3,}")
_MAX_FORUM_CHARS = 120
_MIN_SIGNED = 3  # minimum number of an author's posts with the same ending


def without_notes(text: str) -> str:
    """Return a line without the forum's additions; empty if nothing remains."""
    if len(text) > _MAX_FORUM_CHARS:
        return text
    rest = _EDITED.sub("", text).strip()
    return "" if _FORUM.fullmatch(rest) else rest


@dataclass(frozen=True, slots=True)
class Passages:
    """The blocks of a page marked as quotes and signatures, by the number of each block inside them."""

    quotes: tuple[int, ...]
    signatures: tuple[int, ...]


def marked_passages(page: Outline) -> Passages:
    """Return for each block the outermost quote and signature around it; 0 for none.

    A signature that is too long counts as none.
    """
    quotes, signatures = [0] * len(page.elements), [0] * len(page.elements)
    for block in range(1, len(page.elements)):
        element, parent = page.elements[block], page.parents[block]
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        is_quote = element.tag == "blockquote" or (len(names) > 1 and _QUOTE.search(names) is not None)
        is_signature = len(names) > 1 and _SIGNATURE.search(names) is not None
        quotes[block] = quotes[parent] or (block if is_quote else 0)
        signatures[block] = signatures[parent] or (block if is_signature else 0)
    short = _short_signatures(page, signatures)
    return Passages(tuple(quotes), tuple(block if block in short else 0 for block in signatures))


def _short_signatures(page: Outline, signatures: Sequence[int]) -> set[int]:
    """Return the blocks marked as signatures that are trusted."""
    texts: dict[int, list[str]] = {}
    for line in page.lines:
        if block := signatures[line.block]:
            texts.setdefault(block, []).append(line.text)
    trusted = TrustedPassages()
    return {block for block, lines in texts.items() if trusted.accept_omission("\n".join(lines))}


class TrustedPassages:
    """Passages that are left out of a text only because the page marks them as quotes or signatures."""

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._chars = 0

    def accept_omission(self, text: str) -> bool:
        """Return whether another passage may be left out; a repeated one costs nothing."""
        if text in self._texts:
            return True
        if len(text) > min(_MAX_BELIEVED_CHARS, _MAX_ALL_BELIEVED_CHARS - self._chars):
            return False
        self._texts.add(text)
        self._chars += len(text)
        return True


class EarlierPosts:
    """The lines of the earlier posts, by their beginnings."""

    def __init__(self) -> None:
        self._chars: dict[str, int] = {}  # beginning → characters of the longest line with this beginning
        self._elsewhere = TrustedPassages()

    def add(self, lines: Collection[str]) -> None:
        """Add the lines of a post."""
        for line in lines:
            self._chars[_key(line)] = max(len(line), self._chars.get(_key(line), 0))

    def contain(self, lines: Sequence[str]) -> bool:
        """Return whether nearly all of a passage is in earlier posts."""
        repeated_chars = sum(
            min(len(line), self._chars.get(_key(line), 0))
            for line in lines
            if len(_key(line)) >= _MIN_KEY_CHARS
        )
        return 0 < _MIN_HELD * sum(map(len, lines)) <= repeated_chars

    def is_quote(self, lines: Sequence[str]) -> bool:
        """Return whether a passage marked as a quote repeats an earlier post, possibly of another page."""
        headers = [line for line in lines[:_HEADER_LINES] if _HEADER.search(line)]
        rest = [line for line in lines if line not in headers]
        return self.contain(rest) or (bool(headers) and self._elsewhere.accept_omission("\n".join(lines)))


def common_endings(posts: Sequence[tuple[str | None, Sequence[str]]]) -> list[bool]:
    """Return for each post whether its last line is a signature.

    The last line is a signature if it is below a dashed line, or if its author ends all posts with it.

    A line that is too long is not a signature.

    Args:
        posts: (author, lines) of each.
    """
    endings: dict[str, list[str]] = {}
    for author, lines in posts:
        if author and lines:
            endings.setdefault(author, []).append(lines[-1])
    signed = {
        author for author, lasts in endings.items() if len(lasts) >= _MIN_SIGNED and len(set(lasts)) == 1
    }
    trusted = TrustedPassages()
    return [
        len(lines) > 1
        and (author in signed or _SEPARATOR.fullmatch(lines[-2]) is not None)
        and trusted.accept_omission(lines[-1])
        for author, lines in posts
    ]


def _key(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text[: 2 * _KEY_CHARS]).split())[:_KEY_CHARS]
