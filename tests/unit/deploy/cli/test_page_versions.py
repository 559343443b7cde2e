"""How ``pindna page show`` names what a version of an address counts for."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from analysis.queries.page_history import PageHistory
from analysis.words import i18n
from deploy.cli.page.page import _as_object, _standing_note, _texts_lines
from storage.records import Page, PageEvent

NOON = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)
PAGE = Page(id="a", url="u", host="h", source="s", kind="article")
LATER = replace(PAGE, id="b")


@pytest.fixture(autouse=True)
def english(monkeypatch):
    """Messages in English, whatever the machine's language."""
    monkeypatch.setenv("PINDNA_ANALYSIS__LANGUAGE", "en")
    i18n._from_settings.cache_clear()
    yield
    i18n._from_settings.cache_clear()


TWO_TEXTS = replace(PAGE, text="江" * 1_200, rest="水" * 300, unread={"frames": 1, "font": 40})


def test_version_shows_both_text_lengths_and_unread_content():
    assert list(_texts_lines(TWO_TEXTS)) == [
        "1,200 characters in the article, 300 outside it",
        "1 frame and 40 characters could not be compared.",
    ]
    assert list(_texts_lines(PAGE)) == ["0 characters in the article, 0 outside it"]
    (version,) = _as_object(PageHistory(url="u", versions=(TWO_TEXTS,)))["versions"]
    assert (version["characters"], version["rest_characters"]) == (1_200, 300)
    assert version["unread"] == {"frames": 1, "font": 40}


def test_current_version_has_no_note():
    assert _standing_note(PAGE, [PAGE]) == ""


def test_older_text_is_replaced_since_a_moment():
    note = _standing_note(replace(PAGE, standing="replaced", replaced=NOON), [LATER, PAGE])
    assert note.startswith(" (replaced since 2026-03-01 12:00")


def test_last_text_is_no_history():
    note = _standing_note(replace(PAGE, standing="last-text"), [LATER, PAGE])
    assert note == " (last text that was compared)"


def test_version_reread_by_pindna_was_not_replaced_by_the_site():
    old = replace(PAGE, standing="replaced", replaced=NOON)
    note = _standing_note(old, [replace(LATER, reread_of="a"), old])
    assert note.startswith(" (the same page, extracted differently since 2026-03-01")


def test_failed_answer_was_not_replaced_by_a_new_version():
    failed = replace(PAGE, kind="error", state="failed", standing="replaced", replaced=NOON)
    assert _standing_note(failed, [LATER, failed]) == ""


def _event(kind, hours):
    at = NOON + timedelta(hours=hours)
    return PageEvent(id=f"{kind}{hours}", url="u", source="s", kind=kind, at=at, scan_id="1")


def test_absences_of_the_page_are_listed():
    page = replace(PAGE, first_seen=NOON, last_seen=NOON + timedelta(hours=6))
    gone = [_event("returned", 3), _event("new", 0), _event("gone", 1), _event("gone", 4)]
    history = [*gone, _event("returned", 6), _event("gone", 8), _event("returned", 9)]
    known = PageHistory(url="u", events=tuple(history))
    hours = [[(at - NOON) / timedelta(hours=1) for at in absence] for absence in known.absences(page)]
    assert hours == [[1, 3], [4, 6]]  # a later text came back at 9
    assert list(known.absences(replace(page, state="failed"))) == []
