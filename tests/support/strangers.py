"""Another user of this machine, who tries what he can. Only root can be him, else a test skips."""

import os
import subprocess
from functools import cache

import pytest

NOBODY = 65534
_PYTHONS = ("/usr/bin/python3", "/usr/local/bin/python3")


def require_root():
    """Only root can be somebody else, and give files away."""
    if os.geteuid() != 0:
        pytest.skip("only root can act as another user")


@cache
def _python():
    """Return a Python that everybody may run; the tests' own often lies in a home."""
    for path in _PYTHONS:
        if os.access(path, os.X_OK):
            tried = subprocess.run([path, "-c", ""], user=NOBODY, cwd="/", check=False)
            if tried.returncode == 0:
                return path
    return None


def run_as_nobody(code, *arguments, **options):
    """Start a Python program as the user ``nobody``, without any group; it has the standard library only."""
    require_root()
    if _python() is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no Python that another user may run")
    return subprocess.Popen(
        [_python(), "-c", code, *map(str, arguments)],
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd="/",
        env={},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def ask_as_nobody(code, *arguments, stdin=b""):
    """Run such a program to its end, and return its output; it must not fail."""
    with run_as_nobody(code, *arguments) as program:
        output, complaint = program.communicate(stdin, timeout=60)
    assert program.returncode == 0, complaint.decode()
    return output
