"""Every error of the stack is one line."""

from pathlib import Path

import pytest

from deploy.stack import errors
from system.errors import PindnaError


def _reasons():
    return [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, PindnaError)
    ]


@pytest.mark.parametrize("kind", _reasons())
def test_every_error_is_a_single_line(kind):
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
        "version",
        "change",
        "names",
    }
    error = kind(message="m", timeout_s=1.0, window_s=300.0, **dict.fromkeys(names, Path("x")))
    assert "\n" not in str(error)
    assert error.exit_status in {2, 3}
