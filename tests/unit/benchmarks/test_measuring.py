"""The harness measures what it says, on the samples that everybody has."""

import json

import pytest
from support.changed.changes import KINDS
from support.changed.corpora import SAMPLES, load
from support.changed.texts import PAGE_CHARS

from benchmarks import (
    grouping,
    growth,
    letters_speed,
    nshash_speed,
    recall,
    retrieval,
    speed,
    sweep,
    verdicts,
)
from benchmarks.__main__ import main
from benchmarks.finders import ExactGrams
from benchmarks.lineup import all_methods
from benchmarks.method_tables import (
    Table,
    grouping_table,
    growth_table,
    letters_table,
    nshash_table,
    recall_tables,
    speed_table,
    sweep_table,
)
from benchmarks.tracker_search import all_searches
from fingerprint.dna import DnaParams
from fingerprint.nshash import MemoryGroups
from fingerprint.shingle import ShingleParams
from tracker.indexing.params import IndexParams


class Known:
    """A finder that is right about novels and names passage 1 for all else."""

    name = "known"
    group = "baseline"

    def __init__(self, material):
        self.answers = {page.text: set(page.answers) for page in material.questions if page.kind == "novel"}

    def fingerprint(self, text):
        return text

    def add(self, passages):
        self.held = [passage.id for passage in passages]

    def find(self, text):
        return self.answers.get(text, {1})

    def index_bytes(self):
        return 0


@pytest.fixture(scope="module")
def material():
    return load(chars=60_000, pages=4, folder=SAMPLES)


def test_round_contains_every_kind_of_change_once(material):
    first = recall.make_rounds(material, seed=1)[0]
    assert [question.change for question in first if question.kind == "novel"] == [
        *KINDS,
        recall.FALSE_ALARMS,
    ]


def test_scores_count_right_answers_and_false_alarms(material):
    finder = Known(material)
    scores = recall.score_finder(finder, recall.make_rounds(material, seed=1), budget_s=60)
    scores = {(score.change, score.kind): score for score in scores}
    assert scores["none", "novel"].share == 1
    assert scores["edits 30 %", "novel"].share < 1
    assert scores[recall.FALSE_ALARMS, "novel"].share == 1
    assert scores["none", "novel"].pages == sum(page.kind == "novel" for page in material.questions)


def test_slow_method_gets_fewer_rounds(material):
    finder = Known(material)
    rounds = recall.make_rounds(material, seed=1) * 20
    scores = recall.score_finder(finder, rounds, budget_s=0)
    assert max(score.pages for score in scores) <= recall.MIN_ROUNDS


def test_every_method_finds_an_unchanged_page(material):
    page = material.questions[0]
    for finder in all_methods(material.passages):
        finder.add(material.passages)
        assert finder.find(page.text) & page.answers, finder.name
        assert finder.fingerprint(page.text) is not None


def test_windowed_searches_and_the_baseline_find_100_copied_characters(material):
    rounds = recall.make_rounds(material, seed=1)
    questions = [question for row in rounds for question in row if question.change == "copied 100"]
    for finder in (*all_searches(), ExactGrams()):
        finder.add(material.passages)
        assert all(finder.find(question.text) & question.answers for question in questions), finder.name


def test_single_process_and_two_processes_give_the_same_scores(material):
    def scores(processes):
        runs = recall.measure(
            material, [*all_searches()[:2], ExactGrams()], seed=1, budget_s=60, processes=processes
        )
        return sorted((score for run in runs for score in run), key=repr)

    assert scores(1) == scores(2)


def test_speed_is_a_row_a_method(material):
    pages = [page.text for page in material.questions if len(page.text) == PAGE_CHARS]
    rows = speed.measure([*all_searches()[:4], ExactGrams()], material.passages, pages, rounds=1)
    assert [row.method for row in rows] == ["default", "DNA", "DNA, winnowed", "letter shingles", "12-grams"]
    assert all(row.documents_s > 0 and row.page_ms > 0 and row.bytes_char > 0 for row in rows)
    assert rows[1].bytes_char + rows[3].bytes_char == pytest.approx(rows[0].bytes_char, rel=0.01)


