"""Disjoint sets against sets that are merged the slow way."""

from hypothesis import given
from hypothesis import strategies as st

from fingerprint.disjoint import DisjointSets

joins = st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)), max_size=30)


def merge_all(pairs):
    """Return number → its set, merged one pair after another."""
    sets = {number: {number} for number in range(16)}
    for first, second in pairs:
        together = sets[first] | sets[second]
        sets |= dict.fromkeys(together, together)
    return sets


@given(joins)
def test_root_is_the_smallest_joined_number(pairs):
    sets, expected = DisjointSets(), merge_all(pairs)
    for first, second in pairs:
        sets.join(first, second)
    assert [sets.root(number) for number in range(16)] == [min(expected[number]) for number in range(16)]
    assert sets.non_roots() == [number for number in range(16) if min(expected[number]) != number]


@given(joins)
def test_order_of_joins_does_not_matter(pairs):
    ours, theirs = DisjointSets(), DisjointSets()
    for first, second in pairs:
        ours.join(first, second)
    for first, second in reversed(pairs):
        theirs.join(second, first)
    assert [ours.root(item) for item in range(16)] == [theirs.root(item) for item in range(16)]


def test_joining_returns_the_root_of_both():
    sets = DisjointSets()
    assert sets.join(9, 5) == 5
    assert sets.join(3, 9) == 3
    assert sets.join(5, 3) == 3
