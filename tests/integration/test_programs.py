"""Commands start with nothing imported but what they import themselves, unlike those that tests run.

The others are started as programs by ``test_inputs``, ``test_dedupe``, ``test_jobs`` and ``tests/e2e``.
"""

import subprocess
import sys

import pytest

COMMANDS = ["compare", "index", "licence", "measure", "page", "profile", "review", "site"]
# Does as ``pindna`` for each command's help, in a process that has imported what every command needs.
_CODE = """
import os, sys
from deploy.cli.app import run_command
for name in sys.argv[1:]:
    process = os.fork()
    if process == 0:
        sys.exit(run_command([name, "--help"]))
    _, status = os.waitpid(process, 0)
    if status:
        sys.exit(f"{name}: {status}")
"""


@pytest.mark.long
def test_command_imports_only_its_modules(tmp_path):
    environment = {"HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-c", _CODE, *COMMANDS],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert all(f" {name} " in done.stdout for name in COMMANDS)


@pytest.mark.parametrize(
    ("words", "variables", "line"),
    [
        (
            ("worker", "-Q", "crwl,crawl"),
            {},
            "There is no queue crwl. Take some of crawl, compare, index, watch, report, scan, celery.",
        ),
        (("worker",), {"LEASE_S": "0"}, "Setting tracker.lease_s is wrong: "),
        (("beat",), {"LEASE_S": "0"}, "Setting tracker.lease_s is wrong: "),
    ],
)
def test_program_of_celery_that_cannot_begin_says_why_in_a_line(tmp_path, words, variables, line):
    environment = {"HOME": str(tmp_path), "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    environment |= {f"PINDNA_TRACKER__{name}": value for name, value in variables.items()}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "celery", "-A", "tracker", *words],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(line)
    assert done.stderr.count("\n") == 1
