"""``pindna case``: what was found of one work on one site, and what was decided about it."""

from typing import Annotated

import typer

from analysis.i18n import gettext as _
from analysis.i18n import translator
from analysis.known_sites import find_site
from analysis.labels import CASE_STATES, LOOKS, VERDICTS, word
from deploy.cli.clock import local_moment
from deploy.cli.console import print_json_line, print_result, print_table
from deploy.cli.match_filters import Site, WorkOption
from deploy.cli.match_view import matches_as_objects, print_matches
from deploy.cli.options import AsJson, AsJsonObject, Limit
from deploy.cli.session import session
from storage.records import LOOK_STATES, Case, CaseState
from storage.sites import site_of_host
from tracker.corpus.roles import find_owned

app = typer.Typer(no_args_is_help=True)
State = Annotated[CaseState | None, typer.Option(help=_("Only cases in this state."))]


@app.command("list", help=_("List the cases: a work on a site each, the gravest first."))
def list_cases(
    *,
    work: WorkOption = None,
    site: Site = None,
    state: State = None,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """Print cases."""
    with session() as runtime:
        stores = runtime.stores
        work_id = None if work is None else find_owned(work, stores).book_id
        known = None if site is None else site_of_host(find_site(site, stores))
        cases = stores.cases.listed(work_id=work_id, site=known, state=state, limit=limit or 0)
        if as_json:
            for case in cases:
                print_json_line(_as_object(case))
            return
        rows = [_cells(case) for case in cases]
    if rows:
        headers = _("id"), _("verdict"), _("state"), _("work"), _("site"), _("pages"), _("characters")
        print_table(headers, rows)
    else:
        print_result(_("There is no case."))


@app.command("show", help=_("Show a case and its matches."))
def show(
    name: Annotated[str, typer.Argument(metavar="CASE", help=_("c7, or an id."))],
    *,
    as_json: AsJsonObject = False,
) -> None:
    """Print a case with what belongs to it."""
    with session() as runtime:
        case = runtime.stores.cases.get(name)
        matches = runtime.stores.matches.of_case(case.work_id, case.site)
        if as_json:
            rows = [*matches_as_objects(matches, runtime.stores)]
            print_json_line({**_as_object(case), "matches": rows})
            return
        _show(case)
        print_matches(matches, runtime.stores)


def _show(case: Case) -> None:
    """Print what a case comes to."""
    verdict = word(translator(), VERDICTS, case.verdict)
    state = word(translator(), CASE_STATES, case.state)
    print_result(f"{case.name}  {verdict} · {state}")
    print_result("  " + _("Work: {title}").format(title=case.work_title))
    print_result("  " + _("Site: {site}").format(site=case.site))
    print_result(
        "  "
        + _("{chars} characters of {passages} passages, on {pages} pages").format(
            chars=case.copied_chars, passages=case.passages, pages=case.pages
        )
    )
    if case.looks:
        print_result("  " + _looks(case))


def _looks(case: Case) -> str:
    """Return how many of a case's pages the last looks saw up, gone and so on."""
    states = [state for state in LOOK_STATES if state in case.looks]
    seen = [f"{word(translator(), LOOKS, state)} {case.looks[state]}" for state in states]
    if case.absent_since is not None:
        seen.append(_("all of it since {moment}").format(moment=local_moment(case.absent_since)))
    return " · ".join(seen)


def _cells(case: Case) -> tuple[str | tuple[str, ...], ...]:
    return (
        case.name,
        word(translator(), VERDICTS, case.verdict),
        word(translator(), CASE_STATES, case.state),
        case.work_title,
        case.site,
        (str(case.pages), _looks(case)) if case.looks else str(case.pages),
        str(case.copied_chars),
    )


def _as_object(case: Case) -> dict[str, object]:
    return {
        "id": case.id,
        "name": case.name,
        "work_id": case.work_id,
        "work": case.work_title,
        "site": case.site,
        "verdict": case.verdict,
        "state": case.state,
        "pages": case.pages,
        "passages": case.passages,
        "copied_chars": case.copied_chars,
        "first_seen": case.first_seen.isoformat(),
        "last_seen": case.last_seen.isoformat(),
        "looks": case.looks,
        "checked": case.checked.isoformat() if case.checked else None,
        "absent_since": case.absent_since.isoformat() if case.absent_since else None,
    }
