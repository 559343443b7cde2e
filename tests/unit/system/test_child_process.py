"""A parent shows the user a child's last line on standard error."""

import pytest

from system.child_process import MAX_ERROR_BYTES, last_line, last_message, message_of, report_error
from system.errors import ServiceDown
from system.exit_status import ExitStatus
from system.messages import Message


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
def test_last_line_counts(errors, line):
    assert last_line(errors) == line


def test_endless_line_keeps_its_end():
    line = last_line(b"first" + b"x" * MAX_ERROR_BYTES)
    assert line == "x" * MAX_ERROR_BYTES


def test_message_of_a_child_reaches_its_parent(capsys):
    error = ServiceDown(service="MongoDB", address="a", problem="p")
    assert report_error(error) == ExitStatus.DOWN
    errors = b"a library's warning\n" + capsys.readouterr().err.encode()
    assert last_line(errors) == str(error)
    assert last_message(errors) == message_of(error)


@pytest.mark.parametrize(
    "errors", [b"", b"a warning\n", b"\x1e[1]\n", b'\x1e{"data": 1, "more": 2}\n', b"\x1e{\n"]
)
def test_unreported_error_gives_an_empty_message(errors):
    assert last_message(errors) == Message()
