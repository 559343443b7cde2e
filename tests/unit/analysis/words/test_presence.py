"""Words for the presence of a text: the same answer has the same words everywhere."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from analysis.words.i18n import translator
from analysis.words.presence import look_text, presence_text, watch_text
from storage.records import Presence, Watch, takedown_hours

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
WATCH = Watch(id="w", url="http://x.example/1", source="x", page_id="p", since=NOON, due=NOON, state="up")
ENGLISH = translator("en")


@pytest.mark.parametrize("reason", ["soft-404", "front-page"])
def test_address_that_answers_200_is_not_called_gone(reason):
    presence = Presence(state="gone", checked=NOON, reason=reason)
    gone = replace(WATCH, state="gone", reason=reason, first_gone=NOON, gone_since=NOON)
    for text in (
        look_text("gone", reason, ENGLISH),
        watch_text(gone, ENGLISH),
        presence_text(presence, ENGLISH, str),
    ):
        assert text.startswith("Opens without the text")
    assert look_text("gone", "http-404", ENGLISH) == "Gone"


def test_first_look_without_the_copy_is_a_suspicion():
    once = replace(WATCH, first_gone=NOON, reason="http-404")
    assert watch_text(once, translator("zh")) == "疑似已下架，待复核"
    assert watch_text(replace(once, state="gone", gone_since=NOON), translator("zh")) == "已消失"
    assert watch_text(WATCH, ENGLISH) == "Still up"


def test_takedown_lasts_until_the_last_address_is_gone():
    hours = [NOON + timedelta(hours=count) for count in (2, 30)]
    assert takedown_hours(NOON, [*hours, None]) == 30
    assert takedown_hours(None, hours) is takedown_hours(NOON, [None]) is None
    assert takedown_hours(NOON + timedelta(days=9), hours) is None
