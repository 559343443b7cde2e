"""The description of a work: names, labels, order, and what programs and tables get."""

from collections import Counter
from datetime import UTC, datetime
from typing import get_args
from zoneinfo import ZoneInfo

import pytest

from analysis.accounts.permissions import local_identity
from analysis.api.models.works import WorkAnswer
from analysis.fields import works
from analysis.fields.cells import fact_lines, json_object
from analysis.fields.field import Surface, fields_on, visible
from analysis.words.i18n import translator
from storage.records import SiteLicence, Work, claim

NOON = datetime(2026, 3, 1, 4, tzinfo=UTC)
CHINA, CHINESE = ZoneInfo("Asia/Shanghai"), translator("zh")
WORK = Work(
    id=3,
    key="书",
    title="书",
    kind="novel",
    origin="books.csv",
    author="晨光",
    published=claim(datetime(2024, 5, 6)),  # noqa: DTZ001 - as a file states it
    licences=(SiteLicence(site="b.cn"), SiteLicence(site="a.cn")),
    passage_ids=(7, 8),
    characters=1234,
    postings=90,
    added=NOON,
    updated=NOON,
)


@pytest.mark.parametrize("surface", get_args(Surface))
def test_names_of_a_work_on_a_surface_are_unique(surface):
    names = Counter(own.name_on(surface) for own in fields_on(surface, works.WORK_FIELDS))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("surface", ["list", "terminal", "facts"])
def test_columns_of_a_work_have_labels_in_both_languages(surface):
    labels = [own.label_on(surface) for own in fields_on(surface, works.WORK_FIELDS)]
    assert [label for label in labels if CHINESE.gettext(label) in ("", label)] == []


def test_work_for_programs_has_its_sites_and_counts():
    found = json_object(works.JSON_FIELDS, WORK)
    assert list(found)[:5] == ["id", "title", "author", "holder", "kind"]
    assert (found["licensed_sites"], found["passages"], found["holder"]) == (["a.cn", "b.cn"], 2, None)
    assert (found["published"], found["origin"]) == ("2024-05-06+08:00", "books.csv")


def test_answer_about_a_work_has_the_fields_of_the_description():
    answer = WorkAnswer.of(WORK).model_dump()
    assert list(answer) == [own.name_on("api") for own in works.API_FIELDS]
    assert [licence["site"] for licence in answer["licences"]] == ["b.cn", "a.cn"]
    assert (answer["passages"], answer["published"], answer["url"]) == (2, "2024-05-06+08:00", None)


def test_origin_of_a_work_is_shown_to_roles_that_add_works():
    def terms(role):
        fields = visible(works.FACT_FIELDS, local_identity("li", role))
        return dict(fact_lines(fields, WORK, translator("en"), CHINA))

    assert terms("analyst")["Loaded from"] == "books.csv"
    assert "Loaded from" not in terms("holder")
    assert terms("holder")["Characters"] == "1,234"
