"""Removal of text that the site added: slogans, watermarks, adverts, requests to turn the page. Pure.

A pattern for a line must match the whole line (simplified, narrow, without white space). So a sentence of the
story that only mentions a bookmark stays. :mod:`crawler.extraction.adverts` finds adverts inside a line.
Removed characters are counted by reason.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from crawler.extraction.adverts import without_adverts
from crawler.extraction.characters import replace_look_alikes, without_invisible
from fingerprint.text.variants import fold, fold_lines

_SITE = r"[^,。!?]{0,40}"

# Patterns for whole lines on sites of serial novels and of Chinese newspapers.
_SLOGANS = (
    rf"[（(【]?(?:天才)?(?:一|1)(?:秒|分钟)(?:钟)?(?:内)?(?:就)?(?:能|可)?记住{_SITE}.{{0,60}}",
    rf"[（(【]?(?:请|請)?(?:大家|各位书友|各位|您)?(?:记住|收藏|記住)(?:本站|本书|我们|{_SITE}(?:网址|域名|網址)).{{0,60}}",
    r"(?:手机|手機)(?:用户|版|阅读|站)(?:请|請|阅读|网址|同步更新).{0,60}",
    r"最新章节.{0,40}(?:手打|更新|首发|无弹窗|全文阅读).{0,40}",
    r".{0,30}(?:无弹窗|無彈窗|无错小说|全文字手打|最快更新|首发更新|更新最快).{0,40}",
    r"[（(【]?本章(?:未完|尚未结束|没完|还没完|未完待续)[，,。…]*(?:请|請|点击|點擊|翻页|翻頁|继续|下一页).{0,30}",
    r"[（(【]?(?:小主|亲).{0,4}(?:这个)?章节后面还有.{0,40}",
    r"[（(【]?请?点击(?:下一页|下一章)(?:继续)?(?:阅读)?.{0,20}[）)】]?",
    r"(?:喜欢|喜歡).{1,40}(?:请|請)大家(?:收藏|关注).{0,60}",
    r"[（(【]?本章(?:完|结束|終)[）)】]?[。！!]?",
    r"(?:PS|ps|P\.S)[:：.].{0,30}(?:求|月票|推荐票|订阅).{0,60}",
    r".{0,10}求(?:收藏|推荐|月票|推荐票|订阅)[、，,求收藏推荐月票订阅！!~。]*",
    r"(?:加入|添加)书签.{0,20}",
    r"(?:投|推)?推荐票.{0,6}(?:上一章|上一页)?.{0,10}(?:章节)?(?:目录|列表).{0,30}",
    r"[←→<>|/·\-]*(?:(?:上一[章页]|章节目录|目录|返回(?:目录|书页|列表)|下一[章页]|加入书签)[←→<>|/·\-]*)+",
    r"[\[【（(]?(?:责任编辑|责编|責任編輯|本文编辑|编辑|校对|审核|责任校对)[:：][^,。!?“”]{1,20}",
    r"[（(](?:完|结束|全文完|未完待续|待续)[）)]",
    r"(?:原标题|原標題)[:：].{1,80}",
    r"(?:版权声明|免责声明|特别声明|聲明)[:：].{0,200}",
    r"(?:扫描|掃描|扫一扫|长按).{0,20}二维码.{0,30}",
    r"(?:更多|欢迎)(?:精彩|关注).{0,20}(?:公众号|微信|微博|客户端|APP).{0,30}",
    r"(?:点击|點擊)(?:这里|此处|图片|查看).{0,20}",
    r"分享到[:：]?.{0,40}",
    r"(?:点击)?(?:展开|(?:打开|下载)app)(?:阅读|查看)?(?:全文|全部|剩余|余下|更多)(?:内容|正文|部分)?[↓>»]{0,3}",
    r"本[文章书](?:来自|由).{0,30}(?:https?|www|\.com|首发|整理).{0,60}",
    r".{0,12}加载中[,，]请稍[候等][。.]{0,3}|若长时间无响应[,，]请刷新.{0,8}|.{0,12}无法播放.{0,6}视频.{0,6}",
    r"(?:温馨|阅读|友情)提示[:：].{0,30}(?:回车|方向键|书签|翻页|书目|返回).{0,60}",
    r"【.{2,10}(?:提示|提醒)】[:：].{0,60}",
    r"(?:请)?支持.{2,16}[,，].{0,6}(?:分享|推荐)(?:本站|本书|给).{0,60}",
    r"(?:https?://|www[.。]|m[.。])[\w.。/-]+",
)
_SLOGAN = re.compile("|".join(f"(?:{slogan})" for slogan in _SLOGANS), re.IGNORECASE)
_TURN_PAGE = re.compile(r"本章(?:未完|尚未结束|没完|还没完)|章节后面还有|点击下一页继续")
_MAX_SLOGAN_CHARS = 220
# The number of readers' comments on a paragraph, which some sites print after the paragraph.
_COUNTER = re.compile(r"(?<=[。！？…”’」』.!?])\s?\d{1,4}$")
_MIN_COUNTED_SHARE = 0.5
_MIN_COUNTED = 5
_EDIT_LINK = re.compile(
    r"\s*[\[［【]\s*(?:编辑|編輯)(?:本段)?\s*[\]］】]$"
)  # after a heading of an encyclopedia
_MAX_HEADING_CHARS = 40
_WORDS = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class CleanedLines:
    """The remaining lines, and the number of removed characters by reason."""

    lines: tuple[str, ...]
    dropped: dict[str, int]


def clean(lines: Iterable[str]) -> CleanedLines:
    """Return ``lines`` without the text that the author did not write.

    Reasons: ``zero_width``, ``slogan`` (a whole line), ``advert`` (inside a line), ``counter`` (numbers after
    paragraphs).
    """
    kept, dropped = [], Counter[str]()
    raws = list(lines)
    visibles = [_count(raw, without_invisible(raw), "zero_width", dropped) for raw in raws]
    for raw, visible, folded in zip(raws, visibles, fold_lines(visibles), strict=True):
        if _is_slogan(folded):
            dropped["slogan"] += len(visible)
            continue
        line = _count(visible, without_adverts(visible, folded), "advert", dropped)
        if len(line) <= _MAX_HEADING_CHARS:
            line = _count(line, _EDIT_LINK.sub("", line), "advert", dropped)
        line = replace_look_alikes(line).strip()
        if _WORDS.search(line) or line == raw.strip():
            kept.append(line)
        else:
            dropped["advert"] += len(line)
    return CleanedLines(_without_counters([line for line in kept if line], dropped), {**+dropped})


def _count(before: str, after: str, reason: str, dropped: Counter[str]) -> str:
    """Count the characters that were removed from a line; return the remaining line."""
    dropped[reason] += len(before) - len(after)
    return after


def _without_counters(lines: list[str], dropped: Counter[str]) -> tuple[str, ...]:
    """Return the lines without the numbers after them, if most lines have one."""
    counted = sum(_COUNTER.search(line) is not None for line in lines)
    if counted < max(_MIN_COUNTED, _MIN_COUNTED_SHARE * len(lines)):
        return tuple(lines)
    return tuple(_count(line, _COUNTER.sub("", line), "counter", dropped) for line in lines)


def _is_slogan(folded: str) -> bool:
    squeezed = "".join(folded.split())
    return len(squeezed) <= _MAX_SLOGAN_CHARS and _SLOGAN.fullmatch(squeezed) is not None


def asks_to_turn_page(text: str) -> bool:
    """Return whether the text says that the chapter continues on another page."""
    return _TURN_PAGE.search(fold(text)) is not None
