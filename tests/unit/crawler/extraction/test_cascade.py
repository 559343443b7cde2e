"""Which rules of the sheets count: the order of the cascade, what is not understood, and bounds."""

import pytest
from support.mutations import PARAGRAPHS, STORY

from crawler.extraction import extract
from crawler.extraction.cascade import MAX_SELECTORS, MAX_SHEET_CHARS

URL = "http://x.example/b/7.html"


def extract_page(head="", body=PARAGRAPHS, **options):
    return extract(
        f"<html><head>{head}</head><body><div>{body}</div></body></html>".encode(), url=URL, **options
    )


@pytest.mark.parametrize(
    "sheet",
    [
        ".z{opacity:0}" * (MAX_SHEET_CHARS // 13 + 1),
        ",".join(f".z{number}" for number in range(MAX_SELECTORS + 2)) + "{opacity:0}",
        "".join(f".z .z .z .z .z.y{number}{{opacity:0}}" for number in range(900)),
    ],
)
def test_sheets_over_budget_hide_nothing(sheet):
    many = " ".join(f"y{number}" for number in range(900))
    nested = "<b class=z>" * 5 + f"<i class='z {many}'>灯来了。</i>" + "</b>" * 5
    result = extract_page(f"<style>.z{{display:none}}</style><style>{sheet}</style>", PARAGRAPHS + nested)
    assert "灯来了。" in result.text
    assert result.failed_steps == ("sheets",)


def test_where_sheets_are_not_known_no_colour_hides():
    light = "<b style='color:#fff'>灯来了。</b>"
    body = PARAGRAPHS.replace(STORY, STORY + light, 1)
    sheet = f"<style>{'.z{opacity:0}' * 200_000}</style>"
    assert "灯来了。" not in extract_page("<style>.z{opacity:0}</style>", body).text
    assert "灯来了。" in extract_page(sheet, body).text


def test_a_rule_that_shows_counts_though_it_is_not_understood():
    hidden = "<p class=z>灯来了，雾散了。</p>"
    assert "灯来了" not in extract_page("<style>.z{display:none}</style>", PARAGRAPHS + hidden).text
    for shown in ("p.z:has(*)", "div p:not(i .y).z", f"{'div ' * 40}.z", ".z:focus-visible-x", ":is(.z, .q)"):
        sheet = f"<style>.z{{display:none}} {shown}{{display:block}}</style>"
        assert "灯来了" in extract_page(sheet, PARAGRAPHS + hidden).text, shown


def test_an_id_is_no_class():
    result = extract_page("<style>.z{display:none}</style>", f"{PARAGRAPHS}<p id=z>灯来了，雾散了。</p>")
    assert "灯来了" in result.text
