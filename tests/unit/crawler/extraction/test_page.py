"""The text of stored pages, and every kind of page that must not be compared."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.forms.transplants import transplants
from support.pages import PROSE, article, page

from benchmarks.extraction import load_pages, measure
from benchmarks.extractors import all_extractors
from crawler.extraction import extract

PAGES = Path(__file__).parents[3] / "pages"
REAL = Path(__file__).parents[5] / "shared" / "data" / "pages"


@pytest.mark.parametrize("path", sorted(PAGES.rglob("*.txt")), ids=lambda path: path.stem)
def test_stored_pages_give_their_expected_text(path):
    result = extract(path.with_suffix(".html").read_bytes(), url=f"http://site.example/{path.stem}.html")
    expected = path.read_text(encoding="utf-8").strip()
    assert expected.startswith(result.text)
    assert len(result.text) > 100


def test_fields_of_an_article_are_read():
    result = extract((PAGES / "news/2026-03/0001.html").read_bytes())
    assert result.kind == "article"
    assert result.title == "老城区改造首批三百户居民搬进新家"
    assert result.site_name == "江岸日报网"
    assert result.published.iso() == "2026-03-02T08:15+08:00"
    assert result.confidence > 0.8
    assert "责任编辑" not in result.text
    assert result.dropped["outside"] > 0


def test_fields_of_a_multi_page_chapter_are_read():
    data = (PAGES / "novel/book/12/1.html").read_bytes()
    result = extract(data, url="http://x.example/book/12/1.html", declared="utf-8")
    assert (result.kind, result.encoding) == ("chapter", "gb18030")
    assert result.next_page == "http://x.example/book/12/1_2.html"
    assert result.next_chapter == "http://x.example/book/12/2.html"
    assert "一秒记住" not in result.text
    assert "本章未完" not in result.text
    last = extract((PAGES / "novel/book/12/1_2.html").read_bytes(), url="http://x.example/book/12/1_2.html")
    assert (last.next_page, last.next_chapter) == (None, "http://x.example/book/12/2.html")


def test_poems_and_dialogue_keep_their_lines():
    poem = ["白日依山尽，", "黄河入海流。", "欲穷千里目，", "更上一层楼。"]
    talk = ["“谁？”", "“我。”", "“哦。”"]
    body = "<br/>".join([PROSE, *poem, PROSE[::-1], *talk, PROSE])
    result = extract(page(f"<div id='content'>{body}</div>"))
    assert result.text.split("\n") == [PROSE, *poem, PROSE[::-1], *talk, PROSE]


def test_wechat_content_hidden_by_style_is_read():
    data = page(f"<div id='js_content' style='visibility: hidden;'><p>{PROSE}</p><p>{PROSE[::-1]}</p></div>")
    assert PROSE in extract(data).text


def test_hidden_spam_is_not_read():
    data = page(
        f"<div><p>{PROSE}</p><p>{PROSE[5:]}</p></div><div style='display:none'>{'彩票，中奖。' * 2000}</div>"
    )
    assert "彩票" not in extract(data).text


def test_deep_nesting_is_read():
    assert extract(page("<div>" * 5000 + PROSE + "</div>" * 5000)).kind in {"article", "list", "empty"}


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_bytes_give_a_result(data):
    result = extract(data, url="http://x.example/")
    assert result.kind
    assert json.dumps(result.as_dict(), ensure_ascii=False)


@pytest.mark.skipif(not REAL.is_dir(), reason="the real pages are not here")
def test_real_pages_reach_their_figures():
    stored = load_pages()
    qualities, paces = measure(stored, {"pindna": all_extractors()["pindna"]})
    f1 = {quality.group: quality.f1 for quality in qualities}
    assert f1["news"] >= 0.965
    assert f1["news, human gold"] >= 0.95
    assert f1["novels"] >= 0.992
    assert next(quality.precision for quality in qualities if quality.group == "short") >= 0.88
    assert paces[0].lists_taken <= 1
    assert paces[0].texts_kept >= 0.96 * paces[0].texts
    assert paces[0].garbled_kept == 0


def test_chapters_disguised_by_pirates_are_cleaned():
    qualities, _ = measure(transplants(seed=2), {"pindna": all_extractors()["pindna"]})
    assert qualities[0].precision >= 0.98
    assert qualities[0].recall >= 0.98


def test_chapter_number_and_title_are_fields():
    result = extract(article(PROSE, PROSE, title="第三章 对岸_渡口_望江书屋"))
    assert (result.chapter, result.chapter_title) == (3, "对岸")
    assert extract(article(PROSE, PROSE)).chapter is None


def test_truncated_packed_pages_are_unpacked_to_their_end():
    data = article(*[PROSE] * 9)
    assert extract(gzip.compress(data)).text == extract(data).text
    cut = gzip.compress(article(*[f"{number}{PROSE}" for number in range(400)]))
    assert extract(cut[: len(cut) // 2]).kind == "article"
    assert extract(b"\x1f\x8bno gzip at all").encoding == "binary"


def test_packed_bomb_is_read_up_to_a_limit():
    assert extract(gzip.compress(bytes(64 * 1024 * 1024))).kind == "empty"


@pytest.mark.parametrize("tag", ["div", "span", "b", "font color=red"])
def test_hundred_thousand_tags_hide_nothing(tag):
    nested = f"<{tag}>" * 100_000 + f"<p>{PROSE}</p><p>{PROSE}</p>"
    assert PROSE in extract(page(nested)).text


def test_text_between_deep_tags_is_kept():
    result = extract(page("".join(f"<div>雾{n}，" for n in range(30_000))))
    assert result.text.split("\n") == [f"雾{n}，" for n in range(30_000)]
    assert result.failed_steps[0] == "markup"


@pytest.mark.parametrize(
    ("heading", "link", "title"),
    [
        ("第七章 下水", "下一章", "第七章 下水"),
        ("第七章 下水", "下一篇", "船匠与河的故事"),
        ("下水", "下一章", "船匠与河的故事"),
    ],
)
def test_chapter_of_a_page_titled_after_its_book_is_its_title(heading, link, title):
    text = f"<p>{PROSE}</p>" * 2
    body = f"<h1>船匠与河的故事</h1><h2>{heading}</h2>{text}<a href='/8.html'>{link}</a>"
    assert extract(page(body, title="船匠与河的故事")).title == title


def test_paragraphs_that_a_script_has_twice_count_once():
    lines = [f"第{number}盏灯。{PROSE}" for number in "一二三四"]
    data = json.dumps({"text": [{"t": line} for line in lines], "copy": [{"t": line} for line in lines]})
    found = extract(page(f"<div id='app'></div><script>window.DATA={data}</script>"))
    assert found.text.split("\n") == lines
