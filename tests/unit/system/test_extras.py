"""A library of an extra that is not installed: one line that names the extra, in both languages."""

import os
import subprocess
import sys

import pytest

from system.extras import ExtraMissing, are_installed, importing_extra, missing_extra_error, require_extra

# Runs a command as if libraries were not installed.
HIDING = """
import sys
from importlib.abc import MetaPathFinder

HIDDEN = sys.argv[1].split(",")

class Hidden(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
sys.argv = ["pindna", *sys.argv[2:]]
import pindna
pindna.main()
"""


def run_without(libraries, *words, language="en"):
    return subprocess.run(
        [sys.executable, "-c", HIDING, libraries, *words],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, "PINDNA_ANALYSIS__LANGUAGE": language},
    )


@pytest.mark.parametrize(
    ("language", "library", "words", "line"),
    [
        (
            "en",
            "pyotp",
            ("user", "list"),
            "This function needs pyotp, which is not installed. Run pip install ",
        ),
        ("zh", "pyotp", ("user", "list"), "此功能需要 pyotp，但尚未安装。请运行 pip install "),
    ],
)
def test_command_without_its_extra_names_it_in_a_line(language, library, words, line):
    run = run_without(library, *words, language=language)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == f"{line}'pindna[console]'{'.' if language == 'en' else '。'}\n"


def test_another_missing_module_is_a_bug(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # of the bug's details
    run = run_without("numpy", "check", "text.txt")
    assert run.returncode == 70
    assert "pip install" not in run.stderr


@pytest.mark.parametrize(
    ("name", "extra"),
    [("rjieba", "lab"), ("nicegui.ui", "console"), ("none", None), (None, None)],
)
def test_extra_of_a_module_is_looked_up_by_its_first_name(name, extra):
    missing = missing_extra_error(ModuleNotFoundError("", name=name))
    assert (missing and missing.data["extra"]) == extra


def test_libraries_are_detected_without_loading(monkeypatch):
    require_extra("apprise", "rjieba")
    assert are_installed("apprise", "rjieba")
    monkeypatch.setattr("system.extras.find_spec", {"apprise": 1}.get)
    assert not are_installed("apprise", "rjieba")
    with pytest.raises(ExtraMissing, match=r"rjieba.*'pindna\[lab\]'"):
        require_extra("apprise", "rjieba")


def test_only_libraries_of_extras_are_replaced():
    with pytest.raises(ExtraMissing), importing_extra():
        raise ModuleNotFoundError(name="apprise.plugins")
    with pytest.raises(ModuleNotFoundError), importing_extra():
        raise ModuleNotFoundError(name="numpy")
