"""``pindna dedupe`` and ``pindna measure`` as a user types them; no services."""

import csv
import json
import os
import subprocess
from pathlib import Path

import pytest
from support.commands import run_alone
from support.processes import PINDNA
from support.strategies import story

from deploy.demo.samples import SAMPLES

NOVEL = SAMPLES.joinpath("novels", "青灯渡.txt").read_text(encoding="utf-8")
OTHER = SAMPLES.joinpath("others", "竹坞旧事.txt").read_text(encoding="utf-8")
ARTICLE = NOVEL[:900]


@pytest.fixture
def pindna(tmp_path):
    def run(*arguments, status=0):
        done = run_alone(tmp_path, *arguments, status=status)
        return done.stdout, done.stderr

    return run


@pytest.fixture
def folder(tmp_path):
    """A folder of texts: an article, its reprint, an edited one in GB18030, another text, and rows."""
    place = tmp_path / "texts"
    (place / "inner").mkdir(parents=True)
    (place / "a.txt").write_text(ARTICLE, encoding="utf-8")
    (place / "inner" / "b.TXT").write_text(ARTICLE.replace("灯", "燈"), encoding="gb18030")
    (place / "c.txt").write_text(OTHER, encoding="utf-8")
    body = "".join(f"<p>{line}</p>" for line in ARTICLE.splitlines() if line.strip())
    (place / "page.html").write_text(
        "<html><head><meta charset='utf-8'><title>渡</title></head>"
        f"<body><div id='content'>{body}</div></body></html>",
        encoding="utf-8",
    )
    rows = [
        {"title": "转载", "text": ARTICLE, "date": "2026-01-03"},
        {"text": ARTICLE[:850], "date": "2026-01-02"},
        {"title": "=1+1", "text": OTHER},
    ]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    (place / "rows.jsonl").write_text("\n".join([*lines, "", "broken"]), encoding="utf-8")
    return place


def test_groups_span_files_and_rows(pindna, folder):
    out, messages = pindna("dedupe", folder, "--json", "--csv", "out/groups.csv", status=1)
    groups = [json.loads(line) for line in out.splitlines()]
    inputs = [
        [document["input"].removeprefix(f"{folder}/") for document in group["documents"]] for group in groups
    ]
    assert inputs == [
        ["rows.jsonl:2", "rows.jsonl:1", "a.txt", "inner/b.TXT", "page.html"],
        ["c.txt", "rows.jsonl:3"],
    ]
    first, second = groups[0]["documents"][:2]
    assert (first["earliest"], second["earliest"]) == (True, False)
    assert first["published"] == "2026-01-02+08:00"
    assert second["similarity"] > 0.9
    assert "line 5: not JSON" in messages
    assert "Texts: 7; groups of near-duplicates: 2." in messages
    with (folder.parent / "out" / "groups.csv").open(encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    assert [row["group"] for row in table] == ["1"] * 5 + ["2"] * 2
    assert table[0]["earliest"] == "1"
    assert table[6]["title"] == "'=1+1"


def test_method_and_a_threshold_can_be_chosen(pindna, folder):
    out, _ = pindna("dedupe", folder / "a.txt", folder / "inner", "--method", "md5")
    assert out == ""
    out, _ = pindna(
        "dedupe", folder / "a.txt", folder / "inner", "--method", "minhash", "--threshold", "1", status=1
    )
    assert "Group 1: 2 texts" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "magic"], "There is no method “magic”. Choose one of: dna, shingle"),
        (["--threshold", "0"], "above 0 and at most 1, not 0.0"),
        (["--threshold", "nan"], "above 0 and at most 1, not nan"),
        (["--csv", "/dev/null/x.csv"], "cannot be written"),
        (["--idf", "none.json", "--method", "cosine"], "none.json does not exist"),
    ],
)
def test_dedupe_mistake_is_a_single_line(pindna, folder, arguments, message):
    _, errors = pindna("dedupe", folder / "a.txt", *arguments, status=2)
    assert message in errors
    assert len(errors.splitlines()) == 1


def test_missing_work_folder_is_reported(pindna, folder):
    _, errors = pindna("dedupe", folder / "a.txt", "--work-dir", "nowhere", status=3)
    assert "Cannot write the work file in nowhere" in errors


def test_missing_path_does_not_hide_the_remaining_paths(pindna, folder):
    out, errors = pindna("dedupe", "none.txt", folder / "a.txt", folder / "inner", status=1)
    assert "none.txt does not exist" in errors
    assert "Group 1: 2 texts" in out


