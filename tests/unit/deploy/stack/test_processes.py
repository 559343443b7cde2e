"""Which processes are ours, and how they end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
from support.strangers import run_as_nobody

from deploy.stack import processes
from deploy.stack.state import ProcessMark


def _sleeper(code="import time; time.sleep(60)"):
    child = subprocess.Popen([sys.executable, "-c", code], start_new_session=True, stdout=subprocess.PIPE)
    mark = processes.mark_of(child.pid)
    assert mark is not None
    return child, mark


def _collect(child):
    """Let Popen learn that its child, which our code has collected, is gone."""
    child.stdout.close()
    child.wait()


def test_recycled_pid_is_not_the_recorded_process():
    own = processes.mark_of(os.getpid())
    assert own is not None
    assert not processes.is_gone(own)
    assert processes.is_gone(ProcessMark(pid=own.pid, started=own.started - 60))
    program = processes.own_program()
    assert processes.is_ours(own, program, lambda process: process.pid == own.pid)
    assert not processes.is_ours(own, program, lambda _: False)
    assert not processes.is_ours(own, Path("/bin/sh"), lambda _: True)


def test_process_of_another_program_is_not_recognised(tmp_path):
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


def test_process_of_another_user_is_not_recognised():
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


def test_zombie_is_collected_and_counts_as_ended():
    child, mark = _sleeper("pass")
    assert processes.wait_gone(mark, 5.0)
    assert not psutil.pid_exists(child.pid)
    _collect(child)


def test_end_stops_the_whole_session():
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


def test_end_kills_a_process_that_ignores_signals():
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


def test_find_recognises_processes_by_their_arguments(tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(60)", "--storage-path", str(tmp_path)],
        start_new_session=True,
    )
    marks = processes.find(processes.own_program(), lambda process: str(tmp_path) in process.cmdline())
    assert [mark.pid for mark in marks] == [child.pid]
    assert processes.leads_session(child.pid)
    processes.end(marks[0], [(signal.SIGTERM, 5.0)])
    child.wait()
