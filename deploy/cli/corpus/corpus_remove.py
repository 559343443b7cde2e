"""``pindna corpus remove`` and ``restore``: remove works, and restore them within some days."""

from datetime import timedelta

from analysis.actions.works import losses_of, removed_work_called, removed_works
from analysis.actions.works import remove as remove_work
from analysis.actions.works import restore as restore_work
from analysis.queries.works import work_called
from analysis.words.i18n import gettext as _
from deploy.cli.asking import Yes, is_confirmed
from deploy.cli.clock import local_moment
from deploy.cli.console import print_progress, print_result
from deploy.cli.identity import As, user_session
from deploy.cli.objects import object_of
from deploy.cli.options import WaitForAll, WorkNames
from deploy.cli.outcomes import for_each
from deploy.cli.scan.joining import compare_stored_pages
from deploy.cli.scan.waiting import wait_for_works, warn_of_missing_works
from deploy.cli.tables import print_list
from storage.records import Removal, Work
from tracker.corpus.removal import REMOVED_DAYS, Remains

_COUNTS = "passages", "matches", "cases", "dismissals", "captures"


def remove(names: WorkNames, *, yes: Yes = False, by: As = "") -> None:
    with user_session(by) as (identity, runtime):
        works: dict[int, Work] = {}

        def show(name: str) -> str:
            work = work_called(identity, runtime.stores, name)
            works[work.id] = work
            losses, remains = losses_of(identity, runtime, work.id)
            return "\n".join(filter(None, (_losses(work, losses), _rest(remains))))

        removed_works(identity, runtime)  # also finishes interrupted removals
        tally = for_each(names, show)
        question = _("Remove these works? They can be restored for {days} days.").format(days=REMOVED_DAYS)
        if works and is_confirmed(question, yes=yes):
            for work in works.values():
                remove_work(identity, runtime, work.id)
                line = _("Removed “{title}” (id:{id}); `pindna corpus restore id:{id}` restores it.")
                print_result(line.format(title=work.title, id=work.id))
        elif works:
            print_result(_("Nothing was removed."))
    tally.end()


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


def restore(names: WorkNames, *, wait: WaitForAll = True, by: As = "") -> None:
    with user_session(by, worker=True) as (identity, runtime):

        def bring_back(name: str) -> str:
            work = restore_work(identity, runtime, removed_work_called(identity, runtime, name).id)
            return _("Restored “{title}” (id:{id}).").format(title=work.title, id=work.id)

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
