from datetime import UTC, datetime, timedelta

import pytest

from storage.records import Match, Presence, Span, summary_of, union_length
from tracker.judgement.cases import case_of, copied_chars, sum_up

START = datetime(2025, 5, 1, tzinfo=UTC)


def match_at(passage_id, *stretches, url="u1", verdict="quote", day=0, site="s", work_id=3, **more):
    return Match(
        id=f"{url}:{passage_id}",
        page_id=url,
        passage_id=passage_id,
        work_id=work_id,
        profile="novel@1",
        site=site,
        url=url,
        page_title="",
        work_title=more.get("title", "书"),
        passage_title="",
        verdict=verdict,
        coverage=more.get("coverage", 0.1),
        passage_coverage=0.1,
        copied_chars=999,
        longest_span=1,
        char_identity=1,
        sound_identity=1,
        spans=tuple(
            Span(page_start=0, page_end=9, passage_start=a, passage_end=b, char_identity=1, sound_identity=1)
            for a, b in stretches
        ),
        first_seen=START + timedelta(days=day),
        last_seen=START + timedelta(days=day + 1),
        review=more.get("review", ""),
    )


@pytest.mark.parametrize(
    ("stretches", "length"),
    [([], 0), ([(0, 5)], 5), ([(0, 5), (5, 7)], 7), ([(3, 9), (0, 5)], 9), ([(0, 9), (2, 4), (20, 21)], 10)],
)
def test_union_counts_every_position_once(stretches, length):
    assert union_length(stretches) == length


def test_two_versions_of_a_page_copy_the_same_characters_once():
    assert copied_chars([match_at(1, (0, 100)), match_at(1, (50, 120)), match_at(2, (0, 10))]) == 130


def test_retelling_copies_no_characters():
    reworded, copy = match_at(1, (0, 100), verdict="reworded"), match_at(2, (0, 30), url="u2", verdict="copy")
    assert copied_chars([reworded, copy]) == 30
    both, alone = case_of([reworded, copy]), case_of([reworded])
    assert (both.verdict, both.copied_chars, both.pages) == ("copy", 30, 2)
    assert (alone.verdict, alone.copied_chars, alone.work_share, alone.waiting) == ("reworded", 0, 0, 1)


def test_case_sums_up_its_matches():
    case = case_of(
        [
            match_at(1, (0, 100), day=2, verdict="quote", title="新书名"),
            match_at(1, (0, 100), day=0, verdict="partial", title="旧书名"),
            match_at(2, (5, 10), url="u2", day=1, verdict="licensed"),
        ]
    )
    assert (case.id, case.work_id, case.site, case.work_title) == ("3@s", 3, "s", "新书名")
    assert (case.verdict, case.pages, case.passages, case.copied_chars) == ("partial", 2, 2, 105)
    assert (case.first_seen, case.last_seen) == (START, START + timedelta(days=3))


def test_case_has_the_largest_share_of_a_page_and_the_share_of_its_work():
    parts = [
        summary_of(match_at(1, (0, 100), review=review, url=url, coverage=coverage))
        for url, review, coverage in (("u1", "", 0.4), ("u2", "confirmed", 0.6), ("u3", "dismissed", 0.9))
    ]
    for work_chars, share in ((400, 0.25), (50, 1.0), (0, 0.0)):
        case = sum_up(3, "s", parts, work_chars=work_chars)
        assert (case.page_share, case.work_share) == (0.6, share)


def presence(state, day):
    at = START + timedelta(days=day)
    return Presence(state=state, checked=at, absent_since=at if state == "gone" else None)


def test_case_counts_pages_that_are_up_and_gone():
    matches = [match_at(1, (0, 9)), match_at(2, (0, 9)), match_at(1, (0, 9), url="u2"), match_at(1, url="u3")]
    case = case_of(matches, {"u1": presence("up", 3), "u2": presence("gone", 2)})
    assert (case.pages, case.looks, case.checked) == (3, {"up": 1, "gone": 1}, START + timedelta(days=3))
    assert case.absent_since is None
    assert (case_of(matches).looks, case_of(matches).checked) == ({}, None)


@pytest.mark.parametrize(
    ("others", "since"),
    [
        ([presence("gone", 1), presence("gone", 4)], 4),
        ([presence("gone", 1), presence("up", 4)], None),
        ([presence("gone", 1), presence("unreachable", 4)], None),
        ([presence("gone", 1)], None),  # nobody looked at the other one
    ],
)
def test_case_is_absent_once_all_of_its_pages_are(others, since):
    matches = [match_at(1, (0, 9)), match_at(1, (0, 9), url="u2")]
    case = case_of(matches, dict(zip(("u1", "u2"), others, strict=False)))
    assert case.absent_since == (None if since is None else START + timedelta(days=since))


@pytest.mark.parametrize("others", [[], [match_at(1, site="s"), match_at(1, site="t")]])
def test_matches_of_no_case_or_of_two_are_refused(others):
    with pytest.raises(ValueError, match="exactly one work"):
        case_of(others)
