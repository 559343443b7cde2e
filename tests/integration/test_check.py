"""``pindna check --corpus``: exactly the JSON of the design, without any service."""

import json
import random
from pathlib import Path

import pytest
from support.books import epub_of, paragraphs, zip_of
from support.commands import run_alone

from deploy.demo import disguises
from deploy.demo.samples import SAMPLES
from fingerprint.text.syllables import parse_reading

NOVELS = SAMPLES / "novels"
CHAPTER = NOVELS.joinpath("青灯渡.txt").read_text(encoding="utf-8").split("第二章")[1].split("第三章")[0]
OTHER = SAMPLES.joinpath("others", "竹坞旧事.txt").read_text(encoding="utf-8")


@pytest.fixture
def check(tmp_path: Path):
    """Run ``pindna check --json`` where no service could be found."""

    def run(*arguments: str, stdin: bytes = b"", status: int):
        done = run_alone(tmp_path, "check", *arguments, "--json", stdin=stdin, status=status)
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


def test_standard_input_is_compared_with_a_folder(check):
    (result,) = check("--corpus", NOVELS, "-", stdin=CHAPTER.encode(), status=1)
    assert result["input"] == "-"
    assert result["chars"] == len(CHAPTER)
    assert result["verdict"] == "copy"
    assert result["coverage"] > 0.99
    (match,) = result["matches"]
    assert (match["work"], match["passage"]) == ("青灯渡", "第二章 半本账")
    assert match["char_identity"] == match["sound_identity"] == 1.0
    assert match["passage_coverage"] > 0.98


def test_results_come_in_the_order_of_the_inputs(check, tmp_path):
    (tmp_path / "copy.txt").write_text(CHAPTER, encoding="gb18030")
    (tmp_path / "clear.txt").write_text(OTHER, encoding="utf-8")
    (tmp_path / "page.html").write_text(
        "<html><head><meta charset='utf-8'><title>半本账</title></head><body><div id='content'>"
        + "".join(f"<p>{line.strip()}</p>" for line in CHAPTER.splitlines() if line.strip())
        + "</div></body></html>",
        encoding="utf-8",
    )
    inputs = ["clear.txt", "copy.txt", "missing.txt", "page.html"]
    rows = check("--corpus", NOVELS, *inputs, status=1)
    assert [row["input"] for row in rows] == inputs
    assert [row.get("verdict") for row in rows] == ["clear", "copy", None, "copy"]
    assert "missing.txt" in rows[2]["error"]
    assert rows[2]["reason"] == "missing-file"
    assert rows[0]["matches"] == []
    check("--corpus", NOVELS, "clear.txt", status=0)


def test_spans_point_into_both_texts(check, tmp_path):
    start = CHAPTER.index("　　") + 2
    copied = CHAPTER[start : start + 300]
    page = OTHER[:500] + copied + OTHER[500:1000]
    (tmp_path / "page.txt").write_text(page, encoding="utf-8")
    (tmp_path / "corpus" / "渡口集").mkdir(parents=True)
    (tmp_path / "corpus" / "渡口集" / "半本账.txt").write_text(CHAPTER, encoding="utf-8")
    (result,) = check("--corpus", "corpus", "page.txt", status=1)
    (match,) = result["matches"]
    assert (match["work"], match["passage"]) == ("渡口集", "半本账")
    (span,) = match["spans"]
    assert page[slice(*span["page"])].strip() == CHAPTER[slice(*span["passage"])].strip()
    covered = set(range(500, 500 + len(copied))) & set(range(*span["page"]))
    assert len(covered) / len(copied) > 0.99
    assert abs((span["page"][1] - span["page"][0]) - len(copied)) <= 6


