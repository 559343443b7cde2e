"""Rows of hours: what they say, and that one that says none is not taken for what it said before."""

import pytest

from analysis.console.parts.hours_field import line_of
from storage.records.hours import window_of


def test_row_of_hours_matches_its_fields():
    assert line_of([4, 0, 1, 2, 3], "22:00", "06:00") == "Mo-Fr 22:00-06:00"
    assert line_of([5, 6], "00:00", "00:00") == "Sa-Su"


@pytest.mark.parametrize("row", [([], "06:00", "22:00"), ([0], "06:00", "06:00"), ([0], "", "22:00")])
def test_row_without_hours_cannot_be_saved(row):
    with pytest.raises(ValueError, match="hours"):
        window_of(line_of(*row))
