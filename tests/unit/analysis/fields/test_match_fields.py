"""The description of a match: every surface has what it promised, and a new field reaches it by one entry."""

from collections import Counter
from datetime import UTC, datetime
from typing import get_args
from zoneinfo import ZoneInfo

import pytest
from support.reports import make_match

from analysis.accounts.permissions import local_identity
from analysis.api.models.described import _TYPES, answer_of, answer_values
from analysis.api.models.matches import MatchAnswer
from analysis.console.parts.record_table import _KINDS
from analysis.fields import matches
from analysis.fields.cells import (
    code_cell,
    fact_lines,
    heading,
    json_object,
    json_value,
    readable_cell,
    shown,
)
from analysis.fields.field import Field, Format, Surface, fields_on, visible
from analysis.fields.match_row import MatchRow
from analysis.words.i18n import translator
from storage.records import LicenceState, Presence
from storage.records.dates import parse_date

ENGLISH, CHINESE = translator("en"), translator("zh")
CHINA = ZoneInfo("Asia/Shanghai")
NOON = datetime(2026, 3, 1, 4, tzinfo=UTC)
ALL = frozenset(get_args(Surface))


def field(value, **changes):
    """Return a field with the same value in every record, on all surfaces."""
    own = {"name": "size", "label": "Pages", "read": lambda _: value, "on": ALL, "needs": "matches:read"}
    return Field(**(own | changes))


@pytest.mark.parametrize("surface", get_args(Surface))
def test_names_on_a_surface_are_unique(surface):
    names = Counter(own.name_on(surface) for own in fields_on(surface, matches.MATCH_FIELDS))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("surface", ["csv", "figures", "facts", "terminal", "finds", "case"])
def test_fields_that_people_read_have_labels_in_both_languages(surface):
    labels = [own.label_on(surface) for own in fields_on(surface, matches.MATCH_FIELDS)]
    assert all(labels)
    assert [label for label in labels if CHINESE.gettext(label) == label] == []


def test_tables_over_formats_are_complete():
    assert _TYPES.keys() == set(get_args(Format)) == _KINDS.keys()


def test_codes_have_words_and_a_type():
    codes = [own for own in matches.MATCH_FIELDS if own.format == "code"]
    assert [own.name for own in codes if not own.words] == []
    answered = {own.name: own.type for own in codes if "api" in own.on}
    assert answered["licence"] == LicenceState
    assert str not in answered.values()


def test_named_fields_come_first_in_their_order():
    own = [field(1, name=name) for name in ("a", "b", "c", "d")]
    ordered = fields_on("json", own, order="c a")
    assert [each.name for each in ordered] == ["c", "a", "b", "d"]


def test_new_field_is_the_last_on_every_surface_that_shows_it():
    new = field(3, on=frozenset({"csv", "json", "api"}))
    every = (*matches.MATCH_FIELDS, new)
    order = " ".join(own.name_on("json") for own in matches.JSON_FIELDS)
    assert fields_on("json", every, order=order)[-1] is new
    assert fields_on("csv", every)[-1] is new
    assert new not in fields_on("facts", every)


@pytest.mark.parametrize(
    ("own", "code", "readable", "on_screen", "plain"),
    [
        (field(0.51234, format="share"), 0.5123, 0.5123, "51.2%", 0.51234),
        (field(1234, format="number"), 1234, 1234, "1,234", 1234),
        (field(True, format="truth"), 1, "yes", "yes", True),
        (field("", format="review"), "", "Open", "", "open"),
        (field(("a", "b"), format="texts"), "a; b", "a; b", "a; b", ["a", "b"]),
        (field((1, 2), format="records"), 2, 2, "2", [1, 2]),
        (field("copy", format="code", words={"copy": "Copy"}), "copy", "Copy", "Copy", "copy"),
        (field("http-404", format="reason"), "http-404", "HTTP status 404", "HTTP status 404", "http-404"),
        (field(None), "", "", "", None),
        (
            field(parse_date("2026-03-01"), format="claimed"),
            "2026-03-01+08:00",
            parse_date("2026-03-01"),
            "2026-03-01 +08:00",
            "2026-03-01+08:00",
        ),
        (
            field(NOON, format="moment"),
            NOON,
            NOON.astimezone(CHINA),
            "2026-03-01 12:00 +08:00",
            "2026-03-01T04:00:00+00:00",
        ),
    ],
    ids=lambda value: value.format if isinstance(value, Field) else "",
)
def test_value_is_shown_by_its_format(own, code, readable, on_screen, plain):
    assert code_cell(own, None) == code
    assert readable_cell(own, None, ENGLISH, CHINA) == readable
    assert shown(own, None, ENGLISH, CHINA) == on_screen
    assert json_value(own, None) == plain


def test_columns_of_moments_name_their_zone():
    assert heading(field(NOON, format="moment"), ENGLISH, "Asia/Shanghai") == "Pages (Asia/Shanghai)"
    assert heading(field(1, format="number"), CHINESE, "Asia/Shanghai") == CHINESE.gettext("Pages")


def test_facts_omit_empty_fields():
    own = [field(None, name="a"), field("", name="b"), field(5, name="c", format="number")]
    assert list(fact_lines(own, None, ENGLISH, CHINA)) == [("Pages", "5")]


def test_fields_are_shown_to_roles_with_their_permission():
    names = {own.name for own in visible(matches.MATCH_FIELDS, local_identity("li", "operator"))}
    assert {"verdict", "case"} <= names
    assert not {"content_hash", "snapshots", "evidence"} & names
    assert visible(matches.MATCH_FIELDS, local_identity("li", "analyst")) == matches.MATCH_FIELDS


def test_answer_has_the_fields_of_the_description():
    assert list(MatchAnswer.model_fields) == [own.name_on("api") for own in matches.API_FIELDS]
    model = answer_of([field("", name="state", format="review"), field(2, format="number")])
    assert {name: own.annotation for name, own in model.model_fields.items()} == {"state": str, "size": int}
    assert answer_values([field("", name="state", format="review")], None) == {"state": "open"}


def test_match_without_page_case_and_look_has_empty_cells():
    row = MatchRow(match=make_match())
    bare = {own.name: code_cell(own, row) for own in matches.CSV_FIELDS}
    assert (bare["case"], bare["last_look"], bare["content_hash"], bare["snapshots"]) == ("", "", "", "")
    seen = MatchRow(match=make_match(), presence=Presence(state="gone", checked=NOON))
    assert code_cell(next(own for own in matches.CSV_FIELDS if own.name == "last_look"), seen) == "gone"


def test_json_has_the_fields_of_its_order_under_their_names():
    found = json_object(matches.JSON_FIELDS, MatchRow(match=make_match()))
    assert list(found)[:5] == ["id", "name", "work", "edition", "passage"]
    assert found["page_older_by"] is None
    assert found["because"] == make_match().because
