"""Units of tests: which tests stay in one process, and the order in which they start."""

from pathlib import Path

from support import scheduling
from support.scheduling import ordered_units, unit_of

ROOT = Path(__file__).parents[3]


def test_file_and_folder_with_a_common_server_are_units():
    assert unit_of("tests/unit/a/test_b.py::test_c[x::y]") == "tests/unit/a/test_b.py"
    console = "tests/integration/console"
    assert {unit_of(f"{console}/{name}.py::test_it") for name in ("test_a", "test_b")} == {console}


def test_long_units_start_first_and_waiting_units_are_spread():
    waiting = [f"tests/integration/test_{name}.py" for name in "ab"]
    computing = [f"tests/unit/test_{name}.py" for name in "cdef"]
    long = "tests/e2e/test_demo.py"
    found = ordered_units([f"{file}::test_it" for file in (*waiting, *computing, long, *waiting)])
    assert found[0] == long
    assert [unit in waiting for unit in found[1:]] == [False, True, False, False, True, False]
    assert sorted(found) == sorted({*waiting, *computing, long})


def test_every_long_unit_exists():
    assert [unit for unit in (*scheduling._LONG, *scheduling._UNITS) if not (ROOT / unit).exists()] == []
