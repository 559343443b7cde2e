"""The documentation says what the program does: commands, options, settings, JSON keys, links."""

import dataclasses
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
import typer.main
from celery.app.utils import find_app
from pydantic import BaseModel

import tracker.celery
from analysis.fields import cases, matches, pages
from crawler.extraction import ExtractedPage
from deploy.cli.app import application
from deploy.cli.check.check_view import CheckedInput, as_object
from storage.settings import Settings
from system.exit_status import ExitStatus
from tracker.comparison import ComparedText, compare
from tracker.corpus.folder import load_folder, read_folder
from tracker.judgement.profiles import PROFILES, Profile

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.zh.md")
TUTORIALS = ("docs/tutorial.md", "docs/zh/tutorial.md")
OVERVIEWS = ("docs/commands.md", "docs/zh/commands.md")
PAGES = sorted(
    path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
)
DECISIONS = [page for page in PAGES if re.match(r"docs/decisions/\d{4}-", page)]
PACKAGES = ("analysis", "crawler", "deploy", "fingerprint", "storage", "system", "tracker")
MAX_README_LINES = 90
MAX_LINE_CHARS = 200
MAX_PICTURE_BYTES = 150_000
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_PATH = re.compile(rf"`((?:{'|'.join((*PACKAGES, 'benchmarks', 'docs', 'tests'))})/[\w/.-]*)`")
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
    """Return the words of each command line of a document, comments and output left out."""
    lines = [line for block in _CONSOLE.findall(read(name)) for line in block.splitlines()]
    return [shlex.split(line[2:], comments=True) for line in lines if line.startswith("$ ")]


def parse(words):
    """Return which command a command line means, and what parsing leaves of the line."""
    command, path, rest = typer.main.get_command(application()), (), words[1:]
    while hasattr(command, "commands"):
        command, path, rest = command.commands[rest[0]], (*path, rest[0]), rest[1:]
    return path, command.make_context(" ".join(words), list(rest)).args


