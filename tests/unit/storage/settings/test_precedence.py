"""Which was there first, and what shows it."""

from datetime import UTC, datetime, timedelta

import pytest
from support.corpora import corpus_of, untitled
from support.strategies import story

from storage.records import precedence
from storage.records.dates import parse_date
from tracker.comparison import ComparedText, Facts, compare

CHAPTER = story(600, 1)
NIGHT = "2023-12-4 22:15:00"  # in China 14:15 UTC


def order(work, page=None, first_seen=None):
    page, work = (parse_date(text) if text else None for text in (page, work))
    return precedence(page=page, first_seen=first_seen, work=work)


@pytest.mark.parametrize(
    ("work", "page", "expected"),
    [
        (NIGHT, "2023-12-05 00:15", ""),
        (NIGHT, "2023-12-04 20:15", "claimed-date"),
        (NIGHT, "2023-12-04", ""),
        (NIGHT, "2023-12-03", "claimed-date"),
        ("2023-12-04", "2023-12-04 00:01", ""),
        ("2023-12-04", "2023-12-03 23:59", "claimed-date"),
        ("2023-12-04 22:15", "2023-12-04 22:15:30", ""),
        (NIGHT, None, ""),
        (None, "2023-12-04", ""),
    ],
)
def test_dates_decide_within_their_precision(work, page, expected):
    assert order(work, page) == expected


def test_first_sight_counts_and_is_named():
    first_seen = datetime(2023, 12, 4, 14, 14, 59, tzinfo=UTC)
    assert order(NIGHT, None, first_seen) == "first-sight"
    assert order(NIGHT, "2024-01-01", first_seen) == "first-sight"
    assert order(NIGHT, "2023-12-01", first_seen) == "first-sight"
    assert order(NIGHT, "2023-12-01", first_seen + timedelta(seconds=1)) == "claimed-date"
    assert order(NIGHT, None, first_seen + timedelta(seconds=1)) == ""


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (Facts(published=parse_date("2023-12-01")), "claimed-date"),
        (Facts(first_seen=datetime(2023, 1, 1, tzinfo=UTC)), "first-sight"),
        (Facts(first_seen=datetime(2023, 1, 1, tzinfo=UTC), is_imported=True), "claimed-date"),
    ],
)
def test_match_says_why_the_page_is_older(facts, expected):
    corpus = corpus_of(untitled(([CHAPTER], {"published": parse_date(NIGHT)})))
    (match,) = compare(ComparedText(CHAPTER), corpus, facts=facts).matches
    assert match.page_older_by == expected
