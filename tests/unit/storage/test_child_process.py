"""A child's last line on standard error is what its parent tells the user."""

import pytest

from storage.child_process import MAX_ERROR_BYTES, last_line, report_error
from storage.errors import ServiceDown
from storage.exit_status import ExitStatus


@pytest.mark.parametrize(
    ("errors", "line"),
    [
        (b"", ""),
        (b"\n \n", ""),
        (b"warning\nMongoDB does not answer.\n\n", "MongoDB does not answer."),
        ("来源\n站点不让进".encode(), "站点不让进"),
        (b"\xff broken", "\ufffd broken"),
    ],
)
def test_the_last_line_counts(errors, line):
    assert last_line(errors) == line


def test_of_a_line_without_end_the_end_is_taken():
    line = last_line(b"first" + b"x" * MAX_ERROR_BYTES)
    assert line == "x" * MAX_ERROR_BYTES


def test_what_a_child_reports_its_parent_reads(capsys):
    error = ServiceDown(service="MongoDB", address="a", problem="p")
    assert report_error(error) == ExitStatus.DOWN
    assert last_line(capsys.readouterr().err.encode()) == str(error)
