"""Make the bill of materials of a release, in CycloneDX 1.6: what setup.py writes into the wheel (PEP 770).

Sources, all in the sdist: pyproject.toml, requirements.lock (distributions and versions), NOTICE (their
licences) and REUSE.toml (data from other projects). The same sources give the same bytes. setup.py loads
this file by its path, so it imports the standard library only.
"""

import json
import re
import tomllib
import uuid
from collections.abc import Iterator
from pathlib import Path

FILE_NAME = "pindna.cdx.json"
Json = dict[str, object]

_LOCKED = re.compile(r"^([a-z0-9-]+)==([^\s;]+)")
_LICENCE = re.compile(r"^([a-z0-9-]+): (.+)$", re.MULTILINE)
_BUILD_SECTION = "# What installs"  # pip and setuptools are not part of what runs
_EXTRAS_SECTION = "# What the extras"


def bill_of_materials(root: Path, version: str) -> str:
    """Return the bill of materials as JSON.

    Args:
        root: the folder with pyproject.toml.
        version: pindna's version.
    """
    components = [*_distributions(root), *_data(root)]
    references = [component["bom-ref"] for component in components]
    product = _component("application", "pindna", version, _product_licence(root))
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(components, ensure_ascii=False) + version)
    bom: Json = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {"component": product},
        "components": components,
        "dependencies": [{"ref": product["bom-ref"], "dependsOn": references}],
    }
    return json.dumps(bom, ensure_ascii=False, indent=1) + "\n"


def _distributions(root: Path) -> Iterator[Json]:
    """Yield the locked distributions: those of the core are required, those of extras optional."""
    licences = dict(_LICENCE.findall((root / "NOTICE").read_text(encoding="utf-8")))
    scope = "required"
    for line in (root / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if line.startswith(_BUILD_SECTION):
            return
        if line.startswith(_EXTRAS_SECTION):
            scope = "optional"
        if locked := _LOCKED.match(line):
            component = _component("library", locked[1], locked[2], licences.get(locked[1], "NOASSERTION"))
            yield {**component, "scope": scope}


def _data(root: Path) -> Iterator[Json]:
    """Yield the files of the package that contain data of other projects."""
    annotations = tomllib.loads((root / "REUSE.toml").read_text(encoding="utf-8"))["annotations"]
    for annotation in annotations:
        if annotation["path"].startswith("fingerprint/"):
            yield {
                "type": "data",
                "bom-ref": annotation["path"],
                "name": annotation["path"],
                "licenses": [{"expression": annotation["SPDX-License-Identifier"]}],
                "copyright": "; ".join(annotation["SPDX-FileCopyrightText"]),
            }


def _component(kind: str, name: str, version: str, licence: str) -> Json:
    """Return a distribution as a component."""
    url = f"pkg:pypi/{name}@{version}"
    licences = [{"expression": licence}]
    identity: Json = {"type": kind, "bom-ref": url, "name": name, "version": version}
    return {**identity, "licenses": licences, "purl": url}


def _product_licence(root: Path) -> str:
    """Return the licence of pindna with its data."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["license"])
