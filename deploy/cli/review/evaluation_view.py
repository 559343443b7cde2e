"""The output of ``pindna profile evaluate``: figures, changes and mistakes of two sets of thresholds."""

from collections.abc import Sequence
from dataclasses import asdict

from analysis.reports.render_csv import table_text
from analysis.words.i18n import gettext as _
from analysis.words.labels import VERDICTS
from deploy.cli.console import print_result, print_table
from deploy.cli.labels import word_of
from storage.records import Verdict
from tracker.judgement.profiles import Profile, thresholds
from tracker.review.evaluation import EvaluatedItem, Evaluation, EvaluationFigures, Profiles

COLUMNS = ("name", "expected", "before", "after", "mistaken")
_SHOWN_MISTAKES = 10


def numbers_of(profile: Profile) -> dict[str, float]:
    """Return the thresholds of a profile by their names."""
    return {name: getattr(profile, name) for name in thresholds()}


def show_evaluation(evaluation: Evaluation, *titles: str) -> None:
    """Print how many copies the thresholds find, which verdicts change, and which are mistakes.

    Args:
        evaluation: of both sets of thresholds.
        *titles: what to call them.
    """
    shares = ((_("precision"), "precision"), (_("recall"), "recall"))
    counts = (
        (_("correctly found"), "found_rightly"),
        (_("wrongly found"), "found_wrongly"),
        (_("missed"), "missed"),
        (_("correctly ignored"), "left_rightly"),
    )
    both = evaluation.before, evaluation.after
    rows = [(title, *(_share(getattr(figures, key)) for figures in both)) for title, key in shares]
    rows += [(title, *(str(getattr(figures, key)) for figures in both)) for title, key in counts]
    print_table(("", *titles), rows)
    if evaluation.changes:
        counted = (
            (_verdict(earlier), _verdict(other), str(count)) for earlier, other, count in evaluation.changes
        )
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
    _show_mistakes(evaluation.mistakes)
    if evaluation.left_out:
        print_result(
            _("Reviewed matches without a stored extent: {count}. Compare their pages again.").format(
                count=evaluation.left_out
            )
        )


def _show_mistakes(mistakes: Sequence[EvaluatedItem]) -> None:
    """Print the first mistakes, and the file that contains all of them."""
    for item in mistakes[:_SHOWN_MISTAKES]:
        line = _("missed: {name} ({verdict})") if item.expected else _("wrongly found: {name} ({verdict})")
        print_result(line.format(name=item.name, verdict=_verdict(item.after)))
    hidden = len(mistakes) - _SHOWN_MISTAKES
    if hidden > 0:
        print_result(_("… and {count} more; --json or --csv lists all.").format(count=hidden))


def evaluation_table(evaluation: Evaluation) -> str:
    """Return a CSV of all items: known facts, verdicts, and whether the new verdict is a mistake."""
    rows = (
        (item.name, int(item.expected), item.before, item.after, int(item.is_mistaken))
        for item in evaluation.items
    )
    return table_text(COLUMNS, rows)


def _verdict(verdict: Verdict) -> str:
    return word_of(VERDICTS, verdict)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def as_object(evaluation: Evaluation, before: Profiles, after: Profiles) -> dict[str, object]:
    """Return the object that ``--json`` prints.

    Args:
        evaluation: of both sets of thresholds.
        before: the present ones.
        after: the other ones.
    """
    return {
        "items": len(evaluation.items),
        "left_out": evaluation.left_out,
        "thresholds": _all_numbers(after),
        "compared_with": _all_numbers(before),
        "present": _figures(evaluation.before),
        "tried": _figures(evaluation.after),
        "changes": [
            {"before": earlier, "after": other, "items": count}
            for earlier, other, count in evaluation.changes
        ],
        "changed": list(map(asdict, evaluation.changed)),
        "mistakes": list(map(asdict, evaluation.mistakes)),
    }


def _all_numbers(profiles: Profiles) -> dict[str, dict[str, object]]:
    return {kind: {"profile": profile.id, **numbers_of(profile)} for kind, profile in profiles.items()}


def _figures(figures: EvaluationFigures) -> dict[str, object]:
    return {"precision": figures.precision, "recall": figures.recall, **asdict(figures)}
