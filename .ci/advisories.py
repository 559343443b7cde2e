"""Compare the pinned versions with known vulnerabilities, without a network: ``make audit``.

``.ci/advisories.json`` contains the advisories on the distributions of constraints.txt and requirements.lock.
``make advisories FROM=PATH`` writes it again from a clone of the Python Packaging Advisory Database
(github.com/pypa/advisory-database) or from OSV's export of PyPI (``all.zip``): both contain files in the OSV
format. An advisory that does not apply is listed in ``_ACCEPTED`` with the reason.
"""

import json
import re
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).resolve().parent.parent
ADVISORIES = ROOT / ".ci" / "advisories.json"
# Identifier of an advisory that does not apply → the reason.
_ACCEPTED: Mapping[str, str] = {
    "PYSEC-2017-83": "Scrapy's pipelines for files read these into memory; pindna uses none of them",
}
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.MULTILINE)
_SUFFIXES = {".json", ".yaml", ".yml"}


def main() -> None:
    """Write the advisories of a database, or check the pinned versions."""
    if sys.argv[1:]:
        write(Path(sys.argv[1]))
    stored = json.loads(ADVISORIES.read_text(encoding="utf-8"))
    problems = list(found(pinned(), stored["advisories"]))
    for problem in problems:
        print(problem)
    print(f"Known vulnerabilities: {len(problems)}. Newest advisory of the database: {stored['newest']}.")
    sys.exit(bool(problems))


def pinned() -> dict[str, str]:
    """Return the pinned versions, by distribution."""
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("requirements.lock", "constraints.txt")]
    return {canonicalize_name(name): version for text in texts for name, version in _PINNED.findall(text)}


def found(versions: Mapping[str, str], advisories: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each advisory that affects one of the versions."""
    for advisory in advisories:
        version = versions.get(advisory["name"])
        if version is None or advisory["id"] in _ACCEPTED or not affects(advisory, Version(version)):
            continue
        fixed = sorted({end for _, end, _ in advisory["ranges"] if end}, key=Version)
        remedy = f"Fixed in {', '.join(fixed)}." if fixed else "No version is known to fix it."
        names = ", ".join((advisory["id"], *advisory["aliases"]))
        yield f"{advisory['name']} {version} is affected by {names}. {remedy}"


def affects(advisory: dict[str, Any], version: Version) -> bool:
    """Return whether a version is in the ranges of an advisory, or in its list of versions."""
    inside = any(
        Version(first) <= version
        and (fixed is None or version < Version(fixed))
        and (last is None or version <= Version(last))
        for first, fixed, last in advisory["ranges"]
    )
    return inside or any(version == Version(listed) for listed in advisory["versions"])


def write(source: Path) -> None:
    """Write the advisories of a database on the pinned distributions."""
    names, chosen, newest = pinned().keys(), [], ""
    for record in records(source):
        newest = max(newest, str(record.get("modified", ""))[:10])
        if "withdrawn" not in record:
            chosen += [entry for entry in entries(record) if entry["name"] in names]
    if not newest:
        sys.exit(f"{source} has no advisories in the OSV format. Name a folder or a zip file that has some.")
    chosen.sort(key=lambda entry: (entry["name"], entry["id"]))
    text = json.dumps({"newest": newest, "advisories": chosen}, ensure_ascii=False, indent=1)
    ADVISORIES.write_text(f"{text}\n", encoding="utf-8")


def records(source: Path) -> Iterator[dict[str, Any]]:
    """Yield the advisories in a folder or zip file, as OSV describes them."""
    root = zipfile.Path(source) if source.suffix == ".zip" else None
    paths = root.iterdir() if root else sorted(source.rglob("*"))
    for path in paths:
        if Path(path.name).suffix in _SUFFIXES:
            record = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)  # JSON is YAML
            if isinstance(record, dict) and "affected" in record:
                yield record


def entries(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what an advisory says of each distribution of PyPI."""
    for affected in record["affected"]:
        if affected["package"].get("ecosystem") == "PyPI":
            ranges = [span for listed in affected.get("ranges", ()) for span in spans(listed)]
            yield {
                "id": record["id"],
                "aliases": sorted(record.get("aliases", ())),
                "name": canonicalize_name(affected["package"]["name"]),
                "ranges": ranges,
                "versions": [] if ranges else list(filter(is_version, affected.get("versions", ()))),
            }


def spans(listed: dict[str, Any]) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield (first, fixed, last affected) of each span of versions in a range of OSV."""
    if listed.get("type") != "ECOSYSTEM":  # others count commits
        return
    first = None
    for event in listed["events"]:
        if "introduced" in event:
            first = event["introduced"]
        elif first is not None:
            yield first, event.get("fixed"), event.get("last_affected")
            first = None
    if first is not None:
        yield first, None, None


def is_version(text: str) -> bool:
    """Return whether a text is a version as Python packages have it."""
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


if __name__ == "__main__":
    main()
