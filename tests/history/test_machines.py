"""Machines of a run differ by their clock, which is set, and by the version of the program."""

import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

import pytest
from support.history import earlier, judging
from support.history.clocks import Clock, compile_clock
from support.processes import environment_of

NEAR = timedelta(seconds=30)
JUMPS = [timedelta(days=1), timedelta(hours=-1), timedelta()]
# For each line that it reads: what the machine shows, by three ways; then what leases go by.
_PROGRAM = """
import sys, threading, time
from datetime import UTC, datetime
from storage.collections.stores import open_stores
from storage.settings import load_settings
stores = open_stores(load_settings().storage)
stores.ping()
for line in sys.stdin:
    time.sleep(0.01)
    threading.Event().wait(0.01)
    print(datetime.now(UTC).timestamp(), time.time(), time.clock_gettime(time.CLOCK_REALTIME),
          stores.clock.now().timestamp(), time.monotonic(), flush=True)
"""


@pytest.fixture
def clock(tmp_path):
    library = compile_clock(tmp_path)
    if library is None:
        pytest.skip("there is no C compiler to make clocks with")
    clock = Clock(tmp_path / "clock", library)
    clock.set(0)
    return clock


@pytest.mark.services
def test_machine_with_a_shifted_clock_uses_the_server_clock_for_leases(settings, clock):
    program = [sys.executable, "-c", _PROGRAM]
    environment = environment_of(settings) | clock.environment
    with subprocess.Popen(
        program, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        for jump in JUMPS:
            clock.set(int(jump.total_seconds()))
            process.stdin.write("\n")
            process.stdin.flush()
            *shown, shared, monotonic = map(float, process.stdout.readline().split())
            assert all(abs(moment(seconds) - datetime.now(UTC) - jump) < NEAR for seconds in shown)
            assert abs(moment(shared) - datetime.now(UTC)) < NEAR
            assert abs(monotonic - time.monotonic()) < NEAR.total_seconds()
        process.stdin.close()
    assert process.returncode == 0


def moment(seconds):
    return datetime.fromtimestamp(seconds, UTC)


def test_previous_version_runs_from_a_separate_tree(tmp_path):
    if reason := earlier.what_lacks():
        pytest.skip(reason)
    tree = earlier.unpack(tmp_path / "before")
    program = [sys.executable, "-P", "-c", "import tracker; print(tracker.__file__)"]
    environment = {**os.environ, **earlier.environment_in(tree)}
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.strip() == str(tree / "tracker" / "__init__.py")


def test_without_its_commit_there_is_no_version_before(tmp_path, monkeypatch):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)  # noqa: S607
    monkeypatch.setattr(earlier, "_ROOT", tmp_path)
    assert "does not reach back" in earlier.what_lacks()


def test_version_with_another_schema_is_not_run(monkeypatch):
    if reason := earlier.what_lacks():
        pytest.skip(reason)
    name = "tests/../README.md"  # git knows no file by such a name
    monkeypatch.setattr(earlier, "_SAME", ((name, "^(.+)$"),))
    assert earlier.what_lacks().endswith(f"has another {name}")


@pytest.mark.long
def test_what_two_versions_find_is_compared(tmp_path):
    if reason := earlier.what_lacks():
        pytest.skip(reason)
    tree = earlier.unpack(tmp_path / "tree")
    found = judging.judgements(tmp_path / "found", {})
    is_same = found == judging.judgements(tmp_path / "before", earlier.environment_in(tree))
    assert is_same or not earlier.has_same_judging()
    assert judging.judges_alike(tree, tmp_path / "again") == is_same
    verdicts = {judged[0] for judged, _ in found}
    assert {"clear", "copy"} < verdicts
    assert all(matches for judged, matches in found if judged[0] != "clear")
