"""``pindna dismissals``: what was dismissed, and why."""

from typing import Annotated

import typer

from analysis.words.i18n import gettext as _
from deploy.cli.asking import Yes, is_confirmed
from deploy.cli.console import print_json_line, print_result, print_table
from deploy.cli.identity import As, actor
from deploy.cli.options import AsJson, Limit
from deploy.cli.outcomes import for_each
from deploy.cli.session import session
from storage.records import Decision
from tracker.review import decisions


def list_dismissals(*, limit: Limit = None, as_json: AsJson = False) -> None:
    """Print every dismissal, the newest first."""
    with session() as runtime:
        dismissals = runtime.stores.decisions.listed(state="dismissed", limit=limit or 0)
        if as_json:
            for dismissal in dismissals:
                print_json_line(_dismissal_as_object(dismissal))
            return
        rows = [_cells(dismissal) for dismissal in dismissals]
    print_table((_("id"), _("site"), _("work"), _("characters"), _("because")), rows)


def _dismissal_as_object(dismissal: Decision) -> dict[str, object]:
    return {
        "id": dismissal.id,
        "site": dismissal.site,
        "work": dismissal.work_title,
        "passage": dismissal.passage_title,
        "stretch": [dismissal.start, dismissal.end],
        "because": dismissal.because,
        "by": dismissal.by,
        "url": dismissal.url,
        "made": dismissal.made.isoformat(),
    }


def _cells(dismissal: Decision) -> tuple[str, ...]:
    title = f"{dismissal.work_title} {dismissal.passage_title}".strip()
    return dismissal.id, dismissal.site, title, f"{dismissal.start + 1}–{dismissal.end}", dismissal.because


def remove_dismissals(
    names: Annotated[list[str], typer.Argument(metavar="ID…", help=_("Ids of dismissals."))],
    *,
    by: As = "",
    yes: Yes = False,
) -> None:
    """Undo dismissals."""
    with session() as runtime:
        dismissals: dict[str, Decision] = {}

        def show(name: str) -> str:
            dismissals[name] = runtime.stores.decisions.get(name)
            return " ".join(_cells(dismissals[name]))

        tally = for_each(names, show)
        if dismissals and is_confirmed(_("Let these stretches count again?"), yes=yes):
            for name, dismissal in dismissals.items():
                decisions.undo(dismissal, runtime.stores, by=actor(by))
                print_result(_("Removed dismissal {name}.").format(name=name))
    if tally.status:
        raise typer.Exit(tally.status)
