"""A report as a workbook: texts stay texts, and every sheet can be read back."""

import xml.etree.ElementTree as ET
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from support.reports import make_report
from support.workbooks import SPACE, cells

from analysis.reports.render_xlsx import write_xlsx
from storage.records.dates import parse_date


@pytest.mark.parametrize(
    "title", ["=1+1", "@SUM(A1)", "http://evil.example/", "+1", "-1", "{=1}", "12", "\t=1", "2025-03-01"]
)
def test_no_text_is_computed_or_becomes_a_link(tmp_path, title):
    report = make_report(title=title)
    write_xlsx(report, tmp_path / "r.xlsx", language="en")
    assert ("inlineStr", title) in cells(tmp_path / "r.xlsx")[1]
    with zipfile.ZipFile(tmp_path / "r.xlsx") as book:
        everything = b"".join(book.read(name) for name in book.namelist())
    assert b"<f>" not in everything
    assert b"<f " not in everything
    assert b"hyperlink" not in everything


def test_hidden_characters_are_visible_and_long_texts_cut_to_a_cell(tmp_path):
    report = make_report(title="a\u202e\x07b" + "长" * 40_000)
    write_xlsx(report, tmp_path / "r.xlsx", language="en")
    (text,) = [text for _, text in cells(tmp_path / "r.xlsx")[1] if "长" in text]
    assert text.startswith("a[U+202E]")
    assert "\x07" not in text
    assert len(text) <= 32_767


@pytest.mark.parametrize(
    ("title", "cell"),
    [
        ("a\x00\ud800b", "a␀[U+D800]b"),
        ("\ufffe", "_xFFFE_"),  # as the format writes what XML cannot hold
        ("_x0041_", "_x005F_x0041_"),  # which is no other way to write A
        ("𠀀" * 20_000, "𠀀" * 16_383),  # a cell counts as UTF-16 does
    ],
)
def test_characters_invalid_in_xml_leave_the_workbook_readable(tmp_path, title, cell):
    write_xlsx(make_report(title=title), tmp_path / "r.xlsx", language="en")
    assert ("inlineStr", cell) in cells(tmp_path / "r.xlsx")[1]


def dates(path, sheet=1):
    """The dates of a sheet's second row as its formats show them, by what the spreadsheet counts."""
    with zipfile.ZipFile(path) as book:
        styles = ET.fromstring(book.read("xl/styles.xml"))  # noqa: S314 - of our own
        root = ET.fromstring(book.read(f"xl/worksheets/sheet{sheet}.xml"))  # noqa: S314
    forms = {form.get("numFmtId"): form.get("formatCode") for form in styles.iter(f"{SPACE}numFmt")}
    of_style = [forms.get(style.get("numFmtId")) for style in styles.find(f"{SPACE}cellXfs")]
    second = list(root.iter(f"{SPACE}row"))[1]
    shown = [
        (float("".join(cell.itertext())), of_style[int(cell.get("s"))]) for cell in second if cell.get("s")
    ]
    start = datetime(1899, 12, 30, tzinfo=UTC)  # of no zone in the file
    moments = ((start + timedelta(seconds=round(days * 86_400)), form) for days, form in shown)
    return {(f"{moment:%Y-%m-%d %H:%M:%S}", form) for moment, form in moments}


def test_dates_are_in_the_local_time_and_only_as_precise_as_the_source(tmp_path):
    report = make_report()
    (case,) = report.cases
    (entry,) = case.matches
    match = replace(
        entry.match,
        first_seen=datetime(2025, 3, 1, 20, 0, 30, tzinfo=UTC),
        last_seen=datetime(2025, 3, 2, tzinfo=UTC),
        work_published=parse_date("2025-02-26"),
        page_published=parse_date("1899-02-27"),
    )
    entry = replace(entry, match=match)
    write_xlsx(replace(report, cases=(replace(case, matches=(entry,)),)), tmp_path / "r.xlsx", language="en")
    assert dates(tmp_path / "r.xlsx") == {
        ("2025-03-02 04:00:30", "yyyy-mm-dd hh:mm:ss"),
        ("2025-03-02 08:00:00", "yyyy-mm-dd hh:mm:ss"),
        ("2025-02-26 00:00:00", "yyyy-mm-dd"),
    }
    assert ("inlineStr", "1899-02-27 +08:00") in cells(tmp_path / "r.xlsx")[1]


def test_date_of_another_zone_names_it(tmp_path):
    report = make_report()
    (case,) = report.cases
    (entry,) = case.matches
    date = parse_date("2025-02-26 10:15", zone=UTC)
    entry = replace(entry, match=replace(entry.match, page_published=date))
    write_xlsx(replace(report, cases=(replace(case, matches=(entry,)),)), tmp_path / "r.xlsx", language="en")
    assert ("inlineStr", str(date)) in cells(tmp_path / "r.xlsx")[1]


@pytest.mark.long
def test_five_thousand_rows_are_written(tmp_path):
    report = make_report()
    (case,) = report.cases
    write_xlsx(
        replace(report, cases=(replace(case, matches=case.matches * 5_000),)),
        tmp_path / "r.xlsx",
        language="en",
    )
    rows = cells(tmp_path / "r.xlsx")
    assert len(rows) == 5_001
    assert all(row == rows[1] for row in rows[1:])


def test_figures_are_numbers_and_every_table_has_a_sheet(tmp_path):
    report = make_report()
    write_xlsx(report, tmp_path / "r.xlsx", language="zh")
    with zipfile.ZipFile(tmp_path / "r.xlsx") as book:
        sheets = [name for name in book.namelist() if name.startswith("xl/worksheets/sheet")]
    assert len(sheets) == 9
    assert ("n", "4") in cells(tmp_path / "r.xlsx")[1]  # copied characters
    assert cells(tmp_path / "r.xlsx", 2)[1][1][1] == report.cases[0].case.work_title
    assert len(cells(tmp_path / "r.xlsx", 2)) == 2


def test_rows_are_those_of_the_table_for_people(tmp_path):
    report = make_report()
    twice = replace(report, cases=report.cases * 2)
    write_xlsx(twice, tmp_path / "r.xlsx", language="en")
    assert len(cells(tmp_path / "r.xlsx")) == 3
