"""The section of set wording: what it asks, and what its tables count."""

import json
from dataclasses import replace

import pytest
from support.changed.corpora import SAMPLES
from support.changed.texts import is_in_second_half
from support.retold import CLASSICAL, MODERN

from benchmarks.wording import WordingAnswer, measure, wording_tables

ANSWER = WordingAnswer(
    kind="other notice", half="unseen", name="notice-1", verdict="clear", ms=10, matches=3, left_out=5
)
NOTICE = "各省、自治区、直辖市人民政府：第{}号请示收悉。{}事宜由你省会同有关部门办理。"
SUBJECTS = ("渡口修缮", "灯塔巡检", "竹林更新", "船税减免", "渔汛预报", "粮仓搬迁")
NOTICES = {f"gov_{number}": NOTICE.format(number, subject) * 4 for number, subject in enumerate(SUBJECTS)}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    (folder / "set-wording").mkdir()
    works = [{"title": title, "text": text} for title, text in NOTICES.items()]
    works += [{"title": f"条例{title}", "text": text} for title, text in NOTICES.items()]
    pages = [
        {"id": f"{kind}-1", "text": "各省、自治区、直辖市人民政府：来函收悉，请按规定办理。"}
        for kind in ("notice", "law")
    ]
    for name, rows in (("works", works), ("pages", pages)):
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (folder / "set-wording" / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (folder / "retellings").mkdir()
    pair = {"title": "陆文康传", "classical": CLASSICAL, "modern": MODERN}
    (folder / "retellings" / "pairs.jsonl").write_text(json.dumps(pair), encoding="utf-8")
    (folder / "pairs" / "reprints").mkdir(parents=True)
    reprint = {"a": {"title": "灯", "text": MODERN}, "b": {"title": "灯", "text": MODERN[:300]}}
    (folder / "pairs" / "reprints" / "pairs.jsonl").write_text(json.dumps(reprint), encoding="utf-8")
    (folder / "distractors").symlink_to(SAMPLES / "others")
    return list(measure(folder))


def test_every_work_is_tested_hidden_whole_and_in_fragments(answers):
    kinds = [answer.kind for answer in answers]
    for kind in ("notice", "regulation"):
        assert kinds.count(f"{kind} of the corpus, hidden") == len(NOTICES)
        assert kinds.count(f"whole {kind}") == len(NOTICES)
        assert kinds.count(f"500 characters of a {kind} in news") == len(NOTICES)
    assert {answer.half for answer in answers} == {"seen", "unseen"}
    assert all((answer.half == "unseen") == is_in_second_half(answer.name) for answer in answers)


def test_whole_notice_is_recalled_but_never_as_a_copy_of_itself(answers):
    whole = [answer for answer in answers if answer.kind == "whole notice"]
    assert {answer.verdict for answer in whole} <= {"copy", "partial", "quote"}
    hidden = [answer for answer in answers if answer.kind == "notice of the corpus, hidden"]
    assert all(answer.gravest[0] != answer.name for answer in hidden)


def test_retellings_are_compared_in_both_directions(answers):
    verdicts = {answer.kind: answer.verdict for answer in answers[-3:-1]}
    assert verdicts == {"modern translation": "reworded", "classical original": "clear"}


def test_reprint_is_judged_by_its_shorter_article(answers):
    assert (answers[-1].kind, answers[-1].verdict) == ("shorter article of a reprint", "copy")


def test_tables_count_accusations_and_list_those_of_clean_pages():
    accused = replace(ANSWER, name="notice-2", verdict="partial", ms=30, gravest=("work", "partial", 300))
    copied = replace(accused, kind="whole notice", verdict="copy")
    counted, listed = wording_tables([ANSWER, accused, copied])
    cells = dict(zip(counted.head, counted.rows[0], strict=True))
    assert (cells["n"], cells["accused"][:1], cells["found"][:1]) == ("2", "1", "1")
    assert (cells["ms a page"], cells["slowest"], cells["left out"]) == ("20", "30", "5")
    assert [row[2] for row in listed.rows] == ["notice-2"]
