"""Verdicts: every branch at its threshold, no way to get off by copying more, and no cliffs."""

import dataclasses
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.records import VERDICTS, gravest
from tracker.judgement.profiles import PROFILES, Profile
from tracker.judgement.verdict import Extent, judge, judge_pieced, without_background

NOVEL, NEWS = PROFILES["novel"], PROFILES["news"]
LADDER = ("clear", "quote", "partial", "copy")
DOCS = Path(__file__).parents[4] / "docs"
profiles = st.sampled_from([NOVEL, NEWS])
sizes = st.integers(min_value=1, max_value=5000)


def verdict(copied, page, profile=NOVEL, *, taken=None, passage=0, work=0, **options):
    """The verdict on a page that repeats nothing, unless fewer characters were taken than are copied."""
    extent = Extent(
        page_chars=page,
        copied_chars=copied,
        taken_chars=copied if taken is None else taken,
        passage_chars=passage,
        work_chars=work,
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
        (84, 100, "partial"),
        (70, 100, "partial"),
        (69, 100, "quote"),
        (119, 170, "partial"),
        (119, 171, "quote"),
        (120, 200, "partial"),
        (120, 600, "partial"),
        (120, 601, "quote"),
        (149, 220, "partial"),
        (150, 250, "copy"),
        (150, 251, "partial"),
        (239, 1196, "quote"),
        (239, 1195, "partial"),
        (240, 100_000, "partial"),
        (3000, 5000, "copy"),
        (2999, 5000, "partial"),
    ],
)
def test_every_branch_of_the_novel_profile_at_its_threshold(copied, page, expected):
    assert verdict(copied, page) == expected


@pytest.mark.parametrize(
    ("copied", "page", "expected"),
    [(550, 1000, "copy"), (549, 1000, "partial"), (240, 9000, "partial"), (239, 9000, "quote")],
)
def test_news_is_judged_more_strictly(copied, page, expected):
    assert verdict(copied, page, profile=NEWS) == expected
    assert VERDICTS.index(verdict(copied, page, profile=NOVEL)) >= VERDICTS.index(expected)


@pytest.mark.parametrize(
    ("copied", "passage", "expected"),
    [
        (40, 50, "copy"),
        (40, 51, "partial"),
        (40, 57, "partial"),
        (40, 58, "quote"),
        (119, 171, "quote"),
        (120, 300, "partial"),
        (120, 301, "quote"),
        (39, 39, "quote"),
        (39, 60, "quote"),
        (39, 61, "clear"),
        (400, 500, "copy"),
        (399, 500, "partial"),
        (199, 498, "quote"),
        (200, 500, "partial"),
    ],
)
def test_copied_share_of_a_passage_counts_whatever_the_page_length(copied, passage, expected):
    assert verdict(copied, 10_000, passage=passage, work=passage) == expected


@pytest.mark.parametrize(
    ("stub", "work", "expected"),
    [
        (150, 100_000, "quote"),  # 5 % of the page
        (239, 100_000, "quote"),
        (240, 100_000, "partial"),
        (480, 100_000, "copy"),
        (479, 100_000, "partial"),
        (150, 150, "copy"),  # the whole work, and no stub
        (150, 180, "copy"),
        (150, 300, "partial"),
        (150, 0, "copy"),  # nothing is known of the work
    ],
)
def test_stub_of_a_chapter_is_not_a_whole_work(stub, work, expected):
    assert verdict(stub, 3000, passage=stub, work=work) == expected


@pytest.mark.parametrize(
    ("beyond", "page", "expected"),
    [
        (39, 1000, "clear"),
        (110, 2000, "quote"),
        (719, 10_000, "quote"),
        (720, 10_000, "partial"),
        (1100, 4500, "partial"),
        (1100, 1510, "copy"),
    ],
)
def test_pieces_of_several_works_count_by_page_share_and_total(beyond, page, expected):
    extent = Extent(page_chars=page, copied_chars=beyond, taken_chars=beyond)
    assert judge_pieced(extent, NOVEL) == expected


def borders(verdict_at):
    """The first percent at which each verdict is given, from 0 to 100; each is as grave as the one before.

    Between two neighbouring percents no verdict is left out.
    """
    verdicts = [verdict_at(percent / 100) for percent in range(101)]
    ranks = [LADDER.index(verdict) for verdict in verdicts]
    assert all(later - earlier in (0, 1) for earlier, later in pairwise(ranks))
    return tuple(verdicts.index(verdict) for verdict in LADDER[1:])


@pytest.mark.parametrize(
    ("profile", "length", "expected"),
    [
        (NOVEL, 60, (65, 70, 80)),
        (NOVEL, 150, (27, 70, 80)),
        (NOVEL, 400, (10, 40, 80)),
        (NOVEL, 1000, (4, 24, 80)),
        (NOVEL, 3000, (2, 8, 80)),
        (NEWS, 60, (65, 70, 80)),
        (NEWS, 150, (27, 70, 80)),
        (NEWS, 400, (10, 40, 80)),
        (NEWS, 1000, (4, 24, 80)),
        (NEWS, 3000, (2, 8, 80)),
    ],
)
def test_verdict_has_no_cliffs_as_the_copied_share_grows(profile, length, expected):
    """Copied into a page with 3,000 other characters."""

    def at(share):
        taken = round(share * length)
        return verdict(taken, 3000 + taken, profile, passage=length, work=length)

    assert borders(at) == expected
    assert verdicts_md_row("of a work", profile, length) == expected


