"""Texts by surface: console and API name no shell command, and still say what to do."""

import importlib
import pkgutil
import re
import string
from functools import cache

import grimp
import pytest
from fastapi import APIRouter
from typer.main import get_command

from analysis.api import routes
from analysis.words import catalogue
from analysis.words.i18n import Translator
from analysis.words.surfaces import ELSEWHERE, wording
from deploy.cli import app
from system.errors import PindnaError

PACKAGES = ("analysis", "crawler", "storage", "system", "tracker")
# Crawls and tasks store errors that console and API show later.
SHOWN_BY = ("analysis.api", "analysis.console", "crawler", "tracker.tasks")
# Texts of reports and packages are for readers who verify them on a command line.
REPORTS = re.compile(r"analysis/words/templates/(?!console/)")
COMMANDS = "|".join(sorted(get_command(app.application()).commands))
SHELL = re.compile(
    rf"\bpindna (?:{COMMANDS})\b(?! [a-z]+s? (?:the|a|one)\b)|(?<![\w-])--?[a-zA-Z][a-z-]*\b|--option"
    r"|\bcelery\b|\bpip install|\bapt-get\b|\bch(?:mod|own)\b|\bmongosh\b|run the command"
)
DONE_BY = re.compile(
    r"“[^“”{}]+”|`\w+`|(?:GET|POST|PUT|PATCH) /|/sources|operator|Enter one|Export|do not need"
    r"|only its owner|current profiles are"
)
SURFACES = ("console", "api")


@cache
def shown_modules():
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    modules = set()
    for root in SHOWN_BY:
        modules |= {root, *graph.find_descendants(root)}
        modules |= graph.find_upstream_modules(root, as_package=bool(graph.find_descendants(root)))
    return modules


@cache
def shown_texts():
    """Return (file, text) of every text that console or API can show, each plural form by itself."""
    texts = []
    for file, _, marked in catalogue.marked_texts():
        module = file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        if module in shown_modules() or (file.endswith(".html") and not REPORTS.match(file)):
            texts += [(file, text) for text in (marked if isinstance(marked, tuple) else (marked,))]
    return texts


def fields(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def labels(text):
    """Return the labels that a text quotes."""
    return [label for label in re.findall(r"“([^“”{}=]+)”", text) if not re.search(r"^\W*$|novel@", label)]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("surface", SURFACES)
def test_console_and_api_name_no_command(surface, language):
    translator = Translator(language, surface)
    lines = {text: translator.gettext(text) for _, text in shown_texts()}
    assert len(lines) > 1500
    assert {text: line for text, line in lines.items() if SHELL.search(line)} == {}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("surface", SURFACES)
def test_no_error_names_a_command(surface, language):
    waiting, seen = [PindnaError], []
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.__module__ in shown_modules():
            error = kind(**dict.fromkeys(fields(kind.template), 7))
            seen.append(Translator(language, surface).error(error))
    assert len(seen) > 100
    assert [line for line in seen if SHELL.search(line)] == []


def test_command_would_be_noticed():
    for line in (
        "Run `pindna index rebuild`.",
        "Add --because",
        "pip install x",
        "-Q a",
        "运行 `celery -A t`",
    ):
        assert SHELL.search(line)
    for line in ("pindna fetches the page", "2026-03-31", "Cut off at -3", "read-only"):
        assert not SHELL.search(line)


@pytest.mark.parametrize("text", ELSEWHERE)
def test_every_entry_belongs_to_a_text_with_a_command(text):
    assert text in {shown for _, shown in shown_texts()}
    assert SHELL.search(text)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("text", ELSEWHERE)
def test_every_entry_says_how_to_act(text, surface):
    shown = wording(text, surface)
    assert DONE_BY.search(shown)
    assert fields(shown) <= fields(text)
    assert wording(text, "command-line") == text


@pytest.mark.parametrize("text", ELSEWHERE)
def test_labels_that_an_entry_quotes_are_those_of_the_console(text):
    shown_by_console = {shown for file, shown in shown_texts() if file.startswith("analysis/")}
    quoted = labels(ELSEWHERE[text].console)
    assert set(quoted) <= shown_by_console
    chinese = Translator("zh")
    line = chinese.gettext(ELSEWHERE[text].console)
    assert all(f"“{chinese.gettext(label)}”" in line for label in quoted)


def test_calls_named_in_entries_exist_in_the_api():
    modules = [
        importlib.import_module(f"{routes.__name__}.{module.name}")
        for module in pkgutil.iter_modules(routes.__path__)
    ]
    known = {
        (method, re.sub(r"\{[^}]+\}", "{}", route.path))
        for module in modules
        for route in getattr(module, "router", APIRouter()).routes
        for method in route.methods
    }
    named = {
        (method, re.sub(r"\{\w+\}", "{}", path).rstrip(".,;"))
        for texts in ELSEWHERE.values()
        for method, path in re.findall(r"(GET|POST|PUT|PATCH) (/\S+)", texts.api)
    }
    assert len(named) >= 8
    assert named <= known


def test_texts_of_a_surface_are_chosen_by_its_translator():
    text = "A dismissal needs a reason. Add --because “…”."
    assert Translator("en").gettext(text) == text
    assert Translator("en", "console").gettext(text) == "A dismissal needs a reason. Enter one."
    assert (
        Translator("en", "api").gettext(text) == "A dismissal needs a reason. Send it in the field `because`."
    )
    assert Translator("zh", "api").gettext(text) == "排除匹配须说明理由，请写入字段 `because`。"
