"""The documentation says what the program does: commands, options, settings, JSON keys, links."""

import dataclasses
import json
import re
import shlex
from pathlib import Path

import pytest
import typer.main

from crawler.extraction import Extracted
from deploy.cli.app import application
from deploy.cli.check import as_object
from storage.exit_status import ExitStatus
from storage.records import VERDICTS
from storage.settings import Settings
from tracker.comparison import ComparedText, compare
from tracker.corpus.folder import load_folder, read_folder
from tracker.judgement.profiles import PROFILES, Profile

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.zh.md")
PAGES = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))
_HELP = {"--help", "-h"}
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_VARIABLE = re.compile(r"PINDNA_[A-Z]+__[A-Z_]+")


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def leaves(command=None, path=()):
    """Yield (words, command) of every command that does something."""
    command = command or typer.main.get_command(application())
    children = getattr(command, "commands", None)
    if children is None:
        yield path, command
        return
    for name, child in children.items():
        yield from leaves(child, (*path, name))


def console_lines(name):
    """Return the words of each command line of a document, comments left out."""
    blocks = _CONSOLE.findall(read(name))
    lines = (line.removeprefix("$ ") for block in blocks for line in block.splitlines())
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def section(name, heading):
    """Return what a document says under the heading that names a command."""
    found = re.search(
        rf"^###[^\n]*`{re.escape(heading)}[ `].*?(?=^##|\Z)", read(name), re.MULTILINE | re.DOTALL
    )
    assert found, f"{name} has no section on `{heading}`"
    return found[0]


@pytest.mark.parametrize(
    ("words", "command"), [pytest.param(*each, id=" ".join(each[0])) for each in leaves()]
)
def test_every_command_is_documented_with_all_its_options_and_no_others(words, command):
    told = section("docs/commands.md", " ".join(("pindna", *words)))
    options = {opt for each in command.params for opt in (*each.opts, *each.secondary_opts) if opt[0] == "-"}
    documented = {
        word
        for row in re.findall(r"^\| (`-.*?) \|", told, re.MULTILINE)
        for word in re.findall(r"`(-[-\w]+)", row)
    }
    assert documented == options - _HELP


def test_exit_statuses_are_documented_as_they_are():
    told = read("docs/commands.md").partition("## Exit statuses")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \| (.*?) \|$", told, re.MULTILINE)
    assert rows == [(str(int(each)), each.meaning) for each in ExitStatus]


def test_options_of_the_whole_command_are_documented():
    options = {opt for each in typer.main.get_command(application()).params for opt in each.opts} - _HELP
    assert not [each for each in options if f"`{each}`" not in read("docs/commands.md")]


def test_no_command_is_documented_that_does_not_exist():
    known = {" ".join(words) for words, _ in leaves()}
    headings = re.findall(r"^### (.*)$", read("docs/commands.md"), re.MULTILINE)
    named = {match for line in headings for match in re.findall(r"`pindna ([a-z ]+?)(?: [A-Z][^`]*)?`", line)}
    assert named == known


@pytest.mark.parametrize("name", READMES)
def test_every_command_is_in_the_readme(name):
    written = [" ".join(words) for words in console_lines(name)]
    missing = [
        words
        for words, _ in leaves()
        if not any(f"{line} ".startswith(f"pindna {' '.join(words)} ") for line in written)
    ]
    assert not missing


def test_both_readmes_name_the_same_commands():
    assert console_lines(READMES[0]) == console_lines(READMES[1])


@pytest.mark.parametrize(
    "words", [words for words in console_lines(READMES[0]) if words[0] == "pindna"], ids=" ".join
)
def test_command_lines_of_the_readme_parse(words):
    command, rest = typer.main.get_command(application()), words[1:]
    while hasattr(command, "commands"):
        command, rest = command.commands[rest[0]], rest[1:]
    assert command.make_context(" ".join(words), list(rest)).params is not None


@pytest.mark.parametrize("name", READMES)
def test_make_targets_of_the_readme_exist(name):
    targets = {words[1] for words in console_lines(name) if words[0] == "make"}
    assert {"demo", "test"} <= targets <= set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))


@pytest.mark.parametrize("name", READMES)
def test_celery_lines_of_the_readme_name_our_application(name):
    lines = [words for words in console_lines(name) if words[0] == "celery"]
    assert [words[1:] for words in lines] == [["-A", "tracker", "worker"], ["-A", "tracker", "beat"]]


