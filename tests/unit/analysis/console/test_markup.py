"""No text becomes markup or script: what could make it so is not used in the console."""

import ast
import re
from pathlib import Path

import pytest

CONSOLE = Path(__file__).parents[4] / "analysis" / "console"
TEMPLATES = CONSOLE.parent / "words" / "templates" / "console"
# Of NiceGUI: what takes HTML, Markdown or a template of Vue.
FORBIDDEN = {
    "add_body_html",
    "add_slot",
    "html",
    "interactive_image",
    "markdown",
    "mermaid",
    "restructured_text",
}
IN_SCRIPTS = re.compile(
    r"v-html|(inner|outer)HTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\.srcdoc"
)


def calls(path):
    """Yield name and arguments of every call of a method."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr, node.args


def is_of_ours(script):
    """Return whether a script holds nothing but what stands there, and numbers of elements."""
    if isinstance(script, ast.JoinedStr):
        values = [part.value for part in script.values if isinstance(part, ast.FormattedValue)]
        return all(isinstance(value, ast.Attribute) and value.attr == "id" for value in values)
    return isinstance(script, ast.Constant)


@pytest.mark.parametrize(
    "path", sorted(CONSOLE.rglob("*.py")), ids=lambda path: path.relative_to(CONSOLE).as_posix()
)
def test_no_page_makes_markup_or_script_of_a_value(path):
    used = list(calls(path))
    assert not {name for name, _ in used} & FORBIDDEN
    for name, arguments in used:
        if name == "add_head_html":
            assert all(isinstance(argument, ast.Constant) for argument in arguments)
        if name == "run_javascript" and path.name != "shell.py":  # which sets words of ours as cookies
            assert all(map(is_of_ours, arguments))


@pytest.mark.parametrize("path", sorted(CONSOLE.rglob("*.js")), ids=lambda path: path.name)
def test_no_script_makes_markup_of_a_text(path):
    assert not IN_SCRIPTS.search(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.html")), ids=lambda path: path.name)
def test_plain_pages_escape_everything_and_have_no_scripts(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\|\s*safe\b|autoescape\s+false|<script|\son\w+=|style=", text)
