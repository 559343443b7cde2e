"""A report as a workbook: texts stay texts, and every sheet can be read back."""

import xml.etree.ElementTree as ET
import zipfile
from dataclasses import replace

import pytest
from support.reports import make_report

from analysis.reports.render_xlsx import write_xlsx

SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def cells(path, sheet=1):
    """Type and text of each cell of a sheet, by row."""
    with zipfile.ZipFile(path) as book:
        root = ET.fromstring(book.read(f"xl/worksheets/sheet{sheet}.xml"))  # noqa: S314 - of our own
    rows = root.iter(f"{SPACE}row")
    return [[(cell.get("t", "n"), "".join(cell.itertext())) for cell in row] for row in rows]


@pytest.mark.parametrize("title", ["=1+1", "@SUM(A1)", "http://evil.example/", "+1", "{=1}", "12"])
def test_no_text_is_computed_or_becomes_a_link(tmp_path, title):
    report = make_report(title=title)
    write_xlsx(report, tmp_path / "r.xlsx", language="en")
    assert ("inlineStr", title) in cells(tmp_path / "r.xlsx")[1]
    with zipfile.ZipFile(tmp_path / "r.xlsx") as book:
        everything = b"".join(book.read(name) for name in book.namelist())
    assert b"<f>" not in everything
    assert b"<f " not in everything
    assert b"hyperlink" not in everything


def test_hidden_characters_are_shown_and_long_texts_cut_at_what_a_cell_holds(tmp_path):
    report = make_report(title="a\u202e\x07b" + "长" * 40_000)
    write_xlsx(report, tmp_path / "r.xlsx", language="en")
    (text,) = [text for _, text in cells(tmp_path / "r.xlsx")[1] if "长" in text]
    assert text.startswith("a[U+202E]")
    assert "\x07" not in text
    assert len(text) <= 32_767


def test_figures_are_numbers_and_there_is_a_sheet_for_each_table(tmp_path):
    report = make_report()
    write_xlsx(report, tmp_path / "r.xlsx", language="zh")
    with zipfile.ZipFile(tmp_path / "r.xlsx") as book:
        sheets = [name for name in book.namelist() if name.startswith("xl/worksheets/sheet")]
    assert len(sheets) == 9
    assert ("n", "4") in cells(tmp_path / "r.xlsx")[1]  # copied characters
    assert cells(tmp_path / "r.xlsx", 2)[1][1][1] == report.cases[0].case.work_title
    assert len(cells(tmp_path / "r.xlsx", 2)) == 2


def test_the_rows_are_those_of_the_table_for_people(tmp_path):
    report = make_report()
    twice = replace(report, cases=report.cases * 2)
    write_xlsx(twice, tmp_path / "r.xlsx", language="en")
    assert len(cells(tmp_path / "r.xlsx")) == 3
