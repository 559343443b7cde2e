"""Tables on narrow terminals."""

import pytest

from deploy.cli import console

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


def test_a_table_without_rows_has_its_headers(capsys, monkeypatch):
    monkeypatch.setattr(console, "_output", console._Terminal())
    console.print_table(("id", "work"), [])
    assert "work" in capsys.readouterr().out
