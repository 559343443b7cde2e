"""Lengths, colours and declarations are read as browsers do; invalid ones have no effect."""

import pytest
from support.mutations import PARAGRAPHS, STORY
from support.pages import extract_page

from crawler.extraction.css_syntax import sheet_rules
from crawler.extraction.css_values import UNKNOWN, colour_of
from crawler.extraction.hiding import hides
from crawler.extraction.styles import parse_declarations


@pytest.mark.parametrize(
    "colour",
    [
        "rgb(.)",
        "rgb(1.1.1)",
        "rgb(1,2)",
        "rgba(0,0,0,.)",
        "rgb(",
        "#12",
        "rgb(٣.,.,.)",
    ],
)
def test_invalid_colours_are_ignored(colour):
    result = extract_page(
        f"<style>.z{{color:{colour}}}</style>", f"{PARAGRAPHS}<i class=z style='color:{colour}'>灯</i>"
    )
    assert colour_of(colour) is None
    assert (result.text.count(STORY), result.failed_steps) == (3, ())


@pytest.mark.parametrize(
    "length", ["9" * 5000, ".", "-.", "1e999", "1e9999999", "٣", "1." + "9" * 5000 + "e5"]
)
def test_invalid_lengths_hide_nothing(length):
    assert not hides({"font-size": length})
    assert not hides({"text-indent": length})


def test_colours_are_read_as_browsers_do():
    assert colour_of("rgb(255, 0 ,300)") == "#ff00ff"
    assert colour_of("rgb(1.9 2 3 / .5)") == "#010203"
    assert colour_of(f"rgb({'9' * 400},1,1)") == "#ff0101"
    assert colour_of("rgb(100% 0% 50%)") == "#ff007f"
    assert colour_of("#12345600") == colour_of("#1230") == colour_of("hsl(1 2% 3% / 0)") == "transparent"
    assert colour_of("tomato") == colour_of("lch(50% 30 20)") == "?"
    assert colour_of("hsl(120,100%,50%)") == colour_of("hsl(-240deg 100% 50%)") == "#00ff00"
    assert colour_of(f"hsl(1 {' ' * 1_000_000}x)") == UNKNOWN  # in linear time
    assert colour_of("whit") is None
    assert colour_of("rgba(1,2,3,0.0)") == colour_of("rgb(1 2 3 / 0%)") == "transparent"


def pairs(sheet):
    return [(rule.selectors, rule.body) for rule in sheet_rules(sheet)]


def test_broken_sheets_end_where_they_break():
    assert pairs("a{b:c} @import 'x'; .d{e:f} .g{h") == [("a", "b:c"), (".d", "e:f"), (".g", "h")]
    assert pairs("}}}} a{b:c}") == [("a", "b:c")]
    assert parse_declarations("COLOR : RED !important; c; clip:e:f; unknown:x") == {"color": "red"}
