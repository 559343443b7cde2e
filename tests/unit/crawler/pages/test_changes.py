"""Intervals between visits, and the story that outcomes tell."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction import EXTRACTION_VERSION
from crawler.pages.changes import ChangeBounds, change_of, next_interval
from crawler.pages.outcomes import FetchedPart, Text, UnchangedText
from crawler.pages.page_records import PageRecord
from crawler.pages.reading import failed_outcome
from fingerprint.exact import content_hash
from storage.records import Page, TextPart, Visit

NOW = datetime(2026, 3, 1, tzinfo=UTC)
BOUNDS = ChangeBounds(min_s=100, max_s=1000)
URL = "http://x.example/1"


def text(content="a", *, url=URL, state="fetched", kind="article", parts=1, body="", whole="", title=""):
    digest = content_hash(content) if body else content
    page = Page(
        id=f"id {content}", url=url, host="x.example", source="s", kind=kind, text=content, title=title,
        content_hash=digest, state=state, reason="" if state == "fetched" else kind, etag="tag",
        last_modified="date",
    )  # fmt: skip
    fetched = tuple(
        FetchedPart(TextPart(url=url, sha256=f"{body or content}{number}"), None) for number in range(parts)
    )
    return Text(PageRecord(page, whole=whole), URL, fetched, EXTRACTION_VERSION)


def change(outcome, known=None, **options):
    return change_of(outcome, known, source="s", scan_id="scan", now=NOW, bounds=BOUNDS, **options)


def after(*outcomes):
    """Return the visit that outcomes lead to, one after the other."""
    visit = None
    for outcome in outcomes:
        visit = change(outcome, visit).visits[0]
    return visit


def kinds(found):
    return [event.kind for event in found.events]


def missing(reason="http-404", status=404):
    return failed_outcome(URL, source="s", scan_id="scan", reason=reason, status=status)


def test_first_visit_saves_everything_for_the_next():
    result = change(text())
    (visit,) = result.visits
    assert kinds(result) == ["new"]
    assert (visit.url, visit.page_id, visit.content_hash, visit.extraction_version) == (
        URL,
        "id a",
        "a",
        EXTRACTION_VERSION,
    )
    assert (visit.etag, visit.last_modified, [text_part.sha256 for text_part in visit.parts]) == (
        "tag",
        "date",
        ["a0"],
    )
    assert (visit.checks, visit.changes, visit.due) == (1, 0, NOW + timedelta(seconds=100))


def test_text_of_several_parts_keeps_no_validators():
    visit = after(text(parts=3))
    assert (visit.etag, visit.last_modified, len(visit.parts)) == (None, None, 3)


def test_intervals_grow_without_changes_and_shrink_after_a_change():
    visit, intervals = after(text()), []
    for _ in range(5):
        visit = change(UnchangedText(visit, visit.url, (), not_modified=True), visit).visits[0]
        intervals.append(visit.interval_s)
    assert intervals == [200, 400, 800, 1000, 1000]
    result = change(text("b"), visit)
    assert kinds(result) == ["changed"]
    assert (result.events[0].before, result.events[0].page_id) == ("id a", "id b")
    assert (result.visits[0].interval_s, result.visits[0].changes, result.visits[0].last_changed) == (
        250,
        1,
        NOW,
    )


def test_page_with_a_match_is_checked_often():
    visit = after(text(), text(), text())
    assert visit.interval_s > BOUNDS.min_s
    assert change(text(), visit, watched=True).visits[0].interval_s == BOUNDS.min_s


FRONT_PAGE = text("", url="http://x.example/", state="failed", kind="list")
SOFT_404 = text("", state="failed", kind="empty", title="您要的页面不存在")


@pytest.mark.parametrize("outcome", [missing(), missing("http-410", 410), FRONT_PAGE, SOFT_404])
def test_page_is_gone_once_and_returns_once(outcome):
    there = after(text())
    gone = change(outcome, there)
    assert kinds(gone) == ["gone"]
    assert gone.events[0].before == "id a"
    still = change(outcome, gone.visits[0])
    assert kinds(still) == []
    assert still.visits[0].state == "gone"
    back = change(text(), still.visits[0])
    assert kinds(back) == ["returned"]
    assert (back.visits[0].state, back.visits[0].content_hash) == ("there", "a")


@pytest.mark.parametrize("reason", ["timeout", "http-503", "robots", "refused"])
def test_inconclusive_failure_changes_only_the_date(reason):
    there = after(text(), text())
    result = change(missing(reason, 0), there)
    (visit,) = result.visits
    assert kinds(result) == []
    assert (visit.state, visit.checks, visit.interval_s, visit.etag) == ("there", 2, there.interval_s, "tag")
    assert visit.due == NOW + timedelta(seconds=100)


def test_address_that_never_had_a_text_cannot_be_gone():
    assert kinds(change(missing())) == []
    assert kinds(change(SOFT_404)) == []


def test_moved_page_is_recorded_under_both_addresses():
    there = after(text())
    moved = change(text(url="http://x.example/2"), there)
    assert [(event.kind, event.detail) for event in moved.events] == [("moved", "http://x.example/2")]
    old, new = moved.visits
    assert (old.url, old.state, old.moved_to) == (URL, "moved", "http://x.example/2")
    assert (new.url, new.state, new.page_id) == ("http://x.example/2", "there", "id a")
    assert kinds(change(text(url="http://x.example/2"), old)) == []
    assert kinds(change(text(url="http://x.example/3"), old)) == ["moved"]


def test_look_visit_and_event_agree_on_gone():
    for outcome in (
        FRONT_PAGE,
        SOFT_404,
        missing(),
        text("b", kind="list"),
        text("", state="failed", kind="empty"),
    ):
        result = change(outcome, after(text()), watched=True)
        is_gone = result.looks[0].state == "gone"
        assert ("gone" in kinds(result), result.visits[0].state == "gone") == (is_gone, is_gone)


@pytest.mark.parametrize("kind", ["list", "empty"])
def test_words_that_replace_a_text_are_a_change_and_not_gone(kind):
    result = change(text("b", kind=kind), after(text()), watched=True)
    assert kinds(result) == ["changed"]
    assert (result.visits[0].state, result.visits[0].page_id, result.looks[0].state) == (
        "there",
        "id b",
        "changed",
    )
    assert kinds(change(text("a"), result.visits[0])) == ["changed"]


def test_wordless_page_does_not_change_the_previous_text():
    there = after(text())
    result = change(text("", state="failed", kind="empty"), there)
    assert (kinds(result), result.visits[0].state, result.visits[0].content_hash) == ([], "there", "a")


@pytest.mark.parametrize("kind", ["incomplete", "blocked", "obfuscated"])
def test_partially_read_text_keeps_the_previous_version(kind):
    result = change(text("b", kind=kind), after(text()), watched=True)
    assert (kinds(result), result.visits[0].page_id, result.visits[0].state) == ([], "id a", "there")
    assert result.looks[0].state in {"unreachable", "restricted"}


def test_copy_in_a_partially_read_page_is_up_while_the_page_is_unchanged():
    first = change(text("b", kind="incomplete"))
    assert (kinds(first), first.visits[0].page_id, first.visits[0].content_hash) == ([], "id b", "")
    again = change(text("b", kind="incomplete"), first.visits[0], watched=True)
    assert (again.looks[0].state, again.looks[0].page_id) == ("up", "id b")


def test_same_article_without_the_copy_in_its_rest_is_a_change():
    there = after(text())
    assert change(text(body="new"), there, watched=True, still_held=None).looks[0].state == "up"
    result = change(text(body="new"), there, watched=True, still_held=False)
    assert (result.looks[0].state, result.looks[0].answer_id) == ("changed", "id a")
    assert "gone" not in kinds(result)


def test_page_with_only_a_rest_is_identified_by_the_digest_of_the_rest():
    outcome = text("")
    page = replace(outcome.record.page, id="id rest", rest="a", rest_hash="r")
    result = change(replace(outcome, record=replace(outcome.record, page=page)))
    assert (kinds(result), result.visits[0].content_hash) == (["new"], "r")


def test_target_of_a_move_keeps_its_history():
    target = after(text("z")).__class__(url="http://x.example/2", source="s", checks=7, first_seen=NOW)
    _, new = change(text(url="http://x.example/2"), after(text()), target=target).visits
    assert new.checks == 8


def test_same_event_of_a_repeated_crawl_has_the_same_id():
    first, again = change(text()), change(text())
    assert first.events[0].id == again.events[0].id


@given(st.floats(0, 1e9), st.booleans())
def test_interval_stays_within_its_bounds(interval, changed):
    assert BOUNDS.min_s <= next_interval(interval, changed=changed, bounds=BOUNDS) <= BOUNDS.max_s


def test_unchanged_page_after_gone_is_returned():
    gone = Visit(url=URL, source="s", state="gone", page_id="id a", content_hash="a")
    result = change(UnchangedText(gone, gone.url, (), not_modified=False), gone)
    assert (kinds(result), result.visits[0].state) == (["returned"], "there")


def test_text_reread_by_a_new_version_has_not_changed():
    for first, then in (
        (text("a slogan", body="x"), text("a", body="x")),  # other rules, another version of the program
        (text("a slogan", body="x"), text("a", body="y", whole="a slogan")),  # a repeat was learnt …
        (text("a", body="x", whole="a slogan"), text("a slogan", body="y")),  # … or is kept again
    ):
        result = change(then, after(first))
        (visit,) = result.visits
        assert kinds(result) == []
        assert (visit.content_hash, visit.changes) == (then.record.page.content_hash, 0)
        assert kinds(change(text("b", body="z"), visit)) == ["changed"]


def test_rotating_slogans_are_not_a_change():
    assert kinds(change(text("a", body="y", whole="a new"), after(text("a", body="x", whole="a old")))) == []


def test_detail_of_an_event_says_why():
    there = after(text())
    assert change(text()).events[0].detail == ""
    gone = change(missing("http-410", 410), there)
    assert [(event.kind, event.detail, event.page_id) for event in gone.events] == [("gone", "http-410", "")]
    returned = change(text(), gone.visits[0])
    assert [(event.kind, event.detail, event.page_id) for event in returned.events] == [
        ("returned", "gone", "id a")
    ]
    assert change(text("b"), there).events[0].detail == ""
    for outcome, reason in ((FRONT_PAGE, "front-page"), (SOFT_404, "soft-404")):
        events = change(outcome, there).events
        assert [(event.kind, event.detail) for event in events] == [("gone", reason)]


def test_event_names_its_address_source_and_scan():
    (event,) = change(text(), after(missing())).events
    assert (event.url, event.source, event.scan_id, event.at, event.before) == (URL, "s", "scan", NOW, "")


@pytest.mark.parametrize("outcome", [missing(), text(url="http://x.example/2")])
def test_removed_page_is_checked_soon_and_then_less_and_less(outcome):
    first = change(outcome, after(text(), text(), text(), text())).visits[0]
    second = change(outcome, first).visits[0]
    assert (first.interval_s, first.changes, second.interval_s, second.changes) == (200, 1, 400, 1)
    assert (first.etag, first.last_modified) == (None, None)


def test_gone_page_keeps_its_text_and_loses_its_snapshots():
    visit = change(missing(), after(text())).visits[0]
    assert (visit.content_hash, visit.page_id, visit.parts) == ("a", "id a", ())


def test_returned_page_counts_as_changed():
    gone = after(text(), text(), text(), missing())
    back = change(text(), gone).visits[0]
    assert (back.changes, back.interval_s) == (gone.changes + 1, 100)
    same = change(UnchangedText(gone, gone.url, (), not_modified=True), gone).visits[0]
    assert (same.state, same.changes, same.interval_s) == ("there", gone.changes + 1, 100)


def test_page_that_moved_and_came_back_is_no_longer_moved():
    moved = change(text(url="http://x.example/2"), after(text())).visits[0]
    back = change(text(), moved)
    assert [(event.kind, event.detail) for event in back.events] == [("returned", "moved")]
    assert (back.visits[0].state, back.visits[0].moved_to) == ("there", "")


def test_same_responses_are_the_same_text_whatever_is_extracted():
    first, then = text("a", body="x", parts=2), text("b", body="x", parts=2)
    assert kinds(change(then, after(first))) == []
    assert kinds(change(text("b", body="x", parts=3), after(first))) == ["changed"]


@pytest.mark.parametrize(
    ("interval", "changed", "expected"),
    [
        (0, True, 100),
        (0, False, 100),
        (1, False, 100),
        (300, False, 600),
        (600, True, 150),
        (900, False, 1000),
    ],
)
def test_interval_doubles_or_is_quartered(interval, changed, expected):
    assert next_interval(interval, changed=changed, bounds=BOUNDS) == expected
