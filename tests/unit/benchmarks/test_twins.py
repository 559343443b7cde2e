"""Twins of pages: the same text in another form."""

import pytest
from lxml import html as lxml_html
from support.forms.data_twins import IN_DATA
from support.forms.twins import AS_IT_IS, FORMS, holder_of, measure_twins, twins
from support.pages import PROSE

from benchmarks.extraction import ExtractedText, StoredPage, score
from crawler.extraction import extract


def stored(name):
    paragraphs = [f"{name}的第{number}段，{PROSE}" for number in range(8)]
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    menu = "<ul>" + "<li><a href='/'>频道</a></li>" * 9 + "</ul>"
    head = f"<html><head><title>{name}的灯火</title></head>"
    page = f"{head}<body>{menu}<div><h1>{name}的灯火</h1><div id=c>{body}</div></div></body></html>"
    return StoredPage(name, "news", page.encode(), "utf-8", "\n".join(paragraphs))


PAGES = [stored(name) for name in ("渡口镇上", "磨坊村里", "灯塔岛边")]
TWINS = dict(twins(PAGES))


def test_holder_is_the_innermost_element_with_nearly_all_of_the_text():
    holder = holder_of(lxml_html.document_fromstring(PAGES[0].data.decode()), PAGES[0].gold)
    assert holder.get("id") == "c"
    assert holder_of(lxml_html.document_fromstring("<html><body><p>别的</p></body></html>"), PROSE) is None


@pytest.mark.parametrize("form", [*FORMS, *IN_DATA])
def test_every_form_changes_the_page_and_is_read(form):
    for page, plain in zip(TWINS[form], TWINS[AS_IT_IS], strict=True):
        assert page.data != plain.data
        assert page.gold == plain.gold
        assert score(extract(page.data, declared=page.declared).text, page.gold)[2] > 0.8


@pytest.mark.parametrize("form", IN_DATA)
def test_text_in_data_is_in_no_visible_element(form):
    tree = lxml_html.document_fromstring(TWINS[form][0].data.decode())
    for element in tree.xpath("//script|//template|//noscript|//textarea"):
        element.clear()
    assert PROSE not in tree.text_content()


def test_big5_holds_the_traditional_text():
    page = next(copies for name, copies in TWINS.items() if "Big5" in name)[0]
    assert page.data.decode("big5hkscs").count("燈火") == 2
    assert "燈" in page.gold


def test_every_form_is_a_group():
    qualities = measure_twins(PAGES, {"nothing": lambda _: ExtractedText("", is_text=False)})
    assert [quality.group for quality in qualities] == [*TWINS]
