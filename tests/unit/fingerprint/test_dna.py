"""DNA against counting window by window, its guarantees, its invariances, its stored values."""

from math import comb
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import reference
from support.strategies import han, prose, seeds, story

from deploy.demo.homophones import HOMOPHONES
from fingerprint.dna import LEVELS, DnaParams, digit_table, dna_fingerprints, dna_query, dna_windows
from fingerprint.reference import INITIALS, PROSE, Reference
from fingerprint.text.letters import to_letters

levels = st.sampled_from(LEVELS)
params = st.builds(
    DnaParams,
    size=st.integers(min_value=4, max_value=40),
    levels=levels,
    sampling=st.sampled_from(["winnow", "stride"]),
    step=st.integers(min_value=1, max_value=20),
) | st.integers(min_value=1, max_value=12).flatmap(
    lambda run: st.builds(
        lambda step, level: DnaParams(size=max(4, run + step), levels=level, sampling="syncmer", step=step),
        st.integers(min_value=max(1, 4 - run), max_value=20),
        levels,
    )
)


def places(result):
    return set(zip(result.hashes.tolist(), result.positions.tolist(), strict=True))


@settings(deadline=None)
@given(han, st.integers(min_value=4, max_value=60), levels)
def test_windows_agree_with_counting(text, size, level):
    letters = to_letters(text)
    result = dna_windows(letters.codes, DnaParams(size=size, levels=level, sampling="winnow"))
    assert result.tolist() == reference.dna_numbers(str(letters), size, level, PROSE.shares)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("size", [4, 20, 32, 64])
