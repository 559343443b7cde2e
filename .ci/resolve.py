"""Check that pip finds wheels for each Python and machine that pindna supports: ``make resolve``.

``make lock`` uses the same resolution to write requirements.lock (see ``.ci/lock.py``).

pip chooses wheels by ``--python-version`` and ``--platform``, but evaluates environment markers for the
interpreter that runs it; here they are evaluated for the same target. Nothing is installed. jieba is left out
because it has no wheel: it is pure Python and needs nothing.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pip._internal.cli.main import main
from pip._vendor.packaging import markers

ROOT = Path(__file__).resolve().parent.parent
MACHINES = ("x86_64", "aarch64")
_GLIBC = range(17, 37)  # 2.36 is Debian 12's
_FOR_DEVELOPERS = {"all", "bench", "dev", "docs"}


def versions() -> list[str]:
    """Return the versions of Python that the package names."""
    classifiers = "\n".join(project()["classifiers"])
    return re.findall(r"^Programming Language :: Python :: (3\.\d+)$", classifiers, re.MULTILINE)


def requirements() -> Iterator[str]:
    """Yield what the package and its extras need."""
    yield from project()["dependencies"]
    for extra, needed in project()["optional-dependencies"].items():
        if extra not in _FOR_DEVELOPERS:
            yield from (line for line in needed if not line.startswith("jieba"))


def environment_of(version: str, machine: str) -> dict[str, str]:
    """Return the values of environment markers on another Python and machine."""
    return {
        **markers.default_environment(),
        "python_version": version,
        "python_full_version": f"{version}.0",
        "implementation_version": f"{version}.0",
        "platform_machine": machine,
    }


def resolve(version: str, machine: str, *options: str) -> None:
    """Run pip as if on another Python and machine, and end the process with its status."""
    environment = environment_of(version, machine)
    markers.default_environment = lambda: environment
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in _GLIBC]
    platforms += [f"manylinux2014_{machine}", f"linux_{machine}"]
    with tempfile.TemporaryDirectory() as folder:
        status = main(
            [
                *("install", "--quiet", "--dry-run", "--ignore-installed", "--target", folder),
                *("--disable-pip-version-check", "--constraint", str(ROOT / "constraints.txt")),
                *("--only-binary=:all:", "--python-version", version),
                *(f"--platform={platform}" for platform in platforms),
                *options,
                *requirements(),
            ]
        )
    sys.exit(status)


def project() -> dict[str, Any]:
    """Return the package's metadata in pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def _resolve_all() -> int:
    """Resolve for each target in a process, and return how many failed."""
    failed = 0
    for version in versions():
        for machine in MACHINES:
            command = [sys.executable, __file__, version, machine]
            status = subprocess.run(command, check=False).returncode
            print(f"Python {version}, {machine}:", "failed" if status else "resolved")
            failed += bool(status)
    return failed


if __name__ == "__main__":
    if sys.argv[1:]:
        resolve(*sys.argv[1:])
    sys.exit(_resolve_all())
