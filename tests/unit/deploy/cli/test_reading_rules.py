"""Saved pages as works: by extraction, unless they are whole books."""

from pathlib import Path

import pytest
from support.books import XHTML, docx_of, epub_of, paragraphs, text

from deploy.cli.inputs import Raw, text_of
from deploy.cli.reading_rules import read_page

HERE = Path("书/a.html")


def test_a_page_with_several_chapters_is_a_book():
    chapters = "".join(f"<h2>第{number}章 夜</h2>{paragraphs(number)}" for number in (1, 2))
    content = read_page(XHTML.format(chapters).encode(), HERE)
    assert list(content.headings.values()) == ["第1章 夜", "第2章 夜"]
    assert content.text == f"第1章 夜\n{text(1)}\n第2章 夜\n{text(2)}\n"


def test_other_pages_are_left_to_extraction():
    menu = "".join(f"<li><a href='/{number}'>栏目{number}</a></li>" for number in range(4))
    lines = "".join(f"<p>{line}。</p>" for number in range(5) for line in text(number).splitlines())
    content = read_page(XHTML.format(f"<ul>{menu}</ul><h1>渡口的灯</h1><div>{lines}</div>").encode(), HERE)
    assert all(line in content.text for number in range(5) for line in text(number).splitlines())
    assert "栏目" not in content.text


@pytest.mark.parametrize(
    ("name", "data", "shown"),
    [
        ("a.docx", docx_of({"第一章": "青灯"}), "第一章\n青灯\n"),
        ("a.epub", epub_of({"a.xhtml": "<h1>第一章</h1><p>青灯"}), "第一章\n青灯\n"),
        ("a.md", "# 第一章\n*青灯*".encode(), "第一章\n青灯\n"),
        ("-", "# 青灯".encode(), "# 青灯"),
    ],
)
def test_what_is_compared_may_have_any_form(name, data, shown):
    assert text_of(Raw(name, data)) == shown
