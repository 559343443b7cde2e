"""PDF by the real browser: what is printed, and what a hostile document cannot make it load."""

import http.server
import os
import re
import threading
from contextlib import suppress

import psutil
import pytest
from support.browsers import require_browser
from support.reports import make_report
from support.waiting import has_ended, wait_until

from analysis.words import printing
from analysis.words.printing import PrintingFailed, PrintingTimedOut, print_pdf
from deploy.cli.report.report_files import ReportTooLong, write_report
from storage.settings import CrawlerSettings, Settings


@pytest.fixture
def asked():
    """Paths that a server on this machine was asked for, and its address."""
    paths = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            paths.append(self.path)
            self.send_response(404)
            self.end_headers()

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield paths, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_nothing_is_loaded_and_no_script_runs(asked):
    require_browser()
    paths, address = asked
    pdf = print_pdf(
        f"""<!doctype html><meta charset=utf-8><title>证据</title>
        <link rel=stylesheet href={address}/style.css><img src={address}/image.png>
        <iframe src={address}/frame></iframe><iframe src=file:///etc/passwd></iframe>
        <script>document.write("<h1>" + "x".repeat(50000000))</script><p>青云志</p>""",
        CrawlerSettings(),
        footer=f"<img src={address}/footer.png>",
    )
    assert pdf.startswith(b"%PDF-")
    assert len(pdf) < 200_000
    with suppress(PrintingFailed):  # a refresh that is refused may come while it is printed
        print_pdf(
            f'<meta http-equiv=refresh content="0;url={address}/refresh"><p>青云志</p>', CrawlerSettings()
        )
    assert paths == []


def test_program_that_is_not_a_browser_is_reported_in_a_single_line():
    require_browser()
    with pytest.raises(PrintingFailed, match="does not print") as caught:
        print_pdf("<p>", CrawlerSettings(browser_path="/bin/true"))
    assert "\n" not in str(caught.value)


def test_pages_are_numbered_once():
    require_browser()
    own = '<style>@page { @bottom-right { content: "own" } }</style>'
    plain, numbered, unfooted = (
        re.findall(
            rb"stream\r?\n.*?endstream",
            print_pdf(f"{style}<p>青云志</p>", CrawlerSettings(), footer=foot),
            re.DOTALL,
        )
        for style, foot in (("", "f"), (own, "f"), (own, ""))
    )
    assert numbered == plain != unfooted


def test_browser_that_takes_too_long_is_ended_with_all_its_processes(tmp_path, monkeypatch):
    browser, started = tmp_path / "browser", tmp_path / "started"
    browser.write_text(f'#!/bin/sh\necho $$ > {started}\nexec {require_browser()} "$@"\n')
    browser.chmod(0o755)
    monkeypatch.setattr(printing, "_LIMIT_S", 3.0)
    with pytest.raises(PrintingTimedOut, match="still printing after 3 s and was ended"):
        print_pdf("<p>青云志" * 100_000, CrawlerSettings(browser_path=browser))
    group = int(started.read_text())
    wait_until(lambda: all(map(has_ended, _members(group))))


def _members(group):
    for process in psutil.process_iter():
        with suppress(ProcessLookupError):
            if os.getpgid(process.pid) == group:
                yield process


def test_slow_report_says_how_to_shorten_it(tmp_path, monkeypatch):
    require_browser()
    monkeypatch.setattr(printing, "_LIMIT_S", 0.01)
    with pytest.raises(ReportTooLong, match="--format html writes all of it; --full"):
        write_report(make_report(), "pdf", tmp_path / "report.pdf", Settings(), codes=False)
    assert not list(tmp_path.iterdir())
