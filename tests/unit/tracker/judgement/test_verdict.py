"""Verdicts: every branch at its threshold, and no way to get off by copying more."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.records import VERDICTS
from tracker.judgement.profiles import PROFILES, Profile
from tracker.judgement.verdict import Extent, gravest, judge

NOVEL, NEWS = PROFILES["novel"], PROFILES["news"]
profiles = st.sampled_from([NOVEL, NEWS])
shares = st.floats(min_value=0, max_value=1)
sizes = st.integers(min_value=1, max_value=5000)


def verdict(copied, page, passage_coverage=0.0, profile=NOVEL, *, taken=None, **options):
    """The verdict on a page that repeats nothing, unless fewer characters were taken than are copied."""
    extent = Extent(
        page_chars=page,
        copied_chars=copied,
        taken_chars=copied if taken is None else taken,
        passage_coverage=passage_coverage,
    )
    return judge(extent, profile, **options)


@pytest.mark.parametrize(
    ("copied", "page", "expected"),
    [
        (0, 0, "clear"),
        (0, 1000, "clear"),
        (39, 1000, "clear"),
        (40, 1000, "quote"),
        (9, 20, "clear"),
        (10, 20, "quote"),
        (39, 39, "quote"),
        (40, 40, "copy"),
        (85, 100, "copy"),
        (84, 100, "quote"),
        (119, 200, "quote"),
        (120, 200, "partial"),
        (120, 600, "partial"),
        (120, 601, "quote"),
        (149, 220, "partial"),
        (150, 250, "copy"),
        (150, 251, "partial"),
        (299, 1496, "quote"),
        (300, 100_000, "partial"),
        (3000, 5000, "copy"),
        (2999, 5000, "partial"),
    ],
)
def test_each_branch_of_the_novel_profile_at_its_threshold(copied, page, expected):
    assert verdict(copied, page) == expected


@pytest.mark.parametrize(
    ("copied", "page", "expected"),
    [(550, 1000, "copy"), (549, 1000, "partial"), (240, 9000, "partial"), (239, 9000, "quote")],
)
def test_news_is_judged_more_strictly(copied, page, expected):
    assert verdict(copied, page, profile=NEWS) == expected
    assert VERDICTS.index(verdict(copied, page, profile=NOVEL)) >= VERDICTS.index(expected)


@pytest.mark.parametrize(
    ("copied", "share", "expected"),
    [(40, 0.8, "copy"), (40, 0.79, "quote"), (39, 1.0, "clear"), (400, 0.8, "copy")],
)
def test_a_passage_that_is_on_the_page_almost_whole_is_a_copy(copied, share, expected):
    assert verdict(copied, 10_000, share) == expected


@pytest.mark.parametrize(
    ("taken", "expected"),
    [(22, "quote"), (39, "quote"), (40, "copy"), (149, "copy"), (5000, "copy"), (10**6, "copy")],
)
def test_what_a_page_repeats_was_taken_once(taken, expected):
    assert verdict(5000, 5000, taken=taken) == expected


@pytest.mark.parametrize(
    ("taken", "expected"),
    [(39, "clear"), (119, "quote"), (120, "partial"), (299, "partial")],
)
def test_less_than_half_a_page_of_repetitions(taken, expected):
    assert verdict(400, 1000, taken=taken) == expected


def test_more_of_the_work_than_of_the_page_counts_as_the_page():
    """Where a stretch of the page stands for several passages, it is one stretch still."""
    assert verdict(39, 1000, taken=4000) == "clear"
    assert verdict(299, 10_000, taken=4000) == "quote"


def test_a_licensed_site_may():
    assert verdict(3000, 3000, 1.0, licensed=True) == "licensed"
    assert verdict(50, 3000, licensed=True) == "licensed"
    assert verdict(0, 3000, licensed=True) == "clear"


@given(profiles, sizes, shares, shares, st.data())
def test_more_copied_characters_are_never_milder(profile, page, share, more_share, data):
    copied = data.draw(st.integers(min_value=0, max_value=page))
    more = data.draw(st.integers(min_value=copied, max_value=page))
    low, high = sorted((share, more_share))
    taken = data.draw(st.integers(min_value=0, max_value=2 * page))
    more_taken = data.draw(st.integers(min_value=taken, max_value=3 * page))
    milder = verdict(copied, page, low, profile, taken=taken)
    graver = verdict(more, page, high, profile, taken=more_taken)
    assert VERDICTS.index(graver) <= VERDICTS.index(milder)


@given(profiles, sizes, shares, st.data())
def test_verdicts_do_not_depend_on_anything_else(profile, page, share, data):
    copied = data.draw(st.integers(min_value=0, max_value=page))
    found = verdict(copied, page, share, profile)
    assert found in {"clear", "quote", "partial", "copy"}
    renamed = dataclasses.replace(profile, name="other", version=9, common_works=99, reliable_chars=9)
    assert verdict(copied, page, share, renamed) == found


def test_profiles_are_named_with_their_version():
    assert {kind: profile.name for kind, profile in PROFILES.items()} == {"novel": "novel", "news": "news"}
    assert Profile(name="x", version=3).id == "x@3"


@given(st.lists(st.sampled_from(VERDICTS)))
def test_the_gravest_of_several(verdicts):
    found = gravest(verdicts)
    assert found in (verdicts or ["clear"])
    assert all(VERDICTS.index(found) <= VERDICTS.index(each) for each in verdicts)


def test_coverage_of_an_empty_page():
    assert Extent(page_chars=0, copied_chars=0, taken_chars=0).coverage == 0
