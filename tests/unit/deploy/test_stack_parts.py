"""The parts of the embedded stack that need no server."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from support.strangers import run_as_nobody

from deploy.stack import errors, processes, programs, service, state
from deploy.stack.folder import Membership, prepare, starting
from deploy.stack.signals import Interrupts
from deploy.stack.state import Mark, State
from storage.errors import PindnaError


def _sleeper(code="import time; time.sleep(60)"):
    child = subprocess.Popen([sys.executable, "-c", code], start_new_session=True, stdout=subprocess.PIPE)
    mark = processes.mark_of(child.pid)
    assert mark is not None
    return child, mark


def _collect(child):
    """Let Popen learn that its child, which our code has collected, is gone."""
    child.stdout.close()
    child.wait()


def test_state_survives_a_round_trip(tmp_path):
    path = tmp_path / "stack.json"
    written = State().with_port("redis", 20001).with_mark("redis", Mark(pid=17, started=1.5))
    state.save(path, written)
    assert state.load(path) == written
    assert state.load(path).without_mark("redis").marks == {}
    assert [each.name for each in tmp_path.iterdir()] == ["stack.json"]


@pytest.mark.parametrize("text", ["", "{", '{"ports": {"redis"', '{"marks": {"redis": 7}}', "[]", "\0\xff"])
def test_a_damaged_state_reads_as_empty(tmp_path, text):
    path = tmp_path / "stack.json"
    path.write_text(text, "latin-1")
    assert state.load(path) == State()


def test_a_recycled_pid_is_not_ours():
    own = processes.mark_of(os.getpid())
    assert own is not None
    assert not processes.is_gone(own)
    assert processes.is_gone(Mark(pid=own.pid, started=own.started - 60))
    program = processes.own_program()
    assert processes.is_ours(own, program, lambda process: process.pid == own.pid)
    assert not processes.is_ours(own, program, lambda _: False)
    assert not processes.is_ours(own, Path("/bin/sh"), lambda _: True)


def test_a_process_of_another_program_is_not_ours(tmp_path):
    child, mark = _sleeper()
    theirs = processes.own_program(), lambda process: process.pid == child.pid
    others = tmp_path / "python", theirs[1]
    try:
        assert processes.find(*theirs) == [mark]
        assert processes.find(*others) == []
        assert processes.find_intruder(*theirs) is None
        assert processes.find_intruder(*others) == mark
    finally:
        processes.end(mark, [(signal.SIGTERM, 5.0)])
        _collect(child)


def test_a_process_of_another_user_is_not_ours():
    child = run_as_nobody("import time; time.sleep(60)")
    try:
        program = Path(psutil.Process(child.pid).exe())
        mark = processes.mark_of(child.pid)
        assert not processes.is_ours(mark, program, lambda _: True)
        assert processes.find(program, lambda process: process.pid == child.pid) == []
        assert processes.find_intruder(Path("/bin/sh"), lambda process: process.pid == child.pid) is None
    finally:
        child.kill()
        child.communicate()


def test_a_zombie_is_gone_and_collected():
    child, mark = _sleeper("pass")
    assert processes.wait_gone(mark, 5.0)
    assert not psutil.pid_exists(child.pid)
    _collect(child)


def test_end_takes_the_whole_session_with_it():
    family = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)"
    )
    child, mark = _sleeper(family)
    assert child.stdout is not None
    grandchild = processes.mark_of(int(child.stdout.readline()))
    assert grandchild is not None
    assert processes.end(mark, [(signal.SIGTERM, 5.0)])
    assert processes.wait_gone(grandchild, 2.0)
    _collect(child)


def test_end_kills_what_does_not_listen():
    deaf = (
        "import signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('deaf', flush=True)\n"
        "time.sleep(60)"
    )
    child, mark = _sleeper(deaf)
    assert child.stdout is not None
    child.stdout.readline()
    assert not processes.end(mark, [(signal.SIGTERM, 0.2)])
    assert processes.is_gone(mark)
    _collect(child)


def test_find_sees_processes_by_their_arguments(tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(60)", "--storage-path", str(tmp_path)],
        start_new_session=True,
    )
    found = processes.find(processes.own_program(), lambda process: str(tmp_path) in process.cmdline())
    assert [mark.pid for mark in found] == [child.pid]
    assert processes.leads_session(child.pid)
    processes.end(found[0], [(signal.SIGTERM, 5.0)])
    child.wait()


@pytest.fixture
def untouched_signals():
    """The three signals as Python starts with them, whatever the session's servers have taken over."""
    defaults = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
    }
    before = {number: signal.signal(number, handler) for number, handler in defaults.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("untouched_signals")
def test_held_signals_wait_until_the_block_is_done():
    interrupts = Interrupts()
    interrupts.install()
    steps = []

    def work():
        with interrupts.hold():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.01)
            steps.append("done")
        steps.append("never")

    try:
        with pytest.raises(SystemExit) as raised:
            work()
        assert steps == ["done"]
        assert raised.value.code == 143
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        interrupts.restore()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("untouched_signals")
def test_a_handler_of_the_program_is_left_alone():
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    interrupts = Interrupts()
    try:
        interrupts.install()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        interrupts.restore()
        signal.signal(signal.SIGHUP, previous)