def test_digits_agree_with_exact_fractions(size, level):
    table = digit_table(size, level, PROSE)
    for row, share in enumerate(PROSE.shares):
        for count in {0, 1, 2, 3, size // 8, size // 2, size}:
            assert table[row, count] == reference.digit(count, size, level, share)


@pytest.mark.parametrize("level", LEVELS)
def test_digits_grow_with_the_count_and_reach_both_ends(level):
    table = digit_table(255, level, PROSE)
    assert (np.diff(table.astype(int), axis=1) >= 0).all()
    assert table.min(axis=1).tolist() == [0] * len(INITIALS)
    assert table.max(axis=1).tolist() == [level - 1] * len(INITIALS)


@pytest.mark.parametrize("level", LEVELS)
def test_digits_of_a_frequent_initial_are_about_equally_likely(level):
    chance = PROSE.shares[INITIALS.index("z")]
    digits = digit_table(255, level, PROSE)[INITIALS.index("z")].tolist()
    shares = [0.0] * level
    for count, digit in enumerate(digits):
        shares[digit] += comb(255, count) * chance**count * (1 - chance) ** (255 - count)
    assert max(abs(share - 1 / level) for share in shares) < 0.06


@settings(deadline=None)
@given(prose, params)
def test_stored_fingerprints_are_sampled_mixed_windows(text, chosen):
    letters = to_letters(text)
    windows = reference.dna_numbers(str(letters), chosen.size, chosen.levels, PROSE.shares)
    mixed = [reference.splitmix64(window) for window in windows]
    if chosen.sampling == "winnow":
        kept = reference.winnow(mixed, chosen.step)
    elif chosen.sampling == "syncmer":
        kept = reference.syncmers(str(letters), chosen.size, chosen.step)
        kept = kept or reference.winnow(mixed, len(mixed) or 1)
    else:
        kept = list(range(0, len(mixed), chosen.step))
    result = dna_fingerprints(letters, chosen)
    assert result.positions.tolist() == kept
    assert result.hashes.tolist() == [mixed[position] for position in kept]


@settings(deadline=None)
@given(prose, params)
def test_page_asks_for_all_windows_only_when_the_mother_side_is_strided(text, chosen):
    letters = to_letters(text)
    query, stored = places(dna_query(letters, chosen)), places(dna_fingerprints(letters, chosen))
    assert stored <= query
    if chosen.sampling != "stride":
        assert stored == query
    else:
        assert len(query) == max(0, len(letters) - chosen.size + 1)


@settings(deadline=None)
@given(st.tuples(han, han), st.tuples(han, han), params, seeds)
def test_shared_run_shares_a_fingerprint(ours, theirs, chosen, seed):
    (head, tail), (other_head, other_tail) = ours, theirs
    run = story(chosen.size + chosen.step - 1, seed)
    stored = dna_fingerprints(to_letters(head + run + tail), chosen)
    query = dna_query(to_letters(other_head + run + other_tail), chosen)
    hashes = {(value, position - len(head)) for value, position in places(stored)}
    there = {(value, position - len(other_head)) for value, position in places(query)}
    assert any(0 <= position < chosen.step for _, position in hashes & there)


@given(st.text(alphabet="".join(HOMOPHONES), min_size=40, max_size=200), seeds, params)
def test_homophones_change_nothing(text, seed, chosen):
    rng = Random(seed)
    swapped = "".join(rng.choice(HOMOPHONES[item]) for item in text)
    assert swapped != text
    assert places(dna_fingerprints(to_letters(swapped), chosen)) == places(
        dna_fingerprints(to_letters(text), chosen)
    )


@given(st.text(alphabet=INITIALS, min_size=4, max_size=80), seeds, levels)
def test_order_within_a_window_does_not_matter(window, seed, level):
    mixed_up = list(window)
    Random(seed).shuffle(mixed_up)
    chosen = DnaParams(size=len(window), levels=level, sampling="winnow")
    first, second = (
        dna_windows(np.array([ord(item) - 96 for item in row], dtype=np.uint8), chosen)
        for row in (window, mixed_up)
    )
    assert first.tolist() == second.tolist()


def test_vowels_count_towards_the_length_only():
    chosen = DnaParams(size=6, sampling="winnow")
    windows = [
        dna_windows(np.array([ord(item) - 96 for item in row], dtype=np.uint8), chosen).tolist()
        for row in ("bcdaeo", "oeabcd", "bcdaaa")
    ]
    assert windows[0] == windows[1] == windows[2]
    assert len(windows[0]) == 1


@pytest.mark.parametrize("level", LEVELS)
def test_number_beyond_64_bits_wraps_around(level):
    """Twelve times b, the first of the initials, has the largest first digit."""
    number = 0
    for letter, share in zip(INITIALS, PROSE.shares, strict=True):
        number = number * level + reference.digit(12 if letter == "b" else 0, 12, level, share)
    assert (number >= 2**64) == (level == 10)
    result = dna_windows(np.full(12, ord("b") - 96, dtype=np.uint8), DnaParams(size=12, levels=level))
    assert result.tolist() == [number % 2**64]


@pytest.mark.parametrize("text", ["", "青灯", "a" * 50, "青灯渡口夜雨初停人声渐远山寺钟响船不来"])
def test_text_shorter_than_a_window_has_none(text):
    for sampling in ("winnow", "stride"):
        chosen = DnaParams(size=20, sampling=sampling)
        assert len(dna_fingerprints(to_letters(text), chosen)) == 0
        assert len(dna_query(to_letters(text), chosen)) == 0


@pytest.mark.parametrize(
    "wrong", [{"size": 3}, {"size": 256}, {"levels": 3}, {"levels": 16}, {"sampling": "all"}, {"step": 0}]
)
def test_parameters_of_dna_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        DnaParams(**wrong)


@pytest.mark.parametrize("shares", [(0.05,) * 19, (0.05,) * 21, (0.0, *(0.05,) * 19), (1.0, *(0.05,) * 19)])
def test_reference_needs_twenty_shares(shares):
    with pytest.raises(ValueError, match="20 shares"):
        Reference("odd", shares)


def test_reference_leaves_only_the_vowels_out():
    assert len(PROSE.shares) == len(INITIALS)
    assert 0.98 < sum(PROSE.shares) < 0.995


def test_another_reference_gives_other_windows_and_another_name():
    flat = DnaParams(reference=Reference("flat", (0.05,) * 20))
    letters = to_letters(story(60, 1))
    assert flat.params_id.endswith("-flat")
    assert dna_windows(letters.codes, flat).tolist() != dna_windows(letters.codes, DnaParams()).tolist()
