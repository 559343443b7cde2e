"""Words stay plain: docs, docstrings, comments, messages and names, in both languages.

CONTRIBUTING.md explains the lists. A count cannot judge a text; it keeps texts from falling back.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from analysis.words.catalogue import PO_FILE

ROOT = Path(__file__).parents[2]
PACKAGES = ("analysis", "benchmarks", "crawler", "deploy", "fingerprint", "storage", "system", "tracker")
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if "zh" not in path.relative_to(ROOT).as_posix()
)
MARKERS = re.compile(
    r"\b(?:tells?|told|whoever|whatever|nobody|somebody|beside|anew|stands?|stood|meanwhile|thereby|whence|ours"
    r"|besides)\b|\bof its own\b|\bfor ever\b|\bin place of\b",
    re.IGNORECASE,
)
MOST_MARKERS = 1.0  # in a thousand words
BANNED_NAMES = frozenset(
    [
        "own",
        "told",
        "done",
        "given",
        "asked",
        "wanted",
        "seen",
        "known",
        "left",
        "part",
        "some",
        "others",
        "one",
        "place",
        "who",
        "here",
        "because",
        "found",
        "each",
    ]
)
# Stored records, answers of the API, --json and evidence packages have fields with these names.
MOST_BANNED_NAMES = {"analysis": 15, "benchmarks": 2, "crawler": 1, "deploy": 2, "storage": 19, "tracker": 1}
MOST_TEST_NAME_CHARS = 70
# Chinese words that have a better one in the glossary: 线索, 提醒, 公共文本, 证据包.
ABANDONED = ("侵权线索", "警报", "背景文本", "证据材料包", "孰先孰后", "立案")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)


def share(text):
    """Return the marker words of a text in a thousand words."""
    return 1000 * len(MARKERS.findall(text)) / max(1000, len(_WORD.findall(text)))


@cache
def sources(package):
    return [path.read_text(encoding="utf-8") for path in sorted((ROOT / package).rglob("*.py"))]


@cache
def nodes(package):
    """Return all nodes of a package's syntax trees."""
    return [node for source in sources(package) for node in ast.walk(ast.parse(source))]


@pytest.mark.parametrize("page", PAGES)
def test_pages_use_plain_words(page):
    text = _CODE.sub(" ", (ROOT / page).read_text(encoding="utf-8"))
    assert len(MARKERS.findall(text)) <= max(2, MOST_MARKERS * len(_WORD.findall(text)) / 1000)


@pytest.mark.parametrize("package", PACKAGES)
def test_docstrings_use_plain_words(package):
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    docstrings = (ast.get_docstring(node) or "" for node in nodes(package) if isinstance(node, kinds))
    assert share(" ".join(docstrings)) <= MOST_MARKERS


@pytest.mark.parametrize("package", PACKAGES)
def test_comments_use_plain_words(package):
    comments = (
        found for source in sources(package) for found in re.findall(r"#\s(.*)$", source, re.MULTILINE)
    )
    assert share(" ".join(comments)) <= MOST_MARKERS


@pytest.mark.parametrize("package", PACKAGES)
def test_names_describe_their_content(package):
    parameters = (node.arg for node in nodes(package) if isinstance(node, ast.arg))
    assigned = (
        node.id for node in nodes(package) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    count = sum(name in BANNED_NAMES for name in (*parameters, *assigned))
    assert count <= MOST_BANNED_NAMES.get(package, 0)


def test_names_of_tests_are_plain_and_short():
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "tests").rglob("*.py"))
    functions = (node for tree in trees for node in ast.walk(tree))
    names = [node.name for node in functions if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    tests = [name for name in names if name.startswith("test_")]
    assert [name for name in tests if len(name) > MOST_TEST_NAME_CHARS] == []
    assert [name for name in tests if BANNED_NAMES & set(name.split("_"))] == []


@cache
def messages():
    """Return (English, Chinese) of each message, plurals joined."""
    with PO_FILE.open("rb") as file:
        catalogue = read_po(file, locale="zh")
    texts = ((entry.id, entry.string) for entry in catalogue if entry.id)
    return [tuple(text if isinstance(text, str) else " ".join(text) for text in pair) for pair in texts]


def test_messages_use_plain_words():
    assert share(" ".join(english for english, _ in messages())) <= MOST_MARKERS


@pytest.mark.parametrize("word", ABANDONED)
def test_abandoned_chinese_terms_do_not_return(word):
    assert [chinese for _, chinese in messages() if word in chinese] == []


def test_notice_is_a_letter_and_never_an_alert():
    assert [pair for pair in messages() if re.search(r"\bnotices?\b", pair[0]) and "提醒" in pair[1]] == []
