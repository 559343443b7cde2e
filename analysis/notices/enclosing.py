"""A package of evidence that was made before goes with a notice: it must prove what the notice says."""

from collections.abc import Mapping
from pathlib import Path

from analysis.evidence import layout
from analysis.evidence.opening import NotAPackage, open_package
from system.errors import PindnaError
from system.local_files import readable

_UNFIT = LookupError, TypeError, AttributeError


class OtherEvidence(PindnaError):
    """A package lacks matches that a notice names. Data: ``path``, ``matches``."""

    template = (
        "{path} proves nothing of {matches}, which the notice names. Export these too, or leave out "
        "--evidence: then a package is made."
    )


class WholeTexts(PindnaError):
    """A package for outsiders holds whole works. Data: ``path``."""

    template = (
        "{path} holds whole passages of the work, and the notice goes to outsiders. "
        "Export it again with --excerpts, or leave out --evidence."
    )


def existing_package_number(path: Path, *, names: Mapping[str, str], is_outside: bool) -> str:
    """Return the number of a package that was made before.

    Args:
        path: of the file.
        names: id → short name of the matches that the notice names.
        is_outside: the notice goes to somebody who must not have the whole work.

    Raises:
        NotAPackage: it is none.
        OtherEvidence: it lacks matches.
        WholeTexts: it holds more than stretches.
        MissingFile, IsFolder, NotRegular, UnreadableFile: what is wrong with the file.
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
