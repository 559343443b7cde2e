"""``pindna review`` and ``pindna dismiss``: an analyst's decisions on matches."""

from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Annotated

import typer

from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from deploy.cli.asking import Yes, choose, is_confirmed
from deploy.cli.console import ask, can_ask, print_json_line, print_result
from deploy.cli.identity import As, actor
from deploy.cli.options import AsJson, AsJsonObject, Limit, with_options
from deploy.cli.outcomes import for_each
from deploy.cli.review.match_filters import (
    MatchFilter,
    MinShare,
    OpenMatches,
    Since,
    Site,
    State,
    Until,
    VerdictOption,
    WorkOption,
    select,
)
from deploy.cli.review.match_view import matches_as_objects, print_matches, show_match
from deploy.cli.session import session
from storage.collections.stores import Stores
from storage.records import DecisionState, Match
from system.errors import PindnaError
from tracker.review import decisions
from tracker.review.decisions import NoNote, NoReason, Ruling

Name = Annotated[str, typer.Argument(metavar="MATCH", help=_("m12, an id, or the beginning of one."))]
Names = Annotated[
    list[str] | None, typer.Argument(metavar="MATCH…", help=_("m12, an id, or the beginning of one."))
]
Because = Annotated[str, typer.Option(help=_("Why. A dismissal needs a reason."))]


class NothingNamed(PindnaError):
    """Neither matches nor filters were given."""

    template = "Name the matches (m12 …), or choose them by --site, --work, --case or --scan."


class NothingChosen(PindnaError):
    """No match meets the filters."""

    template = "No match is like that. `pindna review list` shows those that are there."


