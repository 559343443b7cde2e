"""Removal of advertisements inside a line of a story. Pure.

An advert is a run of typical words (天才一秒记住 本站地址 ：[望江书屋] www.x.example ！最快更新 ！) with only
punctuation, a few particles and bracketed names between them. A run is removed if it contains a word that no
story has, or enough of the weaker words. The text before and after the run stays. A single 收藏 or 网站 is
not a run.

Words are searched in the folded line: simplified, narrow, lower case, without white space and without the
signs that break words apart (最⊥新⊥小⊥说, ｗ ｗ ｗ．ｘｘ．ｃ ｏ ｍ). A word broken up like that counts as a
word that no story has. Each folded character keeps its position in the line, so removed characters are
counted exactly.
"""

import re
from dataclasses import dataclass
from itertools import islice

from fingerprint.text.han import UNIFIED
from fingerprint.text.variants import fold

_TOP = r"(?:com|net|org|cc|cn|la|tw|hk|info|xyz|top|vip|me|co|io|tv|in|us|club|site|app|biz|example|test)"
_DOMAIN = (
    r"(?:https?:/*)?(?:(?:www|wap|m|3g|n)[.·,。])?"
    rf"[a-z0-9-]{{2,30}}[.·,。点]{_TOP}(?:[.·]cn)?(?:/[\w./-]*)?(?![a-z0-9])"
)
_SITE = rf"[{UNIFIED}0-9a-z]{{1,6}}(?:小说网|中文网|文学网?|书屋|书院|书城|书阁|书吧|小说|网|阁|吧)"
# A name that only book sites have.
_BOOK_SITE = (
    rf"[{UNIFIED}0-9a-z]{{1,5}}(?:小说网?|中文网|文学网?|书屋|书院|书城|书阁|书吧|看书网?|读书网?|笔趣阁)"
)
_QUOTED = r"[\[【(（《“\"'「『<]\s?[^\[\]【】()（）《》“”「」『』<>。！？]{1,16}[\]】)）》”\"'」』>]"