def test_disguised_copies_are_recognised(check, tmp_path):
    rng = random.Random(7)
    texts = {
        "homophones": disguises.homophones(CHAPTER, 0.4, rng),
        "traditional": disguises.traditional(CHAPTER),
        "edited": disguises.edit(CHAPTER, 0.1, rng),
        "shuffled": disguises.shuffle_sentences(CHAPTER, rng),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    rows = check("--corpus", NOVELS, *(f"{name}.txt" for name in texts), status=1)
    for name, row in zip(texts, rows, strict=True):
        assert row["verdict"] == "copy", name
        assert name in row["matches"][0]["disguises"], name
    homophones = rows[0]["matches"][0]
    assert homophones["sound_identity"] > 0.99
    assert homophones["char_identity"] < 0.7
    assert len(homophones["homophones"]) == 20
    for pair in homophones["homophones"]:
        assert texts["homophones"][pair["page"]] == pair["character"]
        assert parse_reading(pair["syllable"]) >> 3 == parse_reading(pair["original_syllable"]) >> 3
    assert [row["matches"][0]["homophones"] for row in rows[1:]] == [[], [], []]
    assert rows[1]["matches"][0]["char_identity"] == 1.0


def test_folder_without_texts_is_an_error_and_no_clean_bill(check, tmp_path):
    (tmp_path / "page.txt").write_text(CHAPTER, encoding="utf-8")
    (tmp_path / "hollow").mkdir()
    assert check("--corpus", "hollow", "page.txt", status=2) == []
    assert check("--corpus", "nowhere", "page.txt", status=2) == []
    (tmp_path / "hollow" / "empty.txt").write_text("", encoding="utf-8")
    assert check("--corpus", "hollow", "page.txt", status=2) == []


def test_folders_and_archives_are_compared_file_by_file(check, tmp_path):
    """An unusable input keeps its line, so no skipped file counts as compared."""
    (tmp_path / "works").mkdir()
    (tmp_path / "works" / "渡口集.txt").write_text(CHAPTER, encoding="utf-8")
    (tmp_path / "sus" / "more").mkdir(parents=True)
    (tmp_path / "sus" / "a.txt").write_text(CHAPTER, encoding="utf-8")
    (tmp_path / "sus" / "more" / "b.md").write_text(OTHER[:500], encoding="utf-8")
    (tmp_path / "sus" / "c.pdf").write_bytes(b"%PDF")
    rows = [json.dumps({"text": OTHER[:500]}), json.dumps({"text": CHAPTER}), "{}"]
    (tmp_path / "sus" / "d.jsonl").write_text("\n".join(rows), encoding="utf-8")
    (tmp_path / "packed.zip").write_bytes(zip_of({"x/e.txt": CHAPTER.encode("gb18030")}))
    (tmp_path / "bad.zip").write_bytes(b"PK")
    found = check("--corpus", "works", "sus", "packed.zip", "bad.zip", status=1)
    assert {row["input"]: row.get("verdict") or row["reason"] for row in found} == {
        "sus/a.txt": "copy",
        "sus/d.jsonl:1": "clear",
        "sus/d.jsonl:2": "copy",
        "sus/d.jsonl:3": "bad-line",
        "sus/more/b.md": "clear",
        "sus": "unread-files",
        "packed.zip/x/e.txt": "copy",
        "bad.zip": "bad-archive",
    }


def test_chapter_of_a_book_that_cannot_be_read_is_no_clean_bill(tmp_path):
    (tmp_path / "works").mkdir()
    (tmp_path / "works" / "渡口集.txt").write_text(CHAPTER, encoding="utf-8")
    book = epub_of({"a.xhtml": paragraphs(1), "b.xhtml": paragraphs(2)})
    (tmp_path / "whole.epub").write_bytes(book)
    (tmp_path / "part.epub").write_bytes(book.replace(b"OEBPS/Text/b.xhtml", b"OEBPS/Text/c.xhtml"))
    run_alone(tmp_path, "check", "--corpus", "works", "whole.epub", status=0)
    done = run_alone(tmp_path, "check", "--corpus", "works", "part.epub", status=4)
    assert "part.epub lacks 1 of its chapters: OEBPS/Text/b.xhtml" in done.stderr


def test_folder_without_texts_to_compare_is_no_clean_bill(check, tmp_path):
    (tmp_path / "works").mkdir()
    (tmp_path / "works" / "渡口集.txt").write_text(CHAPTER, encoding="utf-8")
    (tmp_path / "hollow").mkdir()
    (row,) = check("--corpus", "works", "hollow", status=2)
    assert row["reason"] == "no-texts"


def test_evaluation_lists_its_errors(tmp_path):
    """It prints the first ten; the table and JSON have all."""
    for name in ("works", "lab/copy", "lab/clear"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "works" / "渡口集.txt").write_text(CHAPTER, encoding="utf-8")
    (tmp_path / "lab" / "clear" / "own.txt").write_text(CHAPTER, encoding="utf-8")
    for number in range(11):
        (tmp_path / "lab" / "copy" / f"{number:02}.txt").write_text(OTHER[number:][:99], encoding="utf-8")
    words = "profile", "evaluate", "--folder", "lab", "--corpus", "works"
    lines = run_alone(tmp_path, *words, "--csv", "all.csv").stdout.splitlines()
    assert [line for line in lines if line.startswith("missed")] == [
        f"missed: lab/copy/{number:02}.txt (Nothing found)" for number in range(10)
    ]
    assert lines[-1] == "… and 2 more; --json or --csv lists all."
    table = (tmp_path / "all.csv").read_text("utf-8-sig").splitlines()
    assert table[0] == "name,expected,before,after,mistaken"
    assert "lab/clear/own.txt,0,copy,copy,1" in table
    told = json.loads(run_alone(tmp_path, *words, "--json").stdout)
    assert [item["name"] for item in told["mistakes"]][-2:] == ["lab/copy/10.txt", "lab/clear/own.txt"]
