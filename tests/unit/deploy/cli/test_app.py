"""Whatever stops a command is one line and a status."""

import pytest

from deploy.cli import app
from system.errors import BadSettings, ServiceDown
from system.exit_status import ExitStatus

DOWN = ServiceDown(service="Redis", address="a", problem="p")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """The details of bugs go where the test's other files are."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


@pytest.fixture
def raising(monkeypatch):
    """A command line whose ``index stats`` raises something, the rest being real."""

    def raise_from_session(error):
        def raise_it(*_args, **_options):
            raise error

        monkeypatch.setattr("deploy.cli.index.index.session", raise_it)

    return raise_from_session


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ValueError("page text"), ExitStatus.BUG),
        (EOFError(), ExitStatus.BUG),
        (RecursionError(), ExitStatus.BUG),
        (OSError(5, "input/output error"), ExitStatus.BUG),
        (OSError(28, "No space left on device"), ExitStatus.DOWN),
        (KeyboardInterrupt(), ExitStatus.INTERRUPTED),
        (BrokenPipeError(32, "Broken pipe"), ExitStatus.READER_GONE),
        (DOWN, ExitStatus.DOWN),
        (BadSettings(where="a", problem="b"), ExitStatus.UNUSABLE),
    ],
    ids=lambda error: type(error).__name__,
)
def test_every_exception_ends_with_a_single_line_and_its_status(raising, capsys, error, status):
    raising(error)
    assert app.run_command(["index", "stats"]) == status
    output = capsys.readouterr()
    assert output.out == ""
    assert len(output.err.splitlines()) == (status != ExitStatus.READER_GONE)
    assert "page text" not in output.err
    assert "Traceback" not in output.err


@pytest.mark.parametrize(
    "words",
    [
        ["none"],
        ["index", "stats", "--none"],
        ["check"],
        ["page", "prune", "--days", "many"],
        ["crawl", "--\x1b[2J"],
    ],
)
def test_wrong_use_is_2_and_steers_nothing(capsys, words):
    assert app.run_command(words) == ExitStatus.UNUSABLE
    output = capsys.readouterr()
    assert output.out == ""
    assert "\x1b" not in output.err
    assert "--help" in output.err


def test_help_is_0(capsys):
    assert app.run_command(["check", "--help"]) == ExitStatus.DONE
    assert "--corpus" in capsys.readouterr().out
