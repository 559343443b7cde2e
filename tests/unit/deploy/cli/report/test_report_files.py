"""A report as files: each format whole, and what does not go together refused."""

import json
import zipfile
from pathlib import Path

import pytest
import typer
from support.reports import make_report

from analysis.reports.render_html import Document
from deploy.cli.files import CannotWrite
from deploy.cli.report.report import ReportForm
from deploy.cli.report.report_files import write_report
from storage.settings import Settings


@pytest.mark.parametrize("form", ["html", "csv", "json"])
def test_report_is_written_under_the_requested_name(tmp_path, form):
    target = tmp_path / f"r.{form}"
    assert write_report(make_report(), form, target, Settings(), codes=False) == [target]
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    text = target.read_text(encoding="utf-8")
    assert "青灯渡" in text
    if form == "json":
        assert json.loads(text)["format"] == "pindna-report/1"


def test_every_file_of_a_report_is_returned(tmp_path, monkeypatch):
    documents = [Document("r-matches-1.html", "1"), Document("r.html", "2")]
    monkeypatch.setattr("deploy.cli.report.report_files.render_documents", lambda *_, **__: documents)
    files = write_report(make_report(), "html", tmp_path / "r.html", Settings(), codes=False)
    assert [file.name for file in files] == ["r.html", "r-matches-1.html"]


def test_short_report_is_a_single_file_in_html_or_pdf(tmp_path):
    target = tmp_path / "r.html"
    assert write_report(make_report(), "html", target, Settings(), codes=False, is_short=True) == [target]
    assert "简洁版" in target.read_text("utf-8") or "short version" in target.read_text("utf-8")
    with pytest.raises(typer.BadParameter):
        ReportForm(form="csv", path=Path("r"), short=True).check()


def test_workbook_replaces_an_older_file_only_when_complete(tmp_path, monkeypatch):
    target = tmp_path / "r.xlsx"
    target.write_text("older")

    def breaks_off(_report, path, **_):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("deploy.cli.report.report_files.write_xlsx", breaks_off)
    with pytest.raises(CannotWrite, match="No space left"):
        write_report(make_report(), "xlsx", target, Settings(), codes=False)
    assert target.read_text() == "older"
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.undo()
    write_report(make_report(), "xlsx", target, Settings(), codes=False)
    assert zipfile.is_zipfile(target)


def test_html_report_on_a_device_has_no_extra_files(monkeypatch):
    written = []
    monkeypatch.setattr("deploy.cli.report.report_files.write", lambda path, _text: written.append(str(path)))
    write_report(make_report(), "html", Path("/dev/null"), Settings(), codes=False)
    assert written == ["/dev/null"]


@pytest.mark.parametrize("form", ["xlsx", "pdf"])
def test_binary_report_needs_a_file(form):
    ReportForm(form=form, path=Path("r")).check()
    with pytest.raises(typer.BadParameter, match="needs a file"):
        ReportForm(form=form, path=Path("-")).check()


@pytest.mark.parametrize("form", ["xlsx", "pdf", "json"])
def test_codes_are_for_csv_and_captures_for_html(form):
    for options in ({"codes": True}, {"with_captures": True}):
        with pytest.raises(typer.BadParameter):
            ReportForm(form=form, path=Path("r"), **options).check()