def test_ratios_are_medians_over_rounds():
    assert speed.speed_ratio([2, 30, 4], [1, 10, 4]) == 2


def test_interleaving_gives_every_work_the_same_texts_in_every_round():
    calls = []
    works = [lambda text: calls.append(("a", text)), lambda text: calls.append(("b", text))]
    rows = speed.time_interleaved(works, ["x", "y", "z"], rounds=2)
    assert [len(row) for row in rows] == [2, 2]
    assert calls == [("a", "x"), ("a", "z"), ("b", "x"), ("b", "z"), ("a", "y"), ("b", "y")]


def test_there_are_no_more_rounds_than_texts():
    assert [len(row) for row in speed.time_interleaved([len], ["x", "y"], rounds=9)] == [2]


def test_nshash_documents_have_the_lengths_of_news(material):
    texts = nshash_speed.make_documents(material, 40)
    lengths = {len(passage.text) for passage in material.passages if passage.source.kind == "news"}
    assert len(texts) == 40
    assert {len(text) for text in texts} <= lengths
    result = nshash_speed.measure(texts, MemoryGroups(), store="memory")
    assert result.documents == 40
    assert 1 < result.groups <= 40


def test_sweep_tries_every_set_of_parameters(material):
    tried = [
        DnaParams(size=20, levels=8, step=8, sampling="winnow"),
        DnaParams(size=20, levels=8, step=40, sampling="winnow"),
    ]
    dense, sparse = sweep.measure(material, recall.make_rounds(material, seed=1), tried)
    assert dense.params_id == tried[0].params_id
    assert dense.postings_char > 3 * sparse.postings_char
    assert dense.recall["copied 60"]["news"] == 1
    assert dense.recall["edits 20 %"]["news"] >= sparse.recall["edits 20 %"]["news"]
    assert [row[0] for row in sweep_table([dense, sparse]).rows] == [params.params_id for params in tried]


def test_retrieval_tries_every_set_of_parameters(material):
    tried = [
        IndexParams(),
        IndexParams(shingle=ShingleParams(size=9, selection=40), share=0),
    ]
    ours, sparse = retrieval.measure(material, tried, pages=4, seeds=(1,))
    assert ours.postings_char > 1.5 * sparse.postings_char
    assert ours.queries > sparse.queries
    assert ours.retrieved["inserted 6"].share == 1
    assert ours.retrieved["200 alone, noise 30 %"].share >= sparse.retrieved["200 alone, noise 30 %"].share
    assert [row[0] for row in retrieval.table([ours, sparse]).rows] == [ours.params_id, sparse.params_id]


@pytest.mark.usefixtures("services")
def test_index_growth_is_measured_in_memory_and_in_redis(material):
    rows = growth.measure(material, [30_000, 60_000], tuple, rounds=1, peer_chars=0)
    assert [row.method for row in rows] == ["default, in memory"] * 2 + ["default, in Redis"] * 2
    assert rows[0].chars < rows[1].chars
    assert (rows[0].copy_times, rows[2].other_times) == (1, 1)
    assert [row.chance for row in rows[:2]] == [row.chance for row in rows[2:]]


def test_tables_are_written_in_markdown():
    table = Table("Title", ("method", "recall"), (("default", "1.000"),))
    assert table.markdown() == "### Title\n\n| method | recall |\n| --- | ---: |\n| default | 1.000 |\n"
    assert table.rich().row_count == 1


