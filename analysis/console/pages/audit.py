"""The audit log: actions with their users, times, and values before and after."""

from collections.abc import Mapping, Sequence
from typing import cast, get_args

from analysis.console.parts.administered import administered
from analysis.console.parts.filter_values import BadFilter, since_of, until_of
from analysis.console.parts.filters import FilterForm
from analysis.console.parts.lists import nothing, pager
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign
from analysis.console.places import AUDIT
from analysis.console.view import View
from analysis.queries.events import list_audit
from analysis.words.i18n import NC_
from analysis.words.labels import EVENTS
from storage.records import Event, EventKind


async def build(
    view: View,
    *,
    by: str = "",
    kind: str = "",
    subject: str = "",
    since: str = "",
    until: str = "",
    cursor: str = "",
) -> None:
    """Show the requested rows, the newest first."""
    administered(view, AUDIT)
    filters = {"by": by, "kind": kind, "subject": subject, "since": since, "until": until}
    _form(view, filters)
    zone = view.installation.zone
    try:
        first, end = since_of("since", since, zone), until_of("until", until, zone)
    except BadFilter as error:
        nothing(view, view.texts.error(error))
        return
    listing = await view.read(
        list_audit,
        by=by,
        kind=cast("EventKind", kind) if kind in get_args(EventKind) else None,
        subject=subject,
        cursor=cursor,
        since=first,
        until=end,
    )
    if not listing.items:
        nothing(view)
        return
    _table(view, listing.items)
    pager(view, "/administration/audit", filters, following=listing.next)


def _form(view: View, filters: Mapping[str, str]) -> None:
    """Show the filters; their values become part of the address."""
    form = FilterForm(view, "/administration/audit", filters)
    form.text("by", view.gettext("Done by"))
    form.choice(
        "kind", view.gettext("Action"), {name: view.word(EVENTS, name) for name in get_args(EventKind)}
    )
    form.text("subject", view.gettext(NC_("audit", "Subject")), hint="account ana")
    form.day("since", view.gettext("From the day"))
    form.day("until", view.gettext("Up to the day"))
    form.button()


def _table(view: View, events: Sequence[Event]) -> None:
    columns = (
        Column(view.gettext("When"), "word"),
        Column(view.gettext("Done by"), "word"),
        Column(view.gettext("Action"), "word"),
        Column(view.gettext(NC_("audit", "Subject"))),
        Column(view.gettext("Details"), "wide"),
    )
    table = Table(view.gettext("Audit log"), columns)
    for event in events:
        with table.row() as row:
            row.cell(view.moment(event.at))
            row.cell(event.by)
            row.cell(view.word(EVENTS, event.kind))
            row.cell(event.subject)
            with row.cell():
                for name, value in event.detail.items():
                    foreign(f"{name}: {value}", tag="div").classes("small")
