"""Stored pages to their text, and every kind of page that must not be compared."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.extraction import measure, pages
from benchmarks.extractors import everyone
from benchmarks.transplants import transplants
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
        (article(PROSE, PROSE, "（內容加載失敗！請重載或更換瀏覽器）"), "incomplete"),
        (article(PROSE, PROSE, "內容加載失敗！", "<a href='7_2.html'>下一頁</a>"), "article"),
        (article("內容加載失敗！", "<a href='7_2.html'>下一頁</a>"), "incomplete"),
        (article("您的訪問過於頻繁，請稍後再試。"), "blocked"),
        (article("本章为VIP章节，需要订阅后才能阅读。"), "blocked"),
        (article("请先登录后查看全文。"), "blocked"),
        (article(*[PROSE] * 4, "网站一度显示“拒绝访问”，两小时后恢复。"), "article"),
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


@pytest.mark.skipif(not REAL.is_dir(), reason="the real pages are not here")
def test_real_pages_reach_their_figures():
    stored = pages()
    qualities, paces = measure(stored, {"pindna": everyone()["pindna"]})
    f1 = {each.group: each.f1 for each in qualities}
    assert f1["news"] >= 0.965
    assert f1["news, human gold"] >= 0.95
    assert f1["novels"] >= 0.992
    assert next(each.precision for each in qualities if each.group == "short") >= 0.88
    assert paces[0].lists_taken <= 1
    assert paces[0].texts_kept >= 0.96 * paces[0].texts
    assert paces[0].garbled_kept == 0


def test_chapters_dressed_by_pirates_are_undressed():
    qualities, _ = measure(transplants(seed=2), {"pindna": everyone()["pindna"]})
    assert qualities[0].precision >= 0.98
    assert qualities[0].recall >= 0.98


def test_chapter_number_and_title_are_fields():
    found = extract(article(PROSE, PROSE, title="第三章 对岸_渡口_望江书屋"))
    assert (found.chapter, found.chapter_title) == (3, "对岸")
    assert extract(article(PROSE, PROSE)).chapter is None


def test_packed_pages_are_unpacked_as_far_as_they_go():
    data = article(*[PROSE] * 9)
    assert extract(gzip.compress(data)).text == extract(data).text
    cut = gzip.compress(article(*[f"{number}{PROSE}" for number in range(400)]))
    assert extract(cut[: len(cut) // 2]).kind == "article"
    assert extract(b"\x1f\x8bno gzip at all").encoding == "binary"


def test_a_packed_bomb_is_read_up_to_a_limit():
    assert extract(gzip.compress(bytes(64 * 1024 * 1024))).kind == "empty"


@pytest.mark.parametrize("tag", ["div", "span", "b", "font color=red"])
def test_a_hundred_thousand_tags_hide_nothing(tag):
    nested = f"<{tag}>" * 100_000 + f"<p>{PROSE}</p><p>{PROSE}</p>"
    assert PROSE in extract(page(nested)).text


def test_text_between_deep_tags_is_survived():
    assert extract(page("".join(f"<div>雾{n}，" for n in range(30_000)))).kind


def test_login_pages_and_short_briefs_beside_a_log_in():
    form = "<form><input type=password name=p>登录</form>"
    assert extract(page(f"<p>您可以使用网盘，随时存，随地取。</p>{form}")).kind == "blocked"
    assert extract(article(PROSE, PROSE, PROSE[::-1]) + form.encode()).kind == "article"


def test_teasers_alone_are_a_list():
    text = "今年的候鸟比往年早到了{0}天，湿地的人忙得很，大家都很高兴。"
    item = f"<div><a href='/{{0}}.html'>候鸟北归的第{{0}}天</a><p>{text}</p></div>"
    assert extract(page("<div>" + "".join(item.format(n) for n in range(30)) + "</div>")).kind == "list"


def test_a_page_of_links_with_a_remark_is_a_list():
    links = "".join(f"<a href='/{n}.html'>候鸟北归的第{n}天早上</a>" for n in range(300))
    assert extract(page(f"<div>{links}</div><p>{PROSE}</p>")).kind == "list"


def test_poems_in_short_lines_and_code_are_no_lists():
    code = "<pre>" + "client.insert(data)\n" * 300 + "</pre>"
    assert extract(article(*[PROSE] * 4, code, *[PROSE] * 4)).kind == "article"
