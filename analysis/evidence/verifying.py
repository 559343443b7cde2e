"""Verify an evidence package: its bytes, its seal and its matches. This needs no services and no network."""

from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from analysis.evidence import layout
from analysis.evidence.agreement import logged_digests, named_files, require_consistency
from analysis.evidence.opening import OpenPackage, open_package
from analysis.evidence.recomputing import RESULTS, Recomputed, Result, other_versions, recompute
from analysis.evidence.seal_findings import SealFinding
from analysis.evidence.signing import check_seal
from crawler.readers.pool import Reader
from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.local_files import readable
from system.messages import N_, Message

MAX_S = 1800.0
_SMALL_ARCHIVE = 4 << 20  # bytes; a smaller archive needs no separate process, which takes a second to start
_ARCHIVE_S = 120.0  # CPU seconds for the bodies of a hundred pages
_MAX_SEAL = 128 << 20  # maximum bytes of a seal: some 100,000 proofs
_UNFIT = LookupError, TypeError, AttributeError, ValueError, RecursionError, OverflowError


class OtherFormat(PindnaError):
    """A package was made by another version of pindna.

    Attributes:
        path: the file.
        format: its format.
        known: the supported format.
    """

    template = (
        "{path} has format {format}, but this version of pindna supports format {known}. Update pindna."
    )
    exit_status = ExitStatus.FOUND


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The result of verifying a package.

    Attributes:
        number: number of the package.
        files: number of files.
        altered: files that are missing, unlisted, or different from the manifests; if there are any, nothing
            is computed again.
        seal: findings about the seal.
        is_foreign: the key is not among the expected ones.
        versions: name → recorded and installed version, if they differ.
        matches: the recomputed matches.
    """

    number: str
    files: int
    altered: tuple[str, ...]
    seal: tuple[SealFinding, ...]
    is_foreign: bool
    versions: dict[str, tuple[str, str]]
    matches: tuple[Recomputed, ...]

    @property
    def is_altered(self) -> bool:
        """Whether sealed bytes were changed, or the seal itself is broken."""
        return bool(self.altered) or any(finding.state == "bad" for finding in self.seal)

    @property
    def is_intact(self) -> bool:
        """Whether all bytes are as sealed by an expected key."""
        return not self.is_altered and not self.is_foreign

    @property
    def result(self) -> Result | None:
        """The worst result of the matches; None if nothing was computed again."""
        return max((match.result for match in self.matches), key=RESULTS.index, default=None)


def verify_package(path: Path, *, keys: Collection[str] = (), max_s: float = MAX_S) -> Verification:
    """Verify a package.

    Args:
        path: the file.
        keys: fingerprints of trusted keys and root certificates; if there are any, one of them must have
            signed the package.
        max_s: seconds for recomputing matches; the remaining ones are ``not-computed``.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile: the file cannot be read.
        NotAPackage: it is not an evidence package, or is damaged.
        OtherFormat: another version of pindna made it.
    """
    with open_package(path) as package:
        altered = sorted(_altered_files(package))
        seal = _check_seal(package, keys)
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
        return _recompute_matches(package, verification, max_s) if verification.is_intact else verification


def _recompute_matches(package: OpenPackage, verification: Verification, max_s: float) -> Verification:
    evidence = package.document(layout.EVIDENCE)
    form = evidence.get("format") if isinstance(evidence, dict) else None
    if type(form) is not int or form != layout.FORMAT:
        raise OtherFormat(path=readable(package.path), format=form, known=layout.FORMAT)
    key = next((str(finding.data["key"]) for finding in verification.seal if "key" in finding.data), "")
    try:
        require_consistency(package, evidence, key)
        logged = logged_digests(package)
        with closing(Reader()) as reader, closing(_archive_reader(package, reader)) as archives:
            matches = tuple(recompute(package, archives, reader, logged=logged, max_s=max_s))
    except _UNFIT as error:  # sealed, but not written by pindna
        kind = type(error).__name__
        raise package.refusal(N_("its documents do not match each other ({kind})"), kind=kind) from error
    package.require_unchanged()
    return Verification(
        number=verification.number,
        files=verification.files,
        altered=verification.altered,
        seal=verification.seal,
        is_foreign=verification.is_foreign,
        versions=other_versions(package),
        matches=matches,
    )


def _archive_reader(package: OpenPackage, reader: Reader) -> Reader:
    """Return the reader that unpacks the archive: that of the pages, or another one with more time."""
    archive = package.members.get(layout.ARCHIVE)
    is_large = archive is not None and archive.size > _SMALL_ARCHIVE
    return Reader(max_s=_ARCHIVE_S) if is_large else reader


def _altered_files(package: OpenPackage) -> Iterator[str]:
    """Yield the files that differ from the manifests of the bag.

    The seal covers the tag manifest, the tag manifest covers the manifest, and both cover all files except
    the seal.
    """
    named = named_files(package)
    expected = {layout.TAG_MANIFEST}
    for name in package.members:
        digest = package.digest(name)
        if not name.startswith(layout.SEAL) and name not in expected and named.get(name) != digest:
            yield name
    yield from (name for name in named if name not in package.members)
    yield from (name for name in layout.TAG_FILES if name not in named)


def _check_seal(package: OpenPackage, keys: Collection[str]) -> list[SealFinding]:
    seal_files = [name for name in package.members if name.startswith(layout.SEAL)]
    if sum(package.members[name].size for name in seal_files) > _MAX_SEAL:
        raise package.refusal(N_("a file of the seal is too large"))
    files = {name.removeprefix(layout.SEAL): package.read(name) for name in seal_files}
    findings = check_seal(files, package.read(layout.TAG_MANIFEST), trusted=keys)
    numbers = {str(finding.data["number"]) for finding in findings if "number" in finding.data}
    if numbers - {package.number}:
        other = Message(N_("the seal belongs to package {numbers}"), {"numbers": ", ".join(sorted(numbers))})
        findings.append(SealFinding("broken", "bad", problem=other))
    return findings
