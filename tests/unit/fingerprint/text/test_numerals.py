"""Numbers in every way of writing them."""

import pytest

from fingerprint.text.numerals import number_of


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("十", 10),
        ("二十", 20),
        ("三千零四", 3004),
        ("两百", 200),
        ("一二三", 123),
        ("007", 7),
        ("9" * 30, None),
        ("万", None),
    ],
)
def test_numerals_are_parsed(numeral, value):
    assert number_of(numeral) == value


@pytest.mark.parametrize("numeral", ["一" * 5_000, "万" * 5_000, "十" * 5_000, "9" * 5_000])
def test_numerals_longer_than_any_number_are_none(numeral):
    assert number_of(numeral) is None


def test_numbers_of_chapters_are_bounded():
    assert number_of("万" * 20) is None
    assert number_of("九" * 10) is None
    assert number_of("1" * 9) == 111_111_111
