"""The exit status of a scan."""

import pytest
from support.summaries import summary_with

from deploy.cli.scan.scan import NO_TEXT_THERE, status_of, summary_line
from storage.records import UnreadFigures
from system.exit_status import ExitStatus

FRAMES = UnreadFigures(pages=1, amounts={"frames": 2})


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """The details of bugs go where the test's other files are."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


@pytest.mark.parametrize(
    ("fields", "left", "status"),
    [
        ({}, 0, ExitStatus.DONE),
        ({"verdicts": {"clear": 3, "common": 1, "licensed": 1, "reworded": 2}}, 0, ExitStatus.DONE),
        *(({"verdicts": {verdict: 1}}, 0, ExitStatus.FOUND) for verdict in ("copy", "partial", "quote")),
        *(({"not_compared": {reason: 9}}, 0, ExitStatus.DONE) for reason in sorted(NO_TEXT_THERE)),
        *(
            ({"not_compared": {reason: 1}}, 0, ExitStatus.PARTLY)
            for reason in (
                "blocked",
                "obfuscated",
                "incomplete",
                "timeout",
                "http-500",
                "http-403",
                "unreadable",
            )
        ),
        ({"not_compared": {"unheard-of": 1}}, 0, ExitStatus.PARTLY),
        ({"waiting": 1}, 0, ExitStatus.PARTLY),
        ({"unread": FRAMES}, 0, ExitStatus.PARTLY),
        ({"unread": FRAMES, "verdicts": {"copy": 1}}, 0, ExitStatus.FOUND),
        ({"left": {"time": 1}}, 0, ExitStatus.PARTLY),
        ({"left": {"limit": 1}, "verdicts": {"copy": 1}}, 0, ExitStatus.FOUND),
        ({"status": "failed"}, 0, ExitStatus.PARTLY),
        ({"states": ("done", "failed")}, 0, ExitStatus.PARTLY),
        ({"states": ("done", "due")}, 0, ExitStatus.PARTLY),
        ({}, 1, ExitStatus.PARTLY),
        ({"states": ("failed",), "verdicts": {"copy": 1}}, 2, ExitStatus.FOUND),
    ],
)
def test_status_of_a_scan(fields, left, status):
    assert status_of(summary_with(**fields), remaining=left) == status


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({}, "9 pages seen, 9 compared, 0 not compared; 0 addresses left."),
        (
            {
                "compared": 7,
                "unread": UnreadFigures(pages=3, amounts={"frames": 2}),
                "not_compared": {"timeout": 1, "empty": 1},
                "left": {"time": 5},
            },
            "9 pages seen, 7 compared (3 not fully: 2 frames), 2 not compared; 5 addresses left.",
        ),
    ],
)
def test_scan_line_counts_incomplete_comparisons(fields, line, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert summary_line(summary_with(**fields)) == line
