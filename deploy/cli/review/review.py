"""``pindna review`` and ``pindna dismiss``: an analyst's decisions on matches."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import typer

from analysis.accounts.permissions import Identity
from analysis.actions.review import decide_chosen, decide_match, reopen_match
from analysis.queries.comparisons import at_least
from analysis.queries.matches import MatchQuery, get_match, with_presences
from analysis.queries.review import Find, get_find
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from deploy.cli.asking import Yes, choose, is_confirmed
from deploy.cli.console import ask, can_ask, print_json_line, print_result
from deploy.cli.identity import As, user_session
from deploy.cli.options import (
    AsJson,
    AsJsonObject,
    Because,
    CaseOption,
    Limit,
    Note,
    WhyDecided,
    with_options,
)
from deploy.cli.outcomes import for_each
from deploy.cli.review.match_options import (
    DisguiseOption,
    MinShare,
    OpenMatches,
    OrderOption,
    Since,
    Site,
    State,
    Until,
    VerdictOption,
    WorkOption,
    first_of,
    select,
)
from deploy.cli.review.match_view import match_as_object, print_matches, show_match
from storage.records import DecisionState
from system.errors import PindnaError
from tracker.review.decisions import NoNote, NoReason
from tracker.runtime import Runtime

Name = Annotated[
    str,
    typer.Argument(
        metavar="MATCH", help=_("Number of the match, such as m12, or its id or the beginning of its id.")
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="MATCH…", help=_("Number of the match, such as m12, or its id or the beginning of its id.")
    ),
]


class NothingNamed(PindnaError):
    """Neither matches nor filters were given."""

    template = "Give the names of matches (m12 …), or select them by --site, --work, --case or --scan."


class NothingChosen(PindnaError):
    """No match fits the filters."""

    template = "No match meets these conditions. `pindna review list` lists all matches."


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionOptions:
    """The options of a decision: reason, user, confirmation and output format."""

    state: DecisionState
    reason: str
    by: str
    yes: bool
    as_json: bool


def list_matches(
    *,
    work: WorkOption = None,
    site: Site = None,
    case: CaseOption = None,
    state: State = None,
    verdict: VerdictOption = None,
    min_share: MinShare = 0,
    disguise: DisguiseOption = None,
    since: Since = None,
    until: Until = None,
    order: OrderOption = "gravest",
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    with user_session() as (user, runtime):
        query = MatchQuery(
            disguise=disguise or "",
            order=order,
            review=state,
            verdict=verdict,
            coverage=at_least(min_share),
            since=first_of(since),
            until=first_of(until, later=1),
        )
        matches = select(user, runtime, query, work=work, site=site, case=case, limit=limit)
        rows = with_presences(user, runtime.stores, matches)
        if as_json:
            for row in rows:
                print_json_line(match_as_object(*row))
        elif not print_matches(rows):
            print_result(_("No match meets these conditions."))


def show(name: Name, *, as_json: AsJsonObject = False) -> None:
    with user_session() as (user, runtime):
        if as_json:
            _print_match(name, user, runtime)
        else:
            show_match(get_match(user, runtime.stores, name), user, runtime)


def show_next(*, work: WorkOption = None, site: Site = None, by: As = "") -> None:
    with user_session(by) as (user, runtime):
        open_ones = select(user, runtime, MatchQuery(review="open"), work=work, site=site)
        waiting = [match.id for match in open_ones]
        print_result(
            ngettext("{count} match is open.", "{count} matches are open.", len(waiting)).format(
                count=len(waiting)
            )
        )
        for match_id in waiting:
            find = get_find(user, runtime.stores, match_id)
            if find.match.review:  # an earlier decision also applied to this match
                continue
            show_match(find.match, user, runtime)
            if not can_ask() or not _decide_now(find, user, runtime):
                return


def _decide_now(find: Find, user: Identity, runtime: Runtime) -> bool:
    """Ask for a decision on a match and store it; returns whether to continue with the next match."""
    answers = {
        "c": _("confirm"),
        "d": _("dismiss"),
        "n": _("set aside, with a note"),
        "s": _("skip"),
        "q": _("quit"),
    }
    states: dict[str, DecisionState] = {"c": "confirmed", "d": "dismissed", "n": "doubtful"}
    questions = {"d": _("Why does it not infringe?"), "n": _("What is doubtful?")}
    answer = choose(_("Decision?"), answers, options="review confirm")
    if answer in states:
        state, reason = states[answer], ask(questions[answer]) if answer in questions else ""
        try:
            decide_match(
                user, runtime, find.match.id, state=state, reason=reason, expected_version=find.version
            )
        except NoReason:
            print_result(_("Without a reason, the match stays open."))
        except NoNote:
            print_result(_("Without a note, the match stays open."))
        else:
            print_result(_messages()[state].format(name=find.match.name))
    return answer in ("c", "d", "n", "s")


@with_options
def confirm(
    names: Names = None,
    *,
    reason: Because = "",
    by: As = "",
    chosen: OpenMatches,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    _decide(names, chosen, DecisionOptions(state="confirmed", reason=reason, by=by, yes=yes, as_json=as_json))


@with_options
def dismiss(
    names: Names = None,
    *,
    reason: WhyDecided = "",
    by: As = "",
    chosen: OpenMatches,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    if not reason.strip():
        raise NoReason
    _decide(names, chosen, DecisionOptions(state="dismissed", reason=reason, by=by, yes=yes, as_json=as_json))


@with_options
def doubt(
    names: Names = None,
    *,
    reason: Note = "",
    by: As = "",
    chosen: OpenMatches,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    if not reason.strip():
        raise NoNote
    _decide(names, chosen, DecisionOptions(state="doubtful", reason=reason, by=by, yes=yes, as_json=as_json))


def _decide(names: list[str] | None, chosen: OpenMatches, options: DecisionOptions) -> None:
    """Decide about the named matches one by one, or about all selected matches at once."""
    if names:

        def decide(user: Identity, runtime: Runtime, name: str) -> None:
            decide_match(user, runtime, name, state=options.state, reason=options.reason)

        _for_each(names, decide, _messages()[options.state], options.by, as_json=options.as_json)
    elif chosen.is_about_some:
        _decide_chosen(chosen, options)
    else:
        raise NothingNamed


def _messages() -> dict[DecisionState, str]:
    return {
        "confirmed": _("Confirmed {name}."),
        "dismissed": _("Dismissed {name}."),
        "doubtful": _("Set aside {name}."),
    }


def _decide_chosen(chosen: OpenMatches, options: DecisionOptions) -> None:
    with user_session(options.by) as (user, runtime):
        matches = list(chosen.select(user, runtime))
        if not matches:
            raise NothingChosen
        if not options.yes and not options.as_json:
            print_matches(with_presences(user, runtime.stores, matches))
        question = ngettext("Decide about this match?", "Decide about these {count} matches?", len(matches))
        if not is_confirmed(question.format(count=len(matches)), yes=options.yes):
            print_result(_("Nothing was decided."))
            return
        decide_chosen(user, runtime, matches, state=options.state, reason=options.reason)
        if options.as_json:
            for match in matches:
                _print_match(match.id, user, runtime)
            return
    counted = {
        "confirmed": ngettext("Confirmed {count} match.", "Confirmed {count} matches.", len(matches)),
        "dismissed": ngettext("Dismissed {count} match.", "Dismissed {count} matches.", len(matches)),
        "doubtful": ngettext("Set aside {count} match.", "Set aside {count} matches.", len(matches)),
    }
    print_result(counted[options.state].format(count=len(matches)))


def reopen(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="MATCH…",
            help=_("Number of the match, such as m12, or its id or the beginning of its id."),
        ),
    ],
    *,
    reason: Because = "",
    by: As = "",
    as_json: AsJson = False,
) -> None:

    def reopen_one(user: Identity, runtime: Runtime, name: str) -> None:
        reopen_match(user, runtime, name, reason=reason)

    _for_each(names, reopen_one, _("Reopened {name}."), by, as_json=as_json)


def _for_each(
    names: list[str], act: Callable[[Identity, Runtime, str], None], message: str, by: str, *, as_json: bool
) -> None:
    """Apply a function to each match and print the match; unknown ids are reported and skipped."""
    with user_session(by) as (user, runtime):

        def do(name: str) -> str | None:
            act(user, runtime, name)
            if not as_json:
                return message.format(name=name)
            _print_match(name, user, runtime)
            return None

        tally = for_each(names, do)
    tally.end()


def _print_match(name: str, user: Identity, runtime: Runtime) -> None:
    """Print the present state of a match, as ``review list --json`` prints it."""
    stores = runtime.stores
    for row in with_presences(user, stores, [get_match(user, stores, name)]):
        print_json_line(match_as_object(*row))
