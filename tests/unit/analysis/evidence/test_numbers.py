from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest

from analysis.evidence.numbers import is_number, new_number

NOW = datetime(2026, 11, 22, 23, 30, tzinfo=UTC)


def test_number_names_the_day_in_utc_and_checks():
    number = new_number(NOW.astimezone(timezone(timedelta(hours=8))))
    assert number.startswith("PD-20261122-")
    assert is_number(number)
    assert new_number(NOW) != new_number(NOW)


def test_every_wrong_digit_and_swap_of_neighbours_is_detected():
    number = "PD-20261122-483920157-47"
    assert is_number(number)
    places = [index for index, char in enumerate(number) if char.isdigit()]
    for index in places:
        for digit in "0123456789".replace(number[index], ""):
            assert not is_number(number[:index] + digit + number[index + 1 :])
    for first, second in pairwise(places):
        if number[first] != number[second]:
            chars = list(number)
            chars[first], chars[second] = chars[second], chars[first]
            assert not is_number("".join(chars))


@pytest.mark.parametrize(
    "text", ["", "PD-20261122-483920157", " PD-20261122-483920157-47", "PD-２0261122-483920157-47"]
)
def test_other_texts_are_no_numbers(text):
    assert not is_number(text)
