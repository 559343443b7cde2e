"""A text that a page hides in any way is in the article or in the rest, with the reason."""

import base64
import gc
import json
from urllib.parse import quote

import pytest

from crawler.extraction import PageContext
from crawler.extraction.garbage import paused_collector
from crawler.extraction.repeats import sentence_hash
from crawler.extraction.rest.text_lines import Location
from storage.records import MAX_PLACE_CHARS, MAX_REST_PIECES, UNREAD_UNITS
from tests.support.rest_pages import DECOY, SENTENCES, han, missing, page, paragraphs, read, reasons

TEXT = "".join(SENTENCES)
DOCUMENT = f"<html><body>{paragraphs()}</body></html>"
ESCAPED = TEXT.encode("unicode_escape").decode()


def number(value: int) -> str:
    """Return a number in Chinese digits."""
    return "".join("零一二三四五六七八九"[int(digit)] for digit in str(value))


HIDING = {
    "attribute hidden": (f"<div hidden>{paragraphs()}</div>", "hidden"),
    "inline style": (f'<div style="display:none">{paragraphs()}</div>', "hidden"),
    "sheet": (f"<style>.z{{visibility:hidden}}</style><div class=z>{paragraphs()}</div>", "hidden"),
    "comments": (f'<div class="comments">{paragraphs()}</div>', None),
    "button": (f"<button>{paragraphs()}</button>", "silent"),
    "option": ("<select>" + "".join(f"<option>{s}" for s in SENTENCES) + "</select>", "silent"),
    "svg": (f"<svg><foreignObject>{paragraphs()}</foreignObject></svg>", "silent"),
    "svg text": ("<svg>" + "".join(f"<text>{s}</text>" for s in SENTENCES) + "</svg>", "silent"),
    "object": (f"<object>{paragraphs()}</object>", "silent"),
    "video": (f"<video>{paragraphs()}</video>", None),
    "canvas": (f"<canvas>{paragraphs()}</canvas>", None),
    "template": (f"<div><template shadowrootmode=open>{paragraphs()}</template></div>", "silent"),
    "noscript": (f"<noscript>{paragraphs()}</noscript>", "silent"),
    "textarea": (f"<textarea>{TEXT}</textarea>", None),
    "textarea of markup": (f"<textarea>&lt;div&gt;{TEXT}&lt;/div&gt;</textarea>", "silent"),
    "xmp": (f"<xmp>{TEXT}</xmp>", None),
    "iframe fallback": (f"<iframe>{TEXT}</iframe>", None),
    "noembed": (f"<noembed>{TEXT}</noembed>", None),
    "alt": (f'<img alt="{TEXT}">', "attribute"),
    "title": (f'<span title="{TEXT}"></span>', "attribute"),
    "placeholder": (f'<input placeholder="{TEXT}">', "attribute"),
    "value": (f'<input type=button value="{TEXT}">', "attribute"),
    "label": (f'<optgroup label="{TEXT}"></optgroup>', "attribute"),
    "aria": (f'<i aria-label="{TEXT}"></i>', "attribute"),
    "any attribute": (f'<i zz="{TEXT}"></i>', "attribute"),
    "data with JSON": (f"<i data-x='{json.dumps({'t': TEXT})}'></i>", "attribute"),
    "data in percents": (f'<i data-x="{quote(TEXT)}"></i>', "attribute"),
    "data in base64": (f'<i data-x="{base64.b64encode(TEXT.encode()).decode()}"></i>', "attribute"),
    "class name": (f'<i class="{TEXT}"></i>', "attribute"),
    "content": (f'<style>.q::before{{content:"{TEXT}"}}</style><i class=q></i>', None),  # the article's
    "escaped content": (
        "<style>.q::after{content:'" + "".join(f"\\{ord(c):x} " for c in TEXT) + "'}</style><i class=q></i>",
        "style",
    ),
    "custom property": (f"<div style='--t:\"{TEXT}\"'></div>", "style"),
    "sheet in a link": (
        f"<link rel=stylesheet href=\"data:text/css,.q::before%7Bcontent:'{quote(TEXT)}'%7D\">",
        "style",
    ),
    "import": (
        f"<style>@import url(\"data:text/css,.q::before%7Bcontent:'{quote(TEXT)}'%7D\");</style>",
        "style",
    ),
    "srcdoc": (f'<iframe srcdoc="{DOCUMENT}"></iframe>', "frame"),
    "srcdoc escaped": (f'<iframe srcdoc="{DOCUMENT.replace("<", "&lt;")}"></iframe>', "frame"),
    "data address": (f'<iframe src="data:text/html;charset=utf-8,{quote(DOCUMENT)}"></iframe>', "frame"),
    "data address in base64": (
        f'<object data="data:text/html;charset=utf-8;base64,{base64.b64encode(DOCUMENT.encode()).decode()}">',
        "frame",
    ),
    "plain data address": (f'<embed src="data:text/plain;charset=utf-8,{quote(TEXT)}">', "frame"),
    "svg picture": (
        f'<img src="data:image/svg+xml,{quote(f"<svg><text>{TEXT}</text></svg>")}">',
        "frame",
    ),
    "javascript address": (f"<iframe src=\"javascript:'{TEXT}'\"></iframe>", "script"),
    "nested frames": (
        f'<iframe srcdoc="<iframe srcdoc=&quot;{DOCUMENT}&quot;></iframe>"></iframe>',
        "frame",
    ),
    "script": (f"<script>document.write('<p>{TEXT}</p>')</script>", "script"),
    "script escapes": (f'<script>x.innerHTML="{ESCAPED}"</script>', "script"),
    "template string": (f"<script>x.innerHTML=`{TEXT}`</script>", "script"),
    "array": (f"<script>var a={json.dumps(SENTENCES, ensure_ascii=False)}</script>", "script"),
    "single characters": (f"<script>var a={json.dumps(list(TEXT))};</script>", "script"),
    "JSON in JSON": (
        f'<script type="application/json">{json.dumps({"a": json.dumps({"b": TEXT})})}</script>',
        "script",
    ),
    "base64 in a script": (
        f'<script>d(atob("{base64.b64encode(TEXT.encode()).decode()}"))</script>',
        "script",
    ),
    "percents in a script": (f'<script>d(unescape("{quote(TEXT)}"))</script>', "script"),
    "entities in a script": (
        "<script>d('" + "".join(f"&#{ord(c)};" for c in TEXT) + "')</script>",
        "script",
    ),
    "script template": (f'<script type="text/template"><div>{paragraphs()}</div></script>', "script"),
    "unknown script": (f'<script type="x/y">{paragraphs()}</script>', "script"),
    "comment": (f"<!-- {paragraphs()} -->", "markup"),
    "comment that ends early": (f"<!--> {paragraphs()} -->", None),
    "conditional comment": (f"<!--[if IE]>{paragraphs()}<![endif]-->", "markup"),
    "CDATA": (f"<div><![CDATA[{TEXT}]]></div>", "markup"),
    "declaration": (f"<!X {TEXT}>", "markup"),
    "instruction": (f"<?x {TEXT}?>", "markup"),
    "end tag": (f"</p {TEXT}>", "markup"),
    "second attribute": (f'<i alt=x alt="{TEXT}"></i>', "markup"),
    "control byte in a name": (f"<scr\x00ipt>{paragraphs()}</scr\x00ipt>", None),
    "slogan before": (f"<p>原标题：{TEXT}</p>", None),
    "links": ("".join(f'<a href="/{n}">{s}</a><br>' for n, s in enumerate(SENTENCES)), "outside"),
}


