"""``pindna case``: list and show cases, which contain the matches of one work on one site."""

from functools import partial
from heapq import nlargest
from itertools import islice
from typing import Annotated

import typer

from analysis.cases.views import CaseView
from analysis.fields.cases import TERMINAL_FIELDS
from analysis.queries import cases as queries
from analysis.queries.listing import whole
from analysis.queries.matches import with_presences
from analysis.queries.naming import named_site, named_work
from analysis.words.i18n import gettext as _
from deploy.cli.case.case_view import (
    EVENT_FIELDS,
    case_as_object,
    case_cells,
    event_cells,
    first_as_object,
    print_case,
)
from deploy.cli.console import print_json_line, print_progress, print_result, print_table
from deploy.cli.identity import user_session
from deploy.cli.options import AsJson, AsJsonObject, CaseName, Limit
from deploy.cli.outcomes import FOUND_VERDICTS
from deploy.cli.review.match_options import Site, WorkOption
from deploy.cli.review.match_view import match_as_object, print_matches
from deploy.cli.tables import headers_of, print_list
from storage.records import VERDICTS, CaseState, Verdict
from system.sites import host_of

State = Annotated[CaseState | None, typer.Option(help=_("Only cases in this state."))]
Newest = Annotated[
    int | None,
    typer.Option("--limit", min=1, help=_("Show only this number of the newest events; default: all.")),
]
_SORTED = 1_000  # maximum number of cases to sort by priority if there is no limit


def list_cases(
    *,
    work: WorkOption = None,
    site: Site = None,
    state: State = None,
    verdict: Annotated[Verdict | None, typer.Option(help=_("Only cases with this verdict."))] = None,
    holder: Annotated[str | None, typer.Option(help=_("Only works of this rights holder."))] = None,
    every: Annotated[bool, typer.Option("--all", help=_("Include closed cases."))] = False,
    assignee: Annotated[str | None, typer.Option(help=_("Only cases assigned to this person."))] = None,
    overdue: Annotated[bool, typer.Option("--overdue", help=_("Only cases past their deadline."))] = False,
    urgent: Annotated[
        bool, typer.Option("--urgent", help=_("The most urgent first, by their priority."))
    ] = False,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    with user_session() as (user, runtime):
        stores = runtime.stores
        query = queries.CaseQuery(
            work=named_work(user, stores, work),
            site=named_site(user, stores, site),
            holder=holder or "",
            state=state,
            closed=every,
            verdict=verdict,
            assignee=assignee,
            overdue=overdue,
        )
        cases = partial(queries.list_cases, user, stores, runtime.settings.analysis, query)
        views = whole(cases, limit=None if urgent or overdue else limit)
        if urgent:
            views = iter(nlargest(limit or _SORTED, views, key=_urgency))
        elif overdue:  # these cases come in the order of their deadlines
            views = islice(sorted(views, key=_gravity), limit)
        if as_json:
            for view in views:
                print_json_line(case_as_object(view))
            return
        rows = [case_cells(view) for view in views]
    if rows:
        print_progress(
            _("The most urgent first, by priority:")
            if urgent
            else _("The gravest verdict first, then the most copied (--urgent: by priority):")
        )
        print_table(headers_of(TERMINAL_FIELDS), rows)
    else:
        print_result(_("There is no case."))


def _urgency(view: CaseView) -> tuple[bool, int]:
    """Return the sort key for cases by priority; cases without infringement come last."""
    return view.case.verdict in FOUND_VERDICTS, view.priority.points


def _gravity(view: CaseView) -> tuple[int, int, str]:
    return VERDICTS.index(view.case.verdict), -view.case.copied_chars, view.case.id


def show(name: CaseName, *, as_json: AsJsonObject = False) -> None:
    with user_session() as (user, runtime):
        stores = runtime.stores
        view = queries.view_case(user, stores, runtime.settings.analysis, name)
        findings = queries.findings_of(user, stores, view.case)
        hosts = sorted({host_of(match.url) for match in findings.matches})
        matches = with_presences(user, stores, findings.matches)
        if as_json:
            first, rows = first_as_object(findings.first), [match_as_object(*row) for row in matches]
            print_json_line({**case_as_object(view), "hosts": hosts, "who_was_first": first, "matches": rows})
            return
        print_case(view, findings.first, hosts)
        print_matches(matches)


def history(name: CaseName, *, limit: Newest = None, as_json: AsJson = False) -> None:
    with user_session() as (user, runtime):
        events = partial(queries.case_history, user, runtime.stores, name)
        rows = list(whole(events, limit=limit))[::-1]
    headers = _("when"), _("event"), _("concerns"), _("done by"), _("reason")
    print_list(rows, EVENT_FIELDS, headers, event_cells, as_json=as_json)
