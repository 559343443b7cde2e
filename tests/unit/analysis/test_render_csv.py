"""Reports as tables for spreadsheets."""

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from analysis.render_csv import render_csv
from analysis.report_records import CaptureFacts
from storage.records import Suppressed

NOON = datetime(2025, 3, 1, 4, 0, tzinfo=UTC)


def read_rows(report):
    text = render_csv(report)
    assert text.startswith("\ufeff")
    assert "\r\n" in text
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


# Programs read the columns by name, so names and order are a promise.
ROW = {
    "work_id": "7",
    "work": "青灯渡",
    "passage": "第一章",
    "site": "copy.example",
    "url": "https://copy.example/1.html",
    "page_title": "转载",
    "verdict": "copy",
    "low_confidence": "1",
    "coverage": "0.5123",
    "passage_coverage": "0.2568",
    "copied_chars": "40",
    "longest_span": "14",
    "char_identity": "0.7512",
    "sound_identity": "0.9877",
    "disguises": "homophones noise",
    "spans": "1",
    "profile": "news@1",
    "licence": "expired",
    "page_older": "1",
    "work_published": "2025-03-01T04:00:00+00:00",
    "page_published": "2025-02-26T04:00:00+00:00",
    "review": "confirmed",
    "common_stretches": "2",
    "dismissed_stretches": "3",
    "dismissed_because": "引用; 授权",
    "first_seen": "2025-03-01T05:00:00+00:00",
    "last_seen": "2025-03-01T06:00:00+00:00",
    "case_status": "noticed",
    "content_hash": "ab" * 32,
    "snapshots": f"{'cd' * 32} {'ef' * 32}",
    "capture_digests": "d1 d2",
    "evidence": "unchanged altered",
}


def full_report(build):
    """A report of one match, every column of which differs from the others and from nothing."""
    report = build()
    (case,) = report.cases
    (entry,) = case.matches
    span = entry.match.spans[0]
    match = replace(
        entry.match,
        low_confidence=True,
        coverage=0.51234,
        passage_coverage=0.25678,
        copied_chars=40,
        longest_span=14,
        char_identity=0.75123,
        sound_identity=0.98765,
        disguises=("homophones", "noise"),
        licence="expired",
        page_older=True,
        work_published=NOON,
        page_published=NOON - timedelta(days=3),
        review="confirmed",
        common=(span, span),
        suppressed=tuple(
            Suppressed(span=span, dismissal_id=str(number), because=because)
            for number, because in enumerate(("引用", "授权", "引用"))
        ),
        first_seen=NOON + timedelta(hours=1),
        last_seen=NOON + timedelta(hours=2),
    )
    captures = tuple(
        CaptureFacts(url="u", fetched=NOON, sha256="cd" * 32, digest=digest, state=state)
        for digest, state in (("d1", "unchanged"), ("", "altered"), ("d2", "unchanged"))
    )
    page = replace(entry.page, snapshots=("cd" * 32, "ef" * 32), captures=captures)
    known = replace(
        case, case=replace(case.case, status="noticed"), matches=(replace(entry, match=match, page=page),)
    )
    return replace(report, cases=(known,), dismissed=(replace(match, page_older=False),))


def test_every_column_of_a_match_and_of_a_dismissed_one(build):
    row, dismissed = read_rows(full_report(build))
    assert list(row.items()) == list(ROW.items())
    # What was dismissed belongs to no case, and its page is not looked up.
    gone = ("case_status", "content_hash", "snapshots", "capture_digests", "evidence")
    assert dismissed == {**ROW, "page_older": "0", **dict.fromkeys(gone, "")}


def test_what_is_not_known_is_empty(build):
    (row,) = read_rows(build())
    assert [name for name, value in row.items() if not value] == [
        *("disguises", "licence", "work_published", "page_published", "review", "dismissed_because"),
        *("capture_digests", "evidence"),
    ]
    assert (row["low_confidence"], row["page_older"], row["common_stretches"]) == ("0", "0", "0")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "＝", " =", "\n@"])
def test_csv_cells_compute_nothing(build, start):
    (row,) = read_rows(build(title=f'{start}HYPERLINK("http://evil.example","江")'))
    assert row["page_title"][0] == "'"
    assert row["page_title"].endswith('"江")')


def test_csv_shows_hidden_characters_and_keeps_quotes(build):
    (row,) = read_rows(build(title='a"b,\u202ec\nd'))
    assert row["page_title"] == 'a"b,[U+202E]c\nd'
