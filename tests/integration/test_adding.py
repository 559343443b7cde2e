"""What a rights holder is told when works are added: nothing is left out or doubled without a word."""

import json
from pathlib import Path

import pytest
from support.books import epub_of, paragraphs
from support.strategies import story

from storage.records import Page

pytestmark = pytest.mark.services


def write(folder: Path, name: str, *seeds: int) -> str:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(story(200, seed) for seed in seeds), encoding="utf-8")
    return name


def works(pindna):
    rows = map(json.loads, pindna("corpus", "list", "--json").stdout.splitlines())
    return [(row["title"], row["edition_of"]) for row in rows]


def test_files_that_are_not_read_are_named_and_are_the_exit_status(pindna, tmp_path):
    for name in ("书/镜花缘.txt", "书/续.doc", "书/附录/旧版.mobi"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        write(tmp_path, name, 1)
    done = pindna("corpus", "add", "书", "--no-wait", status=4)
    assert "1 new, 0 changed, 0 unchanged, 2 skipped." in done.stdout
    assert "Skipped 2 files in 书: " in done.stderr
    assert done.stderr.count("续.doc, 附录/旧版.mobi.") == 1


def test_skipped_texts_are_counted_in_files(pindna, tmp_path):
    """One file is empty, one damaged, one of another format; a table names a missing file."""
    write(tmp_path, "书/镜花缘.txt", 1)
    (tmp_path / "书/空.txt").touch()
    write(tmp_path, "书/续.doc", 2)
    write(tmp_path, "书/续.docx", 2)
    (tmp_path / "书/metadata.csv").write_text("file,title\n无.txt,无\n", encoding="utf-8")
    for number in (1, 2):
        write(tmp_path, f"书/二集/{number}.txt", number)
    done = pindna("corpus", "add", "书", "--no-wait", status=4)
    assert "2 new, 0 changed, 0 unchanged, 3 skipped." in done.stdout
    assert works(pindna) == [("二集", None), ("镜花缘", None)]
    write(tmp_path, "图/一.png", 1)
    done = pindna("corpus", "add", "图", "--no-wait", status=2)
    assert "0 new, 0 changed, 0 unchanged, 1 skipped." in done.stdout


def test_files_with_numeric_names_need_an_answer(pindna, tmp_path):
    for number in (1, 2, 10):
        write(tmp_path, f"镜花缘/{number}.txt", number)
    refused = pindna("corpus", "add", "镜花缘", "--no-wait", status=2)
    assert "Skipped 3 files in 镜花缘: they are numbered (1.txt, 2.txt, 10.txt)." in refused.stderr
    assert works(pindna) == []
    pindna("corpus", "add", "镜花缘", "--no-wait", stdin=b"\n", is_terminal=True, status=2)
    asked = pindna("corpus", "add", "镜花缘", "--no-wait", stdin=b"c\n", is_terminal=True)
    assert "3 files are numbered, such as 1.txt." in asked.stderr
    assert "“镜花缘”: 3 files, as you chose." in asked.stdout
    assert works(pindna) == [("镜花缘", None)]
    assert "unchanged" in pindna("corpus", "add", "镜花缘", "--no-wait", "--numbered", "chapters").stdout
    pindna("corpus", "add", "镜花缘", "--no-wait", "--numbered", "works", "--no-edition")
    assert [title for title, _ in works(pindna)] == ["镜花缘", "1", "2", "10"]
    assert "1, 2, 10" in pindna("corpus", "loads").stdout
    pindna("corpus", "undo", "--yes")
    assert works(pindna) == [("镜花缘", None)]
    pindna("corpus", "restore", "id:2-9", "--no-wait")
    pindna("corpus", "remove", "id:2-4", "--yes")
    assert works(pindna) == [("镜花缘", None)]


def test_book_is_added_with_metadata_of_the_file_and_the_command(pindna, tmp_path):
    (tmp_path / "a.epub").write_bytes(epub_of({"a.xhtml": f"<h1>第一章</h1>{paragraphs(1)}"}))
    pindna("corpus", "add", "a.epub", "--no-wait")
    shown = json.loads(pindna("corpus", "show", "雾中船", "--json").stdout)
    assert (shown["language"], shown["rights"], shown["author"]) == ("zh-CN", "版权所有", "沈砚秋、陆行舟")
    assert [passage["title"] for passage in shown["contents"]] == ["第一章"]
    write(tmp_path, "新/甲.txt", 1)
    write(tmp_path, "新/乙.txt", 2)
    assert "1 new" in pindna("corpus", "add", "新", "--title", "江上", "--no-wait").stdout
    assert works(pindna) == [("雾中船", None), ("江上", None)]


@pytest.mark.usefixtures("background_worker")
def test_book_under_two_titles_is_recognised(pindna, tmp_path):
    first = write(tmp_path, "镜花缘.txt", *range(1, 11))
    second = write(tmp_path, "镜花缘（修订版）.txt", *range(1, 10), 50)
    pindna("corpus", "add", first, "--licensed", "book.example.cn")
    added = pindna("corpus", "add", second)
    assert "of its text is already in “镜花缘”." in added.stderr
    assert "`pindna corpus edition id:2 --none` separates them." in added.stderr
    assert works(pindna) == [("镜花缘", None), ("镜花缘（修订版）", 1)]
    assert "edition of “镜花缘”" in pindna("corpus", "list").stdout
    licences = pindna("licence", "list", "镜花缘（修订版）", "--json").stdout
    assert json.loads(licences)["site"] == "book.example.cn"
    pindna("corpus", "edition", "id:2", "--none")
    assert works(pindna) == [("镜花缘", None), ("镜花缘（修订版）", None)]
    pindna("corpus", "edition", "镜花缘（修订版）", "--of", "鏡花緣")
    assert works(pindna) == [("镜花缘", None), ("镜花缘（修订版）", 1)]
    pindna("corpus", "edition", "镜花缘（修订版）", status=2)


SAID = {"--no-edition": None, "--edition-of=镜花缘": 1}
TYPED = {"y": 1, "n": None}


@pytest.mark.usefixtures("background_worker")
@pytest.mark.parametrize("answer", [*SAID, *TYPED])
def test_scripts_and_people_say_whether_it_is_an_edition(pindna, tmp_path, answer):
    pindna("corpus", "add", write(tmp_path, "镜花缘.txt", *range(1, 10)))
    second = write(tmp_path, "镜花缘新编.txt", *range(1, 10), 50)
    if answer in SAID:
        told = pindna("corpus", "add", second, answer)
    else:
        told = pindna("corpus", "add", second, stdin=f"{answer}\n".encode(), is_terminal=True)
    assert ("Is it another edition of that book?" in told.stderr) == (answer in TYPED)
    assert works(pindna)[1] == ("镜花缘新编", {**SAID, **TYPED}[answer])
    pindna("corpus", "add", second, "--edition-of", "镜花缘", "--no-edition", status=2)


def test_two_editions_swap_and_the_book_outlives_a_removed_edition(pindna, tmp_path):
    pindna("corpus", "add", write(tmp_path, "镜花缘.txt", 1, 2), "--no-wait")
    pindna("corpus", "add", write(tmp_path, "新编.txt", 1, 3), "--no-wait", "--edition-of", "镜花缘")
    assert works(pindna) == [("镜花缘", None), ("新编", 1)]
    told = pindna("corpus", "edition", "镜花缘", "--of", "新编").stderr
    assert "“镜花缘” is an edition of “新编”" in told
    assert works(pindna) == [("镜花缘", 2), ("新编", None)]
    shown = pindna("corpus", "remove", "新编", status=2).stdout
    assert (
        "“镜花缘” (id:1), another edition of the book, remains: 0 matches and 0 cases stay with it." in shown
    )
    pindna("corpus", "remove", "新编", "--yes")
    assert "lives on" not in pindna("corpus", "remove", "镜花缘", status=2).stdout
    assert works(pindna) == [("镜花缘", None)]


@pytest.mark.usefixtures("background_worker")
def test_public_texts_are_marked_wherever_copies_are_shown(pindna, stores, tmp_path):
    statute = story(400, 60)
    page = Page(
        id="p",
        url="http://copy.example/1",
        host="copy.example",
        source="x",
        kind="article",
        text=story(150, 61) + statute + story(150, 62),
    )
    stores.pages.see_many([page])
    compared = {"state": "compared", "corpus_version": 0, "verdict": "clear"}
    stores.database["pages"].update_many({}, {"$set": compared})
    (tmp_path / "述评.txt").write_text(story(200, 63) + statute, encoding="utf-8")
    (tmp_path / "法条.txt").write_text(statute, encoding="utf-8")
    pindna("corpus", "add", "述评.txt")
    assert json.loads(pindna("case", "list", "--json").stdout)["verdict"] != "common"
    pindna("corpus", "add", "法条.txt", "--background", "--holder", "甲社", status=2)
    pindna("corpus", "add", "法条.txt", "--background", "--earlier", status=2)
    pindna("corpus", "add", "述评.txt", "--background", "--edition-of", "述评", status=2)
    pindna("corpus", "add", "法条.txt", "--background")
    assert json.loads(pindna("case", "list", "--json").stdout)["verdict"] == "common"
    rows = pindna("corpus", "list", "--role", "background", "--json").stdout.splitlines()
    assert [(row["title"], row["role"]) for row in map(json.loads, rows)] == [("法条", "background")]
    assert "Background text" in pindna("corpus", "show", "法条").stdout

    told = "400 characters in 1 stretch are in the background text “法条”."
    assert told in pindna("page", "show", "http://copy.example/1").stdout
    (version,) = json.loads(pindna("page", "show", "http://copy.example/1", "--json").stdout)["versions"]
    assert [held["work"] for held in version["background"]] == ["法条"]
    assert told in pindna("review", "show", "m1").stdout
    report = json.loads(pindna("report", "--format", "json", "-o", "-").stdout)
    assert report["works"] == 1
    assert [held["work"] for held in report["cases"][0]["matches"][0]["page"]["background"]] == ["法条"]
    assert "法条 151-550" in pindna("report", "--format", "csv", "--codes", "-o", "-").stdout
    for asked in (
        ("licence", "add", "法条", "a.cn"),
        ("report", "--work", "法条"),
        ("case", "list", "--work", "法条"),
    ):
        assert "background text without an owner" in pindna(*asked, status=2).stderr

    pindna("corpus", "role", "述评", "--as", "background", status=2)  # what was found would be set aside
    done = pindna("corpus", "role", "述评", "--as", "background", "--yes")
    assert "1 matches in 1 cases do not count" in done.stderr
    assert pindna("case", "list", "--json").stdout == ""
    refused = pindna("scan", status=2).stderr
    assert "No protected work is indexed" in refused or "no enabled source" in refused
