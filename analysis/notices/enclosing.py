"""Enclose an existing evidence package with a notice. The package must prove what the notice claims."""

from collections.abc import Mapping
from pathlib import Path

from analysis.evidence import layout
from analysis.evidence.opening import NotAPackage, open_package
from system.errors import PindnaError
from system.local_files import readable

_UNFIT = LookupError, TypeError, AttributeError


class OtherEvidence(PindnaError):
    """A package lacks matches that a notice lists.

    Attributes:
        path: the package.
        matches: the matches that it lacks.
    """

    template = (
        "{path} lacks the matches {matches}, which the notice lists. Export a package with them, "
        "or let pindna make one."
    )


class WholeTexts(PindnaError):
    """A package for outsiders contains whole works.

    Attributes:
        path: the package.
    """

    template = (
        "{path} contains whole passages of the work, but the notice goes to outsiders. Export the"
        " package again with excerpts only (--excerpts), or let pindna make one."
    )


def existing_package_number(path: Path, *, names: Mapping[str, str], is_outside: bool) -> str:
    """Check an existing package and return its number.

    Args:
        path: file of the package.
        names: id → short name of the matches that the notice lists.
        is_outside: the recipient must not receive the whole work.

    Raises:
        NotAPackage: the file is not an evidence package.
        OtherEvidence: it lacks matches.
        WholeTexts: it contains whole passages.
        MissingFile, IsFolder, NotRegular, UnreadableFile: the file cannot be read.
    """
    with open_package(path) as package:
        try:
            held = {str(row["id"]) for row in package.lines(layout.MATCHES)}
            is_excerpt = package.document(layout.EVIDENCE)["excerpts"] is True
        except _UNFIT as error:
            raise NotAPackage(path=readable(path), problem=type(error).__name__) from error
        number = package.number
    missing = sorted(name for match_id, name in names.items() if match_id not in held)
    if missing:
        raise OtherEvidence(path=readable(path), matches=tuple(missing))
    if is_outside and not is_excerpt:
        raise WholeTexts(path=readable(path))
    return number
