"""The author of a page, and names that are not authors."""

import pytest
from support.pages import PROSE, page

from crawler.extraction import extract
from crawler.extraction.authors import _MARKED, author_of
from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse
from crawler.extraction.publication import _TIMES

MENU = "".join(f"<li><a href='/{n}.html'>频道{n}</a></li>" for n in range(80))


def author(line="", *, head="", end=""):
    story = "".join(f"<p>{PROSE}</p>" for _ in range(3))
    body = f"<ul>{MENU}</ul><h1>渡口的七盏灯火</h1>{line}<div>{story}</div>{end}"
    return extract(page(body, title="渡口的七盏灯火 - 江岸日报", head=head)).author


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("发布时间：2020-08-07浏览次数：作者：许文、阚松来源：", "许文、阚松"),
        ("2024-03-05 来源：江岸日报 作者：许文 编辑：甲", "许文"),
        ("文/许文", "许文"),
        ("记者 许文 报道", "许文"),
        ("撰文｜许文", "许文"),
        ("by John Smith", "John Smith"),
        ("<span itemprop=author itemscope><meta itemprop=name content=许文></span>", "许文"),
        ("<a rel=author href=/u>许文</a>", "许文"),
        ("<a class='follow-nickName' href=/u>许文</a>", "许文"),
        ("<a class='author-list' href=/u>许文</a>", None),
        ("<a class='nick-name' href=/u>许文@渡口</a>", "许文@渡口"),
        ("作者：佚名", None),
        ("来源：江岸日报", None),
        ("〔記者陳雅玲／台北報導〕", "陳雅玲"),
        ("聯合報 記者陳雅玲、許文／台北即時報導", "陳雅玲、許文"),
        ("<span class=author><a href=/a>聯合報</a> 記者<a href=/b>陳雅玲</a>／台北即時報導</span>", "陳雅玲"),
        (f"（中央社記者陳雅玲台北5日電）{PROSE * 3}", "陳雅玲"),
        ("作者：本报记者 许文 王五", "许文 王五"),
        ("本报记者 许文 责任编辑：王五", "许文"),
        ("<a class=nick href=/u>许文</a> 于 昨天 发布", "许文"),
        ("作者：</div><div>许文", "许文"),
        ("作者</div><div>这里写的是很长很长的另一行不是名字", None),
        ("記者會在台北舉行／影", None),
    ],
)
def test_author_in_the_line_below_the_heading(line, name):
    assert author(f"<div>{line}</div>") == name


@pytest.mark.parametrize(
    "content", ["Discuz! Team and Comsenz UI Team", "Hexo 6", "admin", "江岸日报", "http://x.example", "12"]
)
def test_programs_and_sites_are_not_authors(content):
    assert author(head=f"<meta name=author content='{content}'>") is None
    assert author("<div>作者：许文</div>", head=f"<meta name=author content='{content}'>") == "许文"


def test_label_below_the_text():
    rights = f"<footer><p>{PROSE}</p>{'<p>江岸日报的链接</p>' * 20}</footer>"
    assert author(end=f"<p>本文作者：许文</p>{'<p>标签</p>' * 20}{rights}") == "许文"
    assert author(end="<ul><li><strong>本文作者：</strong> 许文</li><li>本文链接：略</li></ul>") == "许文"


def author_among(lines, *, heading):
    """Return the author of a page with these lines and this number of the title's line."""
    tree = parse("<html><body>" + "".join(f"<p>{line}</p>" for line in lines) + "</body></html>")
    return author_of(tree, outline(tree.find("body")), fields=(), site_name="", heading=heading)


def among(position, *, labels=80):
    """Return meaningless lines with a byline at a position."""
    return ["标签"] * position + ["作者：许文"] + ["标签"] * (labels - position - 1)


@pytest.mark.parametrize(("heading", "first", "last"), [(20, 15, 35), (2, 0, 17), (0, 0, 15), (None, 0, 15)])
def test_bylines_are_read_five_lines_above_and_fifteen_below_the_heading(heading, first, last):
    read = [position for position in range(80) if author_among(among(position), heading=heading) == "许文"]
    assert read == list(range(first, last + 1))


