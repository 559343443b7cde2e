"""The description of a page: names, labels, order and what programs get."""

from collections import Counter
from datetime import UTC, datetime
from typing import get_args

import pytest

from analysis.api.models.pages import PageAnswer
from analysis.fields import pages
from analysis.fields.cells import json_object
from analysis.fields.field import Surface, fields_on
from analysis.words.i18n import translator
from storage.records import Page

NOON = datetime(2026, 3, 1, 4, tzinfo=UTC)
CHINESE = translator("zh")
PAGE = Page(
    id="p",
    url="http://a.cn/1",
    host="a.cn",
    source="a",
    kind="chapter",
    title="第一章",
    text="雨夜孤灯",
    rest="版权",
    first_seen=NOON,
    last_seen=NOON,
    snapshots=("ab",),
    unread={"frames": 2},
)


@pytest.mark.parametrize("surface", get_args(Surface))
def test_names_of_a_page_on_a_surface_are_unique(surface):
    names = Counter(own.name_on(surface) for own in fields_on(surface, pages.PAGE_FIELDS))
    assert [name for name, count in names.items() if count > 1] == []


def test_columns_of_a_page_have_labels_in_both_languages():
    labels = [own.label for own in pages.LIST_FIELDS]
    assert [label for label in labels if CHINESE.gettext(label) in ("", label)] == []


def test_page_for_programs_has_the_lengths_of_its_texts():
    found = json_object(pages.JSON_FIELDS, PAGE)
    assert (found["characters"], found["rest_characters"], found["verdict"]) == (4, 2, None)
    assert (found["snapshots"], found["unread"], found["replaced"]) == (["ab"], {"frames": 2}, None)
    assert found["first_seen"] == NOON.isoformat()


def test_answer_about_a_page_has_the_fields_of_the_description():
    answer = PageAnswer.model_validate(PAGE).model_dump()
    assert list(answer) == [own.name_on("api") for own in pages.API_FIELDS]
    assert (answer["site"], answer["unread"], answer["verdict"]) == ("a.cn", {"frames": 2}, None)