def test_every_section_has_tables():
    score = recall.Score(method="m", group="peer", change="none", kind="novel", pages=4, hits=3, passages=5)
    first = recall_tables([score], ["m"])[0]
    assert first.head == ("method", "none", "pages")
    assert first.rows == (("m", "0.750", "4"),)
    row = speed.Speed(
        method="m",
        group="peer",
        documents_s=1234,
        page_ms=1,
        index_chars_s=10,
        bytes_char=2,
        times={"p": 1.5},
    )
    assert speed_table([row]).rows == (("m", "1,234", "1.50", "1.00", "10", "2.00"),)
    grown = growth.GrowthFigures(
        method="m",
        chars=1_000_000,
        build_s=1,
        bytes_char=2,
        copy_ms=3,
        other_ms=4,
        copy_times=1.1,
        other_times=1.2,
        chance=0.5,
    )
    assert growth_table([grown]).rows == (
        ("m", "1.0", "1.0", "2.00", "3.00", "1.10", "4.00", "1.20", "0.500"),
    )
    run = nshash_speed.NshashRun(store="memory", documents=10, chars=100, seconds=0.5, groups=9)
    assert nshash_table([run]).rows == (("memory", "10", "100", "0.50", "9"),)


def test_command_writes_json_and_markdown(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("support.changed.corpora.SHARED", tmp_path / "none")
    monkeypatch.setattr("benchmarks.report.RESULTS", tmp_path)
    monkeypatch.setattr("benchmarks.sections.MILLION", 60_000)
    monkeypatch.setattr("benchmarks.__main__.MILLION", 60_000)
    monkeypatch.setattr("benchmarks.lineup.all_methods", lambda _: (*all_searches()[:4], ExactGrams()))
    assert main(["--quick", "--section", "speed", "--markdown"]) == 0
    speeds = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["speed"]
    assert speeds["about"]["texts"] == "samples"
    methods = ["default", "DNA", "DNA, winnowed", "letter shingles", "12-grams"]
    assert [row["method"] for row in speeds["rows"]] == methods
    main(["--quick", "--section", "nshash"])
    both = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert both["speed"] == speeds
    assert [row["store"] for row in both["nshash"]["rows"]] == ["memory"]
    assert "### Speed and size" in capsys.readouterr().out


def test_copies_are_grouped_with_their_originals(material):
    texts = grouping.labelled_texts(material, seed=1)
    copies = [text for text in texts if text.change]
    assert copies
    assert {copy.origin for copy in copies} <= {text.origin for text in texts if not text.change}
    (result,) = grouping.measure(texts, {"ours": grouping.pindna_grouper("shingle", 0.3)})
    assert result.recall["none"] == 1
    assert result.mixed < 0.2
    assert "ours" in grouping_table([result]).markdown()


def test_grouper_that_mixes_everything_is_detected(material):
    texts = grouping.labelled_texts(material, seed=1)
    (result,) = grouping.measure(texts, {"one": lambda plain: dict.fromkeys(range(len(plain)), 0)})
    assert result.mixed == 1
    (result,) = grouping.measure(texts, {"none": lambda _plain: {}})
    assert (result.mixed, result.recall["none"]) == (0, 0)


def test_letters_are_timed_next_to_pypinyin():
    rows = letters_speed.measure(["青灯渡口"] * 2, rounds=1)
    assert [row.method for row in rows] == ["letters", "pypinyin"]
    assert all(row.load_ms > 0 and row.chars_s > 0 for row in rows)
    assert rows[1].times == 1
    assert "pypinyin" in letters_table(rows).markdown()


def test_verdicts_are_counted_before_and_after(material):
    outcomes = verdicts.measure(material, seed=1)
    verdict_pairs = {}
    for outcome in outcomes:
        verdict_pairs.setdefault(outcome.kind, set()).add((outcome.before, outcome.after))
    assert verdict_pairs["none, novel"] == {("copy", "copy")}
    assert {before for before, _ in verdict_pairs["ten works, 150 of each, in another work"]} == {"quote"}
    table = verdicts.verdicts_table(outcomes)
    assert [row[0] for row in table.rows] == list(verdict_pairs)
    assert sum(int(row[1]) for row in table.rows) == sum(outcome.pages for outcome in outcomes)
