"""``pindna index``: the fingerprint index in Redis."""

from collections.abc import Iterator
from dataclasses import asdict

import typer

from analysis.actions.upkeep import compact_index, rebuild_index
from analysis.words.i18n import gettext as _
from deploy.cli.console import print_json_line, print_result
from deploy.cli.details import print_details
from deploy.cli.identity import As, user_session
from deploy.cli.options import AsJson
from deploy.cli.scan.waiting import warn_of_missing_works
from deploy.cli.session import session
from storage.collections.works import WorkStore
from system.exit_status import ExitStatus
from tracker.indexing.guard import verify

_MAX_SHOWN = 20


def stats(*, as_json: AsJson = False) -> None:
    with session() as runtime:
        statistics = runtime.guard.index().statistics()
        characters = sum(work.characters for work in runtime.stores.works.all())
    details = {**asdict(statistics), "characters": characters}
    if as_json:
        print_json_line(details)
        return
    print_details(details)


def rebuild(*, by: As = "") -> None:
    with user_session(by) as (user, runtime):
        statistics = rebuild_index(user, runtime)
    print_result(
        _("Generation {generation} is live: {passages} passages, {postings} postings.").format(
            generation=statistics.generation, passages=statistics.passages, postings=statistics.postings
        )
    )


def compact(*, by: As = "") -> None:
    with user_session(by) as (user, runtime):
        statistics = compact_index(user, runtime)
    print_result(
        _("{passages} passages, {postings} postings, {memory:.1f} MB in Redis.").format(
            passages=statistics.passages, postings=statistics.postings, memory=statistics.memory_bytes / 1e6
        )
    )


def verify_index() -> None:
    with session() as runtime:
        missing = verify(runtime.stores, runtime.redis, runtime.params)
        unindexed = warn_of_missing_works(runtime)
        for line in _missing_titles(runtime.stores.works):
            print_result(line)
    if missing:
        print_result(
            _("Passages are missing in the index ({count}). Run `pindna index rebuild`.").format(
                count=missing
            )
        )
    else:
        print_result(_("The index holds every passage of every indexed work."))
    if missing or unindexed:
        raise typer.Exit(ExitStatus.FOUND)


def _missing_titles(works: WorkStore) -> Iterator[str]:
    """Yield a line for each of the first works that are stored but not in the index."""
    labels = {"stored": _("  waits: “{title}” (id {id})"), "failed": _("  failed: “{title}” (id {id})")}
    for status, label in labels.items():
        titles = sorted(works.titles_in(status).items())
        yield from (label.format(title=title, id=work_id) for work_id, title in titles[:_MAX_SHOWN])
        if len(titles) > _MAX_SHOWN:
            yield _("  and {count} more").format(count=len(titles) - _MAX_SHOWN)
