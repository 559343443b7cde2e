"""Reading files: every encoding, and every mistake by its own error."""

import codecs
import json
from pathlib import Path

import pytest
from support.strategies import story

from deploy.demo.samples import SAMPLES
from storage.records import zone_of
from storage.records.dates import parse_date
from system.errors import PindnaError
from system.local_files import IsFolder, MissingFile
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.folder import read_folder
from tracker.corpus.forms import DEFAULT_RULES, SUFFIXES, Rules
from tracker.corpus.reading import read_works
from tracker.corpus.rows import BadLine
from tracker.corpus.texts import (
    BinaryFile,
    EmptyFile,
    NoHanText,
    NoTexts,
    NotFolder,
    UnreadFiles,
    clean_text,
    read_text,
)
from tracker.corpus.tree import files_below

NOVEL = (SAMPLES / "novels" / "青灯渡.txt").read_text("utf-8")
TRADITIONAL = (
    "渡口的燈一盞一盞熄了，老船工把纜繩繞在木樁上，回頭看了一眼江面。霧從對岸漫過來，先沒了樹。\n" * 4
)
BOMS = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}


def write(folder, name, data):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", [False, True])
def test_simplified_text_is_read_in_every_encoding(tmp_path, encoding, mark):
    bom = BOMS.get(encoding, b"\x84\x31\x95\x33") if mark else b""
    assert read_text(write(tmp_path, "a.txt", bom + NOVEL.encode(encoding))) == NOVEL


@pytest.mark.parametrize("encoding", ["utf-8", "big5", "gb18030", "utf-16-le"])
def test_traditional_text_is_read_in_every_encoding(tmp_path, encoding):
    assert read_text(write(tmp_path, "a.txt", TRADITIONAL.encode(encoding))) == TRADITIONAL


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_line_ends_become_lf(tmp_path, end):
    assert read_text(write(tmp_path, "a.txt", f"青灯{end}{end}渡口{end}")) == "青灯\n\n渡口\n"


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", EmptyFile),
        (b" \n\t\r\n", EmptyFile),
        (codecs.BOM_UTF8, EmptyFile),
        (b"%PDF-1.7 " + NOVEL.encode(), BinaryFile),
        (b"PK\x03\x04 and so on", BinaryFile),
        (bytes(range(256)) * 20, BinaryFile),
        (b"Lorem ipsum dolor sit amet", NoHanText),
        ("かなだけ".encode(), NoHanText),
    ],
)
def test_file_that_cannot_be_used_says_why(tmp_path, data, error):
    path = write(tmp_path, "a.txt", data)
    with pytest.raises(error) as caught:
        read_text(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    (instead,) = read_works(path)
    assert type(instead) is error
    with pytest.raises(error, match="stdin"):
        clean_text(data, "stdin")


def test_missing_file_and_folder_are_refused(tmp_path):
    with pytest.raises(MissingFile):
        read_text(tmp_path / "none.txt")
    with pytest.raises(IsFolder, match="is a folder"):
        read_text(tmp_path)


def test_novel_is_split_and_named_after_its_file(tmp_path):
    path = write(tmp_path, "青灯渡.txt", NOVEL.encode("gb18030"))
    (work,) = read_works(path)
    assert (work.title, work.key, work.kind, work.origin) == ("青灯渡", "青灯渡", "novel", str(path))
    assert len(work.sections) == 7
    assert "".join(section.text for section in work.sections) == NOVEL


@pytest.mark.parametrize(("length", "kind"), [(5_000, "news"), (5_001, "novel")])
def test_long_passage_is_literature(tmp_path, length, kind):
    (work,) = read_works(write(tmp_path, "a.txt", story(length, 1)))
    assert (work.kind, len(work.sections)) == (kind, 1)


def test_sample_articles_are_read():
    works = list(read_works(SAMPLES / "news.jsonl"))
    rows = [json.loads(line) for line in (SAMPLES / "news.jsonl").read_text("utf-8").splitlines()]
    assert len(works) >= 12
    for number, (work, row) in enumerate(zip(works, rows, strict=True), 1):
        assert (work.title, work.author, work.url, work.key) == (
            row["title"],
            row["author"],
            row["url"],
            row["url"],
        )
        assert work.sections == (ChapterSection("", row["text"]),)
        assert work.kind == "news"
        assert work.published == parse_date(row["date"])
        assert work.origin.endswith(f"news.jsonl:{number}")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("not json", "not JSON"),
        ('{"title": "a"', "not JSON"),
        ("[1]", "not a JSON object"),
        ('"text"', "not a JSON object"),
        ("null", "not a JSON object"),
        ('{"title": "题"}', "missing"),
        ('{"text": "青灯"}', "missing"),
        ('{"title": " ", "text": "青灯"}', "missing"),
        ('{"title": 7, "text": "青灯"}', "missing"),
        ('{"title": "题", "text": ["青灯"]}', "missing"),
        ('{"title": "题", "text": "no Han"}', "no Chinese"),
    ],
)
def test_bad_line_is_reported_by_number_and_the_rest_is_read(tmp_path, line, problem):
    good = '{"title": "题", "text": "青灯渡口"}'
    path = write(tmp_path, "a.jsonl", f"{good}\n\n{line}\r\n{good}\n")
    first, bad, last = read_works(path)
    assert first.title == last.title == "题"
    assert last.origin == f"{path}:4"
    assert isinstance(bad, BadLine)
    assert bad.data["line"] == 3
    assert problem in str(bad)
    assert str(bad).endswith('Each line needs {"title": …, "text": …}.')