def list_matches(
    *,
    work: WorkOption = None,
    site: Site = None,
    case: Annotated[str | None, typer.Option(metavar="CASE", help=_("Only this case, such as c7."))] = None,
    state: State = None,
    verdict: VerdictOption = None,
    min_share: MinShare = 0,
    since: Since = None,
    until: Until = None,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """Print matches, the gravest first, then the most copied."""
    wanted = MatchFilter(work, site, case, state, verdict, min_share, since, until)
    with session() as runtime:
        matches = islice(select(wanted, runtime), limit)
        if as_json:
            for row in matches_as_objects(matches, runtime.stores):
                print_json_line(row)
        elif not print_matches(matches, runtime.stores):
            print_result(_("No match is like that."))


def show(name: Name, *, as_json: AsJsonObject = False) -> None:
    """Print everything that is known of a match."""
    with session() as runtime:
        match = runtime.stores.matches.get(name)
        if as_json:
            print_json_line(*matches_as_objects([match], runtime.stores))
        else:
            show_match(match, runtime)


def show_next(
    *,
    work: WorkOption = None,
    site: Site = None,
    by: As = "",
) -> None:
    """Print open matches one after the other, as long as there are answers."""
    with session() as runtime:
        waiting = [match.id for match in select(MatchFilter(work, site, state="open"), runtime)]
        print_result(
            ngettext("{count} match is open.", "{count} matches are open.", len(waiting)).format(
                count=len(waiting)
            )
        )
        for match_id in waiting:
            current = runtime.stores.matches.get(match_id)
            if current.review:  # decided with one before
                continue
            show_match(current, runtime)
            if not can_ask() or not _decide_now(current, runtime.stores, by=actor(by)):
                return


def _decide_now(match: Match, stores: Stores, *, by: str) -> bool:
    """Ask what a match is and store the answer; returns whether to go on with the next one."""
    answers = {
        "c": _("confirm"),
        "d": _("dismiss"),
        "n": _("set aside, with a note"),
        "s": _("skip"),
        "q": _("quit"),
    }
    answer = choose(_("What is it?"), answers, options="review confirm")
    if answer == "c":
        decisions.confirm(match, stores, by=by)
        print_result(_("Confirmed {name}.").format(name=match.name))
    elif answer == "d":
        because = ask(_("Why does it not infringe?"))
        try:
            decisions.dismiss(match, stores, because=because, by=by)
        except NoReason:
            print_result(_("Without a reason it stays open."))
        else:
            print_result(_("Dismissed {name}.").format(name=match.name))
    elif answer == "n":
        note = ask(_("What is doubtful?"))
        try:
            decisions.set_aside(match, stores, because=note, by=by)
        except NoNote:
            print_result(_("Without a note it stays open."))
        else:
            print_result(_("Set aside {name}.").format(name=match.name))
    return answer in ("c", "d", "n", "s")


@with_options
def confirm(
    names: Names = None,
    *,
    because: Annotated[str, typer.Option(help=_("Why."))] = "",
    by: As = "",
    chosen: OpenMatches,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Confirm matches: those named, or the open ones that are chosen."""
    ruling = Ruling(state="confirmed", because=because, by=actor(by))
    _decide(names, chosen.filter(), ruling, yes=yes, as_json=as_json)


@with_options
def dismiss(
    names: Names = None,
    *,
    because: Because = "",
    by: As = "",
    chosen: OpenMatches,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Dismiss matches: those named, or the open ones that are chosen."""
    if not because.strip():
        raise NoReason
    ruling = Ruling(state="dismissed", because=because, by=actor(by))
    _decide(names, chosen.filter(), ruling, yes=yes, as_json=as_json)


def _decide(
    names: list[str] | None, wanted: MatchFilter, ruling: Ruling, *, yes: bool, as_json: bool
) -> None:
    """Decide about the named matches one by one, or about all that are chosen at once."""
    if names:
        message = _messages()[ruling.state]
        decide = partial(decisions.decide, ruling=ruling)
        _for_each(names, lambda match, stores: decide([match], stores), message, as_json=as_json)
    elif wanted.is_about_some:
        _decide_chosen(wanted, ruling, yes=yes, as_json=as_json)
    else:
        raise NothingNamed


def _messages() -> dict[DecisionState, str]:
    return {
        "confirmed": _("Confirmed {name}."),
        "dismissed": _("Dismissed {name}."),
        "doubtful": _("Set aside {name}."),
    }


def _decide_chosen(wanted: MatchFilter, ruling: Ruling, *, yes: bool, as_json: bool) -> None:
    with session() as runtime:
        matches = list(select(wanted, runtime))
        if not matches:
            raise NothingChosen
        if not yes and not as_json:
            print_matches(matches, runtime.stores)
        question = ngettext("Decide about this match?", "Decide about these {count} matches?", len(matches))
        if not is_confirmed(question.format(count=len(matches)), yes=yes):
            print_result(_("Nothing was decided."))
            return
        decisions.decide(matches, runtime.stores, ruling=ruling)
        if as_json:
            for match in matches:
                _print_match(match.id, runtime.stores)
            return
    counted = {
        "confirmed": ngettext("Confirmed {count} match.", "Confirmed {count} matches.", len(matches)),
        "dismissed": ngettext("Dismissed {count} match.", "Dismissed {count} matches.", len(matches)),
        "doubtful": ngettext("Set aside {count} match.", "Set aside {count} matches.", len(matches)),
    }
    print_result(counted[ruling.state].format(count=len(matches)))


@with_options
def doubt(
    names: Names = None,
    *,
    because: Annotated[str, typer.Option(help=_("The note."))] = "",
    by: As = "",
    chosen: OpenMatches,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Set matches aside: those named, or the open ones that are chosen."""
    if not because.strip():
        raise NoNote
    ruling = Ruling(state="doubtful", because=because, by=actor(by))
    _decide(names, chosen.filter(), ruling, yes=yes, as_json=as_json)


def reopen(
    names: Annotated[
        list[str], typer.Argument(metavar="MATCH…", help=_("m12, an id, or the beginning of one."))
    ],
    *,
    because: Annotated[str, typer.Option(help=_("Why."))] = "",
    by: As = "",
    as_json: AsJson = False,
) -> None:
    """Reopen matches."""

    def reopen_one(match: Match, stores: Stores) -> None:
        decisions.reopen(match, stores, by=actor(by), because=because)

    _for_each(names, reopen_one, _("Open again: {name}."), as_json=as_json)


def _for_each(
    names: list[str], apply: Callable[[Match, Stores], object], message: str, *, as_json: bool
) -> None:
    """Apply a decision to each match and print it; ids that do not exist are reported and skipped."""
    with session() as runtime:

        def judge(name: str) -> str | None:
            apply(runtime.stores.matches.get(name), runtime.stores)
            if not as_json:
                return message.format(name=name)
            _print_match(name, runtime.stores)
            return None

        tally = for_each(names, judge)
    if tally.status:
        raise typer.Exit(tally.status)


def _print_match(name: str, stores: Stores) -> None:
    """Print a match as it is now, as ``review list --json`` does."""
    for row in matches_as_objects([stores.matches.get(name)], stores):
        print_json_line(row)
