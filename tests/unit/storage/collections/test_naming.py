"""Short names of records."""

import pytest

from storage.collections.naming import number_of


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("m12", 12),
        ("M7", 7),
        ("m007", 7),
        ("m0", None),
        ("m", None),
        ("", None),
        ("c12", None),
        ("12", None),
        ("m１２", None),
        ("m1:2:novel", None),
        ("m" + "9" * 30, None),  # larger than a number of MongoDB
    ],
)
def test_short_name_is_a_letter_and_a_number(name, number):
    assert number_of(name, "m") == number