def test_the_last_user_is_told_so(tmp_path):
    folder = prepare(tmp_path / "data")
    first, second = Membership(folder), Membership(folder)
    assert first.join()
    assert not second.join()
    assert not first.leave()
    assert second.leave()
    assert not second.leave()


def test_two_starters_do_not_meet(tmp_path):
    folder = prepare(tmp_path / "data")
    with (
        starting(folder),
        pytest.raises(errors.DataFolderLocked, match=f"start.lock.*process {os.getpid()}"),
        starting(folder, timeout_s=0.1),
    ):
        pass
    with starting(folder, timeout_s=0.1):
        pass


def test_a_data_folder_is_private_and_may_have_any_name(tmp_path):
    folder = prepare(tmp_path / "深 处" / "data dir")
    assert folder.path.stat().st_mode & 0o077 == 0
    assert folder.log("redis").parent.is_dir()


def test_a_file_in_the_folders_place_is_named(tmp_path):
    place = tmp_path / "data"
    place.write_text("in the way")
    with pytest.raises(errors.DataFolderUnusable, match=str(place)) as raised:
        prepare(place)
    assert raised.value.exit_status == 2
    with pytest.raises(errors.DataFolderUnusable, match="not a directory"):
        prepare(place / "below")


def test_a_full_disk_is_told_before_anything_starts(tmp_path):
    with pytest.raises(errors.DiskFull, match="MiB free"):
        prepare(tmp_path, needed_bytes=1 << 62)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("=== started x\nFirst\n  Last words \n\n", "Last words"),
        ("Old words\n=== started x\n", "nothing was logged"),
        ("", "nothing was logged"),
        ("=== started x\n\x1b[31mred\x07\n", "[31mred"),
        ("=== started x\n" + "长" * 500, "长" * 200),
    ],
)
def test_the_last_line_is_one_of_this_run(tmp_path, text, words):
    log = tmp_path / "x.log"
    log.write_text(text, "utf-8")
    assert service.last_line(log) == words


def test_without_a_log_there_are_no_last_words(tmp_path):
    assert service.last_line(tmp_path / "none.log") == "no log"


def test_a_program_that_is_not_installed_says_how_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(errors.EmbeddedMissing, match=r"valkey-server .*pip install 'pindna\[embedded\]'"):
        programs.redis_server()
    with pytest.raises(errors.EmbeddedMissing, match=r"SecantusDB .*pip install 'pindna\[embedded\]'"):
        programs.require_document_server()


def test_without_the_wheel_the_paths_server_is_used(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    for name in ("redis-server", "valkey-server"):  # the second is preferred
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o700)
        assert programs.redis_server() == tmp_path / name


def _reasons():
    return [
        each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, PindnaError)
    ]


@pytest.mark.parametrize("kind", _reasons())
def test_every_error_is_one_line(kind):
    names = {
        "service",
        "needed",
        "path",
        "problem",
        "holder",
        "port",
        "log",
        "last_line",
        "count",
        "pid",
        "program",
        "owner",
        "change",
        "names",
    }
    error = kind(message="m", timeout_s=1.0, window_s=300.0, **dict.fromkeys(names, Path("x")))
    assert "\n" not in str(error)
    assert error.exit_status in {2, 3}
