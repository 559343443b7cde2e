"""Markup that would block a parser is simplified without losing text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.markup import MAX_ATTRIBUTES, MAX_TAGS, is_ordinary, simplify
from crawler.extraction.parsing import parse, parse_page

PROSE = "雾从江心漫过来的时候，老许正在数灯。"


def text_in(tree):
    return "".join(tree.text_content().split())


@pytest.mark.parametrize(
    "text",
    [
        "<p a=1 b='<>' c=\">\">雾</p>",
        "<script>if (a<b && c>'<p') {}</script><p>雾",
        "<textarea><p a=1</textarea><!-- <p a=1 -- >--><p>雾",
        "雾 < 江 <3 </ p> <!doctype html><?x ?>",
        "<p" + " a" * MAX_ATTRIBUTES + ">",
        "<p a=1",
        "<!--",
    ],
)
def test_common_markup_is_ordinary(text):
    assert is_ordinary(text.encode())


@pytest.mark.parametrize("text", ["<p" + " a" * (MAX_ATTRIBUTES + 1) + ">", "<" * (MAX_TAGS + 1)])
def test_extreme_markup_is_not_ordinary(text):
    assert not is_ordinary(text.encode())


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_only_the_first_attributes_of_a_tag_are_read(quote):
    attributes = " ".join(f"a{number}={quote}>{quote}" if quote else f"a{number}" for number in range(5_000))
    page = parse_page(f"<body><p {attributes}>{PROSE}</p><p b=1>{PROSE}</p></body>")
    assert not page.is_whole
    first, second = page.tree.iter("p")
    assert len(first.attrib) == MAX_ATTRIBUTES
    assert dict(second.attrib) == {"b": "1"}
    assert text_in(page.tree) == PROSE * 2


def test_hundred_thousand_attributes_take_no_time():
    started = time.process_time()
    assert PROSE in text_in(parse("<p " + " ".join(f"a{n}=1" for n in range(100_000)) + f">{PROSE}"))
    assert time.process_time() - started < 10  # it took a minute


@pytest.mark.parametrize("unit", ["<div>灯", "<b>灯", "<table><td>灯", "<ul><li>灯", "<a href=1><div>灯"])
@pytest.mark.parametrize("times", [200, 2_100, 20_000])
def test_deeply_nested_text_is_kept(unit, times):
    tree = parse(f"<body>{unit * times}<p>{PROSE}</p></body>")
    assert text_in(tree) == "灯" * times + PROSE


def test_text_after_too_many_tags_is_kept():
    page = parse_page(f"<body>{'<i>灯</i>' * MAX_TAGS}<p>{PROSE}</p></body>")
    assert not page.is_whole
    assert text_in(page.tree) == "灯" * MAX_TAGS + PROSE
    assert sum(1 for _ in page.tree.iter()) <= MAX_TAGS


def test_omitted_blocks_end_lines():
    deep = f"<div>{PROSE}</div><b>灯</b>"
    assert simplify(deep, depth=0) == f"<br>{PROSE}<br>灯"


@given(
    st.text(alphabet="<>/!-\"'= \nabpscriptyle雾", max_size=200).filter(lambda text: not text.endswith("</"))
)
def test_simplified_markup_keeps_the_visible_text(text):
    before, after = parse(f"<body>{text}"), parse(simplify(f"<body>{text}"))
    assert text_in(before) == text_in(after)