@pytest.mark.parametrize("name", HIDING)
def test_hidden_text_is_in_the_rest_with_its_reason(name: str) -> None:
    body, reason = HIDING[name]
    result = read(page(body))
    assert missing(result) == []
    assert "rest" not in result.failed_steps
    if reason is not None:
        assert reasons(result) == {reason}


@pytest.mark.parametrize("name", HIDING)
def test_hidden_text_leaves_the_article_alone(name: str) -> None:
    body, reason = HIDING[name]
    if reason is not None:
        assert han(read(page(body)).text) == han("".join(DECOY))


def test_rest_of_a_plain_page_is_its_title_and_heading() -> None:
    result = read(page(""))
    assert result.rest == "豆腐坊\n豆腐坊"
    assert result.unread == {}


def test_pieces_cover_the_rest_in_order() -> None:
    result = read(page(HIDING["sheet"][0] + HIDING["alt"][0].replace("柳", "杨") + HIDING["links"][0]))
    assert "\n".join(result.rest[piece.start : piece.end] for piece in result.rest_pieces) == result.rest
    places = [piece.place for piece in result.rest_pieces]
    assert "body > div.z > p" in places
    assert "body > img[alt]" in places


def test_characters_split_over_shown_and_hidden_spans_stay_together() -> None:
    body = "".join(f"<b style='display:none'>{c}</b>" if n % 2 else f"<b>{c}</b>" for n, c in enumerate(TEXT))
    assert missing(read(page(f"<p>{body}</p>"))) == []


def test_characters_split_over_silent_elements_stay_together() -> None:
    body = "".join(f"<button>{c}</button>" if n % 2 else c for n, c in enumerate(TEXT))
    assert missing(read(page(f"<p>{body}</p>"))) == []


