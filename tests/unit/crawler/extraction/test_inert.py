"""A page for people to look at: its look and its words stay, nothing active does."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.inert import inert_html
from crawler.extraction.parsing import parse

PICTURE = "data:image/png;base64,iVBORw0KGgo="


def page(body, head=""):
    return inert_html(f"<html><head>{head}</head><body>{body}</body></html>".encode(), declared="utf-8")


def test_text_and_style_are_kept():
    shown = page(
        "<p style='color:red' class=a>渡口的灯 {{7*7}}</p>", head="<style>.a { font-size: 20px }</style>"
    )
    assert "渡口的灯 {{7*7}}" in shown
    assert "color:red" in shown
    assert "font-size: 20px" in shown


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<IMG SRC=javascript:alert(1)>",
        "<svg onload=alert(1)><script>alert(1)</script></svg>",
        "<math><mtext><script>alert(1)</script></mtext></math>",
        "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
        "<object data=//evil.example/x></object>",
        "<embed src=//evil.example/x>",
        "<form action=//evil.example/><input name=a><button>x</button></form>",
        "<a href='//evil.example/' ping='//evil.example/'>x</a>",
        "<a href='javascript:alert(1)'>x</a>",
        "<base href='//evil.example/'>",
        "<link rel=stylesheet href='//evil.example/x.css'>",
        "<meta http-equiv=refresh content='0;url=//evil.example/'>",
        "<video src='//evil.example/x' poster='//evil.example/y'></video>",
        "<div style='background:expression(alert(1))'>x</div>",
        "<style>@import '//evil.example/x.css';</style>",
        "<img srcset='//evil.example/x 2x'>",
        "<img src='data:image/svg+xml;base64,PHN2Zz4='>",
        "<template><script>alert(1)</script></template>",
        "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
        "<body background='//evil.example/x' onload=alert(1)>",
    ],
)
def test_active_content_and_addresses_are_removed(hostile):
    shown = page(f"<p>渡口{hostile}</p><p>灯</p>").lower()
    assert "灯" in shown
    assert "渡口" in shown
    assert not re.search(r"<(?:script|iframe|object|embed|form|input|link|meta|base|svg|math)\b", shown)
    assert not re.search(r"<[^>]*\son\w+\s*=", shown)
    assert "javascript:" not in shown
    assert "@import" not in shown
    assert "evil.example" not in shown.replace("> '//evil.example/x.css';<", "")
    assert "svg+xml" not in shown


def test_pictures_of_the_page_itself_stay():
    assert PICTURE in page(f"<img src='{PICTURE}'>")


def test_page_in_another_encoding_is_read():
    assert "渡口" in inert_html("<html><body>渡口</body></html>".encode("gb18030"), declared="gb18030")


def test_empty_page_gives_an_empty_document():
    assert inert_html(b"") == ""


@given(st.text(alphabet=st.sampled_from("<>/='\" abonerrscipt:灯&;!-"), max_size=200))
def test_no_markup_stays_active(text):
    tree = parse(page(text))
    elements = [] if tree is None else [element for element in tree.iter() if isinstance(element.tag, str)]
    assert all(element.tag != "script" for element in elements)
    assert not any(name.startswith("on") for element in elements for name in element.attrib)