# Words that do not occur in stories.
_STRONG = (
    r"(?:天才|请)?(?:只需|只要)?(?:一|1|①|3|三)秒钟?(?:就能|就|便|能|可)?(?:记住|記住)(?:本站|本书|我们|网址|域名|地址)",
    rf"(?:天才|请|只需)?(?:一|1|3|三)秒钟?(?:就能|就|便)?记住[:：,，]?(?:{_QUOTED}|{_DOMAIN})",
    r"天才(?:一|1)秒(?:钟)?(?:就能|就|便)?记住",
    rf"(?:一|1)秒钟?记住{_BOOK_SITE}",
    rf"(?:{_BOOK_SITE})[:：,，@]?(?:{_DOMAIN})",
    r"一秒记住[,，]?(?:为您提供)?精彩小说(?:无弹窗)?(?:免费)?(?:阅读)?",
    r"(?:全文字|纯文字|文字|会员)手打",
    r"无弹窗(?:广告)?(?:免费)?(?:小说|阅读|全文阅读)?(?:网)?",
    r"无错(?:章节|小说|版)(?:阅读)?",
    r"(?:记住|收藏|牢记)(?:一下)?(?:本站|本书)(?:的)?(?:手机版)?(?:最新)?(?:网址|域名|地址)",
    r"(?:请?(?:记住|收藏))?(?:本站|本书|小说)?手机版?(?:阅读|访问)?(?:最新)?(?:网址|地址|域名)",
    r"(?:手机|电脑)(?:用户|阅读|站|版)?请?(?:直接)?(?:访问|浏览|登录|到|输入)[:：]?(?:" + _DOMAIN + ")",
    r"本章(?:节)?(?:未完|还没完|没有结束|尚未结束|未完待续)[,，。.…]*(?:请|点击|翻|继续|下一页)[^。！？!?)）】\]]{0,16}",
    r"小主[,，]?这个章节后面还有(?:哦|呢)?[,，^0]*(?:请点击下一页)?(?:继续阅读)?[,，]?(?:后面更精彩)?",
    r"请?点击(?:下一页|下页|下面的下一页)(?:按钮)?继续(?:阅读)?(?:后面更精彩)?",
    r"(?:本章节?)?内容(?:加载|获取|载入)失败[!！]?(?:请(?:重载|刷新|重试|更换|返回)[^。)）】\]]{0,12})?",
    r"(?:求书|看书|读书|找书)(?:网|啦|吧|帮)?(?:请|就)(?:到|上|来)",
    r"看?(?:最新|最快)(?:最全)?的?(?:章节|小说)(?:全文)?(?:免费)?(?:阅读)?(?:就|尽|全)?(?:在|上|请到|请上|到|来)[:：]?(?:"
    + _DOMAIN
    + f"|{_QUOTED}|{_BOOK_SITE})",
    rf"(?:首发|更新|最新)(?:网址|域名|地址|网站|站点|最快)?[:：,，于@]{{0,2}}(?:{_DOMAIN})",
    r"如果您?中途有事离开[^。！？]{0,40}(?:书签|阅读)[^。！？]{0,10}",
    r"(?:为了)?方便(?:您|你)?下次(?:继续)?阅读[^。！？]{0,60}(?:收藏|书签|记录|看到)[^。！？]{0,10}",
    r"(?:喜欢|觉得).{1,30}请(?:大家)?收藏[:：]?[^。！？]{0,60}(?:更新速度|最快|网址|域名|"
    + _DOMAIN
    + r")[^。！？]{0,12}",
    r"(?:请)?(?:关闭|退出)(?:浏览器)?(?:的)?阅读模式[^。！？]{0,30}",
    r"(?:如遇|若遇|遇到)?章节(?:内容)?(?:错误|缺失|有误|丢失)[^。！？]{0,30}(?:举报|报告|反馈|刷新)[^。！？]{0,20}",
    r"(?:推荐|安利)(?:一个|一款|下)?(?:免费)?(?:小说|追书|看书)?(?:app|软件)[^。！？]{0,60}(?:下载|安装|追书|听书|朗读)[^。！？]{0,30}",
    r"手机版页面由于相容性问题[^。！？】]{0,40}|手机版?页面[^。！？】]{0,16}(?:电脑端|手机)阅读[^。！？】]{0,12}",
)
# Words that are typical of adverts, but may occur in any text.
_WEAK = (
    r"最新章节(?:目录|列表|全文阅读)?|最新小说|最快更新|更新(?:速度)?(?:全网)?最快|首发|免费(?:阅读|小说|看书)|全文(?:免费)?阅读|在线阅读",
    r"手机(?:阅读|用户|版|站|端)|请(?:大家)?(?:访问|浏览|登录|登陆|收藏|记住|牢记)|(?:收藏|记住)?本站(?:网址|域名|地址)?|网址|域名|地址",
    r"精彩(?:小说|内容|章节)|更多精彩|更多更好(?:的)?|尽在|为您提供|(?:欢迎|各位|广大)书友(?:们)?|(?:百度)?搜索|百度搜|下次(?:继续)?阅读|无广告",
    r"加入书签|(?:微信)?公众号|书友群|小说网|(?:一|1)秒钟?记住|支持(?:正版|本站)|更优质的?(?:用户)?(?:阅读)?体验|txt(?:小说)?(?:免费)?下载",
    r"(?:免费)?(?:小说|看书|追书)app|(?:阅读)?更(?:方便|爽|流畅)|看?(?:最新|正版|免费|全本)(?:章节|小说|内容)|阅读",
)
_STRONG_WORD = "|".join(f"(?:{word})" for word in _STRONG)
_WEAK_WORD = "|".join(f"(?:{word})" for word in _WEAK)
_WORD = re.compile(f"(?P<strong>{_STRONG_WORD})|(?P<domain>{_DOMAIN})|(?P<weak>{_WEAK_WORD})")
_GLUE = re.compile(
    rf"(?:[,，。.!！?？:：;；、|~…·\-—]|最新|的|请|您|你|为|到|在|于|了|和|或|即可|可以|上|去|来|哦|吧|{_QUOTED}|{_SITE}){{0,6}}?"
)
# A separate pattern: without it, the regex engine can skip to the first characters of the words.
_DOMAIN_HINT = re.compile(r"[a-z0-9]\s?[.·。,点]\s?[a-z]")
_HINT = re.compile(
    r"记住|收藏|弹窗|手打|手机|最新|最快|首发|未完|点击|章节|加载失败|本站|网址|域名|书友|搜索|无错|小说|阅读|app"
)
_OPENING = "[【(（《“「『{<"
_CLOSING = "]】)）》”」』}>"
_ENDS = frozenset("。！？!?…~～.")
_STARTS = frozenset("。！？!?…”」』）)】]～~ 　")
# Signs that break words apart; no sentence needs them.
_SIGNS = (
    r"\^_|*#@&=<>`$\u00a1-\u00b6\u00b8-\u00bf\u2020-\u2022\u203b\u2190-\u2bff"
    r"\u3003\u3004\u3012\u3013\u3020\ue000-\uf8ff"
)
_SIGN = re.compile(f"[{_SIGNS}]")
_NO_SIGN = re.compile(rf"[^\s{_SIGNS}]")
_MIN_SIGNS = 3
_MIN_WEAK = 4
_MIN_WITH_DOMAIN = 2
_MIN_BROKEN_FACTOR = 1.3  # factor by which signs and spaces lengthen a broken word
_MIN_BROKEN_CHARS = 4
_MAX_SENTENCE = 80
_MAX_PIECE_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class _Folded:
    """A folded line without white space and signs, and the position of each character in the line."""

    text: str
    places: list[int]


