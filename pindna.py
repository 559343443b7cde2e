"""The program ``pindna``: check that pindna's packages are the ones that Python imports, then run a command.

pindna is an application. Its packages have common names, such as ``storage``, and another distribution in the
same environment may have a package of that name. This module uses the standard library only, because any
package could be the other distribution's.
"""

import gettext
import os
import sys
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("analysis", "crawler", "deploy", "fingerprint", "storage", "system", "tracker")
_FOLDER = Path(__file__).resolve().parent
_STATUS = 2  # ExitStatus.UNUSABLE


def main() -> None:
    """Run the command line and exit with its status."""
    require_own_packages()
    from deploy.cli.app import main as run  # noqa: PLC0415 - it may be another distribution's

    run()


def require_own_packages() -> None:
    """Exit with one line if Python would import another distribution's package instead of pindna's."""
    hashes = _recorded_hashes()
    for package in PACKAGES:
        path = _FOLDER / package / "__init__.py"
        imported = _imported(package)
        if imported != path:
            _refuse(package, imported or path.parent)
        if package in hashes and hashes[package] != _hash(path):
            _refuse(package, path)


def _imported(package: str) -> Path | None:
    """Return the file that Python imports for a package; None without one."""
    spec = find_spec(package)
    return Path(spec.origin).resolve() if spec is not None and spec.origin else None


def _recorded_hashes() -> Mapping[str, str]:
    """Return package → hash of its ``__init__.py`` as installed; empty for a checkout.

    pip lets a later distribution overwrite files of an earlier one.
    """
    record = next(_FOLDER.glob("pindna-*.dist-info/RECORD"), None)
    lines = [] if record is None else record.read_text(encoding="utf-8").splitlines()
    rows = (line.split(",") for line in lines if "/__init__.py,sha256=" in line)
    return {
        package: hash_
        for name, hash_, _ in rows
        if (package := name.removesuffix("/__init__.py")) in PACKAGES
    }


def _hash(path: Path) -> str:
    return "sha256=" + urlsafe_b64encode(sha256(path.read_bytes()).digest()).rstrip(b"=").decode()


def _refuse(package: str, path: Path) -> None:
    """Print what hides a package, and exit."""
    from importlib.metadata import packages_distributions  # noqa: PLC0415 - slow, and needed here only

    others = sorted(set(packages_distributions().get(package, [])) - {"pindna"})
    language = os.environ.get("PINDNA_ANALYSIS__LANGUAGE")
    locale = _FOLDER / "analysis" / "words" / "locale"
    _ = gettext.translation("pindna", locale, [language] if language else None, fallback=True).gettext
    line = _(
        "Cannot start: {path} hides pindna's package {package}. Install pindna into a separate environment, "
        "for instance with `pipx install pindna`."
    )
    where = f"{path} ({', '.join(others)})" if others else str(path)
    print(line.format(path=where, package=package), file=sys.stderr)  # noqa: T201 - the rest may not load
    raise SystemExit(_STATUS)


if __name__ == "__main__":
    main()
