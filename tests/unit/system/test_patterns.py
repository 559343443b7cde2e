"""Possessive groups take as much as they should, on every Python that pindna runs on."""

import ast
import re as standard
from pathlib import Path

import pytest

from system.patterns import re

ROOT = Path(__file__).parents[3]
PACKAGES = ("analysis", "crawler", "deploy", "fingerprint", "storage", "system", "tracker")
_POSSESSIVE_GROUP = standard.compile(r"(?:\)|\A)(?:[*+?]|\{\d*,?\d*\})\+")


@pytest.mark.parametrize(
    ("pattern", "text", "taken"),
    [
        (r"(?:ab?c)++", "aca", "ac"),
        (r"(?:[^()]|\([^()]*+\))*+", "ab(c)d(", "ab(c)d"),
        (r"(?:a|bc)*+", "aabab", "aa"),
    ],
)
def test_possessive_groups_stop_before_a_mismatch(pattern, text, taken):
    assert re.match(pattern, text)[0] == taken


def uses_possessive_groups(source):
    """Return whether a string of a module has a possessive quantifier behind a group."""
    texts = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    texts = [text.decode("latin-1") if isinstance(text, bytes) else text for text in texts]
    return any(_POSSESSIVE_GROUP.search(text) for text in texts if isinstance(text, str))


def test_modules_with_possessive_groups_take_re_from_system_patterns():
    taken, wrong = 0, []
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        taken += "from system.patterns import re\n" in source
        if "\nimport re\n" in source and uses_possessive_groups(source):
            wrong.append(path.relative_to(ROOT).as_posix())
    assert taken > 10
    assert wrong == ["analysis/notices/spelling.py"]  # there it is a set of characters
