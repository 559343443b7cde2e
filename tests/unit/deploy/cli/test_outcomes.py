"""The outcomes of the inputs, and the status that follows: the table of exit statuses, rule by rule."""

from itertools import product

import pytest

from deploy.cli.outcomes import Tally, as_error
from storage.bugs import Unexpected
from storage.errors import PindnaError, ServiceDown
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


def test_every_error_has_a_status_of_the_table():
    assert PindnaError.exit_status is ExitStatus.UNUSABLE
