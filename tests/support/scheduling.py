"""Distribute test files over the processes of `make test`, so that no fixture of a file is set up twice.

`--dist worksteal` splits files, and each process that gets a part starts the servers and browsers again.
"""

from collections.abc import Sequence

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

# Folders whose files share a server, so that one process runs them all.
_UNITS = ("tests/integration/console",)

# Take half a minute or more each, so they start first: the last minute is for short files.
_LONG = (
    "tests/integration/console",
    "tests/e2e/test_demo.py",
    "tests/history/test_histories.py",
    "tests/integration/test_browser_safety.py",
    "tests/differential/test_visible_text.py",
    "tests/integration/test_worker_outlives_redis.py",
    "tests/integration/test_accounting.py",
    "tests/integration/test_stack_strangers.py",
    "tests/integration/test_review_cli.py",
    "tests/integration/test_stack.py",
    "tests/integration/test_waiting.py",
)


def unit_of(nodeid: str) -> str:
    """Return the file or folder of a test, all of whose tests run in one process."""
    file = nodeid.partition("::")[0]
    return next((folder for folder in _UNITS if file.startswith(f"{folder}/")), file)


def ordered_units(nodeids: Sequence[str]) -> list[str]:
    """Return the units of tests in the order in which they start.

    Long units are first. Files that mostly wait (``tests/integration``) then alternate with files that
    compute: while one process waits, another uses the core.
    """
    units = list(dict.fromkeys(map(unit_of, nodeids)))
    first = [unit for unit in _LONG if unit in units]
    waiting = [unit for unit in units if unit.startswith("tests/integration/") and unit not in first]
    computing = [unit for unit in units if unit not in {*first, *waiting}]
    placed = [
        ((number + 0.5) / len(kind), unit)
        for kind in (waiting, computing)
        for number, unit in enumerate(kind)
    ]
    return first + [unit for _, unit in sorted(placed)]


class ByUnit(LoadScopeScheduling):
    """A scheduler that gives whole units to processes."""

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False  # the collection is in order

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)
