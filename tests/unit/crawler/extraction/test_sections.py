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


def test_sections_below_a_table_of_contents_are_a_single_text():
    description = f"<meta name=description content='{SUMMARY[:80]}'>"
    for head in ("", description):
        result = extract(encyclopedia(head))
        assert result.kind == "article"
        assert all(text in result.text for text in (SUMMARY, *SECTIONS))


def test_brief_stays_when_many_teasers_follow_it():
    brief = [f"{word}，{PROSE}" for word in ("夜里", "早上")]
    story = "".join(f"<p>{line}</p>" for line in brief)
    teasers = "".join(
        f"<div><h4><a href='/{number}.html'>大桥第{number}段今日通车</a></h4><p>{number}，{TEASER}</p></div>"
        for number in range(30)
    )
    for body in (f"<div>{story}</div><div>{teasers}</div>", f"{story}<div>{teasers}</div>"):
        result = extract(page(f"<h1>{TITLE}</h1>{body}", title=TITLE))
        assert result.text.split("\n") == brief


def sections(style, *, texts=SECTIONS, between="", link="<a href='/edit'>编辑</a>"):
    """Return a page with one element for each section, and figures between them."""
    figures = "".join(f"<tr><td>第{row}项</td><td>{row}</td></tr>" for row in range(12))
    parts = "".join(
        f"<div{style}><div><h2>第{number}节</h2>{link}</div><div><p>{text}</p></div>"
        f"<table>{figures}</table></div>{between}"
        for number, text in enumerate(texts)
    )
    return extract(page(f"<h1>{TITLE}</h1><div>{parts}</div>", title=TITLE))


def test_sections_side_by_side_are_a_single_text():
    for style in ("", " class=sec", " class=sec id=sec1"):
        result = sections(style)
        assert result.kind == "article"
        assert all(text in result.text for text in SECTIONS)


def test_long_section_does_not_hide_its_siblings():
    texts = [SECTIONS[0] * 4, *SECTIONS[1:]]
    entries = "<ul>" + "<li><a href='/'>词条</a></li>" * 30 + "</ul>"
    result = sections(" class=sec", texts=texts, between=entries)
    assert all(text in result.text for text in texts)


ENCYCLOPEDIA = """
<h1>{title}</h1><div class=summary><p>{summary}</p></div>
<div class=works><ul>{works}</ul></div><div class=catalog><ol>{contents}</ol></div>
<div class=main>{parts}</div>
"""


def test_headings_that_the_contents_name_are_not_far_from_the_introduction():
    names = ["早年的经历", "渡口的来历", "灯火与江雾", "后来的事情"]
    works = "".join(f"<li><a href='/work/{at}.html'>代表作品第{at}种的名字</a></li>" for at in range(60))
    contents = "".join(f"<li><a href='#{at}'>{at} {name}</a></li>" for at, name in enumerate(names))
    parts = "".join(
        f"<div><b>渡口{name}</b></div><div>{text}</div>" for name, text in zip(names, SECTIONS, strict=False)
    )
    html = ENCYCLOPEDIA.format(title=TITLE, summary=SUMMARY, works=works, contents=contents, parts=parts)
    head = f"<meta name=description content='{SUMMARY[:80]}'>"
    result = extract(page(html, title=TITLE, head=head))
    assert all(text in result.text for text in (SUMMARY, *SECTIONS[: len(names)]))


def test_links_inside_sentences_are_no_titles():
    linked = [f"{number}，<a href='/w/{number}'>渡口的七盏灯火与江雾</a>，{PROSE}" for number in range(8)]
    parts = "".join(f"<p>{text}</p>" for text in linked)
    head = f"<meta name=description content='{SUMMARY[:80]}'>"
    result = extract(page(f"<h1>{TITLE}</h1><p>{SUMMARY}</p><div>{parts}</div>", title=TITLE, head=head))
    assert result.kind == "article"
    assert len(result.text.split("\n")) == 1 + len(linked)


def test_text_between_two_lists_of_teasers_is_an_article():
    teasers = "".join(
        f"<div><h3><a href='/{number}.html'>大桥第{number}段今日通车</a></h3><p>{number}，{TEASER}</p></div>"
        for number in range(5)
    )
    story = "".join(f"<p>{text}</p>" for text in SECTIONS)
    result = extract(page(f"<div><div>{teasers}</div>{story}<div>{teasers}</div></div>", title="江边的事"))
    assert (result.kind, result.text.split("\n")) == ("article", SECTIONS)
