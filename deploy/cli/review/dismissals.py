"""``pindna dismissals``: list the dismissed matches and the reasons."""

from functools import partial
from typing import Annotated

import typer

from analysis.actions.review import take_back_dismissal
from analysis.queries.listing import whole
from analysis.queries.matches import get_decision
from analysis.queries.review import list_dismissals as query
from analysis.words.i18n import gettext as _
from deploy.cli.asking import Yes, is_confirmed
from deploy.cli.console import print_result
from deploy.cli.identity import As, user_session
from deploy.cli.objects import object_of
from deploy.cli.options import AsJson, Limit
from deploy.cli.outcomes import for_each
from deploy.cli.tables import print_list
from storage.records import Decision

_FIELDS = "id site work=work_title passage=passage_title stretch because by url made"


def list_dismissals(*, limit: Limit = None, as_json: AsJson = False) -> None:
    with user_session() as (user, runtime):
        dismissals = whole(partial(query, user, runtime.stores), limit=limit)
        headers = _("id"), _("site"), _("work"), _("characters"), _("reason")
        decisions = (dismissal.decision for dismissal in dismissals)
        print_list(decisions, _as_object, headers, _cells, as_json=as_json)


def _as_object(dismissal: Decision) -> dict[str, object]:
    return object_of(dismissal, _FIELDS, stretch=(dismissal.start, dismissal.end))


def _cells(dismissal: Decision) -> tuple[str, ...]:
    title = f"{dismissal.work_title} {dismissal.passage_title}".strip()
    return dismissal.id, dismissal.site, title, f"{dismissal.start + 1}–{dismissal.end}", dismissal.because


def remove_dismissals(
    names: Annotated[list[str], typer.Argument(metavar="ID…", help=_("Ids of dismissals."))],
    *,
    by: As = "",
    yes: Yes = False,
) -> None:
    with user_session(by) as (user, runtime):
        dismissals = dict[str, Decision]()

        def show(name: str) -> str:
            dismissals[name] = get_decision(user, runtime.stores, name)
            return " ".join(_cells(dismissals[name]))

        tally = for_each(names, show)
        if dismissals and is_confirmed(_("Let these stretches count again?"), yes=yes):
            for name, dismissal in dismissals.items():
                take_back_dismissal(user, runtime, dismissal.id)
                print_result(_("Removed dismissal {name}.").format(name=name))
    tally.end()
