"""Alignment: what was planted is found to the character, and identities tell the truth about edits."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import PROSE, PUNCTUATION, anything, edits_of, prose, seeds, story

from deploy.demo import disguises
from deploy.demo.samples import load_samples
from fingerprint.text.letters import code_points, to_letters
from fingerprint.text.variants import are_variants, fold, fold_points
from tracker.alignment.align import align
from tracker.alignment.stretches import MIN_SPAN
from tracker.alignment.text import ComparedText

SAMPLES = load_samples()
CHAPTER = SAMPLES["青灯渡:1"].text
OTHER = SAMPLES["竹坞旧事:1"].text
# No initial of these is one of PROSE: what stands around a copy can never extend it by chance.
STRANGE = "平皮朋票铺派跑怕去前青清求全却先心西学写行象些"
slow = settings(max_examples=40, deadline=None)


def spans_of(page, passage):
    return [each.span for each in align(ComparedText(page), ComparedText(passage))]


def places(spans):
    return [(span.page_start, span.page_end, span.passage_start, span.passage_end) for span in spans]


def strange(length, seed):
    return story(length, seed, alphabet=STRANGE)


def check_sane(page, passage, spans):
    """What holds for every alignment whatever the texts are."""
    for span in spans:
        assert 0 <= span.page_start < span.page_end <= len(page)
        assert 0 <= span.passage_start < span.passage_end <= len(passage)
        assert 0 <= span.char_identity <= 1
        assert 0.6 <= span.sound_identity <= 1
        ours = page[span.page_start : span.page_end]
        theirs = passage[span.passage_start : span.passage_end]
        if span.char_identity == 1:
            assert [fold(our) for our in ours if to_letters(our)] == [
                fold(their) for their in theirs if to_letters(their)
            ]
        if span.sound_identity == 1:
            assert str(to_letters(ours)) == str(to_letters(theirs))
    starts = [span.page_start for span in spans]
    assert starts == sorted(starts)


def test_foreign_alphabet_shares_no_initial():
    assert not set(str(to_letters(STRANGE))) & set(str(to_letters(PROSE)))


@slow
@given(
    seeds,
    st.integers(min_value=MIN_SPAN, max_value=300),
    st.integers(0, 100),
    st.integers(0, 90),
    st.integers(0, 90),
)
def test_planted_copy_is_aligned_to_the_character(seed, length, there, head, tail):
    passage = story(400, seed)
    page = strange(head, 1) + passage[there : there + length] + strange(tail, 2)
    (span,) = spans_of(page, passage)
    assert places([span]) == [(head, head + length, there, there + length)]
    assert (span.char_identity, span.sound_identity, span.disguises) == (1, 1, ())


@slow
@given(seeds, st.integers(0, 60), st.integers(0, 60))
def test_planted_copy_takes_the_punctuation_at_its_ends_along(seed, head, tail):
    copied = "“" + story(40, seed) + "，" + story(30, seed + 1) + "……”"
    passage = story(50, seed + 2) + copied + story(50, seed + 3)
    page = strange(head, 1) + copied + strange(tail, 2)
    (span,) = spans_of(page, passage)
    assert page[span.page_start : span.page_end] == passage[span.passage_start : span.passage_end] == copied


@pytest.mark.parametrize("length", [1, 8, MIN_SPAN - 1])
def test_single_short_stretch_is_ignored(length):
    passage = story(400, 3)
    assert spans_of(strange(50, 1) + passage[100 : 100 + length] + strange(50, 2), passage) == []


def test_many_short_stretches_of_a_passage_count():
    passage = story(900, 4)
    pieces = [passage[start : start + 18] for start in range(40, 840, 100)]
    page = "".join(strange(90, number) + piece for number, piece in enumerate(pieces)) + strange(30, 99)
    spans = spans_of(page, passage)
    assert [page[span.page_start : span.page_end] for span in spans] == pieces


@slow
@given(seeds, st.sampled_from([0.05, 0.3, 0.6]))
def test_homophones_agree_in_sound_but_not_in_character(seed, rate):
    page = disguises.homophones(CHAPTER, rate, Random(seed))
    (span,) = spans_of(page, CHAPTER)
    swapped = int((fold_points(code_points(page)) != fold_points(code_points(CHAPTER))).sum())
    swapped -= int(are_variants(code_points(page), code_points(CHAPTER)).sum())  # 的 and 得
    assert span.sound_identity == 1
    assert span.char_identity == pytest.approx(1 - swapped / len(to_letters(CHAPTER)), abs=0.001)
    assert "homophones" in span.disguises
    assert places([span]) == [(0, len(page), 0, len(page))]


@pytest.mark.parametrize("ref", ["青灯渡:1", "雾港来信:2", "星槎纪事:3", "news:1", "news:5"])
def test_traditional_characters_are_the_same_characters(ref):
    text = SAMPLES[ref].text
    page = disguises.traditional(text)
    assert page != text
    (span,) = spans_of(page, text)
    assert span.char_identity == span.sound_identity == 1
    assert span.disguises == ("traditional",)
    assert places([span]) == [(0, len(page), 0, len(text))]


def test_variants_that_pinyin_reads_otherwise_sound_the_same_too():
    """輾 and 辗, 鯽 and 鲫: one character in two scripts cannot differ in sound."""
    text = "老人把鲫鱼放进木桶，辗转想了半夜，镐头靠在门边，栅栏外的狗也不叫，天亮时才合上了眼睛。"
    (span,) = spans_of(disguises.traditional(text), text)
    assert span.char_identity == 1
    assert span.sound_identity == 1


def with_edits(text, count, seed):
    """The text after ``count`` edits at places apart, and the share of columns that stay equal."""
    rng = Random(seed)
    places_ = sorted(rng.sample(range(10, len(text) - 10, 3), count))
    characters, columns, same = list(text), len(text), len(text) - count
    for place in places_:
        kind = rng.choice(["replace", "insert", "delete"])
        other = rng.choice(STRANGE)
        characters[place] = {"replace": other, "insert": text[place] + other, "delete": ""}[kind]
        if kind == "insert":
            columns, same = columns + 1, same + 1
    return "".join(characters), same / columns


@slow
@given(seeds, st.integers(min_value=0, max_value=60))
def test_measured_identity_reflects_the_number_of_edits(seed, count):
    passage = story(600, seed)
    page, truth = with_edits(passage, count, seed)
    spans = spans_of(page, passage)
    check_sane(page, passage, spans)
    assert len(spans) == 1
    assert spans[0].char_identity == pytest.approx(truth, abs=0.02)
    assert spans[0].sound_identity == pytest.approx(truth, abs=0.02)
    assert ("edited" in spans[0].disguises) == (count >= 0.02 * len(passage)) or count < 14


@slow
@given(st.data())
def test_any_edits_of_prose_keep_the_alignment_sane(data):
    passage = data.draw(prose)
    page = data.draw(edits_of(passage, max_edits=40))
    check_sane(page, passage, spans_of(page, passage))


@slow
@given(anything, anything, st.lists(st.sampled_from([0, 1, 2]), max_size=6))
def test_any_texts_at_all_keep_the_alignment_sane(one, other, order):
    passage = one + story(60, 5) + other
    page = "".join([one, other, story(60, 5)][part] for part in order)
    check_sane(page, passage, spans_of(page, passage))


def test_reordered_sentences_are_aligned_separately():
    page = disguises.shuffle_sentences(CHAPTER, Random(3))
    spans = spans_of(page, CHAPTER)
    check_sane(page, CHAPTER, spans)
    assert sum(span.page_end - span.page_start for span in spans) > 0.9 * len(page)
    assert any(later.passage_start < earlier.passage_start for earlier, later in pairwise(spans))


def test_long_insertion_splits_a_span():
    passage = story(400, 6)
    page = passage[:200] + strange(100, 1) + passage[200:]
    assert places(spans_of(page, passage)) == [(0, 200, 0, 200), (300, 500, 200, 400)]


def test_short_insertion_does_not_split_a_span():
    passage = story(400, 6)
    page = passage[:200] + strange(8, 1) + passage[200:]
    assert places(spans_of(page, passage)) == [(0, 408, 0, 400)]


def test_stretch_repeated_in_the_passage_is_counted_once():
    passage = story(100, 7) + story(60, 8) + story(100, 9) + story(60, 8)
    assert len(spans_of(strange(30, 1) + story(60, 8) + strange(30, 2), passage)) == 1


def test_page_that_repeats_a_passage_is_covered_wholly():
    passage = story(200, 7)
    assert places(spans_of(passage + strange(80, 1) + passage, passage)) == [
        (0, 200, 0, 200),
        (280, 480, 0, 200),
    ]


@pytest.mark.parametrize("ref", ["竹坞旧事:1", "other-news:1", "雾港来信:1", "news:2"])
def test_unrelated_texts_share_nothing(ref):
    assert spans_of(SAMPLES[ref].text, CHAPTER) == []
    assert spans_of(CHAPTER, SAMPLES[ref].text) == []


@pytest.mark.parametrize(("page", "passage"), [("", ""), ("", CHAPTER), (CHAPTER, ""), ("no Han", CHAPTER)])
def test_empty_texts_share_nothing(page, passage):
    assert spans_of(page, passage) == []


@slow
@given(st.integers(0, 3000), st.integers(0, 3000))
def test_window_of_the_hits_is_enough(head, tail):
    """Only the text within the length of the passage around the hits is aligned."""
    passage = story(200, 9)
    page = strange(head, 1) + passage + strange(tail, 2)
    hit = head + 100
    (found,) = align(ComparedText(page), ComparedText(passage), first=hit, last=hit)
    assert places([found.span]) == [(head, head + 200, 0, 200)]


def test_compatibility_character_of_several_letters_is_no_obstacle():
    passage = story(60, 1) + "㍿" + story(60, 2)
    (span,) = spans_of(passage, passage)
    assert places([span]) == [(0, 121, 0, 121)]


def test_punctuation_differs_freely():
    passage = "".join(each + ("，" if number % 9 == 8 else "") for number, each in enumerate(story(180, 1)))
    page = passage.replace("，", "\n　　")
    (span,) = spans_of(page, passage)
    assert (span.char_identity, span.sound_identity) == (1, 1)
    assert set(PUNCTUATION) & set(passage)


def test_chains_of_few_equal_letters_are_omitted_on_request():
    """The two texts share one sentence of some thirty letters."""
    page, passage = ComparedText(story(60, 1)), ComparedText(story(30, 2) + story(60, 1)[10:40])
    whole = align(page, passage)
    assert [aligned.columns >= 30 for aligned in whole] == [True]
    assert align(page, passage, min_letters=30) == whole
    assert align(page, passage, min_letters=40) == []
