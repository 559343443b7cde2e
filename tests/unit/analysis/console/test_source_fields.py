"""The fields of a source's form beside its TOML, whatever stands there."""

import pytest

from analysis.console.parts.source_fields import (
    ChoiceField,
    LineField,
    Lines,
    Number,
    Pairs,
    Rendered,
    Switch,
    put,
    value_at,
)
from analysis.console.parts.source_form import SourceForm

WRONG = {
    "nothing": None,
    "number": 5,
    "text": "x",
    "switch": True,
    "list": [1, 2],
    "table": {"a": 1},
    "infinite": 1e400,
    "no number": float("nan"),
    "huge": 10**400,
    "thing": object(),
}
FORMS = [
    LineField("+08:00"),
    ChoiceField("news", {"news": "", "site": ""}),
    Lines(),
    Pairs(),
    Number(3),
    Switch(default=True),
    Rendered(),
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: type(form).__name__)
@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
def test_field_shows_something_for_any_value_in_the_text(form, value):
    assert type(form.show(value)) in (str, int, float, bool, type(None))


@pytest.mark.parametrize(
    ("form", "value", "shown"),
    [
        (LineField("+08:00"), "UTC", "UTC"),
        (LineField("+08:00"), None, "+08:00"),
        (ChoiceField("news", {"news": "", "site": ""}), "site", "site"),
        (Lines(), ["a", "b"], "a\nb"),
        (Pairs(), {"user": "me", "word": "${PINDNA_SECRET_WORD}"}, "user = me\nword = ${PINDNA_SECRET_WORD}"),
        (Pairs(), {"query": "a=b"}, "query = a=b"),
        (Number(), 0.5, 0.5),
        (Switch(default=True), False, False),
        (Rendered(), True, "always"),
        (Rendered(), False, "never"),
    ],
)
def test_shown_value_is_read_back(form, value, shown):
    assert form.show(value) == shown
    assert form.read(shown) == value


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        (LineField("x"), "x"),
        (LineField(), ""),
        (Lines(), " \n "),
        (Pairs(), ""),
        (Number(3), 3),
        (Number(), None),
        (Rendered(), "auto"),
    ],
)
def test_default_value_is_not_in_the_text(form, shown):
    assert form.read(shown) is None


def test_values_are_put_into_sections_and_empty_sections_removed():
    values = {"name": "a", "access": 5}
    put(values, ("access", "login", "url"), "http://x.example/")
    assert values == {"name": "a", "access": {"login": {"url": "http://x.example/"}}}
    assert value_at(values, ("access", "login", "url")) == "http://x.example/"
    assert value_at(values, ("name", "login")) is None
    put(values, ("access", "login", "url"), None)
    assert values == {"name": "a"}
    put(values, ("pace", "delay_s"), None)
    assert values == {"name": "a"}


@pytest.mark.parametrize(
    ("urls", "before"), [("https://a.example/", ["https://a.example/"]), (5, []), (["b"], ["b"]), (None, [])]
)
def test_addresses_of_a_list_follow_the_addresses_in_the_text(urls, before):
    form, changes = SourceForm.__new__(SourceForm), []
    form._values = {"urls": urls}
    form._change = lambda *change: changes.append(change)
    form._fill = lambda: None
    form._take(["https://new.example/"])
    assert changes == [(("urls",), [*before, "https://new.example/"])]
