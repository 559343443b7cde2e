"""``pindna watch list``: list the addresses of confirmed cases, and whether their copies are still up."""

from collections.abc import Iterable
from typing import Annotated

import typer

from analysis.actions.following import follow_cases
from analysis.queries import watching as queries
from analysis.words.durations import duration
from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from analysis.words.presence import watch_text
from deploy.cli.clock import local_moment
from deploy.cli.identity import user_session
from deploy.cli.labels import reason_of
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonLines, CaseOption, Limit
from deploy.cli.tables import print_list
from storage.records import Watch, WatchState

State = Annotated[WatchState | None, typer.Option(help=_("Only addresses in this state."))]
_FIELDS = (
    "url source cases state reason moved_to since due looked last_up first_gone gone_since returned notified "
    "hours"
)


def list_watches(
    *, case: CaseOption = None, state: State = None, limit: Limit = None, as_json: AsJsonLines = False
) -> None:
    with user_session() as (user, runtime):
        follow_cases(runtime)
        rows = queries.list_watches(user, runtime.stores, case=case or "", state=state, limit=limit)
        print_watches(rows, as_json=as_json)


def print_watches(rows: Iterable[Watch], *, as_json: bool) -> None:
    """Print rows of the watch."""
    headers = _("state"), _("cases"), _("address"), _("last check"), _("gone since")
    print_list(rows, as_object, headers, _cells, as_json=as_json, none=_("Nothing is watched."))


def _cells(watch: Watch) -> tuple[str | tuple[str, ...], ...]:
    notes = [watch_text(watch, translator()), *([reason_of(watch.reason)] if watch.reason else [])]
    if watch.hours is not None:
        line = _("removed {time} after the notice")
        notes.append(line.format(time=duration(translator(), watch.hours)))
    address = (watch.url, f"→ {watch.moved_to}") if watch.moved_to else watch.url
    return (
        tuple(notes),
        " ".join(f"c{number}" for number in watch.cases),
        address,
        local_moment(watch.looked),
        local_moment(watch.gone_since),
    )


def as_object(watch: Watch) -> dict[str, object]:
    """Return a row of the watch as the object that ``--json`` prints."""
    return object_of(watch, _FIELDS, cases=[f"c{number}" for number in watch.cases])
