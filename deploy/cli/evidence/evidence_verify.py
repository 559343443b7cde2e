"""``pindna evidence verify``: check a package and compute it again, without services or network."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from analysis.evidence.recomputing import Recomputed
from analysis.evidence.seal_findings import SealFinding
from analysis.evidence.verifying import MAX_S, Verification, verify_package
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext, translator
from analysis.words.labels import RECOMPUTED
from deploy.cli.console import print_json_line, print_result
from deploy.cli.labels import word_of
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonObject
from system.errors import PindnaError
from system.exit_status import ExitStatus

_FINGERPRINT = re.compile("[0-9a-f]{64}")
_STATUS = {
    "same": ExitStatus.DONE,
    "same-other-version": ExitStatus.DONE,
    "stretches-only": ExitStatus.PARTLY,
    "not-computed": ExitStatus.PARTLY,
    "different": ExitStatus.FOUND,
}


class NoFingerprint(PindnaError):
    """The text is not a fingerprint of a key. Data: ``text``."""

    template = "{text} is not a fingerprint: it must have 64 characters, 0 to 9 and a to f. Copy all of it."


def verify(
    path: Annotated[Path, typer.Argument(metavar="FILE", help=_("An evidence package."))],
    *,
    key: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FINGERPRINT",
            help=_(
                "Fingerprint that you trust: of the key, or of the root certificate of a timestamp "
                "authority; repeatable."
            ),
        ),
    ] = None,
    minutes: Annotated[
        float,
        typer.Option(
            min=0, help=_("Time limit in minutes; matches that remain are reported as not computed.")
        ),
    ] = MAX_S / 60,
    as_json: AsJsonObject = False,
) -> None:
    """Verify a package and print the result; the exit status is 0 only if everything is unchanged."""
    keys = _fingerprints(key or ())
    verification = verify_package(path, keys=keys, max_s=60 * minutes)
    if as_json:
        print_json_line(_as_object(path, verification))
    else:
        _show(verification)
    raise typer.Exit(status_of(verification))


def _fingerprints(typed: Iterable[str]) -> frozenset[str]:
    """Return fingerprints in the form that seals use."""
    keys = frozenset("".join(key.split()).lower() for key in typed)
    for key in keys:
        if not _FINGERPRINT.fullmatch(key):
            raise NoFingerprint(text=key)
    return keys


def status_of(verification: Verification) -> ExitStatus:
    """Return the exit status of a verification."""
    if not verification.is_intact:
        return ExitStatus.FOUND
    return _STATUS[verification.result or "different"]


def _show(verification: Verification) -> None:
    _show_files(verification)
    if not verification.is_intact:
        print_result(
            _("The package was altered. It proves nothing, so nothing was recomputed.")
            if verification.is_altered
            else _("The package is not from the maker that you expect, so nothing was recomputed.")
        )
        return
    print_result(
        _(
            "Only the maker of the package states the following; it cannot be verified: that the sites "
            "sent these responses, and when; the texts of the works, whose they are and who may "
            "publish them; the report and the history."
        )
    )
    for match in verification.matches:
        _show_match(match)
    for name, (then, now) in verification.versions.items():
        print_result(
            "  " + _("{name}: {then}, here {now}").format(name=name, then=then or "–", now=now or "–")
        )
    print_result(_result_line(verification))


def _show_files(verification: Verification) -> None:
    """Print whether the files are the sealed ones, and what the seal proves."""
    line = ngettext(
        "Package {number}: {count} file is unchanged since it was sealed.",
        "Package {number}: {count} files are unchanged since they were sealed.",
        verification.files,
    )
    if verification.altered:
        line = _("Package {number} was altered:")
    print_result(line.format(number=verification.number, count=verification.files))
    for name in verification.altered:
        print_result(f"  {name}")
    for finding in verification.seal:
        print_result(f"  {finding.line()}")
    if verification.is_foreign:
        print_result("  " + _("The package is not signed with a key that you gave."))


def _result_line(verification: Verification) -> str:
    """Return a sentence about the result of computing the matches again."""
    count = len(verification.matches)
    line = ngettext("{result}: {count} match recomputed", "{result}: {count} matches recomputed", count)
    if verification.result == "stretches-only":
        line = ngettext(
            "{result}: {count} match recomputed from its stretches, with the same result",
            "{result}: {count} matches recomputed from their stretches, all with the same result",
            count,
        )
    if verification.result == "not-computed":
        count = sum(recomputed.result == "not-computed" for recomputed in verification.matches)
        line = ngettext(
            "{result}: {count} match took too much time or memory, or its files cannot be read",
            "{result}: {count} matches took too much time or memory, or their files cannot be read",
            count,
        )
    return line.format(result=word_of(RECOMPUTED, verification.result or "different"), count=count)


def _show_match(match: Recomputed) -> None:
    result = word_of(RECOMPUTED, match.result)
    print_result(f"{match.name}  {result} · {match.work} · {match.url}")
    for line in match.differences:
        print_result(f"    {line}")
    objection = _("but")  # outside of the f-string, in which older Pythons hide it from the catalogue
    for message in match.word:
        print_result(f"    {objection}: {translator().message(message)}")


def _as_object(path: Path, verification: Verification) -> dict[str, object]:
    return object_of(
        verification,
        "path number intact=is_intact files altered seal known_key result versions matches",
        path=str(path.resolve()),
        seal=[_finding_as_object(finding) for finding in verification.seal],
        known_key=not verification.is_foreign,
        versions={name: {"then": then, "now": now} for name, (then, now) in verification.versions.items()},
        matches=[
            object_of(
                match, "name url work result differences makers_word", makers_word=list(map(str, match.word))
            )
            for match in verification.matches
        ],
    )


def _finding_as_object(finding: SealFinding) -> dict[str, object]:
    data = {name: str(value) for name, value in finding.data.items()}
    return {**object_of(finding, "code state"), **data}
