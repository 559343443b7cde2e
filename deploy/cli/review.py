"""``pindna review``, ``pindna dismiss`` and ``pindna dismissals``: an analyst's decisions on matches."""

from collections.abc import Callable
from typing import Annotated, Literal

import typer

from analysis.i18n import gettext as _
from analysis.i18n import translator
from analysis.labels import REVIEWS, VERDICTS, word
from deploy.cli.console import print_json_line, print_result, print_table
from deploy.cli.options import AsJson
from deploy.cli.outcomes import for_each
from deploy.cli.session import session
from storage.collections.stores import Stores
from storage.records import Dismissal, Match
from tracker.corpus.loading import find_work
from tracker.review import decisions

app = typer.Typer(no_args_is_help=True)
dismissals_app = typer.Typer(no_args_is_help=True)
Names = Annotated[list[str], typer.Argument(metavar="MATCH…", help=_("Ids of matches."))]
State = Literal["open", "confirmed", "dismissed"]


@app.command("list", help=_("List the matches of a work or a site with their ids and what was said of them."))
def list_matches(
    *,
    work: Annotated[str | None, typer.Option(help=_("Only this work (title or id)."))] = None,
    site: Annotated[str | None, typer.Option(help=_("Only this site."))] = None,
    state: Annotated[State | None, typer.Option(help=_("Only matches in this state of review."))] = None,
    as_json: AsJson = False,
) -> None:
    """Print matches, the most copied first."""
    with session() as runtime:
        matches = _matches(runtime.stores, work=work, site=site, state=state)
    if as_json:
        for match in matches:
            print_json_line(_as_object(match))
        return
    for match in matches:
        print_result(
            _("{match}: {verdict}, {chars} characters, {review}").format(
                match=match.id,
                verdict=word(translator(), VERDICTS, match.verdict),
                chars=match.copied_chars,
                review=word(translator(), REVIEWS, match.review or "open"),
            )
            + (f" ({match.because})" if match.because else "")
        )
        print_result(f"  {match.work_title} {match.passage_title}".rstrip() + f"  {match.url}")


def _matches(stores: Stores, *, work: str | None, site: str | None, state: State | None) -> list[Match]:
    work_filter = None if work is None else find_work(work, stores).id
    cases = {(case.work_id, case.site) for case in stores.cases.all()}
    cases |= {(match.work_id, match.site) for match in stores.matches.all_reviewed()}
    matches = [
        match
        for work_id, host in sorted(cases)
        if work_filter in (None, work_id) and site in (None, host)
        for match in stores.matches.of_case(work_id, host)
    ]
    chosen = [match for match in matches if state is None or (match.review or "open") == state]
    return sorted(chosen, key=lambda match: (-match.copied_chars, match.id))


@app.command("confirm", help=_("Say that matches are infringements."))
def confirm(names: Names) -> None:
    """Confirm matches."""
    _for_each(names, decisions.confirm, _("Confirmed {name}."))


@app.command("reopen", help=_("Take back what was said of matches."))
def reopen(names: Names) -> None:
    """Reopen matches."""
    _for_each(names, decisions.reopen, _("Open again: {name}."))


def dismiss(
    names: Names,
    *,
    because: Annotated[str, typer.Option(help=_("Why it does not infringe."))],
) -> None:
    """Dismiss matches: their stretches never come back as new on their sites."""

    def apply(match: Match, stores: Stores) -> None:
        decisions.dismiss(match, stores, because=because)

    _for_each(names, apply, _("Dismissed {name}."))


def _for_each(names: list[str], apply: Callable[[Match, Stores], None], message: str) -> None:
    """Apply a decision to each match; ids that do not exist are reported and skipped."""
    with session() as runtime:

        def judge(name: str) -> str:
            apply(runtime.stores.matches.get(name), runtime.stores)
            return message.format(name=name)

        tally = for_each(names, judge)
    if tally.status:
        raise typer.Exit(tally.status)


@dismissals_app.command("list", help=_("List what was dismissed, and why."))
def list_dismissals(*, as_json: AsJson = False) -> None:
    """Print every dismissal, the newest first."""
    with session() as runtime:
        dismissals = runtime.stores.dismissals.all()
    if as_json:
        for dismissal in dismissals:
            print_json_line(
                {
                    "id": dismissal.id,
                    "site": dismissal.site,
                    "work": dismissal.work_title,
                    "passage": dismissal.passage_title,
                    "stretch": [dismissal.start, dismissal.end],
                    "because": dismissal.because,
                    "url": dismissal.url,
                    "made": dismissal.made.isoformat(),
                }
            )
        return
    print_table((_("id"), _("site"), _("work"), _("characters"), _("because")), map(_cells, dismissals))


def _cells(dismissal: Dismissal) -> tuple[str, ...]:
    title = f"{dismissal.work_title} {dismissal.passage_title}".strip()
    return dismissal.id, dismissal.site, title, f"{dismissal.start + 1}–{dismissal.end}", dismissal.because


@dismissals_app.command("remove", help=_("Take dismissals back: their stretches count again."))
def remove_dismissals(
    names: Annotated[list[str], typer.Argument(metavar="ID…", help=_("Ids of dismissals."))],
) -> None:
    """Undo dismissals."""
    with session() as runtime:

        def undo(name: str) -> str:
            decisions.undo(runtime.stores.dismissals.get(name), runtime.stores)
            return _("Removed dismissal {name}.").format(name=name)

        tally = for_each(names, undo)
    if tally.status:
        raise typer.Exit(tally.status)


def _as_object(match: Match) -> dict[str, object]:
    return {
        "id": match.id,
        "work": match.work_title,
        "passage": match.passage_title,
        "site": match.site,
        "url": match.url,
        "verdict": match.verdict,
        "coverage": match.coverage,
        "passage_coverage": match.passage_coverage,
        "copied_chars": match.copied_chars,
        "licence": match.licence,
        "page_older": match.page_older,
        "review": match.review or "open",
        "because": match.because,
    }
