"""What decisions make of the stretches of a match."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from support.matches import match_with

from storage.records import Decision, Span
from tracker.judgement.reviewing import NEW_CHARS, cut_span, review_spans, settled

START = datetime(2026, 11, 1, tzinfo=UTC)


def span(start, end, *, page=None):
    at = start if page is None else page
    return Span(
        page_start=at,
        page_end=at + end - start,
        passage_start=start,
        passage_end=end,
        char_identity=1,
        sound_identity=1,
    )


def decision(state, start, end, *, day=0, reason="", page_id="p1", url="u"):
    return Decision(
        id=f"{state} {start}",
        state=state,
        site="a.cn",
        work_id=1,
        passage_id=1,
        passage_sha256="s",
        start=start,
        end=end,
        because=reason,
        page_id=page_id,
        url=url,
        made=START + timedelta(days=day),
    )


def test_without_decisions_everything_counts_and_is_open():
    reviewed = review_spans([span(0, 50)], [])
    assert (reviewed.counted, reviewed.suppressed, reviewed.decided) == ((span(0, 50),), (), ())
    assert (reviewed.review, reviewed.undecided, reviewed.reviewed_at) == ("", (), None)


def test_stretch_is_confirmed_with_user_and_reason():
    known = [decision("confirmed", 0, 900, reason="整章", day=2)]
    reviewed = review_spans([span(0, 400), span(430, 900)], known)
    assert (reviewed.review, reviewed.because) == ("confirmed", "整章")
    assert reviewed.reviewed_at == START + timedelta(days=2)
    assert [(each.start, each.end) for each in reviewed.decided] == [(0, 900)]


@pytest.mark.parametrize(
    ("length", "undecided"),
    [
        (0, ()),
        (NEW_CHARS - 1, ()),  # a line more
        (NEW_CHARS, ((2000, 2000 + NEW_CHARS),)),  # a paragraph more, little as it is beside the rest
        (3000, ((2000, 5000),)),
    ],
)
def test_long_continuation_of_a_confirmed_stretch_is_undecided(length, undecided):
    reviewed = review_spans([span(0, 2000 + length)], [decision("confirmed", 0, 2000)])
    assert reviewed.undecided == undecided
    assert reviewed.review == ("" if undecided else "confirmed")


def test_continuation_of_a_short_stretch_is_a_tenth_of_it():
    known = [decision("confirmed", 0, 90)]
    assert review_spans([span(0, 100)], known).review == "confirmed"
    assert review_spans([span(0, 101)], known).undecided == ((90, 101),)


def test_match_is_open_only_for_the_stretch_that_no_decision_covers():
    reviewed = review_spans([span(0, 400), span(600, 700)], [decision("confirmed", 0, 400)])
    assert (reviewed.review, reviewed.undecided) == ("", ((600, 700),))
    assert [each.state for each in reviewed.decided] == ["confirmed"]


def test_match_may_have_dismissed_and_confirmed_stretches():
    known = [decision("confirmed", 0, 400), decision("dismissed", 600, 700, reason="引文")]
    reviewed = review_spans([span(0, 400), span(600, 700)], known)
    assert (reviewed.review, reviewed.counted) == ("confirmed", (span(0, 400),))
    assert [each.because for each in reviewed.suppressed] == ["引文"]
    assert review_spans([span(600, 700)], known).review == "dismissed"
    assert review_spans([span(600, 700)], known).because == "引文"


@pytest.mark.parametrize(("last", "review"), [("confirmed", "confirmed"), ("dismissed", "dismissed")])
def test_of_two_decisions_the_later_prevails(last, review):
    first = "dismissed" if last == "confirmed" else "confirmed"
    known = [decision(last, 0, 100, day=1), decision(first, 0, 100)]
    assert review_spans([span(0, 100)], known).review == review


def test_decision_that_only_touches_a_stretch_is_not_named():
    known = [decision("confirmed", 0, 105), decision("confirmed", 105, 300)]
    reviewed = review_spans([span(100, 300)], known)
    assert [each.decision_id for each in reviewed.decided] == ["confirmed 105"]
    assert reviewed.review == "confirmed"


def test_stored_match_is_settled_and_settled_back():
    spans = (span(0, 400), span(600, 700))
    match = match_with(spans=spans)
    dismissed = settled(match, [decision("dismissed", 0, 700, reason="误判")])
    assert (dismissed.review, dismissed.because, dismissed.spans) == ("dismissed", "误判", spans)
    assert len(dismissed.suppressed) == 2
    assert settled(dismissed, []) == match


@pytest.mark.parametrize(
    ("dismissed", "pieces"),
    [
        ([(0, 400)], [(0, 400), (400, 900)]),
        ([(300, 500)], [(0, 300), (300, 500), (500, 900)]),
        ([(0, 400), (450, 900)], [(0, 900)]),  # what is between them is no paragraph
        ([(0, 400), (450, 700)], [(0, 700), (700, 900)]),
        ([(0, 99)], [(0, 900)]),
        ([(0, 801)], [(0, 900)]),
        ([(0, 900)], [(0, 900)]),
        ([(1000, 2000)], [(0, 900)]),
        ([], [(0, 900)]),
    ],
)
def test_stretch_is_cut_where_a_long_dismissal_begins_or_ends(dismissed, pieces):
    known = [decision("dismissed", *stretch) for stretch in dismissed]
    cut = cut_span(
        span(1000, 1900, page=50),
        [replace(each, start=each.start + 1000, end=each.end + 1000) for each in known],
    )
    assert [(piece.passage_start - 1000, piece.passage_end - 1000) for piece in cut] == pieces
    assert [(piece.page_start - 50, piece.page_end - 50) for piece in cut] == pieces


def test_page_is_cut_in_proportion():
    longer = replace(span(0, 900), page_start=10, page_end=1810)
    first, second = cut_span(longer, [decision("dismissed", 0, 400)])
    assert (first.page_start, first.page_end) == (10, 810)
    assert (second.page_start, second.page_end) == (810, 1810)


def test_reversed_page_is_cut_from_its_end():
    turned = replace(span(0, 900, page=50), backwards=True)
    match = settled(match_with(spans=(turned,)), [decision("dismissed", 0, 300)])
    (dismissed,) = match.suppressed
    (left,) = match.spans
    assert (dismissed.span.passage_start, dismissed.span.passage_end) == (0, 300)
    assert (dismissed.span.page_start, dismissed.span.page_end) == (650, 950)
    assert (left.passage_start, left.passage_end, left.page_start, left.page_end) == (300, 900, 50, 650)


def test_decision_about_another_page_is_inherited():
    match = match_with(id="m", page_id="p2", url="u", spans=(span(0, 90),))
    for known, expected in (
        ([decision("confirmed", 0, 90)], "p1"),
        ([decision("confirmed", 0, 90, page_id="p2")], None),
        ([decision("confirmed", 0, 90, page_id="")], None),  # of an earlier schema, about the same address
        ([decision("confirmed", 0, 45), decision("confirmed", 45, 90, page_id="p2")], None),
    ):
        source = settled(match, known).inherited
        assert (source.page_id if source else None) == expected
    other = settled(match, [decision("confirmed", 0, 90, page_id="", url="elsewhere")])
    assert other.inherited.url == "elsewhere"
