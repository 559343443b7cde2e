"""Check that the documents of a package agree: manifests, seal, lists and proofs of inclusion."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from analysis.evidence import layout
from analysis.evidence.documents import record_of
from analysis.evidence.opening import OpenPackage
from analysis.evidence.signing import INCLUSION
from analysis.words.labels import ENVIRONMENT_FINDINGS
from storage.records import CaptureSession, EnvironmentFinding
from system.messages import N_, Message

_DIGEST = re.compile(r"[0-9a-f]{64}")
_NO_ENVIRONMENT = N_("captures without a recorded environment: {count}")
_REDUCED = frozenset({"warc"})  # fields of which the package contains less than the database
_INCLUSION = f"{layout.SEAL}{INCLUSION}"


def named_files(package: OpenPackage) -> Mapping[str, str]:
    """Return the files in the manifests, name → SHA-256: the payload and the tag files.

    Raises:
        NotAPackage: a manifest is invalid, or lists a file twice or a file of the other manifest.
    """
    tags = _read_manifest(package, layout.TAG_MANIFEST)
    payload = _read_manifest(package, layout.MANIFEST)
    if tags.keys() - set(layout.TAG_FILES):
        raise package.refusal(N_("{name} is not a manifest"), name=layout.TAG_MANIFEST)
    if not all(name.startswith(layout.DATA) for name in payload):
        raise package.refusal(N_("{name} is not a manifest"), name=layout.MANIFEST)
    return {**tags, **payload}


def _read_manifest(package: OpenPackage, name: str) -> dict[str, str]:
    digests = dict[str, str]()
    for line in package.text(name).split("\n"):
        digest, _, member = line.partition("  ")
        if line and (not _DIGEST.fullmatch(digest) or not member or member in digests):
            raise package.refusal(N_("{name} is not a manifest"), name=name)
        if line:
            digests[member] = digest
    return digests


def logged_digests(package: OpenPackage) -> dict[str, frozenset[str]]:
    """Return the digests of the captures that are proven to be in the log, with their content, by body.

    A capture of an early version has an empty digest. The proofs are checked with the seal. This compares the
    package's lists with them.

    Raises:
        NotAPackage: a capture or an event has no proof, or differs from its proof.
    """
    proven = {str(row["record"]): row.get("content") for row in package.lines(_INCLUSION)}
    for name in (layout.CAPTURES, layout.HISTORY, layout.SESSIONS):
        for row in _rows(package, name):
            record = str(row["id"])
            if record not in proven or not _agrees(row, proven[record]):
                raise package.refusal(
                    N_("{record} in {name} differs from the evidence log"), record=record, name=name
                )
    digests: dict[str, set[str]] = defaultdict(set)
    for row in package.lines(layout.CAPTURES):
        if (content := proven[str(row["id"])]) is not None:
            logged = json.loads(content)
            digests[str(logged.get("sha256", ""))].add(str(logged.get("digest", "")))
    return {sha256: frozenset(of_body) for sha256, of_body in digests.items()}


def _rows(package: OpenPackage, name: str) -> Iterator[Any]:
    """Yield the rows of a list; packages of earlier versions have no list of environments."""
    if name != layout.SESSIONS or name in package.members:
        yield from package.lines(name)


def _agrees(row: Mapping[str, Any], content: str | None) -> bool:
    """Return whether a row equals the logged record in all fields of both; True if the record is unknown."""
    if content is None:
        return True
    logged = json.loads(content)
    common = (name for name in logged if name in row and name not in _REDUCED)
    return all(_is_same(row[name], logged[name]) for name in common)


def _is_same(value: object, logged: object) -> bool:
    """Return whether two JSON values are equal; times may be written in different forms."""
    if isinstance(value, dict) and isinstance(logged, dict):
        return value.keys() == logged.keys() and all(_is_same(value[key], logged[key]) for key in value)
    if isinstance(value, list) and isinstance(logged, list):
        return len(value) == len(logged) and all(map(_is_same, value, logged))
    return value == logged or (_parse_time(value) is not None and _parse_time(value) == _parse_time(logged))


def _parse_time(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        return None


def environment_statements(package: OpenPackage) -> dict[str, tuple[Message, ...]]:
    """Return what a reader must know about the environments of the captures, by page.

    Raises:
        NotAPackage, NotADocument: a list is missing or has another structure.
    """
    sessions = {row["id"]: record_of(CaptureSession, row) for row in _rows(package, layout.SESSIONS)}
    without: Counter[str] = Counter()
    findings: dict[str, dict[EnvironmentFinding, None]] = defaultdict(dict)
    for row in package.lines(layout.CAPTURES):
        session = sessions.get(row.get("session", ""))
        if session is None:
            without[row["page_id"]] += 1
        else:
            findings[row["page_id"]] |= dict.fromkeys(session.findings)
    return {
        page_id: (
            *(Message(ENVIRONMENT_FINDINGS[finding]) for finding in findings[page_id]),
            *([Message(_NO_ENVIRONMENT, {"count": without[page_id]})] if without[page_id] else []),
        )
        for page_id in {*without, *findings}
    }


def require_consistency(package: OpenPackage, evidence: Mapping[str, Any], key: str) -> None:
    """Check that the statements of a package about itself agree with its seal and its lists.

    Raises:
        NotAPackage: they do not.
    """
    claims = {
        "number": evidence["number"] == package.number,
        "key": evidence["key"] == key,
        "matches": evidence["counts"]["matches"] == sum(1 for _row in package.lines(layout.MATCHES)),
    }
    wrong = ", ".join(name for name, is_right in claims.items() if not is_right)
    if wrong:
        raise package.refusal(N_("its files contradict each other ({claims})"), claims=wrong)
