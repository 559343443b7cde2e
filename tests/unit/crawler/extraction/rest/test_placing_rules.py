"""The declarations of sheets that position elements, looked up by the last compound of a selector."""

import pytest

from crawler.extraction.rest.placing_rules import PlacingRules, declarations


@pytest.mark.parametrize(
    ("selector", "name", "sibling_number"),
    [
        (".a", ".a", 0),
        ("div.a.b", ".b", 0),
        ("div > p", "p", 0),
        ("#x .y, .z #q", "#q", 0),
        ("LI:nth-child( 3 )", "li", 3),
        (".a:nth-of-type(2)", ".a", 2),
        ("@media screen{.a", ".a", 0),
    ],
)
def test_rules_are_looked_up_by_the_last_compound(selector, name, sibling_number):
    rules = PlacingRules([f"{selector}{{order:1;color:red}}"])
    assert rules.style_of(name, sibling_number) == {"order": "1"}
    assert rules.has_sibling_numbers == (sibling_number > 0)
    assert rules.style_of(".none") == {}


def test_later_rules_and_sheets_win():
    rules = PlacingRules([".a{left:1px;top:2px}.a{left:3px}", ".a{top:4px}"])
    assert rules.style_of(".a") == {"left": "3px", "top": "4px"}


def test_no_sheets_have_no_rules():
    assert not PlacingRules([])
    assert not PlacingRules(["/* .a{ */"])
    assert PlacingRules([".a{order:1}"])


def test_custom_properties_are_kept_and_unrelated_properties_dropped():
    assert declarations("--X: 1; LEFT : 2px ;color:red;margin-left:3px") == {
        "--x": "1",
        "left": "2px",
        "margin-left": "3px",
    }


@pytest.mark.parametrize("text", ["a" * 500_000, "a" * 500_000 + ":1", "left " * 100_000, "a-" * 250_000])
def test_long_words_are_read_in_bounded_time(text):
    assert declarations(text) == {}
    PlacingRules([f"{text}{{order:1}}"])
