"""Responses that are no ordinary HTML: other types, documents that end early, large ones."""

import json
from urllib.parse import quote

from support.differential.browser import Response
from support.differential.decoys import DECOY_TITLE
from support.differential.documents import HostilePage
from support.differential.forms import chunks
from support.differential.fragments import Fragment
from support.differential.texts import DECOY, PROTECTED

from storage.records import UnreadReason

_SHOWN = PROTECTED[:5]
_TEXT = "".join(_SHOWN)
_PARAGRAPHS = "".join(f"<p>{paragraph}</p>" for paragraph in _SHOWN)
_OTHER = "".join(f"<p>{paragraph}</p>" for paragraph in DECOY)
_HEAD = f"<!DOCTYPE html><meta charset=utf-8><title>{DECOY_TITLE}</title>"
_UTF8 = "text/html; charset=utf-8"
_XHTML = "http://www.w3.org/1999/xhtml"
_LINES = "".join(
    f'<text x="5" y="{22 * place + 22}" font-size="16">{line}</text>'
    for place, line in enumerate(chunks(_SHOWN, 40))
)
_SVG = f'<svg xmlns="http://www.w3.org/2000/svg" width="800" height="900">{_LINES}</svg>'
_CSS = quote("p{display:block}junk{display:none}")
_XSLT = (
    '<xsl:stylesheet id="s" version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">'
    f"<html><body>{_PARAGRAPHS}</body></html></xsl:template></xsl:stylesheet>"
)
_FRAME = f"data:text/html;charset=utf-8,{quote(_PARAGRAPHS)}"
_NO: frozenset[UnreadReason] = frozenset()
_FRAMES: frozenset[UnreadReason] = frozenset({"frames"})

