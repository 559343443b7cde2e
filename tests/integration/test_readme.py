"""The commands of the README as a new user types them, in both languages, and what they print.

What they print is kept in ``tests/golden/readme.LANGUAGE.txt``, without what differs from run to run. After a
change that is meant: ``make golden``, and read the difference.
"""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from support.latin import forgotten

from deploy.demo.samples import SAMPLES, load_samples

pytestmark = pytest.mark.services
ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
README = {"en": "README.md", "zh": "README.zh.md"}
LOCALES = {"en": "C.UTF-8", "zh": "zh_CN.UTF-8"}

# What is typed beside that: what a newcomer mistypes, and what the report leads to.
FURTHER = (
    "corpus list",
    "source list",
    "review list --work 青灯渡",
    "report --format csv -o matches.csv",
    "corpus show 青灯度",
    "report --site nowhere.example",
    "report --form html",
    "scann",
)
_VOLATILE = (
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    (re.compile(r"\d{8}T\d{6}Z?-[0-9a-f]+"), "SCAN"),
    (re.compile(r"\d{8}-\d{6}\+\d{4}"), "MOMENT"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? \+\d\d:\d\d"), "MOMENT"),
    (re.compile(r"\b[0-9a-f]{16,}(:\d+:\w+)?"), "HASH"),
    (re.compile(r"\bm\d+\b"), "mN"),
)
_WAITING = ("! Waiting", "! 等待中")  # said after a while, so not on a quick machine


def commands_of(language):
    """The pindna commands of a README's consoles that need no terminal of their own."""
    consoles = re.findall(r"```console\n(.*?)```", (ROOT / README[language]).read_text("utf-8"), re.DOTALL)
    lines = [line for console in consoles for line in console.splitlines()]
    typed = [shlex.split(line, comments=True)[2:] for line in lines if line.startswith("$ pindna ")]
    return [words for words in typed if words[0] not in {"up", "doctor"}]


@pytest.fixture
def as_a_newcomer(pindna, environment, sites, tmp_path):
    """A function that runs a command of the README where its folder and its site are, in a language."""
    (tmp_path / "novels").mkdir()
    for path in (SAMPLES / "novels").glob("*.txt"):
        shutil.copy(path, tmp_path / "novels")
    (tmp_path / "suspect.txt").write_text(load_samples()["青灯渡:2"].text, encoding="utf-8")

    def run(words, language):
        environment.update(LC_ALL=LOCALES[language], COLUMNS="160")
        address = f"{sites.base_urls['novels']}/book/1/"
        words = [address if word.startswith("https://") else word for word in words]
        done = pindna(*words, status=None)
        typed = shlex.join(words)
        lines = [f"$ pindna {typed}", *done.stdout.splitlines()]
        lines += [f"! {line}" for line in done.stderr.splitlines()]
        return steady("\n".join([*lines, f"= {done.returncode}"]), tmp_path)

    return run


def steady(text, folder):
    """The text without what differs from run to run."""
    text = text.replace(str(folder.resolve()), "…").replace(str(folder), "…")
    for pattern, name in _VOLATILE:
        text = pattern.sub(name, text)
    lines = [re.sub(r"[─━]+", "─", line).rstrip() for line in text.splitlines()]
    lines = [re.sub(r"(?<=\S)  +", " ", line) for line in lines if not line.startswith(_WAITING)]
    return "\n".join(line for step in sorted_steps(lines) for line in step)


def sorted_steps(lines):
    """The steps of a source's test by their addresses; other lines as they are."""
    steps = []
    for line in lines:
        if steps and line.startswith("  "):
            steps[-1].append(line)
        else:
            steps.append([line])
    places = [place for place, step in enumerate(steps) if "http" in step[0] and step[0][0] not in "$!│"]
    for place, step in zip(places, sorted(steps[place] for place in places), strict=True):
        steps[place] = step
    return steps


@pytest.mark.usefixtures("background_worker")
@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.long), "zh"])
def test_readme_commands_print_the_golden_output(as_a_newcomer, language, request):
    typed = [*commands_of(language), *(words.split() for words in FURTHER)]
    assert [words[0] for words in typed[:6]] == ["check", "corpus", "source", "source", "scan", "report"]
    printed = "\n\n".join(as_a_newcomer(words, language) for words in typed) + "\n"
    golden = GOLDEN / f"readme.{language}.txt"
    if request.config.getoption("--regenerate-golden"):
        golden.write_text(printed, encoding="utf-8")
    assert printed == golden.read_text(encoding="utf-8")


# Names of files, sites and sources in what is printed.
_OF_THE_README = """
    books novels suspect txt book matches csv reports nowhere example scann scan form format novel gb
    MOMENT SCAN HASH PORT mN pindna index http html sit site since work
"""
OF_THE_README = frozenset(_OF_THE_README.split())


def test_chinese_output_has_no_latin_words():
    printed = (GOLDEN / "readme.zh.txt").read_text(encoding="utf-8")
    lines = [line for line in printed.splitlines() if not line.startswith("$ ")]
    assert len(lines) > 60
    assert [line for line in lines if forgotten(line, names=OF_THE_README)] == []
