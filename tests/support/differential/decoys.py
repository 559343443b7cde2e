"""Decoys next to the protected text: another article, lists, data that describe it."""

import json

from support.differential.texts import DECOY

_TITLE = "高温预报发布后市民生活指南"
_TEXT = "".join(DECOY)
_PARAGRAPHS = "".join(f"<p>{paragraph}</p>" for paragraph in DECOY)


def _script(kind: str, data: object) -> str:
    return f'<script type="{kind}">{json.dumps(data, ensure_ascii=False)}</script>'


# name → (markup for the head, before the fragments, after them)
DECOYS: dict[str, tuple[str, str, str]] = {
    "none": ("", "", ""),
    "before": ("", f"<article><h1>{_TITLE}</h1>{_PARAGRAPHS}</article>", ""),
    "after": ("", "", f'<div id="content"><h1>{_TITLE}</h1>{_PARAGRAPHS}</div>'),
    "content": ("", f'<h1>{_TITLE}</h1><div id="content" class="article-content">{_PARAGRAPHS}</div>', ""),
    "long": ("", f"<article>{_PARAGRAPHS * 4}</article>", ""),
    "data": (
        _script("application/ld+json", {"@type": "NewsArticle", "headline": _TITLE, "articleBody": _TEXT}),
        f"<article>{_PARAGRAPHS}</article>",
        "",
    ),
    "data-only": (
        _script("application/ld+json", {"@type": "NewsArticle", "headline": _TITLE, "articleBody": _TEXT}),
        "",
        "",
    ),
    "next": (
        "",
        "",
        '<script id="__NEXT_DATA__" type="application/json">'
        + json.dumps(
            {"props": {"pageProps": {"article": {"title": _TITLE, "content": _TEXT}}}}, ensure_ascii=False
        )
        + "</script>",
    ),
    "state": (
        "",
        "",
        f"<script>window.__INITIAL_STATE__={json.dumps({'chapter': {'content': _TEXT}})}</script>",
    ),
    "described": (
        f'<meta name="description" content="{DECOY[0]}"/><meta property="og:title" content="{_TITLE}"/>',
        f"<div>{_PARAGRAPHS}</div>",
        "",
    ),
    "list": (
        "",
        "<ul>"
        + "".join(f'<li><a href="/n/{n}.html">{p[:18]}</a></li>' for n, p in enumerate(DECOY))
        + "</ul>",
        "",
    ),
    "navigation": (
        "",
        '<nav><a href="/">首页</a> <a href="/n">新闻</a> <a href="/b">书库</a></nav>',
        "<footer><p>版权所有 本站内容由网友上传</p></footer>",
    ),
    "comments": (
        "",
        f"<h1>{_TITLE}</h1>{_PARAGRAPHS}<h3>网友评论</h3>",
        '<p><a href="/more">查看更多评论</a></p>',
    ),
    "hidden": ("", f'<div style="display:none">{_PARAGRAPHS}</div>', ""),
    "between": (
        "",
        f"<p>{DECOY[0]}</p><p>{DECOY[1]}</p><p>{DECOY[2]}</p>",
        f"<p>{DECOY[3]}</p><p>{DECOY[4]}</p>",
    ),
}
DECOY_TITLE = _TITLE
