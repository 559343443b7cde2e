"""What files of every form are to commands: saved pages as works, and the inputs of ``check``."""

from pathlib import Path
from zipfile import ZIP_STORED

import pytest
import typer
from pypinyin import lazy_pinyin
from support.books import XHTML, docx_of, epub_of, paragraphs, text

from analysis.reading.saved_pages import page_content
from deploy.cli.check.check import check
from deploy.cli.inputs import Raw, text_of
from deploy.cli.mother_corpus import NoneOfTheWorks, open_corpus
from deploy.cli.page.extract import extract
from deploy.cli.reading_rules import extract_saved
from deploy.demo.samples import SAMPLES
from system.exit_status import ExitStatus
from tracker.corpus.texts import BinaryFile, NoHanText, compared_text

HERE = Path("书/a.html")
STORED = epub_of({"a.xhtml": "<h1>第一章</h1><p>青灯"}, method=ZIP_STORED)
PROSE = (SAMPLES / "novels" / "青灯渡.txt").read_text("utf-8")[:1_000]
SPELT = " ".join(lazy_pinyin(PROSE))


def test_page_with_several_chapters_is_a_book():
    chapters = "".join(f"<h2>第{number}章 夜</h2>{paragraphs(number)}" for number in (1, 2))
    content = page_content(XHTML.format(chapters).encode(), HERE, extract_saved)
    assert list(content.headings.values()) == ["第1章 夜", "第2章 夜"]
    assert content.text == f"第1章 夜\n{text(1)}\n第2章 夜\n{text(2)}\n"


def test_other_pages_are_read_by_extraction():
    menu = "".join(f"<li><a href='/{number}'>栏目{number}</a></li>" for number in range(4))
    lines = "".join(f"<p>{line}。</p>" for number in range(5) for line in text(number).splitlines())
    content = page_content(
        XHTML.format(f"<ul>{menu}</ul><h1>渡口的灯</h1><div>{lines}</div>").encode(), HERE, extract_saved
    )
    assert all(line in content.text for number in range(5) for line in text(number).splitlines())
    assert "栏目" not in content.text


@pytest.mark.parametrize(
    ("name", "data", "shown"),
    [
        ("a.docx", docx_of({"第一章": "青灯"}), "第一章\n青灯\n"),
        ("a.epub", epub_of({"a.xhtml": "<h1>第一章</h1><p>青灯"}), "第一章\n青灯\n"),
        ("a.md", "# 第一章\n*青灯*".encode(), "第一章\n青灯\n"),
        ("-", "# 青灯".encode(), "# 青灯"),
        ("a.EPUB", STORED, "第一章\n青灯\n"),
    ],
)
def test_compared_text_may_have_any_format(name, data, shown):
    assert text_of(Raw(name, data)) == shown


def test_book_that_is_not_compressed_is_no_page():
    assert b"<html" in STORED[:2048]
    assert not Raw("a.epub", STORED).is_page
    with pytest.raises(BinaryFile):
        text_of(Raw("book", STORED))


def test_extract_refuses_a_file_that_is_not_a_page(tmp_path, capsys):
    (tmp_path / "a.epub").write_bytes(STORED)
    with pytest.raises(typer.Exit):
        extract([str(tmp_path / "a.epub")])
    assert "a.epub: this is not a page." in capsys.readouterr().err


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
def test_text_wholly_in_pinyin_is_compared(tmp_path, capsys, name):
    (tmp_path / "works").mkdir()
    (tmp_path / "works" / "灯.txt").write_text(PROSE, encoding="utf-8")
    page = tmp_path / name
    page.write_text(XHTML.format(f"<p>{SPELT}</p>") if name == "a.html" else SPELT, encoding="utf-8")
    with pytest.raises(typer.Exit) as stopped:
        check([str(page)], folder=tmp_path / "works")
    assert stopped.value.exit_code == ExitStatus.FOUND
    assert "灯" in capsys.readouterr().out


@pytest.mark.parametrize("data", ["Lorem ipsum dolor sit amet, and so on.", "かなだけ", "ni hao"])
def test_text_without_chinese_or_pinyin_is_reported(data):
    with pytest.raises(NoHanText):
        compared_text(data, "a.txt")


def test_unreadable_works_are_not_reported_as_an_empty_store(tmp_path, capsys):
    (tmp_path / "bad.zip").write_bytes(b"PK")
    with pytest.raises(NoneOfTheWorks, match="none of its works"), open_corpus(tmp_path / "bad.zip"):
        pass
    assert "bad.zip" in capsys.readouterr().err