def test_line_may_contain_characters_invalid_in_utf8(tmp_path):
    path = write(
        tmp_path, "a.jsonl", '{"title": "题\\ud800", "text": "青灯\\udfff渡", "url": "", "date": "soon"}'
    )
    (work,) = read_works(path)
    assert work.title == "题?"
    assert work.sections[0].text == "青灯?渡"
    assert work.url is work.published is None
    assert work.key == work.title


def test_rows_may_write_han_characters_as_escapes(tmp_path):
    """As ``json.dumps`` writes by default."""
    row = json.dumps({"title": "题", "text": "青灯渡口"})
    assert row.isascii()
    (work,) = read_works(write(tmp_path, "a.jsonl", row))
    assert (work.title, work.sections[0].text) == ("题", "青灯渡口")


def test_long_article_is_split(tmp_path):
    text = "".join(f"第{number}章 夜\n{story(1500, number)}\n" for number in range(1, 5))
    (work,) = read_works(write(tmp_path, "a.jsonl", json.dumps({"title": "长", "text": text})))
    assert [section.title for section in work.sections] == [f"第{number}章 夜" for number in range(1, 5)]


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("2026-09-15", "2026-09-15-04:00"),
        ("2026/9/15 08:30", "2026-09-15T08:30-04:00"),
        ("2026-12-15T08:30:00", "2026-12-15T08:30:00-05:00"),
        ("2026-09-15T08:30:00+0800", "2026-09-15T08:30:00+08:00"),
        ("2026-09-15T08:30:00Z", "2026-09-15T08:30:00+00:00"),
    ],
)
def test_date_without_a_zone_is_in_that_of_the_settings(tmp_path, date, expected):
    path = write(tmp_path, "a.jsonl", json.dumps({"title": "题", "text": "青灯渡口", "date": date}))
    (work,) = read_works(path, rules=Rules(zone=zone_of("America/New_York")))
    assert work.published.iso() == expected


def test_files_in_folders_are_read_in_order(tmp_path):
    for name in ("b/2.txt", "b/a/1.jsonl", "a.txt", "b/notes.doc", "empty/x.pdf"):
        write(tmp_path, name, "青灯")
    paths = [tmp_path / "a.txt", tmp_path / "b", tmp_path / "empty", tmp_path / "none"]
    found = [getattr(each, "path", each) for each in files_below(paths, DEFAULT_RULES)]
    assert found[:3] == [tmp_path / "a.txt", tmp_path / "b" / "2.txt", tmp_path / "b" / "a" / "1.jsonl"]
    unread = [error for error in found if isinstance(error, UnreadFiles)]
    assert [error.data["names"] for error in unread] == [("notes.doc",), ("x.pdf",)]
    assert found.index(unread[0]) == 3
    assert type(found[5]) is NoTexts
    assert found[6:] == [tmp_path / "none"]
    assert [type(read_work) for read_work in read_works(found[6])] == [MissingFile]


def test_every_file_of_a_folder_that_is_not_read_is_named(tmp_path):
    names = [f"{number:02}.doc" for number in range(12)]
    for name in (*names, "b/book.mobi", "a.txt", ".DS_Store", "Thumbs.db"):
        write(tmp_path, name, "青灯")
    _, unread = read_folder(tmp_path)
    assert (unread.data["count"], unread.data["names"]) == (13, (*names[:10], "…"))
    assert str(unread) == (
        f"Skipped 13 files in {tmp_path}: {', '.join(names[:10])}, …. "
        f"Only {', '.join(SUFFIXES)} are supported. Save their content as .txt."
    )


def test_endings_in_capitals_count(tmp_path):
    """Windows writes NOVEL.TXT."""
    write(tmp_path, "NOVEL.TXT", "青灯渡口")
    write(tmp_path, "ROWS.JSONL", '{"title": "题", "text": "青灯渡口"}')
    assert sorted(work.title for work in read_works([tmp_path])) == ["NOVEL", "题"]
    assert sorted(work.title for work in read_folder(tmp_path)) == ["NOVEL", "题"]


def test_folder_may_contain_works_and_chapters(tmp_path):
    write(tmp_path, "雾港来信.txt", (SAMPLES / "novels" / "雾港来信.txt").read_bytes())
    write(tmp_path, "青灯渡/02 渡口.txt", story(200, 2))
    write(tmp_path, "青灯渡/01 雨夜.txt", story(200, 1))
    write(tmp_path, "青灯渡/03 空.txt", "")
    write(tmp_path, "短讯/一.txt", story(200, 3))
    write(tmp_path, "pictures/a.png", b"\x89PNG")
    found = list(read_folder(tmp_path))
    works = {each.title: each for each in found if not isinstance(each, PindnaError)}
    assert set(works) == {"雾港来信", "青灯渡", "短讯"}
    assert [section.title for section in works["青灯渡"].sections] == ["01 雨夜", "02 渡口"]
    assert (works["青灯渡"].kind, works["短讯"].kind) == ("novel", "news")
    assert len(works["雾港来信"].sections) == 7
    assert [type(each) for each in found if isinstance(each, PindnaError)] == [EmptyFile, UnreadFiles]


def test_long_chapter_is_split(tmp_path):
    write(tmp_path, "书/卷一.txt", story(60_000, 1))
    (work,) = read_folder(tmp_path)
    assert work.title == "书"
    assert [section.title for section in work.sections] == ["卷一 (1)", "卷一 (2)"]


def test_folder_without_works_is_reported(tmp_path):
    with pytest.raises(MissingFile):
        list(read_folder(tmp_path / "none"))
    write(tmp_path, "sub/a.pdf", "青灯")
    with pytest.raises(NoTexts, match=r"\.txt, \.md"):
        list(read_folder(tmp_path))
    with pytest.raises(NotFolder):
        list(read_folder(Path(write(tmp_path, "file.txt", "青灯"))))
