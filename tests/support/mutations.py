# ruff: noqa: E501 - pages and forms as they are
"""Pages that no one would write: damaged ones, and ones put together from what breaks readers.

Mutations are seeded, so that a page that was found to break something can be made again.
"""

import json
import re
from html import escape
from random import Random

from hypothesis import strategies as st

STORY = (
    "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。他在这里守了四十年，从来没有"
    "见过哪一盏自己灭掉。可是今晚，第三盏灯闪了三下，就像有人在对岸打了个暗号，然后熄了。江水拍着木桩，一下，又一下。"
)
PARAGRAPHS = "".join(f"<p>{when}，{STORY}</p>" for when in ("夜里", "早上", "后来"))
_DATA = {
    "@type": "NewsArticle",
    "headline": "渡口的灯",
    "author": [{"name": "许文"}],
    "datePublished": "2025-01-02T03:04Z",
    "articleBody": STORY,
}
SEEDS = (
    f"""<!doctype html><html><head><meta charset="utf-8"><title>第三章 对岸_渡口_望江书屋</title>
<meta name="author" content="许文"><meta property="article:published_time" content="2024-05-06T07:08:09+08:00">
<link rel="canonical" href="http://x.example/b/7.html"><base href="http://x.example/b/">
<script type="application/ld+json">{json.dumps(_DATA, ensure_ascii=False)}</script>
<style>body{{background:#fff}} .z,#z{{display:none;color:rgba(1,2,3,.04);left:-9999px}} .a>.z~i:not(.b)
{{color:rgb(255,255,255)}} @media screen{{p .z:nth-child(2n+1)[x^="y"]{{opacity:.01;font-size:0.5px}}}}</style></head>
<body bgcolor="#ffffff"><div id="content" class="a"><h1>第三章 对岸</h1>{PARAGRAPHS}
<p class="z" style="text-indent:-999px;clip:rect(0,0,0,0)">彩票</p><i class="z" hidden>中奖</i>
<span style="color:#fff;background:#123456">网址 www.x.example 最新章节</span></div>
<a href="7_2.html">下一页</a><a href="8.html">下一章</a><a href="./">目录</a>
<script>var next_page = "7_2.html", text = "{STORY}\\u96fe\\n{STORY}";</script></body></html>""",
    f"""<html><title>灯 | 报</title><body><table><tr><td><a href=1.html>上一篇</a></td></tr><tr><td>作者：许文 2024年5月6日 07:08
<br>{STORY}<br>{STORY}&nbsp;&#x96fe;&#38654;&amp;<br><textarea>{STORY}</textarea></td></tr></table>
<form><input type=password><button>登录</button></form><ul><li><a href=/2>雾从江心漫过来了</a>灯灭了，雾来了。</ul>""",
    f"""<html><head><script>window.__DATA__ = {{"content": "&lt;p&gt;{STORY}&lt;/p&gt;\\u003cp\\u003e{STORY}", 'a': '{STORY}'}}
</script></head><body><div id="app" class="js_content" style="visibility:hidden"></div><noscript>请打开</noscript></body></html>""",
)
# What parsers, regular expressions and number readers trip over.
_SPLINTERS = (
    *(
        "<",
        ">",
        '"',
        "'",
        "</",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?x",
        "&",
        "&#",
        "&#x110000;",
        "&#xd800;",
        "&#0;",
    ),
    *(
        "&#99999999999999999999;",
        "&lt;",
        "\\",
        "\\u",
        "\\ud800",
        "\\udc00\\ud800",
        "\\x",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
    ),
    *(
        "rgb(.)",
        "rgb(1.1.1)",
        "rgb(1e999,,)",
        "rgba(0,0,0,.)",
        "rgb(",
        "9" * 400,
        "9" * 4301,
        "一" * 4301,
        "-.",
        "1e999",
    ),
    *(
        "NaN",
        "-Infinity",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-23:59",
        "2024-02-31",
        "+99:99",
        "²",
        "٣",
    ),
    *(
        "\0",
        "\x1b",
        "\x85",
        "\u2028",
        "\ufeff",
        "\u200b",
        "\ufffe",
        "\ue000",
        "\U0010fffd",
        "\U000e0001",
        "İ",
        "ﬁ",
        "㍿",
    ),
    *(
        "display:none",
        "!important",
        ":not(",
        "::",
        ":nth-child(",
        "~",
        ">",
        "+",
        "*",
        "@media",
        "/*",
        "*/",
        ";",
        ",",
    ),
    *(
        "第",
        "章",
        "万",
        "亿",
        "○",
        "下一页",
        "http://[",
        "javascript:",
        "//",
        "?" * 50,
        "#",
        "%",
        "a" * 3000,
        " " * 3000,
    ),
    *(
        "<div>" * 300,
        "</div>" * 30,
        "<table>",
        "<style>",
        "<script>",
        "<base href=//[>",
        "<title>",
        "<p " + "a " * 300,
    ),
)
_MAX_BYTES = 300_000
_TOKENS = re.compile(r"<[^<>]{0,200}>|[a-zA-Z]+|\d+|\s+|.", re.DOTALL)


