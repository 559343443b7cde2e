"""Ways to split a text into characters that a reader does not notice."""

import re
import unicodedata
from collections.abc import Callable

from support.differential.fragments import Choices, Fragment, Technique

_JUNK = "的一是在不了有和人这"


def _kangxi(char: str) -> str:
    return _LOOKALIKES.get(char, char)


_LOOKALIKES = {
    unicodedata.normalize("NFKC", chr(code)): chr(code)
    for code in (*range(0x2F00, 0x2FD6), *range(0xF900, 0xFA6E))
}

Split = Callable[[str, str], str]  # a text and the class name to the split text


def _between(joint: str, every: int = 1) -> Split:
    return lambda text, _: joint.join(text[i : i + every] for i in range(0, len(text), every))


def _around(before: str, after: str, every: int = 1) -> Split:
    def split(text: str, name: str) -> str:
        pieces = (text[i : i + every] for i in range(0, len(text), every))
        return "".join(f"{before}{piece}{after}" for piece in pieces).replace("¶", name)

    return split


def _junk(markup: str, every: int = 3) -> Split:
    def split(text: str, name: str) -> str:
        pieces = [text[i : i + every] for i in range(0, len(text), every)]
        junk = (markup.replace("¶", name).replace("†", _JUNK[i % len(_JUNK)] * 2) for i in range(len(pieces)))
        return "".join(piece + hidden for piece, hidden in zip(pieces, junk, strict=True))

    return split


