"""Write requirements.lock, the distributions of the image with the hashes of their files: ``make lock``.

pip resolves them for each Python and machine that pindna supports (``.ci/resolve.py``), under the versions of
constraints.txt. The lock has names, versions, markers and hashes, and no addresses of an index.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name
from resolve import MACHINES, ROOT, environment_of, project, versions

LOCK = ROOT / "requirements.lock"
# The extras of deploy/docker/Dockerfile.
EXTRAS = ("alerts", "browser", "console", "evidence", "lab", "notices")
_HEADER = """\
# The distributions of the image, with the hashes of their files for each supported Python and machine.
# Made by `make lock`; do not edit. Use: `pip install --require-hashes --requirement requirements.lock`.
"""
_SECTIONS = {
    "core": "\n# What pindna needs.\n",
    "extras": f"\n# What the extras {', '.join(EXTRAS)} add.\n",
    "build": "\n# What installs pip's packages and builds those without a wheel.\n",
}
_JIEBA = "jieba"  # has no wheel
_BUILD = ("pip", "setuptools")


@dataclass(slots=True)
class Locked:
    """A distribution: its version, the hashes of its files, and which targets (Python, machine) need it."""

    version: str
    hashes: set[str] = field(default_factory=set)
    targets: set[tuple[str, str]] = field(default_factory=set)


def main() -> None:
    """Write the lock."""
    sections: dict[str, dict[str, Locked]] = {name: {} for name in _SECTIONS}
    targets = {(version, machine) for version in versions() for machine in MACHINES}
    for version, machine in sorted(targets):
        print(f"Python {version}, {machine}", flush=True)
        add_target(sections, version, machine)
    for name in _BUILD:
        add(sections["build"], source_report(name), targets)
    add(sections["extras"], source_report(_JIEBA, "--no-binary=:all:"), targets)
    text = "".join(title + "".join(lines(sections[name], targets)) for name, title in _SECTIONS.items())
    LOCK.write_text(_HEADER + text, encoding="utf-8")


def add_target(sections: dict[str, dict[str, Locked]], version: str, machine: str) -> None:
    """Add what the image holds on a Python and machine."""
    report = run(sys.executable, str(ROOT / ".ci/resolve.py"), version, machine, "--report")
    needs = {name(item): item["metadata"].get("requires_dist", []) for item in report}
    environment = environment_of(version, machine)
    core = closure(project()["dependencies"], needs, environment)
    optional = project()["optional-dependencies"]
    extras = closure([line for extra in EXTRAS for line in optional[extra]], needs, environment)
    for section, names in (("core", core), ("extras", extras - core)):
        chosen = [item for item in report if name(item) in names]
        add(sections[section], chosen, {(version, machine)})


def add(section: dict[str, Locked], report: Iterable[dict], targets: set[tuple[str, str]]) -> None:
    """Add the distributions of a report of pip."""
    for item in report:
        locked = section.setdefault(name(item), Locked(item["metadata"]["version"]))
        if locked.version != item["metadata"]["version"]:
            sys.exit(f"{name(item)} has two versions. Pin it in constraints.txt and run the command again.")
        locked.hashes.add(item["download_info"]["archive_info"]["hashes"]["sha256"])
        locked.targets |= targets


def closure(needed: Iterable[str], needs: dict[str, list[str]], environment: dict[str, str]) -> set[str]:
    """Return the names of what requirements bring in an environment."""
    found, waiting = set(), [(line, "") for line in needed]
    while waiting:
        line, extra = waiting.pop()
        requirement = Requirement(line)
        if requirement.marker and not requirement.marker.evaluate({**environment, "extra": extra}):
            continue
        distribution = canonicalize_name(requirement.name)
        for wanted in {"", *requirement.extras} - found_extras(found, distribution):
            found.add((distribution, wanted))
            waiting += [(inner, wanted) for inner in needs.get(distribution, ())]
    return {distribution for distribution, _ in found}


def found_extras(found: set[tuple[str, str]], distribution: str) -> set[str]:
    """Return the extras of a distribution that were found, "" for the distribution itself."""
    return {extra for known, extra in found if known == distribution}


def lines(section: dict[str, Locked], targets: set[tuple[str, str]]) -> Iterator[str]:
    """Yield the entries of a section, by name."""
    for distribution, locked in sorted(section.items()):
        hashes = "".join(f" \\\n    --hash=sha256:{value}" for value in sorted(locked.hashes))
        yield f"{distribution}=={locked.version}{marker(distribution, locked.targets, targets)}{hashes}\n"


def marker(distribution: str, needed: set[tuple[str, str]], targets: set[tuple[str, str]]) -> str:
    """Return the marker of a distribution that not every target needs."""
    if needed == targets:
        return ""
    by_machine = defaultdict(set)
    for version, machine in needed:
        by_machine[machine].add(version)
    pythons = list(versions())
    wanted = set.union(*by_machine.values())
    if set(by_machine) != set(MACHINES) or any(values != wanted for values in by_machine.values()):
        sys.exit(f"{distribution} is not on every machine. Teach .ci/lock.py to write a marker for it.")
    first = len(wanted)
    if wanted == set(pythons[:first]):
        return f" ; python_version < '{pythons[first]}'"
    if wanted == set(pythons[-first:]):
        return f" ; python_version >= '{pythons[-first]}'"
    return sys.exit(f"{distribution} is on Python {sorted(wanted)} only. Teach .ci/lock.py a marker for it.")


def source_report(distribution: str, *options: str) -> list[dict]:
    """Return pip's report on one distribution that is pure Python."""
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--no-deps", "--ignore-installed")
    limits = ("--constraint", str(ROOT / "constraints.txt"))
    build = ("--build-constraint", str(ROOT / "constraints.txt"))
    return run(*pip, *limits, *build, distribution, *options, "--report")


def run(*command: str) -> list[dict]:
    """Run pip on its usual index, and return what its report says that it would install."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        alone = {**os.environ, "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": ""}
        subprocess.run([*command, str(path)], check=True, env=alone)
        return json.loads(path.read_text(encoding="utf-8"))["install"]


def name(item: dict) -> str:
    """Return the name of a distribution in a report."""
    return canonicalize_name(item["metadata"]["name"])


if __name__ == "__main__":
    main()
