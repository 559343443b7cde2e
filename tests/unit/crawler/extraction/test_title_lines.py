"""Lines that a page's title or description repeats."""

from crawler.extraction.outline import line_of, outline
from crawler.extraction.parsing import parse
from crawler.extraction.title_lines import description_line, is_title, page_heading, title_line

PROSE = "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。"


def page(body):
    return outline(parse(f"<html><body>{body}</body></html>").find("body"))


def test_anchor_lines_are_recognised():
    document = page(f"<a href='/'>渡口的七盏灯</a><h1>渡口的七盏灯</h1><p>{PROSE}</p>")
    assert title_line(document, "渡口的七盏灯") == 1
    assert title_line(document, "灯") is None
    assert description_line(document, [PROSE[5:40]], title="渡口的七盏灯") == 2
    assert description_line(document, ["渡口的七盏灯" * 9], title="渡口的七盏灯" * 9) is None
    assert is_title(line_of("渡 口 的 七 盏 灯"), "渡口的七盏灯")
    assert not is_title(line_of("渡口的七盏灯" * 3), "渡口的七盏灯")


def test_heading_with_most_text_below_it_is_the_title():
    body = f"<h1>江岸日报网</h1><h2>渡口的七盏灯</h2><p>{PROSE}</p><h2>今日天气预报</h2><p>晴。</p>"
    assert page_heading(page(body)) == ""  # no text is below the only h1: it names the site
    assert page_heading(page(body.replace("h1", "b"))) == "渡口的七盏灯"


def test_short_title_needs_a_heading():
    assert title_line(page(f"<p>灯</p><h1>灯</h1><p>{PROSE}</p>"), "灯") == 1
    assert title_line(page(f"<p>灯</p><p>{PROSE}</p>"), "灯") is None
    assert title_line(page(f"<h1>渡口的灯</h1><p>{PROSE}</p>"), "灯") is None
    assert title_line(page(f"<p>{PROSE}</p>"), "") is None
