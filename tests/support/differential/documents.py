"""Fragments to a response: document, encoding, header."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from support.differential.browser import Response
from support.differential.decoys import DECOY_TITLE, DECOYS
from support.differential.fragments import Fragment

from storage.records import UnreadReason

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coding:
    """How a page is encoded and what says so.

    Attributes:
        codec: of Python.
        content_type: the header, for HTML.
        meta: markup at the beginning of the head.
        before: bytes before the document.
        is_traditional: the text is in traditional characters.
        unread: reasons of unread text that fit it.
    """

    codec: str
    content_type: str = "text/html"
    meta: str = ""
    before: bytes = b""
    is_traditional: bool = False
    unread: frozenset[UnreadReason] = frozenset()


def _meta(charset: str) -> str:
    return f'<meta charset="{charset}"/>'


def _header(charset: str) -> str:
    return f"text/html; charset={charset}"


UTF8 = Coding(codec="utf-8", content_type=_header("utf-8"), meta=_meta("utf-8"))
CODINGS: dict[str, Coding] = {
    "utf-8": UTF8,
    "utf-8-meta": Coding(codec="utf-8", meta=_meta("utf-8")),
    "utf-8-header": Coding(codec="utf-8", content_type=_header("UTF-8")),
    "utf-8-alias": Coding(codec="utf-8", meta=_meta("unicode-1-1-utf-8")),
    "utf-8-equiv": Coding(
        codec="utf-8", meta='<meta http-equiv=Content-Type content="text/html;charset=utf8">'
    ),
    "utf-8-bom": Coding(codec="utf-8", before=b"\xef\xbb\xbf"),
    "utf-8-bom-wrong-header": Coding(codec="utf-8", content_type=_header("gbk"), before=b"\xef\xbb\xbf"),
    "utf-8-bom-wrong-meta": Coding(codec="utf-8", meta=_meta("big5"), before=b"\xef\xbb\xbf"),
    "utf-8-header-wrong-meta": Coding(codec="utf-8", content_type=_header("utf-8"), meta=_meta("gbk")),
    "utf-8-meta-utf-16": Coding(codec="utf-8", meta=_meta("utf-16")),
    "utf-8-meta-twice": Coding(codec="utf-8", meta=_meta("utf-8") + _meta("gb2312")),
    "utf-8-meta-comment": Coding(codec="utf-8", meta="<!--" + _meta("gbk") + "-->" + _meta("utf-8")),
    "utf-8-meta-script": Coding(codec="utf-8", meta="<script>'<meta charset=gbk>'</script>" + _meta("utf-8")),
    "utf-8-unknown-header": Coding(codec="utf-8", content_type=_header("nosuch"), meta=_meta("utf-8")),
    "utf-8-quoted-header": Coding(codec="utf-8", content_type='text/html;charset="utf-8"'),
    "gbk": Coding(codec="gbk", content_type=_header("gbk")),
    "gbk-as-gb2312": Coding(codec="gbk", meta=_meta("gb2312")),
    "gbk-alias": Coding(codec="gbk", meta=_meta("x-gbk")),
    "gbk-chinese": Coding(codec="gbk", meta=_meta("chinese")),
    "gbk-iso-ir": Coding(codec="gbk", content_type=_header("iso-ir-58")),
    "gbk-header-wrong-meta": Coding(codec="gbk", content_type=_header("gb2312"), meta=_meta("utf-8")),
    "gb18030": Coding(codec="gb18030", content_type=_header("GB18030")),
    "gbk-meta-body": Coding(codec="gbk", meta="<body>" + _meta("gbk")),
    "gbk-undeclared": Coding(codec="gbk"),
    "utf-8-undeclared": Coding(codec="utf-8"),
    "big5": Coding(codec="big5", content_type=_header("big5"), is_traditional=True),
    "big5-meta": Coding(codec="big5", meta=_meta("big5"), is_traditional=True),
    "big5-hkscs": Coding(codec="big5hkscs", meta=_meta("big5-hkscs"), is_traditional=True),
    "traditional": Coding(codec="utf-8", meta=_meta("utf-8"), is_traditional=True),
    "utf-16-le": Coding(codec="utf-16-le", before=b"\xff\xfe"),
    "utf-16-be": Coding(codec="utf-16-be", before=b"\xfe\xff"),
    "utf-16-header": Coding(codec="utf-16-le", content_type=_header("utf-16le")),
    "utf-16-bom-wrong-header": Coding(codec="utf-16-le", content_type=_header("gbk"), before=b"\xff\xfe"),
    "ascii": Coding(codec="ascii", content_type=_header("us-ascii")),
    "latin-1": Coding(codec="latin-1", meta=_meta("iso-8859-1")),
    "windows-1252": Coding(codec="cp1252", content_type=_header("windows-1252")),
    "shift-jis": Coding(codec="shift_jis", content_type=_header("shift_jis"), is_traditional=True),
    "euc-jp": Coding(codec="euc_jp", meta=_meta("euc-jp"), is_traditional=True),
    "iso-2022-jp": Coding(
        codec="iso2022_jp",
        content_type=_header("iso-2022-jp"),
        is_traditional=True,
        unread=frozenset({"encoding"}),
    ),
    "euc-kr": Coding(codec="euc_kr", content_type=_header("euc-kr"), is_traditional=True),
    "user-defined": Coding(codec="ascii", content_type=_header("x-user-defined")),
}

_TITLE = f"<title>{DECOY_TITLE}</title>"


def _html(head: str, body: str) -> str:
    return f'<!DOCTYPE html><html lang="zh"><head>{head}</head><body>{body}</body></html>'


# How a page is put together: (head, body) → document.
SHELLS: dict[str, Callable[[str, str], str]] = {
    "html": _html,
    "html-quirks": lambda head, body: f"<html><head>{head}</head><body>{body}</body></html>",
    "html-bare": lambda head, body: f"<!DOCTYPE html>{head}{body}",
    "html-after-end": lambda head, body: f"<!DOCTYPE html><head>{head}</head><body></body></html>{body}",
    "html-two-bodies": lambda head, body: f"<!DOCTYPE html>{head}<body><p>x</body><body class=x>{body}",
    "html-open-head": lambda head, body: f"<!DOCTYPE html><head>{head}<div>{body}</div>",
    "html-xml-declaration": lambda head, body: f'<?xml version="1.0" encoding="utf-8"?>{_html(head, body)}',
    "html-old-doctype": lambda head, body: (
        '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">' + _html(head, body)[15:]
    ),
    "html-comment-first": lambda head, body: f"<!-- x -->{_html(head, body)}",
    "html-body-hidden-shown": lambda head, body: (
        f"<!DOCTYPE html><head>{head}<style>body{{display:none}}html body{{display:block}}</style></head>"
        f"<body>{body}</body>"
    ),
    "html-body-fade": lambda head, body: (
        f"<!DOCTYPE html><head>{head}<style>body{{opacity:0;animation:f 40ms forwards}}@keyframes f{{to{{opacity:1}}}}"
        f"</style></head><body>{body}</body>"
    ),
    "html-anti-flicker": lambda head, body: (
        f'<!DOCTYPE html><head>{head}<style>.hide{{opacity:0!important}}</style></head><body class="hide">{body}'
        "<script>document.body.classList.remove('hide')</script></body>"
    ),
    "html-hidden-root": lambda head, body: (
        f"<!DOCTYPE html><html hidden><head>{head}<style>[hidden]{{display:block}}</style></head><body>{body}</body>"
    ),
    "html-everything-in-table": lambda head, body: f"<!DOCTYPE html>{head}<table><tr><td>{body}</table>",
    "html-everything-in-form": lambda head, body: (
        f"<!DOCTYPE html>{head}<form><fieldset>{body}</fieldset></form>"
    ),
    "html-foster": lambda head, body: f"<!DOCTYPE html>{head}<table>{body}</table>",
    "html-in-template-like": lambda head, body: f"<!DOCTYPE html>{head}<x-template>{body}</x-template>",
    "html-lines": lambda head, body: _html(head, body).replace("><", ">\n<"),
}


def _xml(head: str, body: str) -> str:
    return (
        f'<html xmlns="http://www.w3.org/1999/xhtml" lang="zh"><head>{head}</head><body>{body}</body></html>'
    )


_XHTML_DTD = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
_TEXT_RUN = re.compile(r">([^<>]*[\u4e00-\u9fff][^<>]*)<")


def _cdata(head: str, body: str) -> str:
    return _xml(
        head, _TEXT_RUN.sub(lambda run: f"><![CDATA[{run[1]}]]><" if "&" not in run[1] else run[0], body)
    )


def _entities(head: str, body: str) -> str:
    declared: list[str] = []

    def named(run: re.Match[str]) -> str:
        if "&" in run[1]:
            return run[0]
        declared.append(f'<!ENTITY t{len(declared)} "{run[1]}">')
        return f">&t{len(declared) - 1};<"

    text = _TEXT_RUN.sub(named, body)
    return f"<!DOCTYPE html [{''.join(declared)}]>{_xml(head, text)}"


XML_SHELLS: dict[str, Callable[[str, str], str]] = {
    "xml": _xml,
    "xml-declared": lambda head, body: f'<?xml version="1.0" encoding="utf-8"?>{_xml(head, body)}',
    "xml-dtd": lambda head, body: _XHTML_DTD + _xml(head, body.replace("</p>", "&nbsp;</p>")),
    "xml-self-closed": lambda head, body: _xml(
        head + "<script/><style/>", "<textarea/><iframe/><div/>" + body
    ),
    "xml-cdata": _cdata,
    "xml-entities": _entities,
    "xml-instruction": lambda head, body: _xml(head, f"<?x hidden > ?>{body}"),
    "xml-unclosed-title": lambda head, body: _xml(head + "<title/>", body),
    "xml-commented": lambda head, body: _xml(head, f"<!-- --><script>//<!--\n</script>{body}<!-- -->"),
}
_PREFIXED = re.compile(r"(</?)(\w+)(?=[\s/>])")


def _prefixed(head: str, body: str) -> str:
    inner = _PREFIXED.sub(r"\1h:\2", f"<head>{head}</head><body>{body}</body>")
    return f'<h:html xmlns:h="http://www.w3.org/1999/xhtml">{inner}</h:html>'


XML_SHELLS["xml-prefixed"] = _prefixed


@dataclass(frozen=True, slots=True, kw_only=True)
class HostilePage:
    """A page and what it was made of.

    Attributes:
        response: as a server answers.
        fragments: with the techniques of each.
        texts: the protected text of each fragment.
        names: of everything that the page is made of, its fragments apart.
        unread: reasons of unread text that fit the whole page.
    """

    response: Response
    fragments: tuple[Fragment, ...]
    texts: tuple[str, ...]
    names: tuple[str, ...]
    unread: frozenset[UnreadReason]


def declared_charset(content_type: str) -> str | None:
    """Return the charset that a Content-Type header names."""
    found = _CHARSET.search(content_type)
    return found[1] if found else None


def assembled(
    fragments: Sequence[Fragment],
    texts: Sequence[str],
    *,
    shell: str = "html",
    coding: str = "utf-8",
    decoy: str = "none",
    is_sheet_in_body: bool = False,
) -> HostilePage:
    """Return a page of fragments with protected texts, in a shell, next to a decoy."""
    is_xml = shell in XML_SHELLS
    how = UTF8 if is_xml else CODINGS[coding]
    decoy_head, before, after = DECOYS[decoy]
    css = "".join(fragment.css for fragment in fragments)
    if is_xml:
        css = css.replace("&", "&amp;").replace("<", "&lt;")
    style = f"<style>{css}</style>" if css else ""
    head = how.meta + _TITLE + decoy_head + "".join(fragment.head for fragment in fragments)
    body = before + "".join(fragment.html for fragment in fragments) + after
    head, body = (head, style + body) if is_sheet_in_body else (head + style, body)
    document = (XML_SHELLS if is_xml else SHELLS)[shell](head, body)
    resources = {path: resource for fragment in fragments for path, resource in fragment.resources.items()}
    content_type = "application/xhtml+xml; charset=utf-8" if is_xml else how.content_type
    data = how.before + document.encode(how.codec, "xmlcharrefreplace")
    names = (f"shell-{shell}", f"coding-{'utf-8' if is_xml else coding}", f"decoy-{decoy}")
    return HostilePage(
        response=Response(body=data, content_type=content_type, resources=resources),
        fragments=tuple(fragments),
        texts=tuple(texts),
        names=names,
        unread=how.unread,
    )