def test_characters_split_over_texts_and_attributes_stay_together() -> None:
    body = "".join(f'<img alt="{c}">' if n % 3 else c for n, c in enumerate(TEXT))
    assert missing(read(page(f"<p>{body}</p>"))) == []


def test_characters_that_a_sheet_generates_stay_in_their_sentences() -> None:
    sheet = "".join(f'.k{n}::before{{content:"{c}"}}' for n, c in enumerate("的了一着在"))
    body = TEXT
    for n, c in enumerate("的了一着在"):
        body = body.replace(c, f'<i class="k{n}"></i>')
    assert missing(read(page(f"<style>{sheet}</style><p>{body}</p>"))) == []


def test_short_lines_between_lines_of_the_rest_are_kept() -> None:
    lines = [sentence for pair in zip(SENTENCES, DECOY, strict=False) for sentence in pair]
    result = read(page("".join(f"<li><a href='/{n}'>{line}</a></li>" for n, line in enumerate(lines))))
    assert han("".join(lines[:-1])) in han(result.rest)


def test_text_in_several_places_is_in_the_rest_once() -> None:
    body = f'<div hidden title="{SENTENCES[0]}">{SENTENCES[0]}</div><script>a("{SENTENCES[0]}")</script>'
    result = read(page(body))
    assert han(result.rest).count(han(SENTENCES[0])) == 1
    assert reasons(result) == {"hidden"}


def test_repeated_sentences_of_a_site_stay_in_the_rest() -> None:
    context = PageContext(repeated=frozenset(map(sentence_hash, DECOY[:2])))
    result = read(page(""), context)
    assert DECOY[0] not in result.text
    assert DECOY[0] in result.rest
    assert "repeated" in {piece.reason for piece in result.rest_pieces}


def test_removed_slogans_stay_in_the_rest() -> None:
    slogan = "天才一秒记住本站地址，手机用户请阅读最新章节"
    markup = page("").replace(f"<p>{DECOY[2]}</p>", f"<p>{DECOY[2]}</p><p>{slogan}</p>")
    result = read(markup)
    assert slogan not in result.text
    assert slogan in result.rest
    assert "slogan" in {piece.reason for piece in result.rest_pieces}


def test_block_rejected_for_data_stays_in_the_rest() -> None:
    decoy = "\\n".join(DECOY * 3)
    markup = (
        f'<html><head><title>豆腐坊的故事全文</title><meta name=description content="{DECOY[0]}"></head>'
        f"<body><h1>豆腐坊的故事全文</h1>{paragraphs()}"
        f'<script type="application/ld+json">{{"articleBody":"{decoy}"}}</script></body></html>'
    )
    result = read(markup)
    assert missing(result) == []


def test_rest_is_cut_at_its_limit_and_the_cut_is_counted() -> None:
    body = "<div hidden>" + "".join(f"<p>{number(n)}。{SENTENCES[n % 6]}</p>" for n in range(900)) + "</div>"
    labels = "".join(f"<li>标签{number(n)}</li>" for n in range(500))
    result = read(page(labels + body), PageContext(max_rest_chars=5_000))
    assert len(result.rest) <= 5_000
    assert result.unread["limit"] > 20_000
    assert SENTENCES[0] in result.rest  # sentences go before labels
    assert "标签四零零" not in result.rest


def test_rest_of_zero_characters_is_empty() -> None:
    result = read(page(HIDING["sheet"][0]), PageContext(max_rest_chars=0))
    assert result.rest == ""
    assert result.rest_pieces == ()
    assert result.unread["limit"] > 100


def test_pieces_are_bounded() -> None:
    body = "".join(f"<div id='n{n}'><p>第{number(n)}个地方的一句话。</p></div>" for n in range(3_000))
    result = read(page(f"<div hidden>{body}</div>"))
    assert len(result.rest_pieces) == MAX_REST_PIECES
    assert result.rest_pieces[-1].end == len(result.rest)
    assert all(len(piece.place) <= MAX_PLACE_CHARS for piece in result.rest_pieces)


def test_unread_has_only_defined_reasons() -> None:
    result = read(page('<iframe src="/a.html"></iframe>'))
    assert result.unread == {"frames": 1}
    assert set(result.unread) <= set(UNREAD_UNITS)


def count_locations() -> int:
    return sum(isinstance(value, Location) for value in gc.get_objects())


def test_locations_do_not_outlive_their_page():
    with paused_collector():
        before = count_locations()
        read(page("<div><ul><li><a title='渡口的风'>渡口</a></li></ul></div>"))
        assert count_locations() == before
