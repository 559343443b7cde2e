"""What became of the inputs, and the status that says it: the table of exit statuses, rule by rule."""

from itertools import product

import pytest
from support.summaries import summary_with

from deploy.cli import app
from deploy.cli.outcomes import Tally, as_error
from deploy.cli.scan import NO_TEXT_THERE, status_of
from storage.bugs import Unexpected
from storage.errors import BadSettings, PindnaError, ServiceDown
from storage.exit_status import ExitStatus
from storage.local_files import MissingFile

BUG = Unexpected(error="KeyError", place="a.py:1", path="a.txt")
DOWN = ServiceDown(service="Redis", address="a", problem="p")
MISSING = MissingFile(path="a.txt")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """The details of bugs go where the test's other files are."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def tally_of(*, done=0, found=False, errors=()):
    tally = Tally(done=done, found=found)
    for error in errors:
        tally.note(error)
    return tally


@pytest.mark.parametrize(
    ("done", "found", "errors", "status"),
    [
        (1, False, [], ExitStatus.DONE),
        (0, False, [], ExitStatus.DONE),
        (1, True, [], ExitStatus.FOUND),
        (0, False, [MISSING], ExitStatus.UNUSABLE),
        (1, False, [MISSING], ExitStatus.PARTLY),
        (1, True, [MISSING], ExitStatus.FOUND),
        (1, True, [MISSING, DOWN], ExitStatus.DOWN),
        (1, True, [DOWN, BUG, MISSING], ExitStatus.BUG),
        (0, False, [BUG, DOWN], ExitStatus.BUG),
    ],
)
def test_the_status_of_some_inputs(done, found, errors, status):
    assert tally_of(done=done, found=found, errors=errors).status == status


def test_nothing_but_a_clean_bill_is_0():
    for done, found, errors in product((0, 1), (False, True), ([], [MISSING], [DOWN], [BUG])):
        status = tally_of(done=done, found=found, errors=errors).status
        assert (status == ExitStatus.DONE) == (not found and not errors)


def test_only_a_service_that_is_down_ends_the_trying():
    assert tally_of(errors=[MISSING, DOWN]).is_down
    assert not tally_of(errors=[MISSING, BUG]).is_down


def test_a_bug_is_told_without_what_it_holds_and_written_down_for_its_owner():
    with pytest.raises(ValueError, match="secret") as caught:
        int("secret page text \x1b[2J\ud800")
    told = as_error(caught.value)
    assert isinstance(told, Unexpected)
    assert "secret" not in str(told)
    assert "ValueError in test_outcomes.py:" in str(told)
    path = told.data["path"]
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - the path is a string
        details = file.read()
    assert "secret page text" in details
    assert "\x1b" not in details
    assert "Traceback" in details


def test_an_error_of_ours_is_no_bug():
    assert as_error(MISSING) is MISSING


@pytest.mark.parametrize(
    ("fields", "left", "status"),
    [
        ({}, 0, ExitStatus.DONE),
        ({"verdicts": {"clear": 3, "common": 1, "licensed": 1}}, 0, ExitStatus.DONE),
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
        ({"left": {"time": 1}}, 0, ExitStatus.PARTLY),
        ({"left": {"limit": 1}, "verdicts": {"copy": 1}}, 0, ExitStatus.FOUND),
        ({"status": "failed"}, 0, ExitStatus.PARTLY),
        ({"states": ("done", "failed")}, 0, ExitStatus.PARTLY),
        ({"states": ("done", "due")}, 0, ExitStatus.PARTLY),
        ({}, 1, ExitStatus.PARTLY),
        ({"states": ("failed",), "verdicts": {"copy": 1}}, 2, ExitStatus.FOUND),
    ],
)
def test_the_status_of_a_scan(fields, left, status):
    assert status_of(summary_with(**fields), left=left) == status


@pytest.fixture
def raising(monkeypatch):
    """A command line whose ``index stats`` raises something, the rest being real."""

    def put(error):
        def raise_it(*_args, **_options):
            raise error

        monkeypatch.setattr("deploy.cli.index.session", raise_it)

    return put


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
    ids=lambda each: type(each).__name__,
)
def test_every_exception_ends_in_one_line_and_its_status(raising, capsys, error, status):
    raising(error)
    assert app.run_command(["index", "stats"]) == status
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == (status != ExitStatus.READER_GONE)
    assert "page text" not in told.err
    assert "Traceback" not in told.err


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
    told = capsys.readouterr()
    assert told.out == ""
    assert "\x1b" not in told.err
    assert "--help" in told.err


def test_help_is_0(capsys):
    assert app.run_command(["check", "--help"]) == ExitStatus.DONE
    assert "--corpus" in capsys.readouterr().out


def test_every_error_has_a_status_of_the_table():
    assert PindnaError.exit_status is ExitStatus.UNUSABLE