def test_bylines_are_read_in_the_last_eight_lines_of_the_text():
    def lines(position):
        other_lines = among(position)
        return [*other_lines[:50], PROSE, *other_lines[51:]]

    places = [position for position in range(16, 80) if position != 50]
    read = [position for position in places if author_among(lines(position), heading=0) == "许文"]
    assert read == [position for position in range(42, 58) if position != 50]


@pytest.mark.parametrize(("chars", "name"), [(120, "许文"), (121, None)])
def test_long_lines_are_not_bylines(chars, name):
    assert author_among(["渡口", "作者：许文 " + "灯" * (chars - 6)], heading=0) == name


@pytest.mark.parametrize(("chars", "name"), [(40, "陳雅玲"), (41, None)])
def test_long_lines_may_begin_with_the_reporter(chars, name):
    lead = "江" * (chars - len("記者陳雅玲／"))
    assert author_among(["渡口", f"{lead}記者陳雅玲／{'灯' * 200}"], heading=0) == name


@pytest.mark.parametrize(("chars", "name"), [(12, "灯" * 12), (13, None)])
def test_names_on_separate_lines_are_short(chars, name):
    assert author_among(["渡口", "作者：", "灯" * chars], heading=0) == name


@pytest.mark.parametrize(
    "mark", ["rel=author>佚名</a>", f"class=author>{'灯' * 31}</a>"], ids=["by a vocabulary", "by a class"]
)
def test_only_the_first_twenty_marked_elements_are_read(mark):
    tag = mark.partition(">")[0]
    for count, name in ((19, "许文"), (20, None)):
        assert author_among([f"<a {mark}" * count + f"<a {tag}>许文</a>"], heading=0) == name


@pytest.mark.parametrize(("chars", "name"), [(30, "灯" * 30), (31, None)])
def test_sentences_in_marked_elements_are_not_names(chars, name):
    assert author_among([f"<a class=author>{'灯' * chars}</a>"], heading=0) == name


def test_element_marked_twice_counts_once():
    time = "<article><time pubdate itemprop=datePublished>乙</time></article>"
    marked = f"<b rel=author itemprop=author>甲</b>{time}"
    tree = parse(f"<html><body>{marked * 2}<i itemprop=author>丙</i><time>丁</time></body></html>")
    assert [element.text for element in _MARKED(tree)] == ["甲", "甲", "丙"]
    assert [element.text for element in _TIMES(tree)] == ["乙", "乙"]


@pytest.mark.parametrize(
    ("line", "author"),
    [
        ("作者：<a href=/a/1>小川</a>状态：连载 点击：0", "小川"),
        ("作者：小川状态：连载", "小川"),
        ("作者：小川字数：12万", "小川"),
        ("作 者：小川最后更新：2016-04-22", "小川"),
        ("作者：<span>小川</span>加入书架", "小川"),
        ("作者：<b>小川</b><i>投推荐票</i>", "小川"),
        ("作者：小川类别：武侠", "小川"),
        ("作者：小川 状态：连载", "小川"),
        ("作者：时状态", "时状态"),  # no colon says that it is a label
    ],
)
def test_name_ends_before_the_next_label(line, author):
    story = "渡口的石阶被水磨得发亮，卖藕的女人把担子搁在最下面一级。" * 4
    page = f"<title>渡口</title><body><h1>渡口</h1><div><p>{line}</p></div><article><p>{story}</p></article>"
    assert extract(page.encode()).author == author


@pytest.mark.parametrize(
    "end",
    [
        "<p>推荐小说：<a href='/b/2'>江湖</a> 作者：王五</p>",
        "<ul><li><a href='/b/2'>春江水暖</a></li><li>作者：王五</li></ul>",
        "<h3>热门推荐</h3><div>江湖</div><div>作者：王五</div>",
    ],
)
def test_authors_of_recommended_works_are_not_the_author(end):
    assert author(end=end) is None


def test_author_below_the_text_is_read():
    assert author(end="<p>作者：许文</p>") == "许文"


def test_edited_in_is_not_a_name():
    assert author("<p>Author: Edited In 2024</p>") is None