@pytest.mark.parametrize(
    ("profile", "length", "expected"),
    [
        (NOVEL, 60, (50, 70, 85)),
        (NOVEL, 150, (27, 70, 85)),
        (NOVEL, 400, (10, 30, 60)),
        (NOVEL, 1000, (4, 20, 60)),
        (NOVEL, 3000, (2, 8, 60)),
        (NEWS, 60, (50, 70, 85)),
        (NEWS, 150, (27, 70, 85)),
        (NEWS, 400, (10, 30, 55)),
        (NEWS, 1000, (4, 20, 55)),
        (NEWS, 3000, (2, 8, 55)),
    ],
)
def test_verdict_has_no_cliffs_as_more_of_a_page_is_copied(profile, length, expected):
    """From a work of 100,000 characters."""

    def at(share):
        return verdict(round(share * length), length, profile, passage=100_000, work=100_000)

    assert borders(at) == expected
    assert verdicts_md_row("of a page", profile, length) == expected


def verdicts_md_row(side, profile, length):
    """The borders that docs/verdicts.md tells, of one length and one profile."""
    lines = (DOCS / "verdicts.md").read_text("utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    (row,) = [row for row in cells if row[:2] == [f"{length:,}", side]]
    return tuple(int(border) for border in row[2 if profile is NEWS else 3].replace("%", "").split("/"))


@pytest.mark.parametrize(
    ("taken", "expected"),
    [(22, "quote"), (39, "quote"), (40, "copy"), (149, "copy"), (5000, "copy"), (10**6, "copy")],
)
def test_repeated_text_of_a_page_is_counted_once(taken, expected):
    assert verdict(5000, 5000, taken=taken) == expected


@pytest.mark.parametrize(
    ("taken", "expected"),
    [(39, "clear"), (119, "quote"), (120, "partial"), (239, "partial")],
)
def test_repetitions_on_less_than_half_a_page_count_once(taken, expected):
    assert verdict(400, 1000, taken=taken) == expected


def test_more_of_the_work_than_of_the_page_counts_as_the_page():
    """A stretch of the page that matches several passages stays one stretch."""
    assert verdict(39, 1000, taken=4000) == "clear"
    assert verdict(239, 10_000, taken=4000) == "quote"


def test_copy_on_a_licensed_site_is_licensed():
    assert verdict(3000, 3000, passage=3000, licensed=True) == "licensed"
    assert verdict(50, 3000, licensed=True) == "licensed"
    assert verdict(0, 3000, licensed=True) == "clear"


@given(profiles, sizes, sizes, st.integers(min_value=0, max_value=10_000), st.data())
def test_more_copied_characters_are_never_milder(profile, page, passage, work, data):
    copied = data.draw(st.integers(min_value=0, max_value=page))
    more = data.draw(st.integers(min_value=copied, max_value=page))
    longer = data.draw(st.integers(min_value=passage, max_value=2 * passage))
    taken = data.draw(st.integers(min_value=0, max_value=2 * page))
    more_taken = data.draw(st.integers(min_value=taken, max_value=3 * page))
    milder = verdict(copied, page, profile, taken=taken, passage=longer, work=work)
    graver = verdict(more, page, profile, taken=more_taken, passage=passage, work=work)
    assert VERDICTS.index(graver) <= VERDICTS.index(milder)


@given(profiles, sizes, sizes, st.data())
def test_verdicts_do_not_depend_on_anything_else(profile, page, passage, data):
    copied = data.draw(st.integers(min_value=0, max_value=page))
    found = verdict(copied, page, profile, passage=passage)
    assert found in {"clear", "quote", "partial", "copy"}
    renamed = dataclasses.replace(profile, name="other", version=9, common_works=99, reliable_chars=9)
    assert verdict(copied, page, renamed, passage=passage) == found


def test_profiles_are_named_with_their_version():
    assert {kind: profile.name for kind, profile in PROFILES.items()} == {"novel": "novel", "news": "news"}
    assert Profile(name="x", version=3).id == "x@3"


@given(st.lists(st.sampled_from(VERDICTS)))
def test_gravest_of_several_verdicts_decides(verdicts):
    found = gravest(verdicts)
    assert found in (verdicts or ["clear"])
    assert all(VERDICTS.index(found) <= VERDICTS.index(each) for each in verdicts)


def test_empty_page_has_no_coverage():
    assert Extent(page_chars=0, copied_chars=0, taken_chars=0).coverage == 0


@pytest.mark.parametrize(
    ("page", "passage", "left"),
    [
        (0, 0, (1000, 800, 3000)),
        (300, 200, (700, 600, 2800)),
        (850, 650, (150, 150, 2350)),
        (851, 651, (150, 150, 2350)),  # copy_chars characters remain of each
        (5000, 5000, (150, 150, 2350)),
    ],
)
def test_background_text_is_not_counted_in_an_extent(page, passage, left):
    whole = Extent(page_chars=1000, copied_chars=100, taken_chars=90, passage_chars=800, work_chars=3000)
    own = without_background(whole, page=page, passage=passage, profile=NOVEL)
    assert (own.page_chars, own.passage_chars, own.work_chars) == left
    assert (own.copied_chars, own.taken_chars) == (100, 90)


def test_extent_of_a_page_below_the_minimum_is_unchanged():
    short = Extent(page_chars=100, copied_chars=50, taken_chars=50, passage_chars=90, work_chars=0)
    assert without_background(short, page=40, passage=40, profile=NOVEL) == short
