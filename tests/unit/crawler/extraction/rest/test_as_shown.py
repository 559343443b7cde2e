"""Lines that styles change are in the rest as a reader sees them, wherever on a page they are."""

import json
from html import escape
from urllib.parse import quote

import pytest

from tests.support.rest_pages import DECOY, SENTENCES, han, missing, page, read

TEXT = "".join(SENTENCES)
JUNK = "".join(f'{char}<i style="display:none">的了</i>' for char in TEXT)
REVERSED = f'<p style="unicode-bidi:bidi-override;direction:rtl">{TEXT[::-1]}</p>'
GENERATED = f"<style>.q::before{{content:'{TEXT}'}}</style><p class=q></p>"
PLACED = "".join(
    f'<p style="grid-row:{number + 1}">{SENTENCES[number]}</p>' for number in reversed(range(len(SENTENCES)))
)
MARKUP = {
    "junk": f"<p>{JUNK}</p>",
    "reversed": REVERSED,
    "generated": GENERATED,
    "in order": f'<div style="display:grid">{PLACED}</div>',
}


def in_script(text: str) -> str:
    """Return a text that does not end a script."""
    return text.replace("</", "<\\/")


def pieces(text: str) -> str:
    """Return a text as a concatenation of strings in a script."""
    return "+".join(json.dumps(text[at : at + 7], ensure_ascii=False) for at in range(0, len(text), 7))


CARRIERS = {
    "outside": lambda markup: f"<aside>{markup}</aside>",
    "hidden by a guess": lambda markup: f"<div hidden class=z>{markup}</div>",
    "head": lambda markup: f"</head><x-text>{markup}</x-text>",
    "button": lambda markup: f"<button>{markup}</button>",
    "template": lambda markup: f"<div><template shadowrootmode=open>{markup}</template></div>",
    "rp": lambda markup: f"<ruby><rp>{markup}</rp></ruby>",
    "srcdoc": lambda markup: f'<iframe srcdoc="{escape(markup)}"></iframe>',
    "data": lambda markup: f'<iframe src="data:text/html;charset=utf-8,{quote(markup)}"></iframe>',
    "script": lambda markup: f"<script>box.innerHTML={in_script(json.dumps(markup))}</script>",
    "sum": lambda markup: f"<script>box.innerHTML={in_script(pieces(markup))}</script>",
    "handler": lambda markup: f'<img src=x onerror="{escape("a.innerHTML=" + json.dumps(markup))}">',
    "address": lambda markup: f'<iframe src="javascript:{escape(json.dumps(markup))}"></iframe>',
    "attribute": lambda markup: f'<div data-t="{escape(markup)}"></div>',
    "textarea": lambda markup: f"<textarea hidden>{escape(markup)}</textarea>",
    "comment": lambda markup: f"<div><!--{markup}--><script>t(x.firstChild.data)</script></div>",
}


@pytest.mark.parametrize("style", MARKUP)
@pytest.mark.parametrize("carrier", CARRIERS)
def test_text_is_in_the_rest_as_it_is_shown(style: str, carrier: str) -> None:
    assert missing(read(page(CARRIERS[carrier](MARKUP[style])))) == []


def test_text_after_the_end_or_in_a_second_body_is_shown() -> None:
    for ended in (f"<body><p>x</p></body></html>{MARKUP['junk']}", f"<body></body><body>{MARKUP['junk']}"):
        extracted = read(f"<html><head><title>x</title></head>{ended}")
        assert han(TEXT) in han(extracted.text)


def test_style_element_that_is_shown_is_text() -> None:
    extracted = read(page(f"<style style='display:block' type=x>{TEXT}</style>"))
    assert han(TEXT) in han(extracted.rest)


def test_images_and_sheets_in_sheets_are_read() -> None:
    image = quote(f"<svg xmlns='http://www.w3.org/2000/svg'><text>{TEXT}</text></svg>")
    inner = quote(f"p::before{{content:'{TEXT}'}}")
    outer = quote(f"@import 'data:text/css,{inner}';")
    for markup in (
        f"<p style=\"background:url('data:image/svg+xml,{image}')\"></p>",
        f'<style>@import "data:text/css,{outer}";</style>',
    ):
        assert han(TEXT) in han(read(page(markup)).rest), markup


def test_plain_page_has_no_duplicate_text() -> None:
    extracted = read(page("<ul><li><a href=/a>首页</a> <a href=/b>书库的新书与旧书</a></ul>"))
    assert extracted.rest.count("书库的新书与旧书") == 1
    assert not any(sentence in extracted.rest for sentence in DECOY)
