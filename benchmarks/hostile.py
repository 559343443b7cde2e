"""Pages that are built to make an extractor slow or use much memory, and the cost of reading them.

Each family of pages has a short story and an excess of one kind, in any size. Each page is read in a separate
process, so that its peak memory can be measured.
"""

import base64
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from support.faults.memory import own_memory

STORY = (
    "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。他在这里守了四十年，从来没有"
    "见过哪一盏自己灭掉。可是今晚，第三盏灯闪了三下，就像有人在对岸打了个暗号，然后熄了。江水拍着木桩，一下，又一下。"
)
_LINE = "他把竹篙往石上一点，船就离了岸，"
_MAX_S = 60.0
READERS = ("pindna", "trafilatura", "lxml")

# Function: size in characters → (content of the head element, content after the story).
Family = Callable[[int], tuple[str, str]]
# Families whose pages contain the story only in scripts.
IN_SCRIPTS = frozenset(
    {
        "base64",
        "base64 in base64",
        "percent signs",
        "escaped quotes",
        "strings",
        "one string",
        "text areas",
        "short strings",
    }
)


def _fill(unit: str, size: int) -> str:
    return unit * (size // len(unit))


def _repeat(form: str, size: int) -> str:
    """Repeat a form up to a size, and replace each percent sign in it by the number of the repetition."""
    return "".join(form.replace("%", str(number)) for number in range(size // (len(form) + 4)))


def _script(text: str) -> str:
    return f"<script>var a = {text};</script>"


def _linked_data(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


def _in_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _with_styles(rules: str, markup: str) -> tuple[str, str]:
    return f"<style>{rules}</style>", markup


_JUNK = "<i class=x>雾</i>"
_WORDS = "最新章节就在望江书屋，请收藏本站网址。"
FAMILIES: dict[str, Family] = {
    "white space": lambda size: ("", f"<p>雾{' ' * size}江</p>"),
    "white space in headings": lambda size: ("", f"<h1>雾{' ' * size}江</h1>"),
    "single characters": lambda size: ("", f"<p>{_fill('雾 ', size)}</p>"),
    "punctuation": lambda size: ("", f"<p>{'，' * size}</p>"),
    "one line": lambda size: ("", f"<p>{_fill(_LINE, size)}</p>"),
    "short sentences": lambda size: ("", f"<p>{_fill('雾来了。', size)}</p>"),
    "lines": lambda size: ("", _fill("<p>雾来了，灯灭了。", size)),
    "empty elements": lambda size: ("", _fill("<p>", size)),
    "breaks": lambda size: ("", _fill("雾<br>", size)),
    "attributes": lambda size: ("", f"<p {_repeat('a%=1 ', size)}>雾</p>"),
    "attributes of many tags": lambda size: ("", _fill(f"<p {_repeat('a%=1 ', 2000)}>雾</p>", size)),
    "one attribute": lambda size: ("", f"<p class='{_repeat('a% ', size)}'>雾</p>"),
    "nested blocks": lambda size: ("", _fill("<div>雾来了，", size)),
    "nested passages": lambda size: ("", _fill("<b>雾", size)),
    "nested links": lambda size: ("", _fill("<a href=/2><div>", size) + "下一页"),
    "nested headings": lambda size: ("", _fill("<h1><div>雾", size)),
    "nested tables": lambda size: ("", _fill("<table><td>雾", size)),
    "nested lists": lambda size: ("", _fill("<ul><li><a href=/1>雾从江心漫过来了</a>雾来了，", size)),
    "posts": lambda size: (
        "",
        _repeat("<div><a href=/u/%>客%</a> %楼 2024-3-5<p>雾来了，第%次。</p></div>", size),
    ),
    "nested posts": lambda size: ("", _repeat("<div><a href=/u/%>客%</a> %楼 2024-3-5<p>雾来了。</p>", size)),
    "one long post": lambda size: (
        "",
        f"<div>客 1楼 2024-3-5<p>{_fill(_LINE, size)}</p></div><div>客 2楼 2024-3-6<p>好，雾来了。</p></div>",
    ),
    "tags that close nothing": lambda size: ("", _fill("<b>", size // 2) + _fill("</i>", size // 2)),
    "runs of tags": lambda size: ("", _fill("<b>" * 90 + "雾", size)),
    "open tags": lambda size: ("", _fill("<a", size)),
    "open comments": lambda size: ("", _fill("<!--", size)),
    "entities": lambda size: ("", f"<p>{_fill('&#x96fe;', size)}</p>"),
    "coloured passages": lambda size: (
        "",
        f"<p>{_fill('<b style=color:#fff>雾</b>', size)}{_LINE * 9}</p>",
    ),
    "nested colours": lambda size: ("", f"<p>{_fill('<b style=color:#fff>雾', size)}"),
    "endless colours": lambda size: ("", f"<p style='color:{_fill('rgb(', size)}'>雾"),
    "sibling selectors": lambda size: _with_styles(
        "".join(f".x~.x~i.x~*{{opacity:0;top:{number}px}}" for number in range(300)), _fill(_JUNK, size)
    ),
    "descendant selectors": lambda size: _with_styles(
        "".join(f"div div * div i.x{{opacity:0;top:{number}px}}" for number in range(300)),
        _fill(f"<div>{_JUNK}", size),
    ),
    "rules that match everything": lambda size: _with_styles(
        "".join(f".x{{opacity:0;top:{number}px}}" for number in range(300)), _fill(_JUNK, size)
    ),
    "rules": lambda size: _with_styles(_repeat(".x{opacity:0;top:%px}", size), _JUNK),
    "sheets": lambda size: (_repeat("<style>.x{opacity:0;top:%px}</style>", size), _JUNK),
    "lists of selectors": lambda size: _with_styles(f"{_fill('a,', size)}b{{opacity:0}}", _JUNK),
    "long selectors": lambda size: _with_styles(f"{_fill('a>', size)}b{{opacity:0}}", _JUNK),
    "rules for empty elements": lambda size: _with_styles(
        _repeat(".x{opacity:0;top:%px}", size // 2), _fill("<i class=x></i>", size // 2)
    ),
    "tags in containers": lambda size: _with_styles(".x b{opacity:0}", _fill("<div class=x><b>雾</b>", size)),
    "tags in many containers": lambda size: _with_styles(
        _repeat(".x% b{opacity:0}", size // 2), _repeat("<div class='x x%'><b>雾</b>", size // 2)
    ),
    "names of all rules": lambda size: _with_styles(
        _repeat(".x%{opacity:0}", size // 9), _fill(f"<b class='{_repeat('x% ', size // 90)}'>雾</b>", size)
    ),
    "words for next pages": lambda size: (_script(_fill("next = next_", size)), ""),
    "hidden passages": lambda size: ("", f"<p>{_fill('<i hidden>雾</i>灯', size)}"),
    "hidden attributes": lambda size: ("", _fill("<i hidden>雾", size)),
    "style attributes": lambda size: ("", _repeat("<i style='opacity:0;top:%px'>雾</i>", size)),
    "escaped quotes": lambda size: (_script('"' + _fill('\\"', size)), ""),
    "strings": lambda size: (_script("[" + _fill(f'"<p>{STORY}</p>",', size) + "]"), ""),
    "short strings": lambda size: (_script("[" + _repeat('"雾%",', size) + "]"), ""),
    "one string": lambda size: (_script('"' + _fill(_LINE, size) + '"'), ""),
    "base64": lambda size: (_script(f"['{_in_base64(_LINE * 9)}'," * (size // 900) + "'']"), ""),
    "base64 in base64": lambda size: (_script(f"'{_in_base64(_in_base64(_fill(_LINE, size // 6)))}'"), ""),
    "percent signs": lambda size: (_script("'" + _fill("%u96fe", size) + "'"), ""),
    "contents": lambda size: (
        "",
        _repeat("<li><a href=#%>雾%</a>", size // 2) + _repeat("<p>江上的雾%", size // 2),
    ),
    "links within sentences": lambda size: (
        "",
        "<div>" + _fill("<br>", size // 2) + _fill("<a href=1>雾从江心漫过来了</a>，灯灭了。<br>", size // 2),
    ),
    "sections": lambda size: ("", _repeat("<div class=s><h2>第%节</h2><p>雾来了，灯灭了。</div>", size)),
    "nearly base64": lambda size: ("", f"<textarea>{'A' * 100}{' ' * size}!</textarea>"),
    "marked": lambda size: ("", _fill("<p rel=author itemprop=datePublished>", size)),
    "lines of a text area": lambda size: ("", "<textarea>" + _fill("雾来了，\n", size) + "</textarea>"),
    "text areas": lambda size: ("", _fill("<textarea><p>雾来了，灯灭了。</textarea>", size)),
    "lists in JSON": lambda size: (_linked_data("[" + _fill("[],", size) + "1]"), ""),
    "nested JSON": lambda size: (_linked_data("[" * (size // 2) + "]" * (size // 2)), ""),
    "next links": lambda size: (
        f"<base href='http://x.example/{'a' * 30_000}'>",
        _fill("<a href=2.html>下一页</a>", size),
    ),
    "links": lambda size: ("", _repeat("<a href=/%.html>雾从江心漫过来</a>", size)),
    "meta elements": lambda size: (_repeat("<meta name=a% content=b>", size), ""),
    "an author of brackets": lambda size: (f'<meta name=author content="{_fill("[", size)}\n雾">', ""),
    "a title of digits": lambda size: (f"<title>第{'一' * size}章</title>", ""),
    "addresses in a line": lambda size: ("", f"<p>{_fill('www.wangjiang.com雾来了，', size)}</p>"),
    "adverts in a line": lambda size: ("", f"<p>{_fill(_WORDS + '雾', size)}</p>"),
    "glue in a line": lambda size: ("", f"<p>{_fill('网址' + '一网' * 39, size)}</p>"),
    "slogans": lambda size: ("", _fill(f"<p>一秒记住{'记住一秒' * 50}", size)),
    "comments": lambda size: ("", _repeat(f"<div class=c%><p>第%楼</p><p>{STORY[:50]}</p></div>", size)),
    "nested comments": lambda size: ("", _repeat("<div>雾来了，灯灭了，他说%。", size)),
    "deep in tables": lambda size: (
        "",
        "<table><tr><td>" * 400 + _fill("<p>雾来了，灯灭了。<a href=1>雾</a>", size),
    ),
    "repeated names": lambda size: (
        "",
        _fill("<p class='comment share' id=c9>雾来了，灯灭了。<a href=1>雾</a>", size),
    ),
    "teasers deep inside": lambda size: (
        "",
        "<div>" * 1_900 + _repeat("<div><a href=/%>雾从江心漫过来了</a><p>灯灭了，雾来了。</div>", size),
    ),
    "teasers": lambda size: (
        "",
        _repeat("<div><a href=/%>雾从江心漫过来了</a><p>灯灭了，雾来了。</div>", size),
    ),
    "cells": lambda size: ("", f"<table><tr>{_repeat('<td>%元起售</td>', size)}</tr></table>"),
    "one post": lambda size: ("", f"<div class=post>{_fill(_LINE + '<br>', size)}</div>"),
    "verse": lambda size: ("", _repeat("<p>天地玄黄%宇宙洪荒</p>", size)),
    "open CDATA": lambda size: ("", _fill("<![CDATA[ 雾", size) + ">"),
    "NUL bytes": lambda size: ("", f"<p>{_fill(_LINE + chr(0), size)}</p>"),
    "odd quotes": lambda size: (_script(_fill("a='b\"c`d", size)), ""),
    "data in data": lambda size: (_script("'" + _fill('[\\"{', size) + "'"), ""),
    "data attributes": lambda size: ("", _fill(f"<i data-x='[\"{STORY * 2}\"]'></i>", size)),
    "dates in scripts": lambda size: (_script(_fill("createTime='2024 publishTime:", size)), ""),
    "labels of dates": lambda size: ("", _repeat("<div>发布时间：%</div>", size)),
    "authors": lambda size: (
        "",
        "<div itemprop=author>" * 90 + _fill("<b itemprop=name class=author>", size),
    ),
    "private characters": lambda size: ("", f"<p>{_fill(chr(0xE101) + '雾', size)}</p>"),
}


@dataclass(frozen=True, slots=True)
class ReadingCost:
    """Cost of reading a page.

    Attributes:
        size: size of the page in bytes.
        seconds: seconds of CPU time.
        megabytes: growth of the peak memory of the process.
        kind: kind of the page according to pindna.
        is_finished: whether the page was read before the timeout.
    """

    size: int
    seconds: float
    megabytes: float
    kind: str = ""
    is_finished: bool = True


@dataclass(frozen=True, slots=True)
class FamilyCosts:
    """Cost of reading a page of a family, by reader."""

    family: str
    of: dict[str, ReadingCost]


def make_page(family: str, size: int) -> bytes:
    """Return a page of a family, of about ``size`` characters."""
    head, rest = FAMILIES[family](size)
    story = "".join(f"<p>{opening}{STORY}</p>" for opening in ("夜里，", "早上，", "后来，"))
    if family in IN_SCRIPTS:
        head, story = head + _script('"' + story * 9 + '"'), ""
    return f"<html><head><title>渡口的灯</title>{head}</head><body><div>{story}</div>{rest}</body>".encode()


def measure(family: str, size: int) -> FamilyCosts:
    """Return what a page of about ``size`` characters of a family costs every reader."""
    return FamilyCosts(family, {reader: cost_of(family, size, reader=reader) for reader in READERS})


def cost_of(family: str, size: int, *, reader: str = "pindna") -> ReadingCost:
    """Return the cost of reading a page in a separate process, with a timeout of one minute."""
    command = [sys.executable, "-m", "benchmarks.hostile", family, str(size), reader]
    data = len(make_page(family, size))
    try:
        run = subprocess.run(command, capture_output=True, check=True, timeout=_MAX_S)  # noqa: S603 - this module
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return ReadingCost(data, _MAX_S, 0.0, is_finished=False)
    return ReadingCost(data, **json.loads(run.stdout))


def _measure_reading(family: str, size: int, reader: str) -> dict[str, Any]:
    data, read = make_page(family, size), _readers()[reader]
    read(make_page("lines", 1000))  # warm-up
    before, started = own_memory("VmHWM"), time.process_time()
    kind = read(data)
    return {"seconds": time.process_time() - started, "megabytes": own_memory("VmHWM") - before, "kind": kind}


def _readers() -> dict[str, Callable[[bytes], str]]:
    import trafilatura  # noqa: PLC0415 - each process loads what it measures
    from lxml import html  # noqa: PLC0415

    from crawler.extraction import extract  # noqa: PLC0415

    def by_trafilatura(data: bytes) -> str:
        trafilatura.extract(data.decode())
        return ""

    def by_lxml(data: bytes) -> str:
        parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
        html.document_fromstring(data, parser=parser).text_content()
        return ""

    by_pindna = lambda data: extract(data, url="http://x.example/1.html").kind  # noqa: E731 - like the others
    return dict(zip(READERS, (by_pindna, by_trafilatura, by_lxml), strict=True))


if __name__ == "__main__":
    print(json.dumps(_measure_reading(sys.argv[1], int(sys.argv[2]), sys.argv[3])))
