"""A longer story below a brief is not its continuation if it is announced or linked as another story."""

import pytest
from support.pages import PROSE, page

from crawler.extraction import extract

BRIEF = "昨天下午，河东镇的渡口重新开放，三条新船当天运送了四百多名乘客。"
STORY = "".join(f"<p>第{number}盏。{PROSE}</p>" for number in "一二三四")


def brief(below, *, box="con"):
    body = f"<h1>河东渡口重新开放</h1><div class='{box}'><p>{BRIEF}</p></div>{below}"
    return extract(page(body, title="河东渡口重新开放"))


@pytest.mark.parametrize(
    "head", ["<h3>推荐阅读</h3>", "<h2><a href='/2.html'>七盏灯</a></h2>", "<b>相关新闻：</b><br>"]
)
def test_a_recommended_story_is_not_the_brief(head):
    found = brief(f"<div class='more'>{head}{STORY}</div>")
    assert found.text == BRIEF
    assert PROSE in found.rest
    assert found.confidence < 0.5


@pytest.mark.parametrize(
    "head",
    [
        "",
        "<h2>七盏灯</h2>",
        "<h2><a href='#1'>七盏灯</a></h2>",
        "<h2><a href='/post/1.html#s2'>七盏灯</a></h2>",
        "<h2><a href='/1.html'>河东渡口重新开放</a></h2>",
    ],
)
def test_a_section_below_the_first_sentence_stays(head):
    assert PROSE in brief(f"<div class='more'>{head}{STORY}</div>").text


def test_the_first_story_of_a_list_is_not_a_brief():
    stories = "".join(
        f"<div class='con'><h2><a href='/{n}.html'>灯{n}</a></h2>{STORY}</div>" for n in range(3)
    )
    assert PROSE in brief(stories).text


@pytest.mark.parametrize("heading", ["<h1><a href='/2.html'>七盏灯</a></h1>", "<h1>七盏灯</h1>"])
def test_the_next_story_of_an_endless_page_is_not_the_brief(heading):
    date = "<span>2024-06-07 07:07</span>"
    first = f"<div class='story'><h1>河东渡口重新开放</h1>{date}<p>{BRIEF}</p></div>"
    body = f"{first}<div class='story'>{heading}{date}{STORY}</div>"
    found = extract(page(body, title="河东渡口重新开放"))
    assert found.text == BRIEF
    assert PROSE in found.rest


def test_announced_summaries_without_a_container_are_not_the_brief():
    items = "".join(
        f"<p><a href='/{n}.html'>七盏灯的第{n}个晚上</a></p><p>{PROSE[:40]}</p>" for n in range(4)
    )
    found = brief("", box=f"con'><p>{BRIEF}</p><p><b>延伸阅读</b></p>{items}</div><div class='")
    assert (found.kind, PROSE[:20] in found.text) == ("article", False)
    assert PROSE[:20] in found.rest


def test_another_column_of_a_layout_table_is_not_the_brief():
    columns = f"<td><h1>河东渡口重新开放</h1><p>{BRIEF}</p></td><td><h3>专栏</h3>{STORY}</td>"
    found = extract(page(f"<table><tr>{columns}</tr></table>", title="河东渡口重新开放"))
    assert found.text == BRIEF
    assert PROSE in found.rest
    assert found.confidence < 0.5
