"""Tables on terminals."""

from dataclasses import replace

import pytest
from rich.cells import cell_len
from support.matches import match_with

from analysis.excerpts import side_by_side
from deploy.cli import console, demo, match_view
from deploy.demo.plan import plan
from storage.records import Span

ID = "0123456789abcdef"


@pytest.mark.parametrize("columns", ["80", "40"])
def test_what_names_a_row_stands_in_one_piece(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(console, "_output", console._Terminal())
    long = "一个很长很长的标题" * 6
    console.print_table(
        ("id", "site", "work", "characters", "because"),
        [(ID, "novels.example.com.cn", long, "1–123456", long), ("m12", "s", "w", "1", "")],
    )
    lines = capsys.readouterr().out.splitlines()
    assert sum(ID in line for line in lines) == 1
    assert sum(" m12 " in line for line in lines) == 1
    assert "".join(line.split("│")[3].strip() for line in lines if line.count("│") > 3).startswith(long)


def test_of_a_stretch_that_stands_backwards_nothing_is_bracketed(capsys, monkeypatch):
    monkeypatch.setattr(console, "_output", console._Terminal())
    stretch = Span(
        page_start=0, page_end=5, passage_start=0, passage_end=5, char_identity=1, sound_identity=1
    )
    shown = []
    for span in (stretch, replace(stretch, disguises=("reversed",))):
        match_view._show_texts(side_by_side(match_with(spans=(span,)), "回不去流东", "东流去不回"))
        shown.append(capsys.readouterr().out)
    assert "[" in shown[0]
    assert "1: " not in shown[0]
    assert "[" not in shown[1]
    assert "回不去流东" in shown[1]
    assert "1: " in shown[1]


def test_of_a_table_without_rows_a_sentence_says_so(capsys, monkeypatch):
    monkeypatch.setattr(console, "_output", console._Terminal())
    console.print_table(("id", "work"), [])
    output = capsys.readouterr()
    assert (output.out, output.err) == ("", "There is nothing to list.\n")


@pytest.mark.parametrize("locale", ["C.UTF-8", "zh_CN.UTF-8"])
def test_the_demo_breaks_no_address_on_a_terminal_of_80_columns(capsys, monkeypatch, locale):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.setattr(console, "_output", console._Terminal())
    pages = plan()
    demo._show([demo.Outcome(page, page.expected, page.work) for page in pages])
    lines = capsys.readouterr().out.splitlines()
    assert all(any(f"│ {page.site}{page.path} " in line for line in lines) for page in pages)
    assert max(map(cell_len, lines)) <= 80
