"""The section of harder changes: its questions, its scores, and figures from before, on the samples."""

import json
from dataclasses import asdict, replace

import pytest
from support.changed.corpora import SAMPLES
from support.changed.hard_changes import HARD_KINDS, WHOLE_CHARS
from support.changed.hard_questions import CLEAN, SEEDS, TEN_WORKS, is_unseen, load_hard, questions, work_of
from support.changed.texts import Text

from benchmarks.hard import ACCUSED, GOALS, HardScore, hard_table, measure, read_earlier_scores
from benchmarks.report import wilson

SCORE = HardScore(kind="doubled", questions="aa", asked=20, found=20, named=19, by_seed=(1.0, 1.0), ms=2.0)


@pytest.fixture(scope="module")
def material():
    return load_hard(SAMPLES, chars=60_000)


@pytest.fixture(scope="module")
def asked_questions(material):
    return list(questions(material, pages=3))


@pytest.fixture(scope="module")
def scores(material, asked_questions):
    kinds = {"100 alone, noise 10 %", "400 alone, noise 10 %", TEN_WORKS, *CLEAN.values()}
    chosen = [question for question in asked_questions if question.kind in kinds]
    return {score.kind: score for score in measure(material, chosen)}


def test_every_kind_with_a_goal_has_questions_and_every_seed_is_used(asked_questions):
    kinds = {question.kind for question in asked_questions}
    assert {*HARD_KINDS, TEN_WORKS, *CLEAN.values()} == kinds
    assert {goal.removesuffix(ACCUSED) for goal in GOALS} <= kinds
    seeds = [question.seed for question in asked_questions if question.kind == "doubled"]
    assert sorted(seeds) == list(SEEDS)


def test_questions_are_the_same_in_every_run(material, asked_questions):
    assert list(questions(material, pages=3)) == asked_questions


def test_clean_pages_are_of_no_work(asked_questions):
    clean = [question for question in asked_questions if question.kind in CLEAN.values()]
    assert clean
    assert not any(question.works for question in clean)
    assert all(len(question.text) <= WHOLE_CHARS for question in clean)


def test_half_of_the_works_is_unseen_and_a_novel_is_whole():
    novels = [Text(work=f"书{n}", ordinal=n, kind="novel", title="", text="") for n in range(200)]
    assert 70 < sum(map(is_unseen, novels)) < 130
    assert len({is_unseen(replace(novels[0], ordinal=n, title=str(n))) for n in range(20)}) == 1
    assert [is_unseen(Text(work="7 题", ordinal=0, kind="news", title=t, text="")) for t in "甲乙丙丁"].count(
        True
    ) in (1, 2, 3)  # news go by their title


def test_page_knows_its_work(material):
    held = {passage.source.work for passage in material.passages}
    assert {work_of(page) for page in material.pages} <= held


def test_copies_are_recalled_by_name_and_clean_pages_are_not(scores):
    for kind in ("100 alone, noise 10 %", "400 alone, noise 10 %"):
        assert scores[kind].found == scores[kind].named == scores[kind].asked
    for name in CLEAN.values():
        assert scores[name].found == scores[name + ACCUSED].found == 0
        assert scores[name].asked == scores[name + ACCUSED].asked > 0


def test_table_shows_before_now_and_goal():
    now = [SCORE, replace(SCORE, kind="reversed", found=10), replace(SCORE, kind=CLEAN["news"], found=0)]
    before = {"doubled": replace(SCORE, found=0), "reversed": replace(SCORE, kind="reversed", questions="b")}
    rows = {row[0]: row[1:] for row in hard_table(now, before).rows}
    assert rows["doubled"][:5] == ("20", "0.000 (0.00–0.16)", "1.000 (0.84–1.00)", "0.95", "yes")
    assert rows["reversed"][1].endswith("*")
    assert rows["reversed"][4] == "no"
    assert rows[CLEAN["news"]][:5] == ("20", "–", "0.000 (0.00–0.16)", "0.00", "yes")


def test_figures_from_before_come_from_the_results_of_a_run(tmp_path):
    path = tmp_path / "results.json"
    assert read_earlier_scores(path) == {}
    path.write_text(json.dumps({"hard": {"about": {}, "rows": [asdict(SCORE)]}}), encoding="utf-8")
    assert read_earlier_scores(path) == {"doubled": SCORE}


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        (0, 0, 0, 1),
        (0, 10, 0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_wilson_interval_equals_the_published_table(hits, trials, low, high):
    """Newcombe, 1998, table I: 81 of 263 gives 0.2553 to 0.3662."""
    assert wilson(hits, trials) == pytest.approx((low, high), abs=5e-5)
