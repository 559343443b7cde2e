"""Adjacent elements: parts of one text, or posts, summaries and menus."""

import pytest

from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse
from crawler.extraction.parts import container_of_parts

PROSE = "雾从江心漫过来的时候，老许正在数灯。"


def container(*parts, wrapped=False):
    """Return whether the element around the parts is chosen, starting from the first part."""
    inner = "".join(f"<div>{content}</div>" if wrapped else content for content in parts)
    page = outline(parse(f"<html><body><section>{inner}</section></body></html>").find("body"))
    prose = [0.0] * len(page.elements)
    for line in page.lines:
        prose[line.block] += line.chars if line.is_prose else 0
    block = next(number for number in range(1, len(page.elements)) if page.elements[number].tag == "div")
    return page.elements[container_of_parts(page, block, page.sums(prose))].tag == "section"


def part(text, *, head="<h2>一节</h2>", name="", foot=""):
    return f"<div{name}>{head}<p>{text}</p>{foot}</div>"


@pytest.mark.parametrize(
    ("name", "head", "is_found"),
    [
        ("", "<h2>一节</h2>", True),
        ("", "<b>一节</b>", False),
        (" class=a", "<b>一节</b>", True),
        (" id=a1", "", True),
    ],
)
def test_parts_have_a_name_or_a_heading_in_common(name, head, is_found):
    assert container(*[part(PROSE, head=head, name=name)] * 3) == is_found


def test_parts_of_different_names_are_not_alike():
    assert not container(part(PROSE, name=" class=a"), part(PROSE, name=" class=b"))


@pytest.mark.parametrize(("times", "is_found"), [(2, True), (3, False)])
def test_siblings_need_half_of_the_chosen_parts_sentences(times, is_found):
    assert container(part(PROSE * times), part(PROSE)) == is_found


@pytest.mark.parametrize(
    "options",
    [
        {"foot": "<i>2024-03-05 12:00</i>"},
        {"head": "<h2><a href='/1'>另一篇文章的标题</a></h2>"},
        {"foot": "<a href='/1'>这一段之后还有很长的链接在这里等着人去点</a>"},
    ],
    ids=["posts", "summaries", "menus"],
)
def test_elements_with_dates_or_titles_are_not_parts(options):
    dated = [part(PROSE, name=" class=a", **options)] * 3
    assert not container(*dated)
    assert container(*[part(PROSE, name=" class=a")] * 5, dated[0])


@pytest.mark.parametrize(("links", "is_found"), [(1, True), (20, False)])
def test_menus_between_elements_make_them_boxes(links, is_found):
    menu = "".join(f"<ul><li><a href='/{at}'>渡口</a></li></ul>" for at in range(links))
    box = part(PROSE, name=" class=panel")
    assert container(box, menu, box) == is_found


def test_wrapper_of_a_section_is_skipped():
    parts = [f"<h2>一节</h2><div>{PROSE}</div>" for _ in range(3)]
    assert container(*parts, wrapped=True)


@pytest.mark.parametrize(("sibling", "is_found"), [("<p>附言</p>", True), ("<div>附言</div>", False)])
def test_paragraph_among_paragraphs_is_not_the_whole(sibling, is_found):
    page = outline(parse(f"<html><body><div><p>{PROSE}</p>{sibling}</div></body></html>").find("body"))
    assert (container_of_parts(page, 2, [1.0, 1.0, 1.0, 0.0]) == 1) == is_found


def first_paragraph(sibling):
    """Return the tag of the element that is chosen, starting from a paragraph with a sibling."""
    html = f"<html><body><section><p>{PROSE}</p>{sibling}</section></body></html>"
    page = outline(parse(html).find("body"))
    prose = [0.0] * len(page.elements)
    for line in page.lines:
        prose[line.block] += line.chars if line.is_prose else 0
    return page.elements[container_of_parts(page, 2, page.sums(prose))].tag


@pytest.mark.parametrize(
    ("sibling", "tag"),
    [
        ("<p>许文</p>", "section"),
        ("<table><tr><td>灯</td><td>七盏</td></tr></table><ul><li>船</li></ul>", "section"),
        ("<ul><li><a href=/1>渡口镇召开第一次会议</a></li></ul>", "p"),
        ("<div>灯</div>", "p"),
    ],
)
def test_tables_and_lists_without_links_belong_to_the_text(sibling, tag):
    assert first_paragraph(sibling) == tag
