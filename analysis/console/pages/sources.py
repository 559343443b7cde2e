"""The list of sources, with their health."""

from nicegui import ui

from analysis.alerts.source_alerts import alert_words
from analysis.console.parts.badges import badge
from analysis.console.parts.lists import SHOWN, nothing, pager
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign, plain
from analysis.console.view import View
from analysis.queries.sources import SourceView, list_sources
from analysis.words.labels import SOURCE_KINDS
from storage.records import utc_now

_SHOWN_ADDRESSES = 3


async def build(view: View, *, cursor: str = "") -> None:
    """Show the sources sorted by name."""
    rules = view.installation.runtime.settings.tracker
    listing = await view.read(list_sources, rules, cursor=cursor, limit=SHOWN)
    if view.may("sources:write"):
        ui.button(view.gettext("New source"), icon="add", on_click=lambda: ui.navigate.to("/sources/new"))
    ui.link(view.gettext("Candidates"), "/sources/candidates")
    if not listing.items:
        nothing(view, view.gettext("There is no source yet. Add one: a site's section pages or a catalogue."))
        return
    columns = (
        Column(view.gettext("Name"), "word"),
        Column(view.gettext("Kind"), "word"),
        Column(view.gettext("Address"), "wide"),
        Column(view.gettext("State"), "wide"),
        Column(view.gettext("Last crawl"), "word"),
        Column(view.gettext("Next crawl"), "word"),
    )
    table = Table(view.gettext("Sources"), columns)
    for shown in listing.items:
        _row(view, table, shown)
    pager(view, "/sources", {}, following=listing.next)


def _row(view: View, table: Table, shown: SourceView) -> None:
    source, health = shown.source, shown.health
    with table.row() as row:
        row.link(source.name, f"/sources/{source.name}")
        row.cell(view.word(SOURCE_KINDS, source.kind))
        with row.cell():
            for address in source.addresses[:_SHOWN_ADDRESSES]:
                foreign(address, tag="div")
            if (more := len(source.addresses) - _SHOWN_ADDRESSES) > 0:
                line = view.ngettext("{count} more", "{count} more", more).format(count=f"{more:,}")
                plain(line, "div").classes("soft small")
        with row.cell():
            state_of(view, shown)
        with row.cell():
            plain(view.moment(health.last_crawl), "div")
            if health.last_success != health.last_crawl:
                line = view.gettext("Last success: {moment}")
                plain(line.format(moment=view.moment(health.last_success)), "div").classes("soft small")
        row.cell(view.moment(shown.next_crawl))


def state_of(view: View, shown: SourceView) -> None:
    """Show whether scans crawl a source, and its alerts."""
    health = shown.health
    if not shown.source.enabled:
        badge(view.gettext("Disabled"))
    elif health.paused_until is not None and health.paused_until > utc_now():
        line = view.gettext("Pauses until {until}: {reason}")
        reason = view.texts.reason(health.pause_reason)
        badge(line.format(until=view.moment(health.paused_until), reason=reason), "warn")
    elif shown.opens > utc_now():
        line = view.gettext("Outside its hours until {until}")
        badge(line.format(until=view.moment(shown.opens)))
    elif not shown.alerts:
        is_crawled = health.last_success is not None
        words = view.gettext("Healthy") if is_crawled else view.gettext("Not crawled yet")
        badge(words, "well" if is_crawled else "")
    for alert in shown.alerts:
        foreign(alert_words(view.texts, alert), tag="div").classes("note small")
