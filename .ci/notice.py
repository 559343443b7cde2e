"""Write the licences of the distributions that pindna installs into NOTICE: ``make notice``, on Python 3.11.

The licences are those in the metadata of this environment. Metadata that is ambiguous is resolved by the
licence's text, or by ``_STATED`` where a person read it.
"""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NOTICE = Path(__file__).resolve().parent.parent / "NOTICE"
_ENTRY = re.compile(r"^([a-z0-9-]+): (.+)\n", re.MULTILINE)
# Licences that a person read in the text, because the metadata does not say which one it is.
_STATED = {
    "docutils": "LicenseRef-PublicDomain AND BSD-2-Clause",
    "pydispatcher": "BSD-3-Clause",
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
    "uvloop": "Apache-2.0 OR MIT",
}
# What only other versions of Python need: redis before 3.11.3.
_ELSEWHERE = {"async-timeout": "Apache-2.0"}
# Spellings of licences in metadata. The text shows which BSD licence it is.
_SPELLED = {
    "apache 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "psfl": "PSF-2.0",
    "python software foundation license": "PSF-2.0",
    "the bsd 2-clause license": "BSD-2-Clause",
}
_IDENTIFIERS = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0", "PSF-2.0"}


def main() -> None:
    """Write the list."""
    head = _ENTRY.sub("", NOTICE.read_text(encoding="utf-8")).rstrip()
    entries = "".join(f"{name}: {licence}\n" for name, licence in sorted(licences().items()))
    NOTICE.write_text(f"{head}\n\n{entries}", encoding="utf-8")


def listed() -> dict[str, str]:
    """Return the licences that NOTICE lists, by distribution."""
    return dict(_ENTRY.findall(NOTICE.read_text(encoding="utf-8")))


def licences() -> dict[str, str]:
    """Return the licence of each distribution of ``pindna[all]``, here and on other Pythons."""
    return _ELSEWHERE | {name: licence_of(distribution(name)) for name in installed("all")}


def installed(*extras: str) -> set[str]:
    """Return the names of the distributions that pindna with extras brings, pindna not among them."""
    found, waiting = set(), [("pindna", extra) for extra in ("", *extras)]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in found:
            continue
        found.add((name, extra))
        for line in distribution(name).requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                inner = canonicalize_name(requirement.name)
                waiting += [(inner, wanted) for wanted in {"", *requirement.extras}]
    return {name for name, _ in found} - {"pindna"}


def licence_of(package: Distribution) -> str:
    """Return the SPDX expression of a distribution's licence."""
    metadata = package.metadata
    name = canonicalize_name(metadata["Name"])
    if stated := metadata.get("License-Expression") or _STATED.get(name):
        return stated
    for line in (metadata.get("License", ""), *classified(package)):
        if identifier := identifier_of(line, package):
            return identifier
    sys.exit(f"{name} does not say its licence. Read it and add it to _STATED in .ci/notice.py.")


def classified(package: Distribution) -> Iterator[str]:
    """Yield the licences of a distribution's classifiers."""
    for line in package.metadata.get_all("Classifier") or ():
        if line.startswith("License ::"):
            yield line.rpartition(" :: ")[2]


def identifier_of(spelled: str, package: Distribution) -> str | None:
    """Return the SPDX identifier of a licence as metadata spells it."""
    if spelled in _IDENTIFIERS:
        return spelled
    if spelled.lower() in _SPELLED:
        return _SPELLED[spelled.lower()]
    if spelled in {"BSD", "New BSD", "BSD License"} or "Redistribution and use" in spelled:
        return bsd_clauses(f"{spelled}\n{licence_text(package)}")
    return None


def bsd_clauses(text: str) -> str | None:
    """Return which BSD licence a text is, None if it is no BSD licence."""
    if "Redistribution" not in text:
        return None
    # The third clause forbids to advertise with names.
    has_third = re.search(r"neither\s+the\s+names?|may\s+not\s+be\s+used", text, re.IGNORECASE)
    return "BSD-3-Clause" if has_third else "BSD-2-Clause"


def licence_text(package: Distribution) -> str:
    """Return the licence files of a distribution, one after another."""
    paths = [
        path for path in package.files or () if re.search(r"licen[sc]e|copying", path.name, re.IGNORECASE)
    ]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths if ".dist-info" in str(path))


if __name__ == "__main__":
    main()
