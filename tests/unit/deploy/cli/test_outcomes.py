"""The outcomes of the inputs, and the status that follows: the table of exit statuses, rule by rule."""

from itertools import product

import pytest
import typer

from deploy.cli.outcomes import FOUND_VERDICTS, Tally, as_error, for_each, found_verdicts
from storage.settings import TrackerSettings
from system.bugs import UnexpectedError
from system.errors import PindnaError, ServiceDown
from system.exit_status import ExitStatus
from system.local_files import MissingFile

BUG = UnexpectedError(error="KeyError", place="a.py:1", path="a.txt")


DOWN = ServiceDown(service="Redis", address="a", problem="p")


MISSING = MissingFile(path="a.txt")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """The details of bugs go where the test's other files are."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def tally_of(*, done=0, found=False, errors=()):
    tally = Tally(used=done, has_found=found)
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
def test_status_follows_from_the_inputs(done, found, errors, status):
    assert tally_of(done=done, found=found, errors=errors).status == status


def test_only_a_clean_result_has_status_0():
    for done, found, errors in product((0, 1), (False, True), ([], [MISSING], [DOWN], [BUG])):
        status = tally_of(done=done, found=found, errors=errors).status
        assert (status == ExitStatus.DONE) == (not found and not errors)


def test_only_a_missing_service_ends_the_remaining_attempts():
    assert tally_of(errors=[MISSING, DOWN]).is_down
    assert not tally_of(errors=[MISSING, BUG]).is_down


def test_bug_is_reported_without_data_and_saved_for_the_user():
    with pytest.raises(ValueError, match="secret") as caught:
        int("secret page text \x1b[2J\ud800")
    error = as_error(caught.value)
    assert isinstance(error, UnexpectedError)
    assert "secret" not in str(error)
    assert "ValueError in test_outcomes.py:" in str(error)
    path = error.data["path"]
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - the path is a string
        details = file.read()
    assert "secret page text" in details
    assert "\x1b" not in details
    assert "Traceback" in details


def test_pindna_error_is_no_bug():
    assert as_error(MISSING) is MISSING


def test_every_error_has_a_status_of_the_table():
    assert PindnaError.exit_status is ExitStatus.UNUSABLE


def test_input_missing_without_an_error_counts():
    assert Tally(missing=1).status == ExitStatus.UNUSABLE
    assert Tally(missing=1, used=1).status == ExitStatus.PARTLY
    tally = tally_of(errors=[MISSING, DOWN, MISSING])
    assert (tally.missing, tally.used, tally.fatal) == (3, 0, DOWN)
    assert tally_of(errors=[MISSING]).fatal is None


def test_first_of_two_equally_grave_errors_is_kept():
    other = ServiceDown(service="MongoDB", address="b", problem="q")
    assert tally_of(errors=[DOWN, other]).fatal is DOWN
    assert not Tally().is_down


def test_verdicts_of_copies_and_quotes_count_as_matches():
    assert FOUND_VERDICTS == found_verdicts(TrackerSettings()) == ("copy", "partial", "quote")
    assert found_verdicts(TrackerSettings(reworded_is_found=True)) == (*FOUND_VERDICTS, "reworded")


def test_unusable_name_does_not_stop_the_remaining_names(capsys):
    def act(name):
        if name == "b":
            raise MISSING
        return f"did {name}"

    tally = for_each(["a", "b", "c"], act)
    output = capsys.readouterr()
    assert output.out.splitlines() == ["did a", "did c"]
    assert "a.txt" in output.err
    assert (tally.used, tally.missing, tally.status) == (2, 1, ExitStatus.PARTLY)


@pytest.mark.parametrize("error", [DOWN, BUG], ids=["down", "bug"])
def test_error_unrelated_to_a_name_ends_the_command(capsys, error):
    def act(name):
        if name == "b":
            raise error
        return name

    with pytest.raises(type(error)):
        for_each(["a", "b", "c"], act)
    assert capsys.readouterr().out.splitlines() == ["a"]


def test_command_ends_with_the_status_of_its_tally():
    with pytest.raises(typer.Exit) as ended:
        tally_of(done=1, errors=[MISSING]).end()
    assert ended.value.exit_code == ExitStatus.PARTLY
    tally_of(done=1).end()
