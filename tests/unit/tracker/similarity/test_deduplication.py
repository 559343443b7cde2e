"""Groups of near-duplicates against single linkage over all pairs."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import story

from deploy.demo.samples import SAMPLES
from fingerprint.registry import methods
from fingerprint.shingle import ShingleSet
from fingerprint.text.views import Views, bigrams
from storage.records.dates import parse_date
from tracker.similarity.deduplication import Deduplication
from tracker.similarity.work_file import TextRecord

STORIES = [story(400, seed) for seed in range(6)]
METHODS = {method.name: method for method in methods()}


def names(groups):
    return [[member.text.name for member in group.members] for group in groups]


def groups_of(texts, method, *, threshold=None, dates=None):
    with Deduplication(method, cut=bigrams, threshold=threshold) as search:
        for number, text in enumerate(texts):
            published = dates[number] if dates else None
            search.add(TextRecord(name=str(number), published=published), text)
        return list(search.groups())


def link(texts, method, threshold):
    """Single linkage, the slow way."""
    prints = [method.fingerprint(Views(text, cut=bigrams)) for text in texts]
    groups = [{number} for number in range(len(texts))]
    for a, b in combinations(range(len(texts)), 2):
        if method.similarity(prints[a], prints[b]) >= threshold:
            ours, theirs = (next(group for group in groups if each in group) for each in (a, b))
            if ours is not theirs:
                groups.remove(theirs)
                ours |= theirs
    return sorted(sorted(map(str, group), key=int) for group in groups if len(group) > 1)


pieces = st.lists(st.sampled_from([story(40, seed) for seed in range(5)]), min_size=1, max_size=4)


@settings(max_examples=40, deadline=None)
@given(st.lists(pieces, max_size=9), st.sampled_from([0.2, 0.5, 0.9]))
def test_groups_are_those_of_single_linkage(texts, threshold):
    method = ShingleSet(unit="letters", size=6)
    joined = ["。".join(text) for text in texts]
    assert sorted(names(groups_of(joined, method, threshold=threshold))) == link(joined, method, threshold)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_groups_only_equal_texts(name):
    texts = [STORIES[0], STORIES[1], STORIES[0], STORIES[2], STORIES[1]]
    groups = groups_of(texts, METHODS[name])
    assert names(groups) == [["0", "2"], ["1", "4"]]
    assert groups[0].members[1].similarity == pytest.approx(1)


def test_earliest_by_date_comes_first_and_is_marked():
    day = [parse_date(f"2026-01-0{number}") for number in (3, 1, 2)]
    dates = [None, day[0], day[1], day[2], None]
    (group,) = groups_of([STORIES[0]] * 5, METHODS["md5"], dates=dates)
    assert [member.text.name for member in group.members] == ["2", "3", "1", "0", "4"]
    assert [member.earliest for member in group.members] == [True, False, False, False, False]


def test_texts_that_may_be_of_the_same_moment_are_all_the_earliest():
    dates = [parse_date(f"2026-01-{date}") for date in ("02 09:00", "02", "03", "02 08:00")]
    (group,) = groups_of([STORIES[0]] * 4, METHODS["md5"], dates=dates)
    assert [(member.text.name, member.earliest) for member in group.members] == [
        ("1", True),  # any time of that day
        ("3", True),
        ("0", False),  # an hour after another one
        ("2", False),
    ]


def test_without_dates_none_is_called_the_earliest():
    (group,) = groups_of([STORIES[0]] * 2, METHODS["md5"])
    assert not any(member.earliest for member in group.members)


def test_texts_linked_through_other_texts_are_grouped():
    first, second, third = STORIES[0][:200], STORIES[1][:200], STORIES[2][:200]
    texts = [first + second, second + third, third + STORIES[3][:200], STORIES[4]]
    assert names(groups_of(texts, METHODS["shingle"], threshold=0.3)) == [["0", "1", "2"]]


def test_texts_without_a_key_are_counted_and_in_no_group():
    with Deduplication(METHODS["shingle"], cut=bigrams) as search:
        for _ in range(3):
            search.add(TextRecord(name="short"), "灯")
        assert list(search.groups()) == []
        assert (len(search), search.without_keys) == (3, 3)


def test_progress_reaches_the_number_of_pairs():
    seen = []
    with Deduplication(METHODS["shingle"], cut=bigrams) as search:
        for _ in range(4):
            search.add(TextRecord(name="copy"), STORIES[0])
        list(search.groups(report=lambda done, total: seen.append((done, total))))
    assert seen == [(6, 6)]


def test_samples_of_the_project_are_all_different_works():
    texts = [path.read_text(encoding="utf-8") for path in sorted(SAMPLES.rglob("*.txt"))]
    assert len(texts) > 3
    assert groups_of(texts, METHODS["shingle"], threshold=0.3) == []
