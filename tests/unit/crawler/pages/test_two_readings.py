"""What two readings of a page have together."""

from dataclasses import replace

import pytest

from crawler.exchange import Exchange
from crawler.extraction import ExtractedPage
from crawler.pages.outcomes import FetchedPart, Text
from crawler.pages.page_records import PagePart, page_of, snapshot_of
from crawler.pages.two_readings import join_readings, missing_chars, with_unread
from storage.records import RestPiece, TextPart, utc_now

URL = "http://novels.example/1.html"
FIRST = "清晨的渡口起了雾，摆渡的老人把竹篙搁在船头。"
SECOND = "对岸的铃声响过三遍，还没有一个人下到河边来。"
THIRD = "他数着桥洞里漏下的水声，等第一班去县城的客车。"


def reading(text, *, rest="", kind="article", unread=None, body=b"", asked=URL):
    pieces = (RestPiece(start=0, end=len(rest), reason="outside", place="body > div"),) if rest else ()
    extracted = ExtractedPage(
        text=text, kind=kind, encoding="utf-8", rest=rest, rest_pieces=pieces, unread=unread or {}
    )
    snapshot = snapshot_of(url=URL, status=200, headers=b"", body=body)
    record = page_of([PagePart(snapshot, extracted, etag='"1"')], source="s", scan_id="c")
    received = Exchange(URL, b"", 200, b"", body, utc_now())
    return Text(record, asked, (FetchedPart(TextPart(url=URL, sha256=snapshot.sha256), received),), "v")


def joined(plain, rendered, **options):
    return join_readings(plain, rendered, **{"max_rest_chars": 1000, **options})


def pieces(page):
    return [(page.rest[piece.start : piece.end], piece.reason, piece.place) for piece in page.rest_pieces]


def test_browsers_reading_is_the_page_and_both_responses_are_kept():
    plain = reading(FIRST, unread={"scripts": 2}, body=b"1", asked="http://novels.example/one")
    shown = reading(f"{FIRST}\n{SECOND}", body=b"2")
    outcome = joined(plain, shown)
    page = outcome.record.page
    assert (page.text, page.rest, page.unread) == (f"{FIRST}\n{SECOND}", "", {})
    assert outcome.requested_url == "http://novels.example/one"
    assert page.snapshots == shown.record.page.snapshots
    assert [item.body for item in outcome.record.snapshots] == [b"2", b"1"]
    assert (outcome.fetched, outcome.attached) == (shown.fetched, plain.fetched)


def test_text_hidden_from_browsers_stays_in_the_rest():
    plain = reading(f"{FIRST}\n{SECOND}", rest=THIRD)
    shown = reading("河边的芦苇一夜之间全白了，远远看去像落了一层薄薄的雪。", rest=FIRST)
    page = joined(plain, shown).record.page
    assert pieces(page) == [
        (FIRST, "outside", "body > div"),
        (SECOND, "markup", ""),
        (THIRD, "outside", "body > div"),
    ]
    assert page.rest_hash != shown.record.page.rest_hash
    assert page.id == shown.record.page.id


def test_blocked_browser_does_not_replace_the_text():
    plain = reading(FIRST, unread={"scripts": 1, "images": 3})
    shown = reading(SECOND, kind="blocked", unread={"frames": 2})
    outcome = joined(plain, shown)
    page = outcome.record.page
    assert page.text == FIRST
    assert pieces(page) == [(SECOND, "script", "")]
    assert page.unread == {"images": 3, "frames": 2}
    assert outcome.attached == shown.fetched


def test_rest_of_both_stays_within_its_bound():
    page = joined(reading(f"{FIRST}\n{SECOND}"), reading(THIRD), max_rest_chars=30).record.page
    assert len(page.rest) == 30
    assert page.unread == {"limit": len(FIRST) + len(SECOND) + 1 - 30}


def test_page_of_rest_only_has_another_id_when_its_rest_grows():
    plain, shown = reading("", rest=FIRST, kind="empty"), reading("", rest=SECOND, kind="empty")
    assert joined(plain, shown).record.page.id not in {plain.record.page.id, shown.record.page.id}


def test_joined_readings_have_no_validators():
    page = joined(reading(FIRST), reading(FIRST)).record.page
    assert (page.etag, page.last_modified) == (None, None)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (FIRST, FIRST, 0),
        (f"{FIRST}{SECOND}", FIRST, 18 + 4),
        (FIRST, "", 20),
        ("渡口", "", 0),
        (FIRST.replace("，", " <b>"), FIRST, 0),
    ],
)
def test_characters_in_only_a_single_reading_are_counted(one, other, expected):
    result = missing_chars(reading(one).record.page, reading(other).record.page)
    assert result == pytest.approx(expected, abs=5)
    assert (result == 0) is (expected == 0)


def test_rest_of_a_reading_counts_too():
    plain = reading(FIRST, rest=SECOND)
    assert missing_chars(reading(f"{SECOND}\n{FIRST}").record.page, plain.record.page) == 0


def test_unread_counts_of_both_readings_are_combined():
    outcome = with_unread(reading(FIRST, unread={"scripts": 2}), "scripts", 1)
    assert outcome.record.page.unread == {"scripts": 3}
    assert replace(outcome, record=outcome.record) == outcome
