"""The section [discovery] of a source: engines, budgets and secrets."""

import pytest

from crawler.sources.definition import BadSource, definition_of, source_from
from crawler.spiders.searches import BRAVE

KEY = {"X-Subscription-Token": "${PINDNA_SECRET_BRAVE}"}
JSON = {"form": "json", "engine": "https://e.example/s", "parameters": {"q": "{query}"}}


def source_with(section):
    return source_from({"name": "d", "kind": "discovery", "discovery": section}, where="f")


@pytest.mark.parametrize(
    "section",
    [
        {"engine": "http://searx.example/search", "daily": 20, "cost": 0.5, "currency": "CNY"},
        {"form": "brave", "headers": KEY, "pages": 3},
        {**JSON, "answer": {"results": "data.items", "url": "link", "problem": "error"}},
        {"form": "file", "file": "found.csv"},
    ],
)
def test_every_engine_survives_a_round_trip(section):
    source = source_with(section)
    assert source_from(definition_of(source), where="f").discovery == source.discovery


def test_brave_has_an_address():
    assert source_with({"form": "brave", "headers": KEY}).discovery.engine == BRAVE


@pytest.mark.parametrize(
    ("section", "problem"),
    [
        ({"form": "brave"}, "Brave needs its key"),
        ({"form": "brave", "headers": KEY, "pages": 11}, "Brave has at most 10 pages"),
        ({"form": "searxng"}, "enter in discovery.engine"),
        ({"form": "file"}, "results from a file need its name"),
        ({"form": "file", "file": "../secret"}, "enter only the name of a file"),
        ({**JSON, "parameters": {}}, "one of discovery.parameters needs"),
        ({**JSON, "parameters": {"q": "{query}{words}"}}, "words is not a placeholder"),
        ({**JSON, "parameters": {"q": "{query}", "key": "${PINDNA_SECRET_X}"}}, "secrets belong in"),
        ({**JSON, "pages": 2}, "several pages need a placeholder"),
        ({**JSON, "headers": {"X-Key": "${HOME}"}}, "HOME is not allowed"),
        ({**JSON, "headers": {"X Key": "1"}}, "the name of a header"),
    ],
)
def test_mistake_in_a_search_is_reported(section, problem):
    with pytest.raises(BadSource, match=problem):
        source_with(section)
