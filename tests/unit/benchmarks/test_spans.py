"""The truth about changed pages, and scores that follow from it."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from support.changed import truth
from support.changed.changes import FOREIGN, KINDS, Surroundings, foreign, join_parts, stretch_of
from support.changed.corpora import SAMPLES, load

from benchmarks import spans

TEXT = min((SAMPLES / "novels").glob("*.txt")).read_text(encoding="utf-8")[2_000:4_000]
AROUND = Surroundings(pool=TEXT, hosts=(TEXT[::-1],))


@pytest.fixture(scope="module")
def material():
    return load(chars=60_000, pages=4, folder=SAMPLES)


@pytest.fixture(scope="module")
def scores(material):
    return spans.measure(material, seed=1)


def share_of(traced, original=TEXT):
    return truth.Share(frozenset({1}), traced.origins, original)


def known_page(traced, *shares):
    return truth.Known("change", "novel", traced.text, shares or (share_of(traced),))


@pytest.mark.parametrize("name", truth.DISGUISED)
def test_disguise_keeps_the_characters_that_it_says(name):
    changed = truth.DISGUISED[name](TEXT, Random(1), AROUND)
    copied = changed.origins != FOREIGN
    assert len(changed.text) == len(changed.origins) > len(TEXT)
    assert set(changed.origins[copied].tolist()) == set(range(len(TEXT)))
    kept_ = "".join(
        c
        for c, o, before in zip(changed.text, changed.origins, [-2, *changed.origins], strict=False)
        if o not in (FOREIGN, before)
    )
    if name in ("invisible", "symbols"):
        assert kept_ == TEXT
    if name == "pinyin":
        assert 1.1 < len(changed.text) / len(TEXT) < 1.5
        assert any("a" <= character <= "z" for character in changed.text)


def test_sections_appear_in_another_order_within_other_text():
    changed = truth.parts(TEXT, Random(1), AROUND)
    blocks = list(truth.blocks_of(changed.origins))
    assert len(blocks) == 3
    assert all(later[1][1] <= earlier[1][0] for earlier, later in pairwise(blocks))
    assert all(changed.text[slice(*block)] == TEXT[slice(*original)] for block, original in blocks)


def test_identities_of_an_unchanged_and_of_a_changed_copy():
    assert truth.true_identities(known_page(stretch_of(TEXT)), share_of(stretch_of(TEXT))) == (1, 1)
    wrong = truth.Traced(TEXT[:100].replace("，", "，") + "她" * 100, np.arange(200))
    character, sound = truth.true_identities(known_page(wrong), share_of(wrong))
    assert 0.4 < character < 0.65
    assert sound >= character


def test_characters_of_foreign_texts_are_not_in_the_truth():
    page = join_parts([foreign("平平"), stretch_of(TEXT, 10, 20), foreign("皮皮皮")])
    assert known_page(page).copied.tolist() == [False] * 2 + [True] * 10 + [False] * 3
    assert list(truth.blocks_of(page.origins)) == [((2, 12), (10, 20))]


def test_precision_and_recall_count_characters():
    score = spans.SpanScore("m", "c", "novel")
    assert (score.precision, score.recall) == (1, 1)
    score.add_page(np.array([True, True, False, False]), np.array([True, False, True, True]))
    assert (score.precision, score.recall, score.pages) == (0.5, 1 / 3, 1)


@pytest.mark.long
def test_every_change_is_measured_for_every_kind_and_peer(scores, material):
    ours = {(score.change, score.kind): score for score in scores if score.method == spans.PINDNA}
    assert set(ours) == {
        (change, kind) for change in (*truth.CHANGES, spans.DISTRACTORS) for kind in ("novel", "news")
    }
    peers = {score.method for score in scores} - {spans.PINDNA}
    assert peers == {spans.DIFFLIB, spans.RAPIDFUZZ}
    assert ours["none", "novel"].pages == sum(page.kind == "novel" for page in material.questions)
    assert set(KINDS) < set(truth.CHANGES)


@pytest.mark.long
def test_comparison_meets_the_targets_on_the_samples(scores):
    """The shipped texts; figures for real texts are in docs/benchmarks/fingerprints.md."""
    for score in (score for score in scores if score.method == spans.PINDNA):
        where = score.change, score.kind
        if score.change == spans.DISTRACTORS:
            assert (score.copies, score.partials) == (0, 0), where
            continue
        assert score.precision >= 0.97, where
        assert score.recall >= (0.4 if score.change == "edits 30 %" else 0.95), where
        assert score.passage_scores[0] >= 0.97, where
        if score.change != "edits 30 %":
            assert np.mean(score.coverage_errors) <= (0.05 if score.change == "shuffled" else 0.03), where
            assert np.mean(score.char_errors) <= 0.02, where
            assert np.mean(score.sound_errors) <= 0.02, where


@pytest.mark.long
def test_tables_show_every_change(scores):
    shown = spans.tables(scores)
    assert len(shown) == 4
    assert [row[0] for row in shown[0].rows] == [*truth.CHANGES, spans.DISTRACTORS]
    assert all(len(row) == len(table.head) for table in shown for row in table.rows)
    assert "Spans" in shown[0].markdown()