def settings():
    """Yield (section, key, default) of every setting."""
    for part, field in Settings.model_fields.items():
        for key, inner in field.annotation.model_fields.items():
            yield part, key, inner.get_default(call_default_factory=True)


@pytest.mark.parametrize(
    ("part", "key", "default"), [pytest.param(*each, id=".".join(each[:2])) for each in settings()]
)
def test_every_setting_is_documented_with_its_default(part, key, default):
    row = re.search(
        rf"^\| `{part}\.{key}` \| `([^`]*)` \| ([^|]*) \|", read("docs/settings.md"), re.MULTILINE
    )
    assert row, f"docs/settings.md has no row on {part}.{key}"
    assert row[1] == f"PINDNA_{part}__{key}".upper()
    default = tuple(default) if isinstance(default, dict) else default
    plain = {None: "not set", (): "none", "": "empty"}
    if key != "data_dir":  # it depends on the machine
        assert row[2].strip() == plain.get(default, f"`{default}`")


def test_no_setting_is_documented_that_does_not_exist():
    known = {f"{part}.{key}" for part, key, _ in settings()}
    assert set(re.findall(r"^\| `(\w+\.\w+)`", read("docs/settings.md"), re.MULTILINE)) == known


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_variables_and_relative_links_of_a_page_exist(path):
    text = path.read_text(encoding="utf-8")
    known = {f"PINDNA_{part}__{key}".upper() for part, key, _ in settings()} | {"PINDNA_SECTION__KEY"}
    assert set(_VARIABLE.findall(text)) <= known
    targets = [
        each.partition("#")[0] for each in _LINK.findall(text) if not each.startswith(("http:", "https:"))
    ]
    assert not [each for each in targets if each and not (path.parent / each).is_file()]


def test_every_decision_is_listed():
    files = {each.name for each in (ROOT / "docs/decisions").glob("0*.md")}
    assert set(_LINK.findall(read("docs/decisions/README.md"))) == files


def examples():
    """Return the JSON objects of docs/json.md."""
    blocks = re.findall(r"^```json\n(.*?)^```$", read("docs/json.md"), re.MULTILINE | re.DOTALL)
    return [json.loads(block) for block in blocks]


def keys(value):
    """Return the keys of an object with those of the first objects inside its lists."""
    found = {}
    for key, inner in value.items():
        first = inner[0] if isinstance(inner, list) and inner else None
        found[key] = keys(first) if isinstance(first, dict) else None
    return found


def test_the_object_of_check_is_documented(tmp_path):
    text = (
        "青灯渡口夜雨初停，人声渐远。老船工披着蓑衣坐在船头，听见对岸有人唤渡，便把竹篙往石上一点，船身慢慢离了岸。"
        * 4
    )
    (tmp_path / "青灯渡.txt").write_text(text, encoding="utf-8")
    corpus = load_folder(read_folder(tmp_path), report=pytest.fail)
    found = as_object("suspect.txt", compare(ComparedText(text), corpus))
    assert keys(found) == keys(examples()[0])
    assert not [key for key in (*found, *found["matches"][0]) if f"`{key}`" not in read("docs/json.md")]


def test_the_object_of_extract_is_documented():
    fields = {"input", *Extracted(kind="empty", encoding="utf-8").as_dict()}
    assert set(examples()[1]) == fields
    assert not [each for each in fields if f"`{each}`" not in read("docs/json.md")]


@pytest.mark.parametrize("page", ["docs/json.md", "docs/glossary.md", "docs/verdicts.md"])
def test_verdicts_are_explained(page):
    assert not [each for each in VERDICTS if f"`{each}`" not in read(page)]


def test_thresholds_are_documented_as_they_are():
    told = read("docs/verdicts.md")
    names = [each.name for each in dataclasses.fields(Profile) if each.name not in ("name", "version")]
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\d.]+ \| [\d.]+) \|$", told, re.MULTILINE))
    profiles = PROFILES["news"], PROFILES["novel"]
    assert f"| threshold | `{profiles[0].id}` | `{profiles[1].id}` |" in told
    assert rows == {name: " | ".join(f"{getattr(each, name)}" for each in profiles) for name in names}
