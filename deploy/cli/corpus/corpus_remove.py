"""``pindna corpus remove``, ``undo`` and ``restore``: remove works, and restore them within some days."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Annotated

import typer

from analysis.accounts.permissions import Identity
from analysis.actions.loads import undo_load
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
        if works and _is_removal_confirmed(yes=yes):
            _print_removed_works(remove_work(identity, runtime, work_id) for work_id in works)
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
        print_text("\n".join((_shown_losses(identity, runtime, undone.works), *_lines_about_rest(undone))))
        if not undone.works or _is_removal_confirmed(yes=yes):
            _print_removed_works(undo_load(identity, runtime, undone.id))


def _lines_about_rest(load: Load) -> Iterator[str]:
    """Yield the lines about works that stay when a load is undone."""
    for work in load.kept:
        line = _("“{title}” (id:{id}) stays: it now contains texts of other loads too.")
        yield line.format(title=work.title, id=work.id)
    for work in load.changed:
        line = _("“{title}” (id:{id}) stays as this load changed it.")
        yield line.format(title=work.title, id=work.id)


def loads(*, as_json: AsJson = False) -> None:
    with user_session() as (identity, runtime):
        last_loads = list_loads(identity, runtime.stores)
    headers = _("load"), _("time"), _("by"), _("works"), _("stay"), _("titles")
    print_list(last_loads, _load_as_object, headers, _load_cells, as_json=as_json)


def _load_as_object(load: Load) -> dict[str, object]:
    works = {name: [work.id for work in getattr(load, name)] for name in ("works", "kept", "changed")}
    return object_of(load, "id at by", **works)


def _load_cells(load: Load) -> tuple[str, ...]:
    staying = [*load.kept, *load.changed]
    works = [*load.works, *staying]
    shown = ", ".join([*(work.title for work in works[:_SHOWN_TITLES]), "…"][: len(works)])
    counts = str(len(load.works)), str(len(staying))
    return load.id, local_moment(load.at), load.by, *counts, shown


def _shown_losses(identity: Identity, runtime: Runtime, works: Sequence[Work]) -> str:
    """Return the lines about what is removed together with works."""
    lines: list[str] = []
    for work in works:
        losses, remains = losses_of(identity, runtime, work.id)
        lines += filter(None, (_losses(work, losses), _rest(remains)))
    return "\n".join(lines)


def _is_removal_confirmed(*, yes: bool) -> bool:
    """Return whether the user confirms the removal of works."""
    question = _("Remove these works? They can be restored for {days} days.").format(days=REMOVED_DAYS)
    if not (confirmed := is_confirmed(question, yes=yes)):
        print_result(_("Nothing was removed."))
    return confirmed


def _print_removed_works(works: Iterable[Work]) -> None:
    for work in works:
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
