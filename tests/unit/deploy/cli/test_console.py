"""Tables on terminals."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from support.matches import match_with

from analysis.texts.excerpts import side_by_side
from deploy.cli import console
from deploy.cli.demo import demo
from deploy.cli.review import match_view
from deploy.demo.plan import plan
from storage.records import Span

ID = "0123456789abcdef"


LONG = "一个很长很长的标题" * 6
HEADERS = ("id", "site", "work", "characters", "because")
ROWS = [(ID, "novels.example.com.cn", LONG, "1–123456", ("a note", LONG)), ("m12", "s", "w", "1", "")]


@pytest.fixture
def printed_at(capsys, monkeypatch):
    """Return what prints a table of some width and gives the lines; 0: into a pipe."""

    def printed(columns, headers=HEADERS, rows=ROWS):
        monkeypatch.delenv("COLUMNS", raising=False)
        if columns:
            monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(console, "_output", console._Terminal())
        console.print_table(headers, rows)
        return capsys.readouterr().out.splitlines()

    return printed


def test_identifying_cell_is_not_wrapped(printed_at):
    lines = printed_at(80)
    assert max(map(cell_len, lines)) <= 80
    assert sum(ID in line for line in lines) == 1
    assert sum(" m12 " in line for line in lines) == 1
    assert "".join(line.split("│")[3].strip() for line in lines if line.count("│") > 3).startswith(LONG)


def test_too_wide_row_is_printed_as_a_list(printed_at):
    lines = printed_at(60)
    assert lines[:6] == [
        ID,
        "  site: novels.example.com.cn",
        f"  work: {LONG}",
        "  characters: 1–123456",
        f"  because: a note · {LONG}",
        "m12",
    ]


def test_piped_table_has_every_row_in_a_single_line(printed_at):
    lines = printed_at(0)
    assert sum(line.startswith("│") for line in lines) == len(ROWS)
    assert any(ID in line and f"a note · {LONG}" in line for line in lines)


WORDS = st.lists(st.text("abc-./:", min_size=1, max_size=30), max_size=4).map(" ".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=3), st.integers(20, 120))
def test_no_word_is_broken_at_any_width(printed_at, rows, columns):
    lines = printed_at(columns, ("name", "other", "third"), rows)
    words = {word for line in lines for word in line.replace("│", " ").split()}
    assert {word for row in rows for cell in row for word in cell.split()} <= words


def test_reversed_stretch_has_no_brackets(capsys, monkeypatch):
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


def test_empty_table_is_a_sentence(capsys, monkeypatch):
    monkeypatch.setattr(console, "_output", console._Terminal())
    console.print_table(("id", "work"), [])
    output = capsys.readouterr()
    assert (output.out, output.err) == ("", "There is nothing to list.\n")


@pytest.mark.parametrize("locale", ["C.UTF-8", "zh_CN.UTF-8"])
def test_demo_breaks_no_address_on_a_terminal_of_80_columns(capsys, monkeypatch, locale):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.setattr(console, "_output", console._Terminal())
    pages = plan()
    demo._show([demo.Outcome(page, page.expected, page.work) for page in pages])
    lines = capsys.readouterr().out.splitlines()
    assert all(any(f"│ {page.site}{page.path} " in line for line in lines) for page in pages)
    assert max(map(cell_len, lines)) <= 80
