"""The version is said in one place, and everything that tells it says the same."""

import importlib.metadata
import re
from pathlib import Path

import pytest

from crawler import settings
from crawler.program import user_agent
from deploy.cli import app
from system.version import PRODUCT, VERSION

ROOT = Path(__file__).parents[2]


def test_package_has_the_version():
    assert importlib.metadata.version("pindna") == VERSION


def test_command_prints_the_version_and_nothing_else(capsys):
    assert app.run_command(["--version"]) == 0
    assert capsys.readouterr().out == f"pindna {VERSION}\n"


@pytest.mark.parametrize("words", [["--version", "doctor"], ["--data-dir", "/x", "--version"]])
def test_version_is_printed_before_anything_else(words, capsys):
    assert app.run_command(words) == 0
    assert capsys.readouterr().out == f"pindna {VERSION}\n"


def test_newest_entry_of_the_change_log_is_the_version():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    entries = re.findall(r"^## \[([^\]]+)\]", changes, re.MULTILINE)
    assert entries[0] in (VERSION, "Unreleased")


def test_crawler_names_itself_with_the_first_two_numbers():
    assert PRODUCT == "pindna/0.2"
    assert settings.USER_AGENT == PRODUCT
    assert user_agent("") == PRODUCT
    assert user_agent("mailto:a@site.example") == f"{PRODUCT} (+mailto:a@site.example)"
