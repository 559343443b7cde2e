"""Chapters as pirates dress them: slogans between and inside lines, junk that readers do not see. Seeded.

Built from our own texts, so that the gold is known to the character and everything may ship. Every page has
its own site name, address, class names and set of tricks, drawn from the seed; the slogans are such as serial
novel sites print, written down here without a look at the patterns that remove them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from support.changed.corpora import SAMPLES

from benchmarks.extraction import StoredPage

_MIN_CHAPTER = 600
_MAX_CHAPTER = 4000
_SITES = (
    "望江书屋", "青藤阁", "笔砚小说网", "八斗中文网", "云间书院",
    "三味看书网", "长亭文学", "落霞小说", "十里书城", "夜航书吧",
)  # fmt: skip
_NAMES = ("wangjiang", "qingteng", "biyan8", "badouzw", "yunjian", "3weikan", "changting", "luoxia99")
_TOPS = ("com", "net", "cc", "org", "la", "info", "xyz", "top")
_LINES = (
    "天才一秒记住本站地址：[{site}] {www}最快更新！无广告！",
    "请记住本书首发域名：{domain}。{site}手机版阅读网址：m.{domain}",
    "手机用户请浏览m.{domain}阅读，更优质的阅读体验。",
    "喜欢{book}请大家收藏：({www}){book}{site}更新速度全网最快。",
    "本章未完，点击下一页继续阅读",
    "小主，这个章节后面还有哦，请点击下一页继续阅读，后面更精彩！",
    "一秒记住【{site} {domain}】，精彩小说无弹窗免费阅读！",
    "温馨提示：按回车[Enter]键返回书目，按←键返回上一页，按→键进入下一页，加入书签方便您下次继续阅读。",
    "支持{site}，请将本站分享给需要的书友！最新网址：{www}",
    "最新网址：{www}",
    "最快更新{book}最新章节！",
    "【{site}提示】：如果您喜欢本书，请收藏本站，方便下次阅读。",
    "（本章完）",
    "{www}",
    "上一章 章节目录 下一章",
)
_INLINE = (
    "天才一秒记住{site}地址：{www}",
    "（{site} {www}）",
    "【一秒记住{site}，精彩小说无弹窗免费阅读】",
    "首发网址{www}",
    "手机用户请到m.{domain}阅读。",
    "请记住本站网址：{www}",
    "最新章节全文阅读{www}",
    "（本章未完，请翻页）",
    "{wide}",
    "{spaced}",
    "最⊥新⊥章⊥节⊥百⊥度⊥搜⊥索",
    "手☆机☆阅☆读☆请☆访☆问☆m.{domain}",
    "看最新最全小说就上{site}{domain}",
    "无弹窗小说网",
    "本站网址：{www}，请收藏本站",
    "记住手机版网址：m.{domain}",
)
_ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u2063"


@dataclass(frozen=True, slots=True)
class _Site:
    """What the tricks of one page have in common."""

    values: dict[str, str]
    junk: Sequence[str]
    rng: Random

    def text(self, templates: Sequence[str]) -> str:
        return self.rng.choice(templates).format_map(self.values)

    def word(self) -> str:
        letters = "abcdefghijkmnpqrstuvwxyz"
        return self.rng.choice(letters) + "".join(self.rng.choice(letters + "0123456789") for _ in range(5))


def transplants(*, seed: int = 1, count: int = 40) -> list[StoredPage]:
    """Return ``count`` pages built from chapters of the shipped novels, with their gold text."""
    chapters = list(_chapters())
    junk = [line for chapter in chapters for line in chapter if len(line) > 20]
    pages = []
    for number in range(count):
        rng = Random(f"{seed}:{number}")
        chapter = chapters[rng.randrange(len(chapters))]
        html = _page(chapter, _Site(_values(rng), junk, rng), number)
        pages.append(StoredPage(f"transplant{number}", "novel", html.encode(), "utf-8", "\n".join(chapter)))
    return pages


def _chapters() -> Iterator[list[str]]:
    for path in sorted((SAMPLES / "novels").glob("*.txt")):
        lines: list[str] = []
        for line in (row.strip() for row in path.read_text(encoding="utf-8").splitlines()):
            is_heading = line.startswith("第") and len(line) < 30
            if is_heading or sum(map(len, lines)) > _MAX_CHAPTER:
                if sum(map(len, lines)) >= _MIN_CHAPTER:
                    yield lines
                lines = []
            if line and not is_heading:
                lines.append(line)


def _values(rng: Random) -> dict[str, str]:
    domain = f"{rng.choice(_NAMES)}.{rng.choice(_TOPS)}"
    return {
        "site": rng.choice(_SITES),
        "domain": domain,
        "www": f"{rng.choice(('www.', 'https://www.', 'http://'))}{domain}",
        "wide": "".join(chr(ord(char) + 0xFEE0) for char in f"m.{domain}"),
        "spaced": " ".join(f"www.{domain}"),
        "book": "青灯渡",
    }


def _page(chapter: Sequence[str], site: _Site, number: int) -> str:
    rules: list[str] = []
    paragraphs = []
    for line in chapter:
        if site.rng.random() < 0.1:
            paragraphs.append(f"<p>{site.text(_LINES)}</p>")
        if site.rng.random() < 0.25:
            paragraphs.append(_hidden_junk(site, rules))
        paragraphs.append(f"<p>{_dress(line, site, rules)}</p>")
    title = f"第{number + 1}章 夜渡 - {site.values['book']} - {site.values['site']}"
    links = "".join(f"<li><a href='/b/{link}/'>{site.values['book']}{link}</a></li>" for link in range(30))
    return (
        f"<!doctype html><html><head><title>{title}</title><style>{' '.join(rules)}</style></head><body>"
        f"<div class='nav'><ul>{links}</ul></div><h1>第{number + 1}章 夜渡</h1>"
        f"<div id='content'>{''.join(paragraphs)}</div>"
        "<div class='bottem'><a href='1.html'>上一章</a><a href='./'>目录</a><a href='3.html'>下一章</a>"
        f"</div><div class='footer'>{site.values['site']}所有小说由网友上传，转载收集自网络，"
        "版权归原作者所有。</div></body></html>"
    )


def _dress(line: str, site: _Site, rules: list[str]) -> str:
    """Return a paragraph with what is put inside it: a slogan, junk, characters of no width."""
    if site.rng.random() < 0.12:
        at = _place(line, site.rng)
        line = line[:at] + site.text(_INLINE) + line[at:]
    pieces = [char + (site.rng.choice(_ZERO_WIDTH) if site.rng.random() < 0.05 else "") for char in line]
    if site.rng.random() < 0.3:
        pieces.insert(site.rng.randrange(len(pieces) + 1), _hidden_junk(site, rules, tag="span"))
    return "".join(pieces)


def _place(line: str, rng: Random) -> int:
    """Return where a slogan is put: mostly behind a sentence, sometimes in the middle of one."""
    ends = [at + 1 for at, char in enumerate(line) if char in "。！？"]
    return rng.choice(ends) if ends and rng.random() < 0.7 else rng.randrange(len(line) + 1)


def _hidden_junk(site: _Site, rules: list[str], *, tag: str = "p") -> str:
    """Return an element with junk in it that a reader never sees."""
    junk = site.rng.choice(site.junk)[: site.rng.randrange(10, 60)]
    return site.rng.choice(_WAYS)(site, rules, tag, junk)


_STYLES = (
    "display:none",
    "visibility: hidden",
    "font-size:0",
    "font-size: 0px; line-height: 0",
    "opacity:0",
    "position:absolute;left:-9999px",
    "position: absolute; top: -2000px",
    "text-indent:-9999px; overflow:hidden",
    "height:0;overflow:hidden",
    "position:absolute;clip:rect(0,0,0,0)",
    "color:#fff;background-color:#ffffff",
    "color: transparent",
)


def _by_class(site: _Site, rules: list[str], tag: str, junk: str) -> str:
    name = site.word()
    rules.append(f".{name}{{{site.rng.choice(_STYLES)}}}")
    return f"<{tag} class='{site.word()} {name}'>{junk}</{tag}>"


def _by_descendant(site: _Site, rules: list[str], tag: str, junk: str) -> str:
    name = site.word()
    rules.append(f"#content {tag}.{name} , .unused{{color:red; {site.rng.choice(_STYLES)} !important}}")
    return f"<{tag} class='{name}'>{junk}</{tag}>"


def _by_style(site: _Site, rules: list[str], tag: str, junk: str) -> str:
    del rules
    return f"<{tag} style='{site.rng.choice(_STYLES)}'>{junk}</{tag}>"


def _by_attribute(site: _Site, rules: list[str], tag: str, junk: str) -> str:
    del site, rules
    return f"<{tag} hidden>{junk}</{tag}>"


_WAYS: tuple[Callable[[_Site, list[str], str, str], str], ...] = (
    _by_class,
    _by_descendant,
    _by_style,
    _by_attribute,
)