def without_adverts(line: str, folded: str | None = None) -> str:
    """Return a line without its advertisements.

    ``folded`` is the folded line, if the caller already has it. Lines longer than any paragraph are searched
    in pieces.
    """
    folded = (fold(line) if folded is None else folded).lower()
    if len(folded) != len(line):  # the lower case of İ has two characters, so positions would shift
        folded = "".join(char.lower()[0] for char in fold(line))
    pieces = (slice(at, at + _MAX_PIECE_CHARS) for at in range(0, len(line), _MAX_PIECE_CHARS))
    return "".join(_remove_runs(line[piece], folded[piece]) for piece in pieces)


def _remove_runs(line: str, folded: str) -> str:
    is_hinted = _HINT.search(folded) or _DOMAIN_HINT.search(folded)
    if not is_hinted and sum(1 for _ in islice(_SIGN.finditer(folded), _MIN_SIGNS)) < _MIN_SIGNS:
        return line
    kept, at = [], 0
    for start, end in _runs(line, _without_signs(folded)):
        kept.append(line[at:start])
        at = max(at, end)
    return "".join((*kept, line[at:]))


def _without_signs(folded: str) -> _Folded:
    places = [char.start() for char in _NO_SIGN.finditer(folded)]
    return _Folded("".join(folded[at] for at in places), places)


def _is_sign(char: str) -> bool:
    return char.isspace() or _SIGN.fullmatch(char) is not None


def _runs(line: str, folded: _Folded) -> list[tuple[int, int]]:
    """Return the spans of the line to remove, in order."""
    runs, at = [], 0
    while (word := _WORD.search(folded.text, at)) is not None:
        words, end = [word], word.end()
        while (following := _next_word(folded.text, end)) is not None:
            words.append(following)
            end = following.end()
        if _is_advert(line, folded, words):
            runs.append(_widen(line, folded.places[word.start()], folded.places[end - 1] + 1))
        at = max(end, word.end(), at + 1)
    return _merge(runs)


def _next_word(text: str, end: int) -> re.Match[str] | None:
    """Return the next word if only glue is between it and the previous one."""
    word = _WORD.search(text, end)
    if word is None or word.start() - end > _MAX_SENTENCE:
        return None
    return word if _GLUE.fullmatch(text, end, word.start()) else None


def _is_advert(line: str, folded: _Folded, words: list[re.Match[str]]) -> bool:
    if any(word["strong"] or _is_broken(line, folded, word) for word in words):
        return True
    min_words = _MIN_WITH_DOMAIN if any(word["domain"] for word in words) else _MIN_WEAK
    return len(words) >= min_words


def _is_broken(line: str, folded: _Folded, word: re.Match[str]) -> bool:
    """Return whether signs break the word up, or it is an address in full-width letters."""
    start, end = folded.places[word.start()], folded.places[word.end() - 1] + 1
    original = line[start:end]
    if word.end() - word.start() < _MIN_BROKEN_CHARS:
        return False
    if word["domain"] and sum("\uff01" <= char <= "\uff5e" for char in original) >= _MIN_BROKEN_CHARS:
        return True
    signs = sum(_is_sign(char) and not char.isspace() for char in fold(original).lower())
    spaces = sum(map(str.isspace, original)) if word["domain"] else 0
    return len(original) >= _MIN_BROKEN_FACTOR * (len(original) - signs - spaces) and signs + spaces > 0


def _widen(line: str, start: int, end: int) -> tuple[int, int]:
    """Extend a run by the brackets around it, and by its closing mark if the run is a sentence."""
    while start > 0 and end < len(line) and line[start - 1] in _OPENING and line[end] in _CLOSING:
        start, end = start - 1, end + 1
    if start == 0 or line[start - 1] in _STARTS:
        while end < len(line) and line[end] in _ENDS:
            end += 1
        if end < len(line) and start > 0 and line[start - 1] in _OPENING and line[end] in _CLOSING:
            start, end = start - 1, end + 1
    return start, end


def _merge(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in runs:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
