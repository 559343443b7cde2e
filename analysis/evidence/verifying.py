"""Verifies an evidence package: its bytes, its seal, its matches; without services, without network."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.evidence import layout
from analysis.evidence.opening import NotAPackage, Package, open_package
from analysis.evidence.recomputing import RESULTS, Recomputed, Result, other_versions, recompute
from analysis.evidence.seal_findings import SealFinding
from analysis.evidence.signing import INCLUSION, check_seal
from crawler.readers.pool import Reader
from storage.errors import PindnaError
from storage.exit_status import ExitStatus
from storage.local_files import readable
from storage.messages import N_, Message

_ARCHIVE_S = 120.0  # of CPU, for the bodies of a hundred pages
_MAX_SEAL = 256 << 20  # bytes: some 100,000 proofs
_UNFIT = LookupError, TypeError, AttributeError, ValueError, RecursionError, OverflowError


class OtherFormat(PindnaError):
    """A package was made by another version. Data: ``path``, ``format``, ``known``."""

    template = "{path} has format {format}; this pindna knows format {known}. Update pindna."
    exit_status = ExitStatus.FOUND


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What verifying a package showed.

    Attributes:
        number: of the package.
        files: how many it has.
        altered: files that are missing, that nothing names, or that are not what the manifests say; nothing
            is computed again then.
        seal: what the seal shows.
        is_foreign: the key is none of those that were asked for.
        versions: name → version then and now, where they differ.
        matches: computed once more.
    """

    number: str
    files: int
    altered: tuple[str, ...]
    seal: tuple[SealFinding, ...]
    is_foreign: bool
    versions: dict[str, tuple[str, str]]
    matches: tuple[Recomputed, ...]

    @property
    def is_intact(self) -> bool:
        """Whether all bytes are those that were sealed, by a key that was asked for."""
        is_sealed = not any(finding.state == "bad" for finding in self.seal)
        return not self.altered and is_sealed and not self.is_foreign

    @property
    def result(self) -> Result | None:
        """The worst result of the matches; None where nothing was computed again."""
        return max((own.result for own in self.matches), key=RESULTS.index, default=None)


def verify_package(path: Path, *, keys: Collection[str] = ()) -> Verification:
    """Verify a package.

    Args:
        path: of the file.
        keys: fingerprints of keys and of root certificates that are known; if there are any, the package must
            be signed with one of them.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile: what is wrong with the file.
        NotAPackage: it is none, or broken.
        OtherFormat: it is one of another version.
    """
    with open_package(path) as package:
        altered = sorted(_altered(package))
        seal = _seal(package, keys)
        is_foreign = bool(keys) and not any(finding.code == "signed" for finding in seal)
        verification = Verification(
            number=package.number,
            files=len(package.members),
            altered=tuple(altered),
            seal=tuple(seal),
            is_foreign=is_foreign,
            versions={},
            matches=(),
        )
        return _computed(package, verification) if verification.is_intact else verification


def _computed(package: Package, verification: Verification) -> Verification:
    evidence = package.document(layout.EVIDENCE)
    form = evidence.get("format") if isinstance(evidence, dict) else None
    if type(form) is not int or form != layout.FORMAT:
        raise OtherFormat(path=readable(package.path), format=form, known=layout.FORMAT)
    try:
        _hold_together(package, evidence, verification)
        with closing(Reader(max_s=_ARCHIVE_S)) as archives, closing(Reader()) as reader:
            matches = tuple(recompute(package, archives, reader))
    except _UNFIT as error:  # sealed, but by no pindna
        problem = Message(N_("its documents do not fit together ({kind})"), {"kind": type(error).__name__})
        raise NotAPackage(path=readable(package.path), problem=problem) from error
    return Verification(
        number=verification.number,
        files=verification.files,
        altered=verification.altered,
        seal=verification.seal,
        is_foreign=verification.is_foreign,
        versions=other_versions(package),
        matches=matches,
    )


def _hold_together(package: Package, evidence: Mapping[str, Any], verification: Verification) -> None:
    """See that what a package says of itself agrees with its seal, its lists and its proofs.

    Raises:
        NotAPackage: it contradicts itself.
    """
    key = next((finding.data["key"] for finding in verification.seal if "key" in finding.data), "")
    proven = {str(row["record"]) for row in package.lines(f"{layout.SEAL}{INCLUSION}")}
    listed = {str(row["id"]) for name in (layout.CAPTURES, layout.HISTORY) for row in package.lines(name)}
    claims = {
        "number": evidence["number"] == package.number,
        "key": evidence["key"] == key,
        "matches": evidence["counts"]["matches"] == sum(1 for _row in package.lines(layout.MATCHES)),
        "records": listed <= proven,
    }
    wrong = ", ".join(name for name, is_right in claims.items() if not is_right)
    if wrong:
        problem = Message(N_("it contradicts itself ({claims})"), {"claims": wrong})
        raise NotAPackage(path=readable(package.path), problem=problem)


def _altered(package: Package) -> Iterator[str]:
    """Yield the files that are not what the manifests of the bag say.

    The seal covers the tag manifest, that the manifest, and that all else, but for the seal itself.
    """
    named = {**_manifest(package, layout.TAG_MANIFEST), **_manifest(package, layout.MANIFEST)}
    own = {layout.TAG_MANIFEST}
    for name in package.members:
        digest = package.digest(name)
        if not name.startswith(layout.SEAL) and name not in own and named.get(name) != digest:
            yield name
    yield from (name for name in named if name not in package.members)
    yield from (name for name in layout.TAG_FILES if name not in named)


def _manifest(package: Package, name: str) -> dict[str, str]:
    """Return what a manifest says: name → SHA-256."""
    lines = [line.split("  ", 1) for line in package.text(name).split("\n") if line]
    if not all(len(line) == 2 for line in lines):  # noqa: PLR2004 - digest and name
        problem = Message(N_("{name} is no manifest"), {"name": name})
        raise NotAPackage(path=readable(package.path), problem=problem)
    return {own: digest for digest, own in lines}


def _seal(package: Package, keys: Collection[str]) -> list[SealFinding]:
    own = [name for name in package.members if name.startswith(layout.SEAL)]
    if sum(package.members[name].size for name in own) > _MAX_SEAL:
        raise NotAPackage(path=readable(package.path), problem="its seal is too long")
    files = {name.removeprefix(layout.SEAL): package.read(name) for name in own}
    findings = check_seal(files, package.read(layout.TAG_MANIFEST), trusted=keys)
    numbers = {str(finding.data["number"]) for finding in findings if "number" in finding.data}
    if numbers - {package.number}:
        other = Message(N_("it is that of {numbers}"), {"numbers": ", ".join(sorted(numbers))})
        findings.append(SealFinding("broken", "bad", problem=other))
    return findings
