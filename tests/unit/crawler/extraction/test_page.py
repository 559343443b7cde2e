"""Stored pages to their text, and every kind of page that must not be compared."""

import json
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction import extract

PAGES = Path(__file__).parents[3] / "pages"
REAL = Path(__file__).parents[5] / "shared" / "data" / "pages"
PROSE = (
    "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。他在这里守了四十年，从来没有"
    "见过哪一盏自己灭掉。可是今晚，第三盏灯闪了三下，就像有人在对岸打了个暗号，然后熄了。江水拍着木桩，一下，又一下。"
)


def page(body, *, title="渡口的灯", head=""):
    return f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>".encode()


def article(*paragraphs, **options):
    return page("<div id='content'>" + "".join(f"<p>{each}</p>" for each in paragraphs) + "</div>", **options)


@pytest.mark.parametrize("path", sorted(PAGES.rglob("*.txt")), ids=lambda path: path.stem)
def test_stored_pages_give_their_expected_text(path):
    found = extract(path.with_suffix(".html").read_bytes(), url=f"http://site.example/{path.stem}.html")
    expected = path.read_text(encoding="utf-8").strip()
    assert expected.startswith(found.text)
    assert len(found.text) > 100


def test_fields_of_an_article():
    found = extract((PAGES / "news/2026-03/0001.html").read_bytes())
    assert found.kind == "article"
    assert found.title == "老城区改造首批三百户居民搬进新家"
    assert found.site_name == "江岸日报网"
    assert found.published == "2026-03-02T08:15:00+08:00"
    assert found.confidence > 0.8
    assert "责任编辑" not in found.text
    assert found.dropped["outside"] > 0


def test_fields_of_a_chapter_in_parts():
    data = (PAGES / "novel/book/12/1.html").read_bytes()
    found = extract(data, url="http://x.example/book/12/1.html", declared="utf-8")
    assert (found.kind, found.encoding) == ("chapter", "gb18030")
    assert found.next_page == "http://x.example/book/12/1_2.html"
    assert found.next_chapter == "http://x.example/book/12/2.html"
    assert "一秒记住" not in found.text
    assert "本章未完" not in found.text
    last = extract((PAGES / "novel/book/12/1_2.html").read_bytes(), url="http://x.example/book/12/1_2.html")
    assert (last.next_page, last.next_chapter) == (None, "http://x.example/book/12/2.html")


def test_json_ld_says_who_and_when():
    data = {
        "@type": "NewsArticle",
        "headline": "灯",
        "author": [{"name": "许文"}],
        "datePublished": "2025-01-02T03:04Z",
    }
    mark = "<script type='application/ld+json'>"
    head = f"{mark}{json.dumps(data)}</script>{mark}{{</script>"
    found = extract(article(PROSE, PROSE, head=head))
    assert (found.title, found.author, found.published) == ("灯", "许文", "2025-01-02T03:04:00+00:00")


def test_poems_and_dialogue_keep_their_lines():
    poem = ["白日依山尽，", "黄河入海流。", "欲穷千里目，", "更上一层楼。"]
    talk = ["“谁？”", "“我。”", "“哦。”"]
    body = "<br/>".join([PROSE, *poem, PROSE[::-1], *talk, PROSE])
    found = extract(page(f"<div id='content'>{body}</div>"))
    assert found.text.split("\n") == [PROSE, *poem, PROSE[::-1], *talk, PROSE]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "empty"),
        (b"<html></html>", "empty"),
        (bytes(range(256)) * 9, "empty"),
        (page("<p>加载中</p>"), "empty"),
        (article(PROSE, PROSE), "article"),
        (article(PROSE, PROSE, title="第三章 对岸"), "chapter"),
        (page("".join(f"<li><a href='/{n}.html'>{PROSE[n : n + 20]}</a></li>" for n in range(60))), "list"),
        (article("安全验证：请完成验证码后继续访问", title="安全验证"), "blocked"),
        (article("您的访问过于频繁，请稍后再试。"), "blocked"),
        (article(PROSE, "内容加载失败！请刷新页面。"), "incomplete"),
        (article(PROSE, "（本章未完，请翻页）"), "incomplete"),
        (article(PROSE.replace("，", "\ue101"), PROSE.replace("，", "\ue102")), "obfuscated"),
        (
            article(
                *["".join(chr(0x3400 + ord(c) % 6000) if i % 9 == 0 else c for i, c in enumerate(PROSE))] * 2
            ),
            "obfuscated",
        ),
        (
            article(*["".join(chr(0x9000 + ord(c) % 2500) if c > "一" else c for c in PROSE)] * 2),
            "obfuscated",
        ),
    ],
)
def test_kinds(data, kind):
    assert extract(data, url="http://x.example/7.html").kind == kind


def test_wechat_content_hidden_by_style_is_read():
    data = page(f"<div id='js_content' style='visibility: hidden;'><p>{PROSE}</p><p>{PROSE[::-1]}</p></div>")
    assert PROSE in extract(data).text


def test_hidden_spam_is_not_read():
    data = page(
        f"<div><p>{PROSE}</p><p>{PROSE[5:]}</p></div><div style='display:none'>{'彩票，中奖。' * 2000}</div>"
    )
    assert "彩票" not in extract(data).text


def test_deep_nesting_does_not_break_it():
    assert extract(page("<div>" * 5000 + PROSE + "</div>" * 5000)).kind in {"article", "list", "empty"}


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_bytes_give_a_result(data):
    found = extract(data, url="http://x.example/")
    assert found.kind
    assert json.dumps(found.as_dict(), ensure_ascii=False)


def _shingles(text):
    plain = "".join(unicodedata.normalize("NFKC", text).split())
    return Counter(plain[at : at + 5] for at in range(len(plain) - 4))


@pytest.mark.skipif(not REAL.is_dir(), reason="the real pages are not here")
def test_real_pages_keep_their_measured_quality():
    scores = {"news": [], "novel": []}
    for entry in json.loads((REAL / "manifest.json").read_text(encoding="utf-8")):
        path = REAL / entry["kind"] / f"{entry['name']}.html"
        ours = _shingles(extract(path.read_bytes(), declared=entry["declared"]).text)
        gold = _shingles(path.with_suffix(".txt").read_text(encoding="utf-8"))
        scores[entry["kind"]].append(2 * (ours & gold).total() / max(1, ours.total() + gold.total()))
    assert sum(scores["news"]) / len(scores["news"]) > 0.93
    assert sum(scores["novel"]) / len(scores["novel"]) > 0.95
