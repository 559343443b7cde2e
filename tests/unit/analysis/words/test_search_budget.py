"""The line about the budget and the price of searches."""

import pytest

from analysis.words.i18n import translator
from analysis.words.search_budget import budget_line
from storage.records import Discovery


@pytest.mark.parametrize(
    ("discovery", "line"),
    [
        (
            Discovery(engine="http://e.example", form="json", daily=60, cost=5.0, currency="USD"),
            "search engine with JSON answers; searches today: 12 of 60 (0.06 USD)",
        ),
        (
            Discovery(engine="http://e.example"),
            "SearXNG metasearch; searches today: 12, no daily budget",
        ),
        (Discovery(engine="", form="file", file="found.csv"), "file of results, found.csv"),
    ],
)
def test_engine_budget_and_price_are_in_a_single_line(discovery, line):
    assert budget_line(discovery, 12, translator("en")) == line
