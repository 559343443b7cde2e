"""Reports as tables for spreadsheets."""

import csv
import io

import pytest

from analysis.render_csv import COLUMNS, render_csv


def read(report):
    text = render_csv(report)
    assert text.startswith("\ufeff")
    assert "\r\n" in text
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_csv_has_one_row_a_match(build):
    (row,) = read(build())
    assert tuple(row) == COLUMNS
    assert (row["work"], row["verdict"], row["char_identity"], row["spans"]) == (
        "青灯渡",
        "copy",
        "0.75",
        "1",
    )
    assert row["first_seen"] == "2025-03-01T04:00:00+00:00"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "＝", " =", "\n@"])
def test_csv_cells_compute_nothing(build, start):
    (row,) = read(build(title=f'{start}HYPERLINK("http://evil.example","江")'))
    assert row["page_title"][0] == "'"
    assert row["page_title"].endswith('"江")')


def test_csv_shows_hidden_characters_and_keeps_quotes(build):
    (row,) = read(build(title='a"b,\u202ec\nd'))
    assert row["page_title"] == 'a"b,[U+202E]c\nd'
