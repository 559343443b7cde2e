"""docs/security-asvs.md: every item of the standard is there once, and every test that it names exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security-asvs.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+\.\d+\.\d+) \| (\S+) \| (.+?) \| (`.*`|–) \|$", PAGE, re.MULTILINE)
# OWASP ASVS 4.0.3, levels 1 and 2, without what it deleted.
ITEMS = """
1.1.1-7 1.2.1-4 1.4.1 1.4.4-5 1.5.1-4 1.6.1-4 1.7.1-2 1.8.1-2 1.9.1-2 1.10.1 1.11.1-2 1.12.2 1.14.1-6
2.1.1-12 2.2.1-3 2.3.1-3 2.4.1-5 2.5.1-7 2.6.1-3 2.7.1-6 2.8.1-7 2.9.1-3 2.10.1-4
3.1.1 3.2.1-4 3.3.1-4 3.4.1-5 3.5.1-3 3.7.1
4.1.1-3 4.1.5 4.2.1-2 4.3.1-3
5.1.1-5 5.2.1-8 5.3.1-10 5.4.1-3 5.5.1-4
6.1.1-3 6.2.1-6 6.3.1-2 6.4.1-2
7.1.1-4 7.2.1-2 7.3.1 7.3.3-4 7.4.1-3
8.1.1-4 8.2.1-3 8.3.1-8
9.1.1-3 9.2.1-4
10.2.1-2 10.3.1-3
11.1.1-8
12.1.1-3 12.2.1 12.3.1-6 12.4.1-2 12.5.1-2 12.6.1
13.1.1 13.1.3-5 13.2.1-3 13.2.5-6 13.3.1-2 13.4.1-2
14.1.1-4 14.2.1-6 14.3.2-3 14.4.1-7 14.5.1-4
"""


def numbers(text):
    """Return the items that ``1.2.3`` and ``1.2.3-5`` stand for."""
    for section, first, last in re.findall(r"\b(\d+\.\d+)\.(\d+)(?:[-–](?:\d+\.\d+\.)?(\d+))?", text):
        yield from (f"{section}.{number}" for number in range(int(first), int(last or first) + 1))


@cache
def functions(path):
    tree = ast.parse((ROOT / "tests" / f"{path}.py").read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_item_is_answered_once():
    without = [
        item
        for line in re.findall(r"^Does not apply: (.*(?:\n.+)*)", PAGE, re.MULTILINE)
        for item in numbers(line)
    ]
    told = [item for item, *_ in ROWS] + without
    assert sorted(told) == sorted(numbers(ITEMS))


@pytest.mark.parametrize("test", sorted({test for *_, test in ROWS if test != "–"}))
def test_tests_that_it_names_exist(test):
    path, _, name = test.strip("`").partition("::")
    assert name in functions(path)


def test_its_counts_are_those_of_its_rows():
    states = [state for _, state, *_ in ROWS]
    assert set(states) == {"✓", "◐", "✗"}
    for state in set(states):
        assert re.search(rf"{state} [a-z ]+: {states.count(state)}\b", PAGE), state
