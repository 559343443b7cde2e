"""Bounds as people type them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.queries.comparisons import BadComparison, comparisons


def told(text, **options):
    return [(own.sign, own.value) for own in comparisons(text, **options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("70", [("=", 70)]),
        (" > 70 ", [(">", 70)]),
        (">=70, <90", [(">=", 70), ("<", 90)]),
        ("＞70，≤90", [(">", 70), ("<=", 90)]),
        ("70..90", [(">=", 70), ("<=", 90)]),
        ("70…90", [(">=", 70), ("<=", 90)]),
        ("0.5", [("=", 0.5)]),
    ],
)
def test_bounds_are_read(text, expected):
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [(">70", 0.7), (">70%", 0.7), (">0.7", 0.7), (">1", 1), (">1%", 0.01), (">100％", 1), (">0.5%", 0.005)],
)
def test_shares_may_be_percentages(text, expected):
    assert told(text, is_share=True) == [(">", expected)]


NO_BOUNDS = ["x", ">", "7 0", ">>7", "70..", "..90", ">7..9", "1..2..3", "-1", "1e9", "7%", "1,2,3,4,5"]


@pytest.mark.parametrize("text", [*NO_BOUNDS, "9" * 201])
def test_malformed_comparison_is_refused(text):
    with pytest.raises(BadComparison):
        comparisons(text)


@given(st.text(max_size=250))
def test_any_text_is_parsed_as_bounds_or_refused(text):
    try:
        found = comparisons(text)
    except BadComparison:
        return
    assert len(found) <= 8
