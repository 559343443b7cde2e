"""``pindna corpus remove``, ``undo`` and ``restore``: remove works, and restore them within some days."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated

import typer

from analysis.accounts.permissions import Identity
from analysis.actions.works import losses_of, removed_works, removed_works_called
from analysis.actions.works import remove as remove_work
from analysis.actions.works import restore as restore_work
from analysis.queries.loads import Load, get_load, list_loads, works_called
from analysis.words.i18n import gettext as _
from deploy.cli.asking import Yes, is_confirmed
from deploy.cli.clock import local_moment
from deploy.cli.console import print_progress, print_result, print_text
from deploy.cli.identity import As, user_session
from deploy.cli.objects import object_of
from deploy.cli.options import AsJson, SeveralWorks, WaitForAll
from deploy.cli.outcomes import for_each
from deploy.cli.scan.joining import compare_stored_pages
from deploy.cli.scan.waiting import wait_for_works, warn_of_missing_works
from deploy.cli.tables import print_list
from storage.records import Removal, Work
from tracker.corpus.removal import REMOVED_DAYS, Remains
from tracker.runtime import Runtime

_SHOWN_TITLES = 3
_COUNTS = "passages", "matches", "cases", "dismissals", "captures"


def remove(names: SeveralWorks, *, yes: Yes = False, by: As = "") -> None:
    with user_session(by) as (identity, runtime):
        works: dict[int, Work] = {}

        def show(name: str) -> None:
            named = works_called(identity, runtime.stores, name)
            works.update({work.id: work for work in named})
            print_text(_shown_losses(identity, runtime, named))

        removed_works(identity, runtime)  # also finishes interrupted removals
        tally = for_each(names, show)
        if works:
            _remove_confirmed(identity, runtime, list(works.values()), yes=yes)
    tally.end()


def undo(
    load: Annotated[
        str,
        typer.Argument(metavar="LOAD", help=_("The load, as `corpus loads` lists it; default: the last.")),
    ] = "last",
    *,
    yes: Yes = False,
    by: As = "",
) -> None:
    with user_session(by) as (identity, runtime):
        removed_works(identity, runtime)  # needs the permission to remove works
        undone = get_load(identity, runtime.stores, load)
        line = _("Load {id} of {time} by {user}:")
        print_progress(line.format(id=undone.id, time=local_moment(undone.at), user=undone.by))
        print_text(_shown_losses(identity, runtime, undone.works))
        _remove_confirmed(identity, runtime, undone.works, yes=yes)


def loads(*, as_json: AsJson = False) -> None:
    with user_session() as (identity, runtime):
        last_loads = list_loads(identity, runtime.stores)
    headers = _("load"), _("time"), _("by"), _("works"), _("titles")
    print_list(last_loads, _load_as_object, headers, _load_cells, as_json=as_json)


def _load_as_object(load: Load) -> dict[str, object]:
    return object_of(load, "id at by", works=[work.id for work in load.works])


def _load_cells(load: Load) -> tuple[str, ...]:
    titles = [work.title for work in load.works[:_SHOWN_TITLES]]
    shown = ", ".join([*titles, "…"][: len(load.works)])
    return load.id, local_moment(load.at), load.by, str(len(load.works)), shown


def _shown_losses(identity: Identity, runtime: Runtime, works: Sequence[Work]) -> str:
    """Return the lines about what is removed together with works."""
    lines: list[str] = []
    for work in works:
        losses, remains = losses_of(identity, runtime, work.id)
        lines += filter(None, (_losses(work, losses), _rest(remains)))
    return "\n".join(lines)


def _remove_confirmed(identity: Identity, runtime: Runtime, works: Sequence[Work], *, yes: bool) -> None:
    """Remove works if the user confirms it."""
    question = _("Remove these works? They can be restored for {days} days.").format(days=REMOVED_DAYS)
    if not is_confirmed(question, yes=yes):
        print_result(_("Nothing was removed."))
        return
    for work in works:
        remove_work(identity, runtime, work.id)
        line = _("Removed “{title}” (id:{id}); `pindna corpus restore id:{id}` restores it.")
        print_result(line.format(title=work.title, id=work.id))


def _losses(work: Work, losses: Removal) -> str:
    """Return the line about the matches and decisions that are removed together with a work."""
    return _(
        "“{title}” (id:{id}): {passages} passages, {characters} characters; {matches} matches, {decided} of "
        "them reviewed, {cases} cases, {dismissals} dismissals, {captures} fetches as evidence."
    ).format(
        title=work.title,
        id=work.id,
        passages=losses.passages,
        characters=f"{work.characters:,}",
        matches=losses.matches,
        decided=losses.decided,
        cases=losses.cases,
        dismissals=losses.dismissals,
        captures=losses.captures,
    )


def _rest(remains: Remains | None) -> str:
    """Return the line about the editions of the book that stay; empty if there is no other edition."""
    if remains is None:
        return ""
    line = _(
        "“{title}” (id:{id}), another edition of the book, remains: {matches} matches and {cases} "
        "cases stay with it."
    )
    heir = remains.heir
    return line.format(title=heir.title, id=heir.id, matches=remains.matches, cases=remains.cases)


def restore(names: SeveralWorks, *, wait: WaitForAll = True, by: As = "") -> None:
    with user_session(by, worker=True) as (identity, runtime):

        def bring_back(name: str) -> None:
            line = _("Restored “{title}” (id:{id}).")
            for removed in removed_works_called(identity, runtime, name):
                work = restore_work(identity, runtime, removed.id)
                print_result(line.format(title=work.title, id=work.id))

        tally = for_each(names, bring_back)
        if tally.used and wait:
            wait_for_works(runtime)
            tally.missing += warn_of_missing_works(runtime)
            compare_stored_pages(identity, runtime)
    tally.end()


def print_removed(works: list[Work], *, as_json: bool) -> None:
    """Print the removed works, until when each can be restored, and what is restored with it."""
    if not works and not as_json:
        print_progress(_("No work was removed in the last {days} days.").format(days=REMOVED_DAYS))
        return
    headers = _("id"), _("title"), _("removed"), _("until"), _("passages"), _("matches"), _("cases")
    rows = works if as_json else [work for work in works if work.removal]
    print_list(rows, _as_object, headers, _cells, as_json=as_json)


def _cells(work: Work) -> tuple[str, ...]:
    if (removal := work.removal) is None:
        return ()
    until = removal.at + timedelta(days=REMOVED_DAYS)
    times = map(local_moment, (removal.at, until))
    counts = removal.passages, removal.matches, removal.cases
    return str(work.id), work.title, *times, *map(str, counts)


def _as_object(work: Work) -> dict[str, object]:
    removal = work.removal
    counts = {name: getattr(removal, name, 0) for name in _COUNTS}
    until = removal and removal.at + timedelta(days=REMOVED_DAYS)
    return object_of(work, "id title status", removed=removal and removal.at, until=until, **counts)
