"""Reports as tables for spreadsheets."""

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from analysis.evidence.captures import CaptureFacts
from analysis.reports.render_csv import render_csv
from storage.records import Background, Homophone, MatchDecision, Post, Presence, RestPiece, SuppressedSpan
from storage.records.dates import parse_date

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
    "page_older_by": "first-sight",
    "work_published": "2025-03-01T12:00+08:00",
    "page_published": "2025-02-26+08:00",
    "first_seen": "2025-03-01T05:00:00+00:00",
    "last_seen": "2025-03-01T06:00:00+00:00",
    "review": "confirmed",
    "common_stretches": "2",
    "dismissed_stretches": "3",
    "dismissed_because": "引用; 授权",
    "review_because": "整段照抄",
    "review_by": "林; 周",
    "review_inherited": "1",
    "match": "m12",
    "case": "c7",
    "last_look": "gone",
    "last_check": "2025-03-03T04:00:00+00:00",
    "absent_since": "2025-03-02T04:00:00+00:00",
    "look_reason": "http-404",
    "moved_to": "https://copy.example/2.html",
    "older_versions": "2",
    "case_status": "confirmed",
    "content_hash": "ab" * 32,
    "snapshots": f"{'cd' * 32} {'ef' * 32}",
    "capture_digests": "d1 d2",
    "evidence": "unchanged altered",
    "edition": "青灯渡（修订版）",
    "homophones": "清 qīng/青 qīng; 四 sì/十 shí",
    "background": "渡口 <章程> 1-5 3-9",
    "posts": "#2 北岸客 2025-02-26; #5",
    "part": "rest",
    "found_in": "hidden body > div.a; script",
    "information_bits": "250",
    "also_contained": "1",
}


def pair_of(words, kind):
    """A pair of homophones from four words: character and syllable of the page, and of the work."""
    character, syllable, original, original_syllable = words.split()
    return Homophone(
        page=1,
        passage=2,
        character=character,
        syllable=syllable,
        original=original,
        original_syllable=original_syllable,
        kind=kind,
    )


def decided_by(name):
    """A decision about another version of the page."""
    return MatchDecision(
        decision_id="d",
        state="confirmed",
        start=0,
        end=9,
        because="整段照抄",
        by=name,
        made=NOON,
        page_id="another",
        page_seen=NOON,
        url="u",
    )


def full_report(build):
    """A report of one match, every column of which differs from the others and from nothing."""
    report = build()
    (case,) = report.cases
    (entry,) = case.matches
    span = entry.match.spans[0]
    match = replace(
        entry.match,
        low_confidence=True,
        edition="青灯渡（修订版）",
        coverage=0.51234,
        passage_coverage=0.25678,
        copied_chars=40,
        information=(6.25, 7.0, 7.0),
        charged_to=(3,),
        longest_span=14,
        char_identity=0.75123,
        sound_identity=0.98765,
        disguises=("homophones", "noise"),
        homophones=(pair_of("清 qīng 青 qīng", "same-tone"), pair_of("四 sì 十 shí", "near")),
        posts=(
            Post(start=0, end=9, place=2, author="北岸客", published=parse_date("2025-02-26 23:40")),
            Post(start=10, end=20, place=5),
        ),
        part="rest",
        found_in=(
            RestPiece(start=0, end=9, reason="hidden", place="body > div.a"),
            RestPiece(start=9, end=20, reason="script"),
        ),
        licence="expired",
        page_older=True,
        page_older_by="first-sight",
        work_published=parse_date("2025-03-01 12:00"),
        page_published=parse_date("2025-02-26"),
        review="confirmed",
        because="整段照抄",
        number=12,
        decided=tuple(decided_by(name) for name in ("林", "周", "", "林")),
        common=(span, span),
        suppressed=tuple(
            SuppressedSpan(span=span, dismissal_id=str(number), because=because)
            for number, because in enumerate(("引用", "授权", "引用"))
        ),
        first_seen=NOON + timedelta(hours=1),
        last_seen=NOON + timedelta(hours=2),
    )
    captures = tuple(
        CaptureFacts(url="u", fetched=NOON, sha256="cd" * 32, digest=digest, state=state)
        for digest, state in (("d1", "unchanged"), ("", "altered"), ("d2", "unchanged"))
    )
    page = replace(entry.page, snapshots=("cd" * 32, "ef" * 32), captures=captures, older_versions=2)
    held = replace(span, page_start=0, page_end=5), replace(span, page_start=2, page_end=9)
    elsewhere = replace(span, page_start=900, page_end=950)
    page = replace(
        page,
        background=(
            Background(work_id=9, work="渡口 <章程>", passage="", spans=held, part="rest"),
            Background(work_id=8, work="别文", passage="", spans=(elsewhere,), part="rest"),
        ),
    )
    presence = Presence(
        state="gone",
        checked=NOON + timedelta(days=2),
        absent_since=NOON + timedelta(days=1),
        reason="http-404",
        moved_to="https://copy.example/2.html",
    )
    entry = replace(entry, match=match, page=page, presence=presence)
    known = replace(case, case=replace(case.case, state="confirmed", number=7), matches=(entry,))
    return replace(report, cases=(known,), dismissed=(replace(match, page_older=False),))


def test_every_column_of_a_match_and_of_a_dismissed_match_is_written(build):
    row, dismissed = read_rows(full_report(build))
    assert list(row.items()) == list(ROW.items())
    # What was dismissed belongs to no case, and its page is not looked up.
    looks = ("last_look", "last_check", "absent_since", "look_reason", "moved_to")
    gone = (
        *looks,
        "older_versions",
        "case",
        "case_status",
        "content_hash",
        "snapshots",
        "capture_digests",
        "evidence",
        "background",
    )
    assert dismissed == {**ROW, "page_older": "0", **dict.fromkeys(gone, "")}


def test_unknown_values_are_empty(build):
    (row,) = read_rows(build())
    assert [name for name, value in row.items() if not value] == [
        *("disguises", "licence", "page_older_by", "work_published", "page_published", "review"),
        *("dismissed_because", "review_because", "review_by"),
        *("last_look", "last_check", "absent_since", "look_reason", "moved_to"),
        *("capture_digests", "evidence", "edition", "homophones", "background", "posts"),
        *("found_in", "information_bits"),
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
