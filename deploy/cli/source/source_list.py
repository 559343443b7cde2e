"""``pindna source list``: list the sources and the results of their crawls."""

from datetime import UTC, datetime

from analysis.alerts.source_alerts import alert_line
from analysis.queries.sources import SourceView, every_source
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext, translator
from analysis.words.labels import SOURCE_KINDS
from analysis.words.search_budget import budget_line
from deploy.cli.clock import local_moment
from deploy.cli.console import print_json_line, print_result, print_table
from deploy.cli.identity import user_session
from deploy.cli.labels import word_of
from deploy.cli.objects import object_of
from deploy.cli.options import AsJson
from storage.records import Source, SourceHealth

_SOURCE = "name kind urls=start_urls enabled obey_robots robots_reason hours timezone render screenshot"
_SHOWN = 3  # maximum number of addresses in a row of the table; --json has all
_SEARCH = "form engine file queries daily cost currency"
_HEALTH = "first_success last_success last_crawl paused_until"


def list_sources(*, as_json: AsJson = False) -> None:
    with user_session() as (user, runtime):
        views = every_source(user, runtime.stores, runtime.settings.tracker)
    if as_json:
        for view in views:
            print_json_line(_as_object(view))
        return
    headers = _("name"), _("kind"), _("addresses"), _("enabled"), _("last success")
    print_table(headers, map(_cells, views))
    for view in views:
        for line in filter(None, (pause_line(view.health), hours_line(view.source), search_line(view))):
            print_result(f"{view.source.name}: {line}")
    for view in views:
        for alert in view.alerts:
            print_result(alert_line(translator(), alert))


def _cells(view: SourceView) -> tuple[str | tuple[str, ...], ...]:
    source = view.source
    return (
        source.name,
        word_of(SOURCE_KINDS, source.kind),
        _shown_addresses(source.addresses),
        _("yes") if source.enabled else _("no"),
        local_moment(view.health.last_success),
    )


def _shown_addresses(addresses: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first addresses of a source, and how many more it has."""
    more = len(addresses) - _SHOWN
    if more <= 0:
        return addresses
    return (
        *addresses[:_SHOWN],
        ngettext("… and {count} more", "… and {count} more", more).format(count=more),
    )


def pause_line(fares: SourceHealth) -> str:
    """Return until when and why a source is paused; an empty string if it is not."""
    if fares.paused_until is None or fares.paused_until <= datetime.now(UTC):
        return ""
    until = local_moment(fares.paused_until)
    return _("pauses until {until} ({reason})").format(
        until=until, reason=translator().reason(fares.pause_reason)
    )


def hours_line(source: Source) -> str:
    """Return when an enabled source outside its crawl hours may be crawled again; else an empty string."""
    now = datetime.now(UTC)
    if not source.enabled or (opens := source.opens(now)) <= now:
        return ""
    line, hours = _("outside its hours ({hours}) until {until}"), ", ".join(source.hours)
    return line.format(hours=f"{hours}, {source.timezone}", until=local_moment(opens))


def search_line(view: SourceView) -> str:
    """Return the engine, the budget and the price of a source that searches; else an empty string."""
    search = view.source.discovery
    return "" if search is None else budget_line(search, view.searches, translator())


def _as_object(view: SourceView) -> dict[str, object]:
    alerts = [object_of(alert, "kind detail since") for alert in view.alerts]
    search = view.source.discovery
    searches = None if search is None else object_of(search, _SEARCH, today=view.searches)
    return object_of(view.source, _SOURCE) | object_of(view.health, _HEALTH, alerts=alerts, searches=searches)
