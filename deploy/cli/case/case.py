"""``pindna case``: what was found of one work on one site, and what people make of it."""

from collections.abc import Iterator
from heapq import nlargest
from itertools import islice
from typing import Annotated

import typer

from analysis.cases.first import who_was_first
from analysis.cases.views import CaseView, views
from analysis.words.i18n import gettext as _
from analysis.words.known_sites import find_site
from deploy.cli.case.case_view import (
    case_as_object,
    case_cells,
    case_headers,
    event_as_object,
    event_cells,
    event_headers,
    first_as_object,
    print_case,
)
from deploy.cli.console import print_json_line, print_progress, print_result, print_table
from deploy.cli.options import AsJson, AsJsonObject, Limit
from deploy.cli.outcomes import FOUND_VERDICTS
from deploy.cli.review.match_filters import Site, WorkOption
from deploy.cli.review.match_view import matches_as_objects, print_matches
from deploy.cli.session import session
from storage.records import VERDICTS, Case, CaseState, Verdict, utc_now
from system.sites import host_of, site_of_host
from tracker.corpus.roles import find_owned
from tracker.runtime import Runtime

State = Annotated[CaseState | None, typer.Option(help=_("Only cases in this state."))]
Name = Annotated[str, typer.Argument(metavar="CASE", help=_("c7, or an id."))]
Newest = Annotated[
    int | None, typer.Option("--limit", min=1, help=_("Only the newest so many; default: all."))
]
_SORTED = 1_000  # cases that an order by priority holds at most without a limit


def list_cases(
    *,
    work: WorkOption = None,
    site: Site = None,
    state: State = None,
    verdict: Annotated[Verdict | None, typer.Option(help=_("Only cases with this verdict."))] = None,
    holder: Annotated[str | None, typer.Option(help=_("Only works of this rights holder."))] = None,
    every: Annotated[bool, typer.Option("--all", help=_("Closed cases too."))] = False,
    assignee: Annotated[str | None, typer.Option(help=_("Only what this person works on."))] = None,
    overdue: Annotated[bool, typer.Option("--overdue", help=_("Only cases past their deadline."))] = False,
    urgent: Annotated[
        bool, typer.Option("--urgent", help=_("The most urgent first, by their priority."))
    ] = False,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """Print cases."""
    with session() as runtime:
        cases = (
            case
            for case in _listed(runtime, work=work, site=site, state=state, verdict=verdict)
            if (every or state == "closed" or case.state != "closed") and assignee in (None, case.assignee)
        )
        known = views(cases, runtime.stores, runtime.settings.analysis, now=utc_now())
        wanted: Iterator[CaseView] = (
            view for view in known if (view.is_overdue or not overdue) and holder in (None, view.holder)
        )
        if urgent:
            wanted = iter(nlargest(limit or _SORTED, wanted, key=_urgency))
        wanted = islice(wanted, limit)
        if as_json:
            for view in wanted:
                print_json_line(case_as_object(view))
            return
        rows = [case_cells(view) for view in wanted]
    if rows:
        print_progress(
            _("The most urgent first, by priority:")
            if urgent
            else _("The gravest verdict first, then what was copied most (--urgent: by priority):")
        )
        print_table(case_headers(), rows)
    else:
        print_result(_("There is no case."))


def _urgency(view: CaseView) -> tuple[bool, int]:
    """Return what orders cases by priority; those that infringe nothing, as under a licence, come last."""
    return view.case.verdict in FOUND_VERDICTS, view.priority.points


def _listed(
    runtime: Runtime,
    *,
    work: str | None,
    site: str | None,
    state: CaseState | None,
    verdict: Verdict | None,
) -> Iterator[Case]:
    """Yield the cases of a work, on a site, in a state and with a verdict, as they are read."""
    stores = runtime.stores
    work_id = None if work is None else find_owned(work, stores).book_id
    known = None if site is None else site_of_host(find_site(site, stores))
    verdicts = VERDICTS if verdict is None else (verdict,)
    return stores.cases.listed(work_id=work_id, site=known, state=state, verdicts=verdicts)


def show(name: Name, *, as_json: AsJsonObject = False) -> None:
    """Print a case with what belongs to it."""
    with session() as runtime:
        stores = runtime.stores
        case = stores.cases.get(name)
        matches = stores.matches.of_case(case.work_id, case.site)
        (view,) = views([case], stores, runtime.settings.analysis, now=utc_now())
        hosts = sorted({host_of(match.url) for match in matches})
        first = who_was_first(matches, stores.works.get_many([case.work_id]).get(case.work_id))
        if as_json:
            rows = [*matches_as_objects(matches, stores)]
            who = first_as_object(first)
            print_json_line({**case_as_object(view), "hosts": hosts, "who_was_first": who, "matches": rows})
            return
        print_case(view, first, hosts)
        print_matches(matches, stores)


def history(name: Name, *, limit: Newest = None, as_json: AsJson = False) -> None:
    """Print the events of a case, the oldest first."""
    with session() as runtime:
        case = runtime.stores.cases.get(name)
        events = runtime.stores.events.of_case(case.number, limit=limit or 0)
        if as_json:
            for event in events:
                print_json_line(event_as_object(event))
            return
        rows = [event_cells(event) for event in events]
    print_table(event_headers(), rows)