# name → (document, content type, reasons of unread text that fit it)
_ANSWERS: dict[str, tuple[str | bytes, str, frozenset[UnreadReason]]] = {
    "text-plain": ("\n".join(_SHOWN), "text/plain; charset=utf-8", _NO),
    "text-plain-markup": (
        f"<div style='display:none'>\n{_PARAGRAPHS}\n</div>",
        "text/plain; charset=utf-8",
        _NO,
    ),
    "text-plain-comment": (f"<!--\n{_TEXT}\n-->", "text/plain; charset=utf-8", _NO),
    "text-plain-script": (f"<script>\n{_TEXT}\n</script>", "text/plain; charset=utf-8", _NO),
    "text-plain-gbk": ("\n".join(_SHOWN).encode("gbk"), "text/plain; charset=gbk", _NO),
    "text-plain-no-charset": ("\n".join(_SHOWN).encode("gbk"), "text/plain", _NO),
    "text-css": (f"/* {_TEXT} */", "text/css; charset=utf-8", _NO),
    "text-javascript": (f"var a = '{_TEXT}'", "text/javascript; charset=utf-8", _NO),
    "json": (json.dumps({"t": _TEXT}, ensure_ascii=False), "application/json; charset=utf-8", _NO),
    "json-odd-keys": (json.dumps(dict.fromkeys(_SHOWN, 1), ensure_ascii=False), "application/json", _NO),
    "json-lines": ("\n".join(json.dumps(x, ensure_ascii=False) for x in _SHOWN), "application/json", _NO),
    "no-type": (f"<html><body>{_PARAGRAPHS}", "", _NO),
    "unknown-type": (f"<html><body>{_PARAGRAPHS}", "text/x-novel; charset=utf-8", _NO),
    "html-type-case": (f"{_HEAD}{_PARAGRAPHS}", "TEXT/HTML;CHARSET=UTF-8", _NO),
    "svg": (_SVG, "image/svg+xml; charset=utf-8", frozenset({"images"})),
    "svg-foreign": (
        '<svg xmlns="http://www.w3.org/2000/svg" width="800" height="900"><foreignObject width="800" height="900">'
        f'<body xmlns="{_XHTML}">{_PARAGRAPHS}</body></foreignObject></svg>',
        "image/svg+xml",
        frozenset({"images"}),
    ),
    "xml-plain": (f"<novel>{_PARAGRAPHS}</novel>", "application/xml; charset=utf-8", _NO),
    "xml-styled": (
        f'<?xml version="1.0"?><?xml-stylesheet type="text/css" href="data:text/css,{_CSS}"?>'
        f"<novel><junk>{DECOY[0]}</junk>{_PARAGRAPHS}</novel>",
        "text/xml; charset=utf-8",
        _NO,
    ),
    "xml-attributes": (
        f'<?xml version="1.0"?><?xml-stylesheet type="text/css" href="data:text/css,'
        f'{quote("t{display:block}t::before{content:attr(v)}")}"?><n>'
        + "".join(f'<t v="{line}"/>' for line in _SHOWN)
        + "</n>",
        "text/xml; charset=utf-8",
        _NO,
    ),
    "xml-xhtml": (f'<html xmlns="{_XHTML}"><body>{_PARAGRAPHS}</body></html>', "application/xml", _NO),
    "xml-rss": (
        f'<rss version="2.0"><channel><item><description><![CDATA[{_PARAGRAPHS}]]></description></item></channel></rss>',
        "application/rss+xml; charset=utf-8",
        _NO,
    ),
    "xml-xslt": (
        f'<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#s"?><!DOCTYPE d [<!ATTLIST xsl:stylesheet id ID '
        f"#REQUIRED>]><d>{_XSLT}</d>",
        "application/xml",
        _NO,
    ),
    "xhtml-broken": (
        f'<html xmlns="{_XHTML}"><head><title/></head><body>{_PARAGRAPHS}<b></i></body></html>',
        "application/xhtml+xml",
        _NO,
    ),
    "xhtml-entities-nested": (
        f'<!DOCTYPE html [<!ENTITY a "{_SHOWN[0]}"><!ENTITY b "&a;{_SHOWN[1]}">]>'
        f'<html xmlns="{_XHTML}"><body><p>&b;</p><p>{_SHOWN[2]}{_SHOWN[3]}{_SHOWN[4]}</p></body></html>',
        "application/xhtml+xml",
        _NO,
    ),
    "xhtml-entity-markup": (
        f"<!DOCTYPE html [<!ENTITY a '{_PARAGRAPHS}'>]><html xmlns=\"{_XHTML}\"><body>&a;</body></html>",
        "application/xhtml+xml",
        _NO,
    ),
    "xhtml-gbk": (
        f'<?xml version="1.0" encoding="gbk"?><html xmlns="{_XHTML}"><body>{_PARAGRAPHS}</body></html>'.encode(
            "gbk"
        ),
        "application/xhtml+xml",
        _NO,
    ),
    "xhtml-utf-16": (
        f'<html xmlns="{_XHTML}"><body>{_PARAGRAPHS}</body></html>'.encode("utf-16"),
        "application/xhtml+xml",
        _NO,
    ),
    "xhtml-attribute-default": (
        f'<!DOCTYPE html [<!ATTLIST b title CDATA "{_TEXT}">]><html xmlns="{_XHTML}"><head><style>'
        "b::before{content:attr(title)}</style></head><body><b/></body></html>",
        "application/xhtml+xml",
        _NO,
    ),
    "frameset": (f'{_HEAD}<frameset cols="*"><frame src="{_FRAME}"></frameset>', _UTF8, _FRAMES),
    "frameset-noframes": (
        f'{_HEAD}<frameset cols="*"><frame src="{_FRAME}"><noframes>{_OTHER}</noframes></frameset>',
        _UTF8,
        _FRAMES,
    ),
    "plaintext": (f"{_HEAD}<p>x</p><plaintext>{_TEXT}", _UTF8, _NO),
    "plaintext-tags": (f"{_HEAD}{_OTHER}<plaintext><div hidden>\n" + "\n".join(_SHOWN), _UTF8, _NO),
    "textarea-open": (f"{_HEAD}{_OTHER}<textarea rows=30 cols=80>{_TEXT}", _UTF8, _NO),
    "select-open": (
        f"{_HEAD}<select size=40>" + "".join(f"<option>{x}" for x in chunks(_SHOWN, 30)),
        _UTF8,
        _NO,
    ),
    "comment-open": (f"{_HEAD}{_PARAGRAPHS}<!-- {_OTHER}", _UTF8, _NO),
    "tag-open": (f"{_HEAD}{_PARAGRAPHS}<div class='", _UTF8, _NO),
    "style-open": (f"{_HEAD}{_PARAGRAPHS}<style>p{{display:block}}", _UTF8, _NO),
    "script-open": (f"{_HEAD}{_PARAGRAPHS}<script>var a=1;", _UTF8, _NO),
    "head-only": (f"<!DOCTYPE html><head><title>x</title><meta charset=utf-8>{_TEXT}</head>", _UTF8, _NO),
    "text-only": (_TEXT, _UTF8, _NO),
    "attribute-quote-open": (f"{_HEAD}<a title=\"x>y\" href='z>{_OTHER}'>x</a>{_PARAGRAPHS}", _UTF8, _NO),
    "two-documents": (f"{_HEAD}{_OTHER}</html>{_HEAD}{_PARAGRAPHS}</html>", _UTF8, _NO),
    "two-encodings": (
        f"{_HEAD}".encode() + _OTHER.encode("gbk") + _PARAGRAPHS.encode(),
        _UTF8,
        frozenset({"encoding"}),
    ),
    "title-shown": (
        f"<!DOCTYPE html><meta charset=utf-8><style>head,title{{display:block}}</style><title>{_TEXT}</title>{_OTHER}",
        _UTF8,
        _NO,
    ),
    "meta-shown": (
        "<!DOCTYPE html><meta charset=utf-8><style>head,meta{display:block}meta::before{content:attr(content)}</style>"
        f'<meta name=description content="{_TEXT}">{_OTHER}',
        _UTF8,
        _NO,
    ),
    "html-attribute": (
        f'<!DOCTYPE html><html data-t="{_TEXT}"><meta charset=utf-8><style>html::before{{content:attr(data-t)}}</style>'
        f"{_OTHER}",
        _UTF8,
        _NO,
    ),
    "body-attribute": (
        f'{_HEAD}<style>body::after{{content:attr(x);display:block}}</style><body x="{_TEXT}">{_OTHER}',
        _UTF8,
        _NO,
    ),
    "second-body-attribute": (
        f'{_HEAD}<style>body::after{{content:attr(x);display:block}}</style><body>{_OTHER}<body x="{_TEXT}">',
        _UTF8,
        _NO,
    ),
    "long-decoy": (f"{_HEAD}<article>{_OTHER * 12}</article><div>{_PARAGRAPHS}</div>", _UTF8, _NO),
    "long-hidden-decoy": (
        f"{_HEAD}<div hidden>{_OTHER * 400}</div>{_PARAGRAPHS}",
        _UTF8,
        frozenset({"limit"}),
    ),
    "long-hidden-first": (
        f"{_HEAD}<article>{_OTHER}</article><div hidden>{_OTHER * 400}</div><button>{_TEXT}</button>",
        _UTF8,
        frozenset({"limit"}),
    ),
    "long-comment": (f"{_HEAD}<!--{'x' * 3_000_000}-->{_PARAGRAPHS}", _UTF8, frozenset({"limit"})),
    "long-script": (
        f"{_HEAD}<script>/*{'x' * 3_000_000}*/</script>{_PARAGRAPHS}",
        _UTF8,
        frozenset({"limit"}),
    ),
    "many-elements": (f"{_HEAD}{'<i></i>' * 150_000}{_PARAGRAPHS}", _UTF8, frozenset({"limit"})),
    "many-attributes": (f"{_HEAD}<p {' '.join(f'a{n}=1' for n in range(30_000))}>{_PARAGRAPHS}", _UTF8, _NO),
    "many-classes": (
        f"{_HEAD}<div class='{' '.join(f'a{n}' for n in range(30_000))}'>{_PARAGRAPHS}",
        _UTF8,
        _NO,
    ),
    "many-rules": (
        f"{_HEAD}<style>{''.join(f'.z{n}{{display:none}}' for n in range(60_000))}.q{{content:'x'}}</style>"
        f"<div class=q>{_PARAGRAPHS}</div>",
        _UTF8,
        frozenset({"limit"}),
    ),
    "many-frames": (f"{_HEAD}{'<iframe hidden></iframe>' * 300}{_PARAGRAPHS}", _UTF8, _NO),
    "deep": (f"{_HEAD}{'<div>' * 5000}{_PARAGRAPHS}", _UTF8, frozenset({"limit"})),
    "deep-frames": ("", _UTF8, frozenset({"frames", "limit"})),
}


def _nested_frames(depth: int) -> str:
    document = _PARAGRAPHS
    for _ in range(depth):
        escaped = document.replace("&", "&amp;").replace('"', "&quot;")
        document = f'<iframe style="width:860px;height:700px" srcdoc="{escaped}"></iframe>'
    return _HEAD + document


def page_of_answer(name: str) -> HostilePage:
    """Return a page of that name."""
    document, content_type, unread = _ANSWERS[name]
    if name == "deep-frames":
        document = _nested_frames(6)
    data = document if isinstance(document, bytes) else document.encode()
    return HostilePage(
        response=Response(body=data, content_type=content_type, resources={}),
        fragments=(Fragment(html=""),),
        texts=(_TEXT,),
        names=(f"answer-{name}",),
        unread=unread,
    )


ANSWER_NAMES = tuple(_ANSWERS)
