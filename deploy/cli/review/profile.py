"""``pindna profile``: the thresholds of verdicts, and the effects of other thresholds."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from analysis.queries.statistics import all_reviewed
from analysis.words.i18n import gettext as _
from analysis.words.labels import WORK_KINDS
from deploy.cli.arguments import require
from deploy.cli.console import print_json_line, print_result, print_table
from deploy.cli.files import refuse_place, write
from deploy.cli.identity import user_session
from deploy.cli.labels import word_of
from deploy.cli.mother_corpus import open_corpus
from deploy.cli.options import AsJson
from deploy.cli.review.evaluation_view import as_object, evaluation_table, numbers_of, show_evaluation
from storage.settings import load_settings
from system.exit_status import ExitStatus
from tracker.judgement.profiles import (
    BadThreshold,
    all_profiles,
    chosen_profiles,
    profile_called,
    with_profiles,
)
from tracker.review.evaluation import Evaluation, Profiles, evaluate_folder, evaluate_matches


def list_profiles(*, as_json: AsJson = False) -> None:
    settings = load_settings().tracker
    chosen = chosen_profiles(settings)
    rows = [
        (profile, [kind for kind, used in chosen.items() if used.name == profile.name])
        for profile in all_profiles(settings).values()
    ]
    if as_json:
        for profile, kinds in rows:
            print_json_line({"profile": profile.id, "used_for": kinds, **numbers_of(profile)})
        return
    cells = (
        (profile.id, ", ".join(word_of(WORK_KINDS, kind) for kind in kinds) or "–") for profile, kinds in rows
    )
    print_table((_("profile"), _("used for")), cells)


def show(
    name: Annotated[str, typer.Argument(metavar="PROFILE", help=_("Name of the profile."))],
    *,
    as_json: AsJson = False,
) -> None:
    profile = profile_called(name, load_settings().tracker)
    if as_json:
        print_json_line({"profile": profile.id, **numbers_of(profile)})
        return
    print_result(profile.id)
    for threshold, value in numbers_of(profile).items():
        print_result(f"  {threshold} = {value}")


def evaluate(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROFILE", help=_("Profiles to try; default: the current ones.")),
    ] = None,
    *,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROFILE", help=_("Profile to compare with instead of the current one, such as novel@2.")
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help=_("A threshold to try; may be repeated.")),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help=_("Folder of labelled texts; default: the reviewed matches."))
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--corpus", metavar="DIR", help=_("Compare labelled texts with a folder; needs no services.")
        ),
    ] = None,
    table: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help=_("Also write a table of all items."))
    ] = None,
    as_json: AsJson = False,
) -> None:
    settings = load_settings()
    present = chosen_profiles(settings.tracker)
    before = with_profiles(present, against or (), settings.tracker)
    after = _with_thresholds(with_profiles(present, names or (), settings.tracker), changes or ())
    require(folder)
    require(corpus)
    refuse_place(table)
    evaluation, left_out = _evaluate(folder, corpus, before, after)
    if table is not None:
        write(table, evaluation_table(evaluation))
    if as_json:
        print_json_line(as_object(evaluation, before, after))
    else:
        titles = _ids(before) if against else _("current"), _("current") if after == present else _("tried")
        show_evaluation(evaluation, *titles)
    if left_out:
        raise typer.Exit(ExitStatus.PARTLY)


def _with_thresholds(profiles: Profiles, changes: Iterable[str]) -> Profiles:
    """Return the profiles with other thresholds, given as ``NAME=VALUE``."""
    values = dict(map(_assignment, changes))
    return {kind: profile.with_thresholds(values) for kind, profile in profiles.items()}


def _ids(profiles: Profiles) -> str:
    return ", ".join(profile.id for profile in profiles.values())


def _assignment(text: str) -> tuple[str, str]:
    """Parse ``NAME=VALUE`` into name and value."""
    name, equals, value = text.partition("=")
    if not equals:
        raise BadThreshold(name=text, value="")
    return name.strip(), value.strip()


def _evaluate(
    folder: Path | None, corpus: Path | None, before: Profiles, after: Profiles
) -> tuple[Evaluation, int]:
    """Return the evaluation, and the number of files that were left out of the corpus."""
    if folder is None:
        return _of_matches(before, after), 0
    with open_corpus(corpus) as (opened, left_out):
        limit = load_settings().tracker.max_file_bytes
        return evaluate_folder(folder, opened, before, after, max_bytes=limit), left_out


def _of_matches(before: Profiles, after: Profiles) -> Evaluation:
    with user_session() as (user, runtime):
        reviewed = all_reviewed(user, runtime.stores)
    return evaluate_matches(reviewed.matches, reviewed.works, before, after)
