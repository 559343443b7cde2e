# ruff: noqa: E501 - pages as they are
"""A step that fails costs what it would have told, never the text; and it is counted."""

import json
import time

import pytest
from support.mutations import PARAGRAPHS, STORY

from crawler.extraction import Extracted, Known, extract
from crawler.extraction.cascade import MAX_SELECTORS, MAX_SHEET_CHARS
from crawler.extraction.chapters import chapter_heading, number_of
from crawler.extraction.embedded import embedded_lines
from crawler.extraction.libraries import _lines
from crawler.extraction.optional_steps import OptionalSteps, OverBudget
from crawler.extraction.parsing import decode_page, parse, text_of
from crawler.extraction.result import (
    MAX_NAME_CHARS,
    MAX_TEXT_CHARS,
    MAX_TITLE_CHARS,
    TOO_LONG,
    field_text,
    storable_result,
)
from crawler.extraction.styles import colour_of, hides
from crawler.extraction.voting import MAX_ELEMENTS
from storage.records import SiteRules

URL = "http://x.example/b/7.html"


def read(head="", body=PARAGRAPHS, **options):
    return extract(
        f"<html><head>{head}</head><body><div>{body}</div></body></html>".encode(), url=URL, **options
    )


def linked_data(text):
    return f'<title>渡口</title><script type="application/ld+json">{text}</script>'


def raise_(error):
    raise error


def test_steps_that_fail_are_named_once():
    steps = OptionalSteps()
    assert steps.attempt("a", lambda: 1, otherwise=2) == 1
    assert steps.attempt("b", lambda: raise_(OverBudget()), otherwise=2) == 2
    assert steps.attempt("b", lambda: raise_(RecursionError()), otherwise=3) == 3
    with pytest.raises(KeyboardInterrupt):
        steps.attempt("c", lambda: raise_(KeyboardInterrupt()), otherwise=4)
    assert steps.failed == ["b"]


@pytest.mark.parametrize(
    "colour",
    [
        "rgb(.)",
        "rgb(1.1.1)",
        "rgb(1,2)",
        f"rgb({'9' * 400},1,1)",
        "rgba(0,0,0,.)",
        "rgb(",
        "#12",
        "rgb(٣.,.,.)",
    ],
)
def test_a_colour_that_is_none_costs_nothing(colour):
    found = read(
        f"<style>.z{{color:{colour}}}</style>", f"{PARAGRAPHS}<i class=z style='color:{colour}'>灯</i>"
    )
    assert colour_of(colour) is None
    assert (found.text.count(STORY), found.failed_steps) == (3, ())


@pytest.mark.parametrize(
    "length", ["9" * 5000, ".", "-.", "1e999", "1e9999999", "٣", "1." + "9" * 5000 + "e5"]
)
def test_a_length_that_is_none_hides_nothing(length):
    assert not hides({"font-size": length})
    assert not hides({"text-indent": length})


def test_colours_are_read_as_browsers_do():
    assert colour_of("rgb(255, 0 ,300)") == "#ff00ff"
    assert colour_of("rgb(1.9 2 3 / .5)") == "#010203"
    assert colour_of("rgba(1,2,3,0.0)") == colour_of("rgb(1 2 3 / 0%)") == "transparent"


@pytest.mark.parametrize("digits", [5, 4_301, 400_000])
def test_a_title_of_digits_costs_nothing(digits):
    found = read(f"<title>第{'一' * digits}章 渡口</title>")
    assert (found.text.count(STORY), found.failed_steps) == (3, ())
    assert found.chapter == (11111 if digits == 5 else None)


@pytest.mark.parametrize("numeral", ["一" * 5_000, "万" * 5_000, "十" * 5_000, "9" * 5_000])
def test_numerals_longer_than_any_number_are_none(numeral):
    assert number_of(numeral) is None


def test_numbers_of_chapters_are_bounded():
    assert number_of("万" * 20) is None
    assert number_of("九" * 10) is None
    assert number_of("1" * 9) == 111_111_111
    assert chapter_heading("第一千万万万章").number is None


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ('"a\\ud800b"', "ab"),
        ('"\\u0000许\\u0007文\\u0085\\n\\t三"', "许文 三"),
        ('{"name": "\\ud83d\\ude00"}', "😀"),
        ("[" * 900 + '"许文"' + "]" * 900, "许文"),
        ("9" * 5000, None),
        ('"' + "许" * 9_999 + '"', "许" * MAX_NAME_CHARS),
    ],
)
def test_authors_in_json_can_be_stored(author, expected):
    found = read(linked_data(f'{{"headline": "渡\\ud800口", "author": {author}}}'))
    # JSON of 4,301 digits in a row is no JSON to Python: the whole of it is passed over.
    assert found.author == expected
    assert found.title == "渡口"
    assert (found.text.count(STORY), found.failed_steps) == (3, ())


def test_texts_in_scripts_are_storable_where_they_enter():
    text = json.dumps(STORY.replace("，", "\ud800，\x07", 1) * 3)
    assert embedded_lines(parse(f"<body><script>var a = {text};</script>")) == [STORY * 3]


def test_white_space_in_what_a_library_returns_takes_no_time():
    started = time.process_time()
    assert _lines(f"- 雾{' ' * 300_000}江 |\n|灯|") == ["雾 江", "灯"]
    assert time.process_time() - started < 5  # it took minutes


def test_fields_are_read_no_further_than_they_may_be_long():
    assert len(text_of(parse(f"<h1>{'<i>雾</i>' * 20_000}</h1>"))) < 1_000