_PLAIN: dict[str, Split] = {
    "zwsp": _between("\u200b"),
    "zwnj": _between("\u200c\u200d", 2),
    "word-joiner": _between("\u2060"),
    "soft-hyphen": _between("\u00ad"),
    "bom": _between("\ufeff", 3),
    "variation": _between("\ufe00", 2),
    "marks": _between("\u200e\u200f\u200e", 4),
    "tags": _between("\U000e0041", 2),
    "invisible-plus": _between("\u2064", 2),
    "grapheme-joiner": _between("\u034f", 2),
    "hangul-filler": _between("\u115f", 5),
    "space": _between(" "),
    "ideographic-space": _between("\u3000"),
    "thin-space": _between("\u2009", 2),
    "line-feed": _between("\n", 3),
    "tabs": _between("\t \n", 2),
    "references": lambda text, _: "".join(f"&#{ord(char)};" for char in text),
    "references-hex": lambda text, _: "".join(f"&#x{ord(char):x};" for char in text),
    "references-padded": lambda text, _: "".join(f"&#0000{ord(char)};" for char in text),
    "kangxi": lambda text, _: "".join(map(_kangxi, text)),
    "comment": _between("<!-- x -->", 2),
    "comment-text": _between("<!--目录-->", 3),
    "empty-element": _between("<b></b>", 2),
    "span-each": _around("<span>", "</span>"),
    "span-nested": _around("<b><i><span>", "</span></i></b>", 2),
    "span-class": _around('<span class="¶">', "</span>"),
    "font-each": _around("<font>", "</font>", 3),
    "link-each": _around('<a href="/x">', "</a>", 4),
    "mark-each": _around("<mark>", "</mark>", 6),
    "em-each": _around("<em>", "</em>", 2),
    "ins-each": _around("<ins>", "</ins>", 2),
    "data-each": _around("<data>", "</data>", 2),
    "inline-block": _around('<span style="display:inline-block">', "</span>", 1),
    "custom-each": _around("<x-w>", "</x-w>", 2),
    "button-each": _around("<button>", "</button>", 9),
    "label-each": _around("<label>", "</label>", 3),
    "ruby": _around("<ruby>", "<rt>x</rt></ruby>", 2),
    "ruby-base": _around("<ruby><rb>", "</rb><rp>(</rp><rt>y</rt><rp>)</rp></ruby>", 3),
    "wbr": _between("<wbr/>"),
    "div-inline": _around('<section style="display:inline">', "</section>", 4),
}
_HTML: dict[str, Split] = {
    "references-open": lambda text, _: "".join(f"&#{ord(char)}" for char in text),
    "references-hex-upper": lambda text, _: "".join(f"&#X{ord(char):X}" for char in text) + ";",
    "named": _between("&ZeroWidthSpace;&shy;", 2),
    "named-open": _between("&shy", 3),
    "nul": _between("\0", 2),
    "comment-odd": _between("<!-->", 2),
    "bogus-comment": _between("<?x>", 2),
    "bogus-end": _between("</x>", 2),
    "bogus-cdata": _between("<![CDATA[x]]>", 3),
    "open-tags": _between("<wbr>", 1),
    "self-closed": _between("<b/></b>", 2),
    "unknown-end": _between("</span></b></font>", 3),
    "end-br": _between("</nobr><nobr>", 3),
}
_JUNKED: dict[str, Split] = {
    "junk-display": _junk('<i style="display:none">†</i>'),
    "junk-class": _junk('<i class="¶">†</i>'),
    "junk-hidden": _junk('<i hidden="">†</i>'),
    "junk-font-zero": _junk('<i style="font-size:0">†</i>'),
    "junk-font-tiny": _junk('<i style="font-size:.01px;letter-spacing:0">†</i>'),
    "junk-opacity": _junk('<i style="opacity:0;position:absolute">†</i>'),
    "junk-away": _junk('<i style="position:absolute;left:-9999px">†</i>'),
    "junk-clipped": _junk('<i style="position:absolute;clip:rect(0,0,0,0)">†</i>'),
    "junk-clip-path": _junk('<i style="position:absolute;clip-path:inset(50%)">†</i>'),
    "junk-box": _junk('<i style="display:inline-block;width:0;height:0;overflow:hidden">†</i>'),
    "junk-white": _junk('<i style="color:#fff;position:absolute">†</i>'),
    "junk-visibility": _junk('<i style="visibility:hidden;position:absolute">†</i>'),
    "junk-scaled": _junk('<i style="position:absolute;transform:scale(0)">†</i>'),
    "junk-template": _junk("<template>†</template>"),
    "junk-script": _junk("<script>/*†*/</script>"),
    "junk-details": _junk(
        '<details style="display:inline"><summary style="display:none"></summary>†</details>'
    ),
    "junk-rp": _junk("<ruby><rp>†</rp></ruby>"),
    "junk-object": _junk('<svg style="width:0;height:0;position:absolute"><text>†</text></svg>'),
    "junk-audio": _junk("<audio>†</audio>"),
    "junk-canvas": _junk('<canvas width="0" height="0">†</canvas>'),
    "junk-dialog": _junk("<dialog>†</dialog>"),
    "junk-popover": _junk('<i popover="">†</i>'),
    "junk-datalist": _junk("<datalist>†</datalist>"),
    "junk-noscript": _junk("<noscript>†</noscript>"),
    "junk-title": _junk('<svg style="width:0;height:0"><title>†</title></svg>'),
    "junk-indent": _junk('<i style="position:absolute;text-indent:-999px;width:1px;overflow:hidden">†</i>'),
    "junk-zoom": _junk('<i style="font-size:1px;zoom:.01;color:transparent;position:absolute">†</i>'),
}
_JUNK_RULES = (
    ".¶{display:none}",
    ".¶{font-size:0}",
    ".¶{display:block}.¶.¶{display:none}",
    "@media screen{.¶{display:none}}",
    ":is(.¶,#q){display:none}",
    ".¶{position:fixed;top:-99em}",
    "i.¶{display:none!important}.¶{display:inline}",
    ".¶{--d:none;display:var(--d)}",
    "@layer a{.¶{display:none}}",
    "@supports (display:grid){.¶{display:none}}",
    "p,div,li{.¶{display:none}}",
    ".¶{d\\69splay:none}",
    ".¶{opacity:0;position:absolute;animation:none}",
)

_TEXT = re.compile(r">[^<]+<")


def _applied(split: Split):
    def apply(fragment: Fragment, choices: Choices) -> Fragment:
        name = choices.class_name()
        html = _TEXT.sub(lambda found: f">{split(found[0][1:-1], name)}<", f">{fragment.html}<")[1:-1]
        rules = choices.pick(_JUNK_RULES).replace("¶", name) if split is _JUNKED["junk-class"] else ""
        return fragment.with_html(html, more_css=rules + "\n")

    return apply


# Hidden characters between visible ones make a text that no longer reads as one: that may be reported.
SPLITS = (
    *(Technique(name=f"split-{name}", apply=_applied(split)) for name, split in _PLAIN.items()),
    *(Technique(name=f"split-{name}", apply=_applied(split), is_xml=False) for name, split in _HTML.items()),
    *(
        Technique(name=f"split-{name}", apply=_applied(split), unread=frozenset({"order"}))
        for name, split in _JUNKED.items()
    ),
)