def anchors(name):
    """Return the anchors of a document's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.*)$", _FENCED.sub("", read(name)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(("page", "language"), [*zip(OVERVIEWS, ("en", "zh"), strict=True)])
def test_reference_of_commands_equals_the_help(page, language, tmp_path):
    made = tmp_path / "commands.md"
    made.write_text(read(page), encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "deploy.build_commands", str(made)],
        cwd=ROOT,
        env=os.environ | {"PINDNA_ANALYSIS__LANGUAGE": language},
        check=True,
    )
    assert made.read_text(encoding="utf-8") == read(page), "run `make reference`"


def test_exit_statuses_are_documented_as_they_are():
    rows = re.findall(r"^\| (\d+) \| (.*?) \|$", read("docs/exit-statuses.md"), re.MULTILINE)
    assert rows == [(str(int(status)), status.meaning) for status in ExitStatus]


def test_options_of_the_whole_command_are_documented():
    options = {opt for param in typer.main.get_command(application()).params for opt in param.opts}
    assert not [option for option in options if f"`{option}`" not in read("docs/commands.md")]


@pytest.mark.parametrize("name", OVERVIEWS)
def test_every_command_is_in_the_overview(name):
    lines = [f"{' '.join(words)} " for words in console_lines(name)]
    commands = [f"pindna {' '.join(words)} " for words, _ in leaves()]
    assert not [command for command in commands if not any(line.startswith(command) for line in lines)]


@pytest.mark.parametrize(("english", "chinese"), [READMES, OVERVIEWS])
def test_both_languages_name_the_same_commands(english, chinese):
    assert console_lines(english) == console_lines(chinese)


@pytest.mark.parametrize(
    "words",
    {
        " ".join(words): words for page in PAGES for words in console_lines(page) if words[0] == "pindna"
    }.values(),
    ids=" ".join,
)
def test_documented_command_lines_are_parsed_completely(words):
    path, rest = parse(words)
    assert path in [names for names, _ in leaves()]
    assert rest == []


@pytest.mark.parametrize("line", ["pindna scan --nonsense", "pindna check", "pindna page show a b"])
def test_command_lines_that_are_wrong_are_not_parsed(line):
    with pytest.raises(typer.TyperException):
        parse(line.split())


@pytest.mark.parametrize("name", READMES)
def test_readme_begins_with_a_trial_and_is_short(name):
    lines = read(name).splitlines()
    assert len(lines) <= MAX_README_LINES
    assert console_lines(name)[:3] == [
        ["make", "demo"],
        ["make", "test"],
        ["pindna", "check", "--corpus", "novels/", "suspect.txt"],
    ]
    assert next(i for i, line in enumerate(lines) if line.startswith("$ pindna check")) < 40


def make_targets():
    return set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))


@pytest.mark.parametrize("name", PAGES)
def test_make_targets_of_a_page_exist(name):
    shown = {words[1] for words in console_lines(name) if words[0] == "make"}
    assert shown | set(re.findall(r"`make ([a-z-]+)`", read(name))) <= make_targets()


def test_contributing_names_every_target_that_checks_something():
    needed = {
        "check",
        "lint",
        "format",
        "types",
        "contracts",
        "test",
        "test-long",
        "wheel",
        "translations",
        "bench",
    }
    assert needed <= make_targets()
    assert not [target for target in needed if f"`make {target}`" not in read("CONTRIBUTING.md")]


@pytest.mark.parametrize("name", READMES)
def test_celery_lines_of_the_readme_name_our_application(name):
    lines = [words for words in console_lines(name) if words[0] == "celery"]
    assert [words[1:] for words in lines] == [["-A", "tracker", "worker"], ["-A", "tracker", "beat"]]
    assert find_app("tracker") is tracker.celery.app


def settings(section=Settings, part=""):
    """Yield (section, key, default) of every setting, those of sections inside sections too."""
    for key, field in section.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from settings(field.annotation, f"{part}.{key}".lstrip("."))
        else:
            yield part, key, field.get_default(call_default_factory=True)


def variable(part, key):
    """Return the environment variable of a setting."""
    return f"PINDNA_{part}.{key}".replace(".", "__").upper()


@pytest.mark.parametrize(
    ("part", "key", "default"), [pytest.param(*setting, id=".".join(setting[:2])) for setting in settings()]
)
def test_every_setting_is_documented_with_its_default(part, key, default):
    row = re.search(
        rf"^\| `{re.escape(part)}\.{key}` \| `([^`]*)` \| ([^|]*) \|", read("docs/settings.md"), re.MULTILINE
    )
    assert row, f"docs/settings.md has no row on {part}.{key}"
    assert row[1] == variable(part, key)
    default = tuple(default) if isinstance(default, dict) else default
    plain = {None: "–", (): "–", "": "–"}
    if key != "data_dir":  # it depends on the machine
        assert row[2].strip() == plain.get(default, f"`{default}`")


def test_no_setting_is_documented_that_does_not_exist():
    known = {f"{part}.{key}" for part, key, _ in settings()}
    assert set(re.findall(r"^\| `(\w+(?:\.\w+)+)`", read("docs/settings.md"), re.MULTILINE)) == known


@pytest.mark.parametrize("name", PAGES)
def test_variables_of_a_page_exist(name):
    known = {variable(part, key) for part, key, _ in settings()} | {"PINDNA_SECTION__KEY"}
    assert set(_VARIABLE.findall(read(name))) <= known


@pytest.mark.parametrize("name", PAGES)
def test_relative_links_of_a_page_lead_to_a_file_and_a_heading(name):
    for link in _LINK.findall(read(name)):
        target, _, anchor = link.partition("#")
        if target.startswith(("http:", "https:")):
            continue
        path = (ROOT / name).parent / target if target else ROOT / name
        assert path.is_file(), link
        assert not anchor or anchor in anchors(path.resolve().relative_to(ROOT)), link


def test_pictures_are_small_described_and_used():
    shown = {
        ((ROOT / name).parent / path).resolve(): alt
        for name in PAGES
        for alt, path in _PICTURE.findall(read(name))
    }
    pictures = set((ROOT / "docs" / "images").iterdir())
    assert pictures <= shown.keys()
    assert not [path for path, alt in shown.items() if len(alt) < 10]
    assert not [path for path in pictures if path.stat().st_size > MAX_PICTURE_BYTES]


@pytest.mark.parametrize("name", TUTORIALS)
def test_tutorial_has_pictures_in_its_language(name):
    language = "zh" if "/zh/" in name else "en"
    pictures = [Path(path).name for _, path in _PICTURE.findall(read(name))]
    assert pictures == [f"{step}.{language}.png" for step in ("today", "report", "review", "case", "notice")]


def test_both_tutorials_type_the_same_commands():
    english, chinese = map(console_lines, TUTORIALS)
    assert english == chinese


@pytest.mark.parametrize("name", [page for page in PAGES if page != "CHANGELOG.md"])
def test_files_and_folders_that_a_page_names_exist(name):
    assert not [path for path in _PATH.findall(read(name)) if not (ROOT / path).exists()]


@pytest.mark.parametrize("name", PAGES)
def test_lines_of_a_page_are_short_enough_to_read_as_they_are(name):
    assert not [line for line in read(name).splitlines() if len(line) > MAX_LINE_CHARS]


def test_every_page_is_in_the_index():
    pages = {page.removeprefix("docs/") for page in PAGES if re.fullmatch(r"docs/[\w.-]+\.md", page)}
    assert pages - {"index.md"} <= set(_LINK.findall(read("docs/index.md")))


def test_tree_of_the_architecture_is_the_tree():
    block = read("docs/architecture.md").partition("## The tree")[2].split("```")[1]
    parents, listed = [], set()
    for indent, folder in re.findall(r"^( *)(\w+)/(?: |$)", block, re.MULTILINE):
        parents = [*parents[: len(indent) // 2], folder]
        listed.add("/".join(parents))
    inits = [path for package in PACKAGES for path in (ROOT / package).rglob("__init__.py")]
    assert {path.parent.relative_to(ROOT).as_posix() for path in inits} <= listed
    assert not [folder for folder in listed if not (ROOT / folder).is_dir()]


@pytest.mark.parametrize("name", DECISIONS)
def test_decision_has_its_number_and_three_parts(name):
    text = read(name)
    assert text.startswith(f"# {Path(name).name[:4]} ")
    assert re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE) == ["Context", "Decision", "Consequences"]


def test_every_decision_is_listed_once_with_its_title():
    listed = re.findall(
        r"^\| \[\d{4}\]\(([^)]+)\) \| (.*) \|$", read("docs/decisions/README.md"), re.MULTILINE
    )
    expected = [(Path(name).name, read(name).splitlines()[0][len("# 0000 ") :]) for name in DECISIONS]
    assert sorted(listed) == expected


def examples():
    """Return the JSON objects of docs/json.md."""
    blocks = re.findall(r"^```json\n(.*?)^```$", read("docs/json.md"), re.MULTILINE | re.DOTALL)
    return [json.loads(block) for block in blocks]


def keys(value):
    """Return the keys of an object with those of the first objects inside its lists."""
    nested = {}
    for key, inner in value.items():
        first = inner[0] if isinstance(inner, list) and inner else None
        nested[key] = keys(first) if isinstance(first, dict) else None
    return nested


def test_object_of_check_is_documented(tmp_path):
    text = (
        "青灯渡口夜雨初停，人声渐远。老船工披着蓑衣坐在船头，听见对岸有人唤渡，便把竹篙往石上一点，船身慢慢离了岸。"
        * 4
    )
    (tmp_path / "青灯渡.txt").write_text(text, encoding="utf-8")
    corpus = load_folder(read_folder(tmp_path), report=pytest.fail)
    copy = text.replace("声", "升").replace("石", "时").replace("听", "厅").replace("身", "深")
    row = as_object("suspect.txt", CheckedInput(compare(ComparedText(copy), corpus)))
    assert keys(row) == keys(examples()[0])
    assert not [key for key in (*row, *row["matches"][0]) if f"`{key}`" not in read("docs/json.md")]


def test_object_of_extract_is_documented():
    fields = {"input", *ExtractedPage(kind="empty", encoding="utf-8").as_dict()}
    assert set(examples()[1]) == fields
    assert not [name for name in fields if f"`{name}`" not in read("docs/json.md")]


@pytest.mark.parametrize("record", [cases, matches, pages])
def test_fields_of_json_are_documented(record):
    names = [field.name_on("json") for field in record.JSON_FIELDS]
    assert [name for name in names if f"`{name}`" not in read("docs/json.md")] == []


def test_thresholds_are_documented_as_they_are():
    text = read("docs/verdicts.md")
    names = [field.name for field in dataclasses.fields(Profile) if field.name not in ("name", "version")]
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\d.]+ \| [\d.]+) \|$", text, re.MULTILINE))
    profiles = PROFILES["news"], PROFILES["novel"]
    assert f"| threshold | `{profiles[0].id}` | `{profiles[1].id}` |" in text
    assert rows == {name: " | ".join(f"{getattr(profile, name)}" for profile in profiles) for name in names}
