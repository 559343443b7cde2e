"""Pages whose text is only in their data, for a script to show; see :mod:`support.forms.twins`."""

import base64
import json
from collections.abc import Callable
from html import escape
from typing import Any
from urllib.parse import quote

from lxml import html as lxml_html

Node = Any  # lxml ships no types


def _moved(markup_of: Callable[[str, str], str]) -> Callable[[Node, Node, object], None]:
    """Return a form that takes the text out of its element and puts markup made of it at the end of the page.

    Args:
        markup_of: from the page's title and the text's own markup.
    """

    def move(tree: Node, holder: Node, _: object) -> None:
        content = "".join(
            [
                escape(holder.text or ""),
                *(lxml_html.tostring(child, encoding="unicode") for child in holder),
            ]
        )
        title = tree.findtext("head/title") or ""
        for child in list(holder):
            holder.remove(child)
        holder.text = ""
        body = tree.find("body")
        body.append(lxml_html.fragment_fromstring(markup_of(title, content)))

    return move


def _state(title: str, content: str) -> dict[str, Any]:
    """Return the state of a page as applications keep it."""
    return {
        "config": {"locale": "zh-CN", "host": "https://www.example.com", "version": "1.2.3"},
        "user": None,
        "article": {"id": 20240305, "title": title, "content": content, "tags": ["新闻"], "views": 1024},
    }


def _json(value: object, *, ascii_only: bool = False) -> str:
    """Return JSON that a script element can hold."""
    return json.dumps(value, ensure_ascii=ascii_only).replace("</", "<\\/")


def _next_data(title: str, content: str) -> str:
    data = {"props": {"pageProps": _state(title, content)}, "page": "/p/[id]"}
    return f'<script id="__NEXT_DATA__" type="application/json">{_json(data)}</script>'


def _nuxt(title: str, content: str) -> str:
    state = f"{{title:a,content:{_json(content)},id:b}}"
    call = f"(function(a,b){{return {{data:[{state}],fetch:{{}}}}}}({_json(title)},7))"
    return f"<script>window.__NUXT__={call}</script>"


def _initial_state(title: str, content: str) -> str:
    state = _json(_state(title, content), ascii_only=True)
    return f"<script>window.__INITIAL_STATE__={state};(function(){{var s=document.currentScript}})()</script>"


def _parsed(title: str, content: str) -> str:
    literal = _json(_json(_state(title, content), ascii_only=True), ascii_only=True)
    return f"<script>window.__DATA__ = JSON.parse({literal});</script>"


def _linked_data(title: str, content: str) -> str:
    plain = "\n".join(
        line
        for raw in lxml_html.fragment_fromstring(content, create_parent="div").itertext()
        if (line := raw.strip())
    )
    data = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": title, "articleBody": plain}
    return f'<script type="application/ld+json">{_json(data)}</script>'


def _percent(_: str, content: str) -> str:
    return f'<script>var content = decodeURIComponent("{quote(content)}");</script>'


def _base64(_: str, content: str) -> str:
    return f'<script>var content = atob("{base64.b64encode(content.encode()).decode()}");</script>'


def _escaped(title: str, content: str) -> str:
    return f"<script>var info = {{title: {_json(title)}, body: {_json(escape(content))}}};</script>"


IN_DATA = {
    "data: __NEXT_DATA__": _moved(_next_data),
    "data: __NUXT__": _moved(_nuxt),
    "data: __INITIAL_STATE__, \\u…": _moved(_initial_state),
    "data: JSON.parse of a string": _moved(_parsed),
    "data: JSON-LD articleBody": _moved(_linked_data),
    "data: percent-encoded": _moved(_percent),
    "data: base64": _moved(_base64),
    "data: escaped markup": _moved(_escaped),
    "data: template": _moved(lambda _, content: f"<template>{content}</template>"),
    "data: noscript": _moved(lambda _, content: f"<noscript>{content}</noscript>"),
    "data: textarea": _moved(
        lambda _, content: f"<textarea style='display:none'>{escape(content)}</textarea>"
    ),
}
