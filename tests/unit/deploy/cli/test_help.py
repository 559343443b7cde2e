"""What `pindna --help` loads, and that it names every command all the same."""

import gc
import subprocess
import sys

import pytest
from support.commands import run_alone
from typer.main import get_command

from deploy.cli.app import application, run_command
from system.exit_status import ExitStatus

HEAVY = ["celery", "kombu", "lxml", "numpy", "pydantic", "pymongo", "pypinyin", "redis", "scrapy", "twisted"]
OWN = ["crawler", "fingerprint", "tracker", "deploy.stack", "storage.settings"]


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["corpsu"]])
def test_no_library_of_a_command_is_loaded(words):
    heavy = [
        name for name in HEAVY if words == ["--help"] or name != "pydantic"
    ]  # Typer's own, to parse words
    program = (
        "import sys; from deploy.cli.app import run_command; run_command(sys.argv[1:]);"
        f"print([name for name in {heavy + OWN} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_pypinyin_is_loaded_only_where_syllables_are_shown():
    program = "import sys, deploy.cli.check.check; print('pypinyin' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["False"]


def test_help_names_every_command(tmp_path):
    told = {line.split()[0] for line in run_alone(tmp_path, "--help").stdout.splitlines() if line.strip()}
    assert not set(get_command(application()).commands) - told


def test_help_is_in_the_language_of_the_settings(tmp_path):
    (tmp_path / "pindna.toml").write_text('[analysis]\nlanguage = "zh"\n', encoding="utf-8")
    assert "受保护" in run_alone(tmp_path, "--help").stdout


def test_named_command_has_its_help(tmp_path):
    assert "--licensed" in run_alone(tmp_path, "corpus", "add", "--help").stdout
    assert "corpus" in run_alone(tmp_path, "corpsu", status=2).stderr


# What lists need not: the readers, the aligner, the queue and the embedded servers.
NOT_FOR_LISTS = ["celery", "scrapy", "trafilatura", "psutil", "jinja2", "deploy.stack", "tracker.comparison"]


@pytest.mark.parametrize(
    ("words", "also"),
    [
        ("corpus list", ["numpy", "lxml", "tldextract"]),
        ("case list", ["numpy"]),
        ("review list", []),
        ("source list", ["numpy", "crawler"]),
        ("case history", ["numpy"]),
        ("evidence key show", []),
        ("page show", ["lxml", "numpy"]),
        ("site repeated", ["crawler", "numpy"]),
        ("licence list", ["docx", "lxml"]),
    ],
)
def test_command_loads_no_library_that_it_needs_not(words, also):
    program = (
        "import sys; from deploy.cli.app import application; application(sys.argv[1:]);"
        f"print([name for name in {NOT_FOR_LISTS + also} if name in sys.modules])"
    )
    command = [sys.executable, "-c", program, *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_group_help_names_commands_that_are_not_loaded(tmp_path):
    told = run_alone(tmp_path, "evidence", "--help").stdout
    assert all(f"  {name} " in told for name in ("export", "verify", "log", "key"))
    assert "rotate" in run_alone(tmp_path, "evidence", "key", "--help").stdout


def test_garbage_is_collected_again_after_loading():
    assert run_command(["corpsu"]) == ExitStatus.UNUSABLE
    assert gc.isenabled()
