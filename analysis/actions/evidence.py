"""Make evidence packages, and store them for download."""

import os
from collections.abc import Sequence
from pathlib import Path

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from analysis.evidence.contents import PackageProblem
from analysis.evidence.package import NothingToExport, Package, export_package
from analysis.evidence.publishing import write_errors
from analysis.evidence.screenshots import take_screenshots
from analysis.queries.cases import get_case
from analysis.queries.matches import get_match
from storage.collections.cases import case_id
from storage.collections.naming import number_of
from storage.collections.stores import Stores
from storage.records import KeptPackage, Match
from system.errors import UnknownId
from tracker.runtime import Runtime

_OWN = 0o700  # only for pindna's user, because packages may contain whole works


def export(
    identity: Identity, runtime: Runtime, names: Sequence[str], *, excerpts: bool = False
) -> KeptPackage:
    """Make a package of cases or matches, and store it for download.

    Args:
        identity: the user or program that requests it.
        runtime: the open services.
        names: names of cases and matches, such as ``c7`` and ``m12``.
        excerpts: make a package for outsiders. Rights holders always get such a package, because histories
            contain notes of analysts.

    Raises:
        NotPermitted: the user may not export evidence.
        UnknownId: there is no such case or match, or the user may not see it.
        NothingToExport, PackageTooLarge, PackageUnwritable …: see
            :func:`analysis.evidence.package.export_package`.
        IndexUnusable, ServiceDown: the index or a service cannot be used.
    """
    identity.require("evidence:export")
    stores = runtime.stores
    matches = _matches_of(identity, stores, names)
    if not matches:
        raise NothingToExport
    folder = runtime.settings.analysis.evidence.folder.expanduser().absolute()
    with write_errors(folder):
        folder.mkdir(mode=_OWN, parents=True, exist_ok=True)
    excerpts = excerpts or not identity.sees_everything
    package = _write(identity, runtime, matches, path=folder, excerpts=excerpts)
    cases = stores.cases.get_many(sorted({case_id(match.work_id, match.site) for match in matches}))
    kept = KeptPackage(
        number=package.number,
        path=os.fspath(package.path),
        sha256=package.sha256,
        bytes=package.size,
        by=identity.name,
        excerpts=excerpts,
        cases=tuple(sorted(case.number for case in cases.values())),
        works=tuple(sorted({match.work_id for match in matches})),
        matches=package.matches,
        problems=len(package.problems),
        made=package.made,
    )
    stores.packages.add(kept)
    return kept


def write_package(
    identity: Identity,
    runtime: Runtime,
    names: Sequence[str],
    *,
    path: Path | None,
    excerpts: bool = False,
    with_screenshots: bool = False,
) -> Package:
    """Write a package of cases or matches to a file or into a folder.

    Args:
        identity: the user or program that requests it.
        runtime: the open services.
        names: names of cases and matches, such as ``c7`` and ``m12``, or their ids.
        path: file or folder; None: a file in the current folder, named by the number of the package.
        excerpts: include only the copied stretches of works.
        with_screenshots: take a screenshot of each page first. Failures are listed in the package.

    Raises:
        NotPermitted, UnknownId: see :func:`export`.
        NothingToExport, PackageTooLarge, PackageUnwritable …: see
            :func:`analysis.evidence.package.export_package`.
    """
    identity.require("evidence:export")
    matches = _matches_of(identity, runtime.stores, names)
    problems = take_screenshots(matches, runtime) if with_screenshots else ()
    return _write(identity, runtime, matches, path=path, excerpts=excerpts, problems=problems)


def _write(
    identity: Identity,
    runtime: Runtime,
    matches: Sequence[Match],
    *,
    path: Path | None,
    excerpts: bool,
    problems: Sequence[PackageProblem] = (),
) -> Package:
    package = export_package(
        matches, runtime, path=path, by=identity.name, excerpts=excerpts, problems=tuple(problems)
    )
    after = {"sha256": package.sha256, "matches": package.matches, "excerpts": excerpts}
    record_action(identity, runtime, "export", f"package {package.number}", after=after)
    return package


def _matches_of(identity: Identity, stores: Stores, names: Sequence[str]) -> list[Match]:
    """Return the distinct matches that the names of cases and matches refer to."""
    matches = (match for name in dict.fromkeys(names) for match in _matches_called(identity, stores, name))
    return list({match.id: match for match in matches}.values())


def _matches_called(identity: Identity, stores: Stores, name: str) -> list[Match]:
    """Return the match of that name, or the counted matches of the case, else its earlier matches."""
    if number_of(name, "c") is None:
        try:
            return [stores.matches.get(get_match(identity, stores, name).id)]
        except UnknownId:
            if stores.cases.find(name) is None:
                raise
    case = get_case(identity, stores, name)
    counted = stores.matches.of_case(case.work_id, case.site)
    return counted or stores.matches.history_of_case(case.work_id, case.site)
