"""The description of a case: names, labels, order and what programs get."""

from collections import Counter
from datetime import UTC, datetime
from typing import get_args
from zoneinfo import ZoneInfo

import pytest

from analysis.accounts.permissions import local_identity
from analysis.api.models.cases import CaseAnswer
from analysis.cases.priority import priority_of
from analysis.cases.views import CaseView
from analysis.fields import cases
from analysis.fields.case_row import row_of
from analysis.fields.cells import json_object, readable_cell
from analysis.fields.field import Surface, fields_on, visible
from analysis.words.i18n import translator
from storage.records import Case

NOON = datetime(2026, 3, 1, 4, tzinfo=UTC)
CHINA, CHINESE = ZoneInfo("Asia/Shanghai"), translator("zh")
CASE = Case(
    id="1@a.cn",
    work_id=1,
    work_title="书",
    site="a.cn",
    verdict="copy",
    pages=1,
    passages=1,
    copied_chars=1234,
    first_seen=NOON,
    last_seen=NOON,
    number=7,
    moves=3,
    reviews={"": 2, "confirmed": 1},
)
VIEW = CaseView(CASE, priority_of(CASE, None, other_cases=1), deadline=NOON, is_overdue=True, holder="晨光")


@pytest.mark.parametrize("surface", get_args(Surface))
def test_names_of_a_case_on_a_surface_are_unique(surface):
    names = Counter(own.name_on(surface) for own in fields_on(surface, cases.CASE_FIELDS))
    assert [name for name, count in names.items() if count > 1] == []


def test_columns_of_a_case_have_labels_in_both_languages():
    labels = [own.label for own in cases.CSV_FIELDS]
    assert all(labels)
    assert [label for label in labels if CHINESE.gettext(label) == label] == []


def test_case_for_programs_has_its_priority_with_reasons():
    found = json_object(cases.JSON_FIELDS, row_of(VIEW))
    assert list(found)[:5] == ["id", "name", "work_id", "work", "holder"]
    assert found["priority"]["points"] == VIEW.priority.points
    assert found["priority"]["reasons"].keys() == {part.reason for part in VIEW.priority.parts}
    assert (found["deadline"], found["since"]) == (NOON.isoformat(), None)
    assert found["reviews"] == {"open": 2, "confirmed": 1}


def test_answer_about_a_case_has_the_fields_of_the_description():
    answer = CaseAnswer.of(VIEW).model_dump()
    assert list(answer) == [own.name_on("api") for own in cases.API_FIELDS]
    assert (answer["priority"], answer["version"], answer["overdue"]) == (VIEW.priority.points, 3, True)
    assert (answer["work_title"], answer["holder"], answer["absent_since"]) == ("书", "晨光", None)


def test_case_in_a_workbook_has_words_of_the_language():
    cells = {own.name: readable_cell(own, row_of(VIEW), CHINESE, CHINA) for own in cases.CSV_FIELDS}
    assert (cells["name"], cells["overdue"], cells["copied_chars"]) == ("c7", CHINESE.gettext("yes"), 1234)
    assert cells["verdict"] == CHINESE.gettext("Copy")
    assert (cells["deadline"], cells["absent_since"]) == (NOON.astimezone(CHINA), "")


def test_assignee_column_is_for_roles_that_read_everything():
    def columns(role):
        return [own.name for own in visible(cases.LIST_FIELDS, local_identity("li", role))]

    assert "assignee" in columns("operator")
    assert columns("holder") == [name for name in columns("operator") if name != "assignee"]


@pytest.mark.parametrize("surface", ["list", "terminal", "facts"])
def test_columns_of_tables_of_cases_have_labels_in_both_languages(surface):
    labels = [own.label_on(surface) for own in fields_on(surface, cases.CASE_FIELDS)]
    assert [label for label in labels if CHINESE.gettext(label) in ("", label)] == []