def mutate(pages: list[bytes], seed: int) -> bytes:
    """One of the pages with some damage, by bytes or by tokens; the same for the same seed."""
    random = Random(seed)
    page = random.choice(pages)
    change = _by_bytes if random.random() < 0.3 else _by_tokens
    return change(page, random, random.choice(pages))[:_MAX_BYTES]


def _by_bytes(page: bytes, random: Random, other: bytes) -> bytes:
    data = bytearray(page)
    for _ in range(random.choice((1, 3, 10, 100))):
        at, length = random.randrange(len(data) + 1), random.choice((0, 1, 2, 8, 200))
        start = random.randrange(len(other))
        data[at : at + length] = random.choice(
            (
                b"",
                random.randbytes(2),
                other[start : start + length],
                bytes((random.choice(b"<>\"'&;{}\0\x80"),)),
            )
        )
    return bytes(data)


def _by_tokens(page: bytes, random: Random, other: bytes) -> bytes:
    tokens = _TOKENS.findall(page.decode("utf-8", "replace"))
    theirs = _TOKENS.findall(other.decode("utf-8", "replace"))
    for _ in range(random.choice((1, 2, 5, 20))):
        at = random.randrange(len(tokens) + 1)
        chosen = random.choice(
            (random.choice(_SPLINTERS), random.choice(theirs), "".join(tokens[at : at + 5]))
        )
        tokens[at : at + random.choice((0, 0, 1, 3))] = [chosen * random.choice((1, 1, 1, 2, 50))]
    encoding = random.choice(("utf-8", "utf-8", "gb18030", "utf-16"))
    return "".join(tokens).encode(encoding, "replace")


splinters = st.one_of(
    st.sampled_from(_SPLINTERS), st.text(max_size=8), st.integers().map(str), st.floats().map(str)
)


@st.composite
def _fillings(draw, *forms, holes=splinters):
    """One of the forms with something else in each hole (``%``)."""
    first, *parts = draw(st.sampled_from(forms)).split("%")
    return first + "".join(draw(holes) + part for part in parts)


# Rules for elements of class z only, so that whatever they say, the story is seen.
sheets = st.lists(
    _fillings(
        ".z{color:%}", ".z{color:rgb(%,%,%)}", ".z{color:#%}", ".z{opacity:%}", ".z{font-size:%px}", ".z{left:-%em}",
        ".z{position:absolute;top:%;clip:%}", ".z{text-indent:%;overflow:hidden;height:%}", ".z{background:%}",
        ".z:%{display:none}", ".z:not(%){display:none}", ".z:nth-child(%){opacity:0}", ".z[%=%]{display:none}",
        ".z>%~.z{display:none}", "@media %{.z{display:none}}", "@% .z{display:none}", "/*%", ".z{%:%;%}", "#% .z{%}",
    ),
    max_size=4,
).map("".join)  # fmt: skip
_FIELDS = (
        "<title>%章</title>", "<title>第%章 %</title>", "<meta name=author content='%'>", "<meta name=% content=%>",
        '<meta property="article:published_time" content="%">', '<meta name=pubdate content="20%-%-% %:%:%%">',
        '<meta property=og:site_name content="%">', "<link rel=canonical href='%'>", "<base href='http://x.example/%'>",
        '<script type="application/ld+json">{"headline":"%","author":{"name":"%"}}</script>',
        '<script type="application/ld+json">{"headline":"a","author":"%","datePublished":"%"}</script>',
        '<script type="application/ld+json">[[{"headline":"a","author":[[["%"]]]}], %]</script>',
        "<script>var next_page = '%';</script>", "<meta name=description content='%'>",
)  # fmt: skip
fields = st.lists(_fillings(*_FIELDS), max_size=4).map("".join)
# Fields that leave the mark-up whole, so that whatever they say, the story is seen.
whole_fields = st.lists(_fillings(*_FIELDS, holes=splinters.map(escape)), max_size=4).map("".join)
bodies = st.lists(
    _fillings(
        "<p class=z>%</p>", "<i class=z style='color:%'>%</i>", "<div style='%:%'>%", "<b %>%</b>", "<a href='%'>下一页</a>",
        "<a href=7_%.html>%</a>", "&#%;", "&#x%;", "<table><td>%", "</%>", "<%>", "<!--%", "<textarea>%</textarea>",
        "<script>a = '%\\%'</script>", "<font color=%>%", "<input type=%>", "<h1>%</h1>", "<i hidden>%</i>%",
    ),
    max_size=6,
).map("".join)  # fmt: skip
