"""A page's title among the names of its site and section."""

import pytest
from support.pages import PROSE, page

from crawler.extraction import extract
from crawler.extraction.titles import is_home

STORY = "".join(f"<p>{PROSE}</p>" for _ in range(3))


@pytest.mark.parametrize(
    ("full", "head", "body", "title"),
    [
        (
            "渡口的七盏灯火 | 江岸",
            "",
            "<h1><a href='/'>江岸</a></h1><h1>渡口的七盏灯火</h1>",
            "渡口的七盏灯火",
        ),
        ("渡口的七盏灯火 | 江岸", "", "<h1 id=logo-wrap>江岸</h1><h2>渡口的七盏灯火</h2>", "渡口的七盏灯火"),
        ("江岸 - 渡口的七盏灯火", "", "<h2>渡口的七盏灯火</h2>", "渡口的七盏灯火"),
        ("灯火 | 渡口的七盏 - 江岸", "", "<div>灯火 | 渡口的七盏</div>", "灯火 | 渡口的七盏"),
        ("渡口的七盏灯火_国内_江岸", "", "", "渡口的七盏灯火"),
        ("江岸日报-江岸", "<meta name=ArticleTitle content=渡口的七盏灯火>", "", "渡口的七盏灯火"),
        (
            "江岸日报",
            "<meta property=og:title content='渡口的七盏灯火_江岸日报'>",
            "<h1>江岸日报</h1><div>渡口的七盏灯火</div>",
            "渡口的七盏灯火",
        ),
        ("渡口的七盏灯火【江岸吧】_江岸", "", "<h3>渡口的七盏灯火</h3>", "渡口的七盏灯火"),
        ("渡口的七盏灯火 XYZ江岸社区", "", "<div>渡口的七盏灯火</div>", "渡口的七盏灯火"),
        ("江岸网：渡口的七盏灯火", "", "<h2>渡口的七盏灯火</h2>", "渡口的七盏灯火"),
        ("江岸网>>副刊>>渡口的七盏灯火", "", "", "渡口的七盏灯火"),
        ("渡口的七盏灯火-副刊-江岸网", "", "", "渡口的七盏灯火"),
        ("渡口--岸上每一个老人都还记得的那七盏灯火", "", "", "岸上每一个老人都还记得的那七盏灯火"),
        ("(3条消息)渡口的七盏灯火_小河的博客", "", "", "渡口的七盏灯火"),
        ("T-4与七盏灯火谁更亮_江岸网", "", "", "T-4与七盏灯火谁更亮"),
        ("渡口的七盏灯火_江岸", "", "<h1>渡口的七盏灯火<i>原创</i></h1>", "渡口的七盏灯火"),
        ("江岸", "<meta property=og:title content='渡口的七盏灯火 - 江岸'>", "", "渡口的七盏灯火"),
        ("江岸", "", "<div>渡口的七盏灯火</div><div>作者：许三 2024-01-02</div>", "渡口的七盏灯火"),
        ("文章详情", "", "<div class=arti_title>渡口的七盏灯火</div>", "渡口的七盏灯火"),
    ],
)
def test_additions_are_removed_from_titles(full, head, body, title):
    result = extract(page(f"<div>{body}</div><div>{STORY}</div>", title=full, head=head))
    assert result.title == title
    assert result.text.split("\n") == [PROSE] * 3


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("/", True),
        ("http://x.example", True),
        ("https://x.example/index.html", True),
        ("/1.html", False),
        ("", False),
        ("#top", False),
        ("/?id=7", False),
        ("http://[", False),
    ],
)
def test_headings_that_link_home_are_logos(address, expected):
    assert is_home(address) is expected


def test_first_sentence_with_the_title_stays():
    lead = "渡口的七盏灯火今晚全亮了。"
    result = extract(page(f"<h1>渡口的七盏灯火</h1><div><p>{lead}</p>{STORY}</div>", title="渡口的七盏灯火"))
    assert result.text.split("\n") == [lead, *[PROSE] * 3]