def test_weights_learnt_from_a_corpus_are_used(pindna, folder):
    _, messages = pindna("measure", "words", SAMPLES / "novels", "--output", "words.json", "--least", "1")
    assert "words of" in messages
    learnt = json.loads((folder.parent / "words.json").read_text(encoding="utf-8"))
    assert learnt["documents"] == len(list((SAMPLES / "novels").glob("*.txt")))
    out, _ = pindna("compare", folder / "a.txt", folder / "c.txt", "--idf", "words.json", "--json")
    rows = {row["method"]: row for row in map(json.loads, out.splitlines())}
    assert rows["simhash-64"]["params"] == f"simhash1-64-jieba1-{learnt['name']}"
    out, _ = pindna(
        "dedupe", folder / "a.txt", folder / "inner", "--method", "cosine", "--idf", "words.json", status=1
    )
    assert "Group 1: 2 texts" in out
    _, errors = pindna("measure", "words", "--output", "w.json", "none", status=2)
    assert "nothing was measured" in errors


def test_letters_are_measured(pindna, folder):
    _, messages = pindna("measure", "letters", folder / "a.txt", "--output", "letters.json")
    shares = json.loads((folder.parent / "letters.json").read_text(encoding="utf-8"))["shares"]
    assert len(shares) == 20
    assert 0.9 < sum(shares.values()) < 1
    assert "letters, reference" in messages
    out, _ = pindna("measure", "letters", folder / "a.txt", "-o", "-")
    assert json.loads(out)["shares"] == shares
    _, messages = pindna("measure", "words", folder / "a.txt", "-o", "-", status=2)
    assert "No word occurs in 2 texts" in messages


def test_reference_in_the_settings_is_used_wherever_texts_are_compared(pindna, folder):
    pindna("measure", "letters", folder / "a.txt", "--output", "letters.json")
    name = json.loads((folder.parent / "letters.json").read_text(encoding="utf-8"))["name"]
    settings = folder.parent / "pindna.toml"
    settings.write_text('[tracker]\nreference = "letters.json"\n', encoding="utf-8")
    out, _ = pindna("compare", folder / "a.txt", folder / "c.txt", "--json")
    assert json.loads(out.splitlines()[0])["params"].endswith(f"-{name}")
    out, _ = pindna("dedupe", folder / "a.txt", folder / "inner", "--method", "dna", status=1)
    assert "Group 1: 2 texts" in out
    checked = ("check", "--corpus", SAMPLES / "novels", folder / "a.txt", "--json")
    out, _ = pindna(*checked, status=1)
    assert json.loads(out)["matches"][0]["char_identity"] == 1
    settings.write_text('[tracker]\nreference = "none.json"\n', encoding="utf-8")
    _, messages = pindna(*checked, status=2)
    assert "none.json does not exist" in messages


@pytest.mark.parametrize("arguments", [("dedupe", "--csv"), ("measure", "letters", "--output")])
def test_text_that_is_read_is_never_overwritten(pindna, folder, arguments):
    *command, option = arguments
    _, messages = pindna(*command, folder, option, folder / "a.txt", status=2)
    assert "would be overwritten" in messages
    assert (folder / "a.txt").read_text(encoding="utf-8") == ARTICLE


def test_old_table_stays_until_the_new_table_is_complete(pindna, folder):
    table = folder.parent / "table.csv"
    table.write_text("old", encoding="utf-8")
    pindna("dedupe", folder / "none.txt", "--csv", table, status=2)
    assert table.read_text(encoding="utf-8-sig").startswith("group,input")
    table.write_text("old", encoding="utf-8")
    pindna("dedupe", folder / "a.txt", "--csv", table, "--work-dir", "nowhere", status=3)
    assert table.read_text(encoding="utf-8") == "old"
    assert not list(folder.parent.glob(".table*"))


def test_file_is_not_a_duplicate_of_itself(pindna, folder):
    out, _ = pindna("dedupe", folder / "a.txt", folder / "a.txt", f"{folder}/../texts/a.txt")
    assert out == ""


def test_footer_does_not_bridge_texts(pindna, tmp_path):
    footer = "本文版权归江岸日报社所有未经授权不得转载摘编"
    for number in range(6):
        text = story(1_200, number) + "\n" + footer
        (tmp_path / f"{number}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "stub.txt").write_text(footer, encoding="utf-8")
    out, _ = pindna("dedupe", tmp_path)
    assert out == ""


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_full_standard_output_is_reported(folder, options):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [PINDNA, "dedupe", folder / "a.txt", folder / "inner", *options],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            check=False,
        )
    assert done.returncode == 3
    assert "The output cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_titles_do_not_steer_the_terminal(pindna, tmp_path):
    row = json.dumps({"title": "a\u001b[31mred\n行", "text": ARTICLE}, ensure_ascii=False)
    (tmp_path / "rows.jsonl").write_text(f"{row}\n{row}\n", encoding="utf-8")
    out, _ = pindna("dedupe", "rows.jsonl", status=1)
    assert "\x1b" not in out
    assert len(out.splitlines()) == 3
