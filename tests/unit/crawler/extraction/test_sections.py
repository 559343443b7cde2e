"""Texts in sections: a table of contents above them, links in their headings; briefs above many teasers."""

from support.pages import PROSE, page

from crawler.extraction import extract

TITLE = "渡口的七盏灯火"
SUMMARY = f"渡口的七盏灯火，写的是江上的事。{PROSE}"
SECTIONS = [f"第{number}节的正文：{PROSE}" for number in range(8)]
CONTENTS = "".join(
    f"<li><a href='#s{number}'>第{number}节 {name}</a></li>"
    for number, name in enumerate("灯雾江桥船人夜晨" * 6)
)
TEASER = "大桥今日通车，全长三公里，双向六车道，上午十时有很多人来看，市长也来了，他说了很多话。"


def encyclopedia(head=""):
    parts = "".join(
        f"<div class=level><h2>第{number}节</h2><a href='/edit/{number}'>编辑</a></div>"
        f"<div class=para>{text}</div>"
        for number, text in enumerate(SECTIONS)
    )
    top = f"<h1>{TITLE}</h1><div class=summary><p>{SUMMARY}</p></div><div><ol>{CONTENTS}</ol></div>"
    return page(f"<div>{top}{parts}</div>", title=f"{TITLE}_百科", head=head)


def test_sections_below_a_table_of_contents_are_one_text():
    description = f"<meta name=description content='{SUMMARY[:80]}'>"
    for head in ("", description):
        result = extract(encyclopedia(head))
        assert result.kind == "article"
        assert all(text in result.text for text in (SUMMARY, *SECTIONS))


def test_a_brief_stays_when_many_teasers_follow_it():
    brief = [f"{word}，{PROSE}" for word in ("夜里", "早上")]
    story = "".join(f"<p>{line}</p>" for line in brief)
    teasers = "".join(
        f"<div><h4><a href='/{number}.html'>大桥第{number}段今日通车</a></h4><p>{number}，{TEASER}</p></div>"
        for number in range(30)
    )
    for body in (f"<div>{story}</div><div>{teasers}</div>", f"{story}<div>{teasers}</div>"):
        result = extract(page(f"<h1>{TITLE}</h1>{body}", title=TITLE))
        assert result.text.split("\n") == brief
