"""``pindna evidence``: sealed packages with the evidence of matches, and the evidence log."""

from pathlib import Path
from typing import Annotated

import typer

from analysis.actions.evidence import write_package
from analysis.evidence.contents import PackageProblem
from analysis.evidence.package import Package
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from analysis.words.labels import PACKAGE_PROBLEMS
from deploy.cli.console import busy, byte_count, print_json_line, print_progress, print_result
from deploy.cli.files import refuse_place
from deploy.cli.identity import As, user_session
from deploy.cli.labels import word_of
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonObject
from system.exit_status import ExitStatus

_SHOWN = 20  # maximum number of problems on a terminal; the package lists all


def export(
    names: Annotated[
        list[str],
        typer.Argument(metavar="CASE|MATCH…", help=_("Cases or matches, such as c7 or m12, or their ids.")),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help=_("File or folder; default: its number, in the current folder."),
        ),
    ] = None,
    excerpts: Annotated[
        bool,
        typer.Option(
            "--excerpts", help=_("For outsiders: includes only the matched stretches of the works.")
        ),
    ] = False,
    screenshot: Annotated[
        bool, typer.Option("--screenshot", help=_("Take a picture of each page now, in a browser."))
    ] = False,
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    if out is not None and not out.is_dir():
        refuse_place(out)
    with user_session(by) as (user, runtime), busy(_("Collecting, recomputing, packing and sealing …")):
        package = write_package(
            user, runtime, names, path=out, excerpts=excerpts, with_screenshots=screenshot
        )
    if as_json:
        print_json_line(_as_object(package))
    else:
        _show(package)
    if package.problems:
        raise typer.Exit(ExitStatus.PARTLY)


def _show(package: Package) -> None:
    print_result(
        _("{path}: package {number}, {size}").format(
            path=package.path, number=package.number, size=byte_count(package.size)
        )
    )
    matches = ngettext("{count} match", "{count} matches", package.matches).format(count=package.matches)
    pages = ngettext("{count} page", "{count} pages", package.pages).format(count=package.pages)
    captures = ngettext("{count} capture", "{count} captures", package.captures)
    print_result("  " + " · ".join((matches, pages, captures.format(count=package.captures))))
    print_result("  " + _("SHA-256 {sha256}").format(sha256=package.sha256))
    print_result("  " + _("Sealed with the key {fingerprint}").format(fingerprint=package.fingerprint))
    if not package.problems:
        return
    line = ngettext(
        "{count} item is missing from the package or was changed; the package lists it:",
        "{count} items are missing from the package or were changed; the package lists them:",
        len(package.problems),
    )
    print_progress(line.format(count=len(package.problems)))
    for problem in package.problems[:_SHOWN]:
        print_progress("  " + _line(problem))
    if len(package.problems) > _SHOWN:
        print_progress("  …")


def _line(problem: PackageProblem) -> str:
    kind = word_of(PACKAGE_PROBLEMS, problem.kind)
    return " · ".join(filter(None, (kind, problem.subject, problem.detail)))


def _as_object(package: Package) -> dict[str, object]:
    return object_of(
        package,
        "number path sha256 bytes=size made key=fingerprint matches pages captures problems",
        path=str(package.path.resolve()),
        problems=[object_of(problem, "kind subject detail") for problem in package.problems],
    )
