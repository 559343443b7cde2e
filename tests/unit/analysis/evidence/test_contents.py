from dataclasses import replace
from datetime import timedelta

import pytest
from support.exchanges import NOW
from support.matches import match_with

from analysis.evidence.changes import changes_between
from analysis.evidence.contents import stretches_of
from storage.records import Page, Span, SuppressedSpan

SPAN = Span(page_start=0, page_end=9, passage_start=10, passage_end=20, char_identity=1, sound_identity=1)


def spanning(*pieces, **fields):
    spans = tuple(replace(SPAN, passage_start=start, passage_end=end) for start, end in pieces)
    return match_with(spans=spans, **fields)


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([(10, 20)], [(10, 20)]),
        ([(30, 40), (10, 20)], [(10, 20), (30, 40)]),
        ([(10, 20), (20, 30)], [(10, 30)]),
        ([(10, 20), (21, 30)], [(10, 20), (21, 30)]),
        ([(10, 40), (15, 20), (38, 41)], [(10, 41)]),
        ([(0, 5), (0, 5)], [(0, 5)]),
    ],
)
def test_stretches_are_disjoint_in_order_and_hold_every_span(pieces, expected):
    assert stretches_of([spanning(*pieces, passage_id=7)]) == {7: expected}


def test_stretches_of_matches_and_excluded_spans_are_united():
    common = (replace(SPAN, passage_start=40, passage_end=50),)
    span = replace(SPAN, passage_start=60, passage_end=70)
    suppressed = (SuppressedSpan(span=span, dismissal_id="d", because="x"),)
    first = spanning((10, 20), passage_id=7, common=common, suppressed=suppressed)
    stretches = stretches_of([spanning((5, 12), passage_id=7), first, spanning((1, 2), passage_id=3)])
    assert stretches == {3: [(1, 2)], 7: [(5, 20), (40, 50), (60, 70)]}


def version(number, text):
    seen_at = NOW + timedelta(days=number)
    return Page(
        id=f"p{number}",
        url="u",
        host="h",
        source="s",
        kind="chapter",
        text=text,
        first_seen=seen_at,
        last_seen=seen_at,
    )


def test_changes_between_versions_are_listed_line_by_line():
    rows = list(changes_between([version(2, "甲\n丙\n丁"), version(1, "甲\n乙\n丁")]))
    assert [row["record"] for row in rows] == ["version", "version", "change"]
    assert [(row["id"], row["chars"], row["text"]) for row in rows[:2]] == [("p1", 5, ""), ("p2", 5, "")]
    assert rows[2]["lines"] == ["@@ -2 +2 @@", "-乙", "+丙"]
    assert (rows[2]["before"], rows[2]["after"], rows[2]["whole"]) == ("p1", "p2", True)


def test_change_without_end_is_cut_and_says_so():
    many = "\n".join(map(str, range(1_000)))
    *_, row = changes_between([version(1, many), version(2, many.replace("1", "x"))])
    assert (len(row["lines"]), row["whole"]) == (400, False)
    *_, row = changes_between([version(1, "a\n" * 5_000), version(2, "b")])
    assert (row["lines"], row["whole"]) == ([], False)
