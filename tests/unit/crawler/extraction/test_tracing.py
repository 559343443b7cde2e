"""Every character of an extracted text is traced to the page as received."""

import html
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.forms.transplants import transplants

from benchmarks.extraction import REAL, load_pages
from crawler.extraction import extract
from crawler.extraction.characters import replace_look_alikes, without_invisible
from crawler.extraction.parsing import decode_page
from crawler.extraction.tracing import trace

PROSE = "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。"


def visible_text(source):
    text = html.unescape(re.sub(r"<!--.*?-->|<[^>]*>", "", source, flags=re.DOTALL))
    return "".join(replace_look_alikes(without_invisible(text)).split())


def assert_traced(text, body, *, declared=None, share=1.0):
    source = decode_page(body, declared=declared).text
    traced, at = 0, 0
    for span in trace(text, [body], declared=declared):
        span_text = "".join(text[span.start : span.end].split())
        assert visible_text(source[span.source_start : span.source_end]) == span_text
        assert span.start >= at
        at, traced = span.end, traced + len(span_text)
    assert traced >= share * len("".join(text.split()))


@pytest.mark.parametrize("page", transplants(count=6), ids=lambda page: page.name)
def test_disguised_chapters_are_traced(page):
    assert_traced(extract(page.data).text, page.data)


def test_entities_tags_and_look_alikes_are_traced():
    first = f"{PROSE[:9]}<b>&#38647;</b>&nbsp;&amp;{PROSE[9:]}"
    body = f"<html><body><div><p>{first}</p><p>⼀{PROSE}</p></div></body></html>".encode("gb18030")
    text = extract(body).text
    assert "雷" in text
    assert "一雾" in text
    assert_traced(text, body)


def test_text_in_a_script_is_traced():
    content = "".join(f"<p>{PROSE}</p>" for _ in range(4)).encode("unicode_escape").decode()
    body = f'<html><body><script>var a = {{"content": "{content}"}}</script></body></html>'.encode()
    text = extract(body).text
    assert text == "\n".join([PROSE] * 4)
    spans = trace(text, [body])
    assert sum(span.end - span.start for span in spans) == 4 * len(PROSE)
    assert body.decode()[spans[0].source_start :].startswith("\\u96fe")


def test_text_on_two_pages_is_traced():
    bodies = [
        f"<html><body><p>{PROSE}</p></body></html>".encode(),
        b"<html><body><p>" + "完了。".encode() + b"</p></body>",
    ]
    assert [span.source_number for span in trace(f"{PROSE}\n完了。", bodies)] == [0, 1]


def test_missing_characters_are_omitted():
    assert trace("别的什么话", ["<p>雾</p>".encode()]) == []
    assert trace("", [b""]) == []


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(["雾", "灯，", "江心。", "<b>", "</b>", "&lt;", "<i>x</i>", " ", "\n", "\u200b"]),
        max_size=60,
    )
)
def test_text_in_any_markup_is_traced(pieces):
    body = f"<html><body><p>{PROSE}</p><p>{''.join(pieces)}{PROSE}</p></body></html>".encode()
    assert_traced(extract(body).text, body, share=0.99)


@pytest.mark.skipif(not REAL.is_dir(), reason="the real load_pages are not here")
def test_texts_of_real_pages_are_traced():
    for page in load_pages():
        text = extract(page.data, declared=page.declared).text
        source = decode_page(page.data, declared=page.declared).text
        spans = trace(text, [page.data], declared=page.declared)
        assert all(0 <= span.source_start < span.source_end <= len(source) for span in spans)
        traced = sum(len("".join(text[span.start : span.end].split())) for span in spans)
        assert traced >= 0.99 * len("".join(text.split()))