def test_texts_in_scripts_can_be_stored():
    text = json.dumps(STORY.replace("，", "\ud800，\x07", 1) * 3)
    found = read(body=f"<script>var a = {text};</script>")
    assert found.text == STORY * 3


@pytest.mark.parametrize(
    "head",
    [
        f"<title>{'渡' * 9_999}</title>",
        f"<meta property=og:title content='{'渡' * 9_999}'><meta property=og:site_name content='{'口' * 9_999}'>",
        f"<title>渡口_{'口' * 9_999}</title><meta name=author content='{'文' * 9_999}'>",
        f"<base href='http://x.example/{'a' * 9_999}'><link rel=canonical href='http://x.example/{'b' * 9_999}'>",
    ],
)
def test_fields_are_bounded(head):
    found = read(head, f"{PARAGRAPHS}<a href='7_2.html?{'c' * 9_999}'>下一页</a><a href='8.html'>下一章</a>")
    assert len(found.title) <= MAX_TITLE_CHARS
    assert len(found.author or "") <= MAX_NAME_CHARS
    assert len(found.site_name or "") <= MAX_NAME_CHARS
    # What hangs on a base that is too long is too long too.
    chapter = None if "<base" in head else "http://x.example/b/8.html"
    assert (found.next_page, found.next_chapter) == (None, chapter)
    assert found.text.count(STORY) == 3


def test_a_text_that_no_store_takes_is_cut_and_says_so():
    result = storable_result(
        Extracted(
            kind="article", encoding="utf-8", text="雾" * MAX_TEXT_CHARS, whole="雾" * MAX_TEXT_CHARS + "灯江"
        )
    )
    assert (len(result.text), len(result.whole)) == (MAX_TEXT_CHARS, MAX_TEXT_CHARS)
    assert result.dropped == {TOO_LONG: 2}
    found = extract(f"<p>{'雾来了。' * 800_000}".encode())
    assert (len(found.text), found.failed_steps) == (MAX_TEXT_CHARS, ("length",))


def test_fields_are_one_line():
    assert field_text(" a\tb\n\x00c\u2028d\ud800 \x1b[0m ", max_chars=99) == "a b c d [0m"
    assert field_text("雾 灯", max_chars=2) == "雾"


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
    found = read(f"<style>.z{{display:none}}</style><style>{sheet}</style>", PARAGRAPHS + nested)
    assert "灯来了。" in found.text
    assert found.failed_steps == ("sheets",)


def test_where_sheets_are_not_known_no_colour_hides():
    light = "<b style='color:#fff'>灯来了。</b>"
    body = PARAGRAPHS.replace(STORY, STORY + light, 1)
    sheet = f"<style>{'.z{opacity:0}' * 200_000}</style>"
    assert "灯来了。" not in read("<style>.z{opacity:0}</style>", body).text
    assert "灯来了。" in read(sheet, body).text


def test_a_rule_that_shows_counts_though_it_is_not_understood():
    hidden = "<p class=z>灯来了，雾散了。</p>"
    assert "灯来了" not in read("<style>.z{display:none}</style>", PARAGRAPHS + hidden).text
    for shown in ("p.z:has(*)", "div p:not(i .y).z", f"{'div ' * 40}.z", ".z:focus-visible-x", ":is(.z, .q)"):
        sheet = f"<style>.z{{display:none}} {shown}{{display:block}}</style>"
        assert "灯来了" in read(sheet, PARAGRAPHS + hidden).text, shown


def test_an_id_is_no_class():
    found = read("<style>.z{display:none}</style>", f"{PARAGRAPHS}<p id=z>灯来了，雾散了。</p>")
    assert "灯来了" in found.text


def test_rules_that_fail_on_a_page_are_named_and_cost_no_text():
    rules = SiteRules(text=("count(//p, //i)",), title="//h1[", remove=("//p[nothing()]",))
    found = read("<title>渡口</title>", known=Known(rules=rules))
    assert found.text.count(STORY) == 3
    assert {"rules", "fields"} <= set(found.failed_steps)


def test_a_page_too_large_for_other_opinions_is_its_own_block():
    teasers = "".join(
        f"<div><a href=/{n}>雾来了{n}</a><p>灯灭了，他说。</div>" for n in range(MAX_ELEMENTS // 3)
    )
    found = read("<title>渡口</title>", f"<div>{PARAGRAPHS}</div>{teasers}")
    assert "opinions" in found.failed_steps
    assert found.text


def test_a_page_that_seems_empty_because_a_step_failed_is_unreadable():
    links = "<i><b><a href=/1>雾</a></b></i>" * 60_000
    assert read(body="<a href=/1>雾</a>" * 100).kind == "list"
    found = read(body=f"{links}<script>var a = '{STORY}'</script>")
    assert (found.kind, found.failed_steps[0]) == ("unreadable", "markup")


def test_a_page_that_cannot_be_read_at_all_is_unreadable():
    found = extract(memoryview(b"<p>"))  # what nobody passes, and no step of ours expects
    assert (found.kind, found.failed_steps, found.dropped) == ("unreadable", ("page",), {"unreadable": 3})


def test_what_stands_behind_two_thousand_elements_is_read():
    deep = "<div><i></i>" * 3_000
    found = read(body=f"{deep}{PARAGRAPHS}")
    assert found.text.count(STORY) == 3
    assert found.failed_steps == ("markup",)


def test_decoding_damage_is_repaired_in_linear_time():
    data = ("雾从江心漫过来的时候，" * 20_000).encode("gb18030").replace(b"\xcd", b"\xff", 5_000)
    assert parse(decode_page(data, declared="gbk").text) is not None
