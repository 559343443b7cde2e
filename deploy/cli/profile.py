"""``pindna profile``: the thresholds of verdicts, and which verdicts other thresholds would give."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from analysis.i18n import gettext as _
from analysis.i18n import translator
from analysis.labels import VERDICTS, WORK_KINDS, word
from deploy.cli.arguments import require
from deploy.cli.console import print_json_line, print_result, print_table
from deploy.cli.mother_corpus import open_corpus
from deploy.cli.options import AsJson
from deploy.cli.session import session
from storage.exit_status import ExitStatus
from storage.records import Verdict
from storage.settings import load_settings
from tracker.judgement.profiles import (
    BadThreshold,
    Profile,
    all_profiles,
    chosen_profiles,
    profile_called,
    thresholds,
    with_profiles,
)
from tracker.review.evaluation import Evaluation, Figures, Profiles, evaluate_folder, evaluate_matches

app = typer.Typer(no_args_is_help=True)


@app.command("list", help=_("List the profiles and what each is used for."))
def list_profiles(*, as_json: AsJson = False) -> None:
    """Print every profile."""
    settings = load_settings().tracker
    chosen = chosen_profiles(settings)
    rows = [
        (profile, [kind for kind, used in chosen.items() if used.name == profile.name])
        for profile in all_profiles(settings).values()
    ]
    if as_json:
        for profile, kinds in rows:
            print_json_line({"profile": profile.id, "used_for": kinds, **_numbers(profile)})
        return
    cells = (
        (profile.id, ", ".join(word(translator(), WORK_KINDS, kind) for kind in kinds) or "–")
        for profile, kinds in rows
    )
    print_table((_("profile"), _("used for")), cells)


@app.command("show", help=_("Show the thresholds of a profile."))
def show(
    name: Annotated[str, typer.Argument(metavar="PROFILE", help=_("Its name."))], *, as_json: AsJson = False
) -> None:
    """Print one profile."""
    profile = profile_called(name, load_settings().tracker)
    if as_json:
        print_json_line({"profile": profile.id, **_numbers(profile)})
        return
    print_result(profile.id)
    for threshold, value in _numbers(profile).items():
        print_result(f"  {threshold} = {value}")


def _numbers(profile: Profile) -> dict[str, float]:
    return {name: getattr(profile, name) for name in thresholds()}


@app.command("evaluate", help=_("Judge reviewed matches or labelled texts by other thresholds."))
def evaluate(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROFILE", help=_("Profiles to try; without any the present ones.")),
    ] = None,
    *,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROFILE",
            help=_("Profile to compare with instead of the present one, such as novel@2."),
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help=_("A threshold to try; may be repeated.")),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help=_("Labelled texts; without it the reviewed matches."))
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--corpus", metavar="DIR", help=_("Compare labelled texts with a folder; needs no services.")
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Judge reviewed matches or labelled texts by other thresholds."""
    settings = load_settings()
    present = chosen_profiles(settings.tracker)
    before = with_profiles(present, against or (), settings.tracker)
    after = _with_thresholds(with_profiles(present, names or (), settings.tracker), changes or ())
    left_out = 0
    require(folder)
    require(corpus)
    if folder is None:
        evaluation = _of_matches(before, after)
    else:
        with open_corpus(corpus) as (opened, left_out):
            limit = settings.tracker.max_file_bytes
            evaluation = evaluate_folder(folder, opened, before, after, max_bytes=limit)
    if as_json:
        print_json_line(_as_object(evaluation, before, after))
    else:
        _show(
            evaluation,
            _ids(before) if against else _("present"),
            _("present") if after == present else _("tried"),
        )
    if left_out:
        raise typer.Exit(ExitStatus.PARTLY)


def _with_thresholds(profiles: Profiles, changes: Iterable[str]) -> Profiles:
    """Return the profiles with other thresholds, given as ``NAME=VALUE``.

    Raises:
        BadThreshold: one is not of that form, unknown or out of its range.
    """
    values = dict(map(_assignment, changes))
    return {kind: profile.with_thresholds(values) for kind, profile in profiles.items()}


def _ids(profiles: Profiles) -> str:
    return ", ".join(profile.id for profile in profiles.values())


def _assignment(text: str) -> tuple[str, str]:
    """Return name and value of ``NAME=VALUE``.

    Raises:
        BadThreshold: it is not of that form.
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise BadThreshold(name=text, value="")
    return name.strip(), value.strip()


def _of_matches(before: Profiles, after: Profiles) -> Evaluation:
    with session() as runtime:
        matches = [*runtime.stores.matches.reviewed()]
        works = runtime.stores.works.get_many({match.work_id for match in matches})
    return evaluate_matches(matches, works, before, after)


def _show(evaluation: Evaluation, *titles: str) -> None:
    shares = ((_("precision"), "precision"), (_("recall"), "recall"))
    counts = (
        (_("found rightly"), "found_rightly"),
        (_("found wrongly"), "found_wrongly"),
        (_("missed"), "missed"),
        (_("left rightly"), "left_rightly"),
    )
    both = evaluation.before, evaluation.after
    rows = [(title, *(_share(getattr(figures, key)) for figures in both)) for title, key in shares]
    rows += [(title, *(str(getattr(figures, key)) for figures in both)) for title, key in counts]
    print_table(("", *titles), rows)
    if evaluation.changes:
        counted = ((_verdict(one), _verdict(other), str(count)) for one, other, count in evaluation.changes)
        print_table((_("verdict before"), _("verdict after"), _("items")), counted)
    for change in evaluation.changed:
        print_result(
            _("{name}: {before} → {after} ({expected})").format(
                name=change.name,
                before=_verdict(change.before),
                after=_verdict(change.after),
                expected=_("should be found") if change.expected else _("should not be found"),
            )
        )
    if not evaluation.changed:
        print_result(_("No verdict would change."))
    if evaluation.left_out:
        print_result(
            _("{count} reviewed matches hold no extent; compare their pages again.").format(
                count=evaluation.left_out
            )
        )


def _verdict(verdict: Verdict) -> str:
    return word(translator(), VERDICTS, verdict)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _as_object(evaluation: Evaluation, before: Profiles, after: Profiles) -> dict[str, object]:
    return {
        "items": len(evaluation.items),
        "left_out": evaluation.left_out,
        "thresholds": _all_numbers(after),
        "compared_with": _all_numbers(before),
        "present": _figures(evaluation.before),
        "tried": _figures(evaluation.after),
        "changes": [
            {"before": one, "after": other, "items": count} for one, other, count in evaluation.changes
        ],
        "changed": [
            {"name": change.name, "expected": change.expected, "before": change.before, "after": change.after}
            for change in evaluation.changed
        ],
    }


def _all_numbers(profiles: Profiles) -> dict[str, dict[str, object]]:
    return {kind: {"profile": profile.id, **_numbers(profile)} for kind, profile in profiles.items()}


def _figures(figures: Figures) -> dict[str, object]:
    return {"precision": figures.precision, "recall": figures.recall, **asdict(figures)}
