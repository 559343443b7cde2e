"""Today: results of the last scan, new, open and overdue cases, unvisited pages, and the services' state."""

from collections.abc import Sequence
from datetime import datetime

from nicegui import ui

from analysis.console.parts.badges import badge
from analysis.console.parts.case_filter import LEADS
from analysis.console.parts.case_page import section
from analysis.console.parts.findings import findings_summary
from analysis.console.parts.first_steps import first_steps
from analysis.console.parts.lists import address, nothing
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign, plain
from analysis.console.parts.tiles import tile, tiles
from analysis.console.places import DOCTOR, SOURCES
from analysis.console.view import View
from analysis.queries.services import service_health
from analysis.queries.today import NewCopies, Today, reasons_of, today
from analysis.words.durations import duration
from analysis.words.i18n import NC_
from analysis.words.labels import CASE_STATES, LEFT, SCAN_STATES, TRIGGERS, VERDICTS
from analysis.words.page_texts import unread_amounts
from storage.records import VERDICTS as VERDICT_CODES
from storage.records import Scan

_REASONS = 12  # maximum number of reasons shown here; the page of the scan lists all
_SOON_S = 0.1  # delay after the page is shown, because workers need some time to answer


async def build(view: View) -> None:
    """Show the numbers of today. Each number is a link to a list."""
    settings = view.installation.runtime.settings.analysis
    if not (view.may("cases:read") and view.may("matches:read")):
        nothing(view)
        return
    figures = await view.read(today, settings)
    first_steps(view, figures)
    if figures.works:
        _tiles(view, figures)
    if view.may("sources:read"):
        with section(view.gettext("Sources, index, workers and queue")):
            _services(view, figures)
    with ui.element("div").classes("columns"):
        if figures.scan is not None:
            with section(view.gettext("The last scan")):
                _scan(view, figures, figures.scan)
            with section(view.gettext("What was not compared, and why")):
                _not_compared(view, figures.scan)
    if figures.since is not None:
        with section(view.gettext("New copies by work and site")).props('id="new-copies"'):
            _new_copies(view, figures.new_copies, figures.since)


def _tiles(view: View, figures: Today) -> None:
    _ = view.gettext
    leads = {"verdict": LEADS}
    with tiles():
        if figures.since is not None:
            since = {"since": figures.since.isoformat(), "order": "newest", **leads}
            tile(
                str(figures.new_cases),
                _("new cases since the last scan began"),
                address("/cases", since),
                tone="grave" if figures.new_cases.number else "",
            )
        tile(
            str(figures.open_finds),
            _("finds wait for a decision"),
            "/review",
            tone="warn" if figures.open_finds.number else "",
        )
        tile(
            str(figures.overdue),
            _("cases are overdue"),
            address("/cases", {"overdue": "1", **leads}),
            tone="grave" if figures.overdue.number else "",
        )
        for state, count in figures.states.items():
            label = _("Cases: {state}").format(state=view.word(CASE_STATES, state))
            tile(str(count), label, address("/cases", {"state": state, **leads}))
        removed = address("/cases", {"state": "removed", "order": "newest"})
        tile(str(figures.removals), _("cases removed by their sites"), removed)
        if figures.hours is not None:
            line = _("from notice to removal in the last 90 days (median)")
            tile(duration(view.texts, figures.hours), line, removed)


def _scan(view: View, figures: Today, scan: Scan) -> None:
    _ = view.gettext
    for running in figures.running:
        with ui.element("p").classes("note"):
            ui.link(
                _("A scan is running since {moment}").format(moment=view.moment(running.started)),
                f"/scans/{running.id}",
            )
    with ui.element("div").classes("row-line"):
        ui.link(view.moment(scan.started), f"/scans/{scan.id}")
        badge(view.word(SCAN_STATES, scan.status), "grave" if scan.status == "failed" else "well")
        plain(view.word(TRIGGERS, scan.trigger)).classes("soft")
    if scan.error:
        foreign(scan.error, tag="p").classes("problem")
    with ui.element("ul").classes("plain-list"):
        pages = scan.counts.get("pages", 0)
        line = view.ngettext("{count} page seen", "{count} pages seen", pages)
        _line(address("/pages", {"scan": scan.id}), line, pages)
        for verdict in VERDICT_CODES:
            count = scan.counts.get(f"verdict:{verdict}", 0)
            if count:
                target = address("/pages", {"scan": scan.id, "verdict": verdict})
                _line(target, f"{view.word(VERDICTS, verdict)}: {{count}}", count)


def _line(target: str, line: str, count: int) -> None:
    with ui.element("li"):
        ui.link(line.format(count=f"{count:,}"), target)


def _not_compared(view: View, scan: Scan) -> None:
    _ = view.gettext
    not_compared, pending = reasons_of(scan)
    if not not_compared and not pending and not scan.unread.pages:
        plain(_("Every page that the scan reached was compared."), "p").classes("soft")
        return
    with ui.element("ul").classes("plain-list"):
        if scan.unread.pages:
            amounts = unread_amounts(scan.unread.amounts, view.texts)
            line = view.ngettext(
                "{count} page not fully compared: {amounts}",
                "{count} pages not fully compared: {amounts}",
                scan.unread.pages,
            )
            with ui.element("li"):
                text = line.format(count=f"{scan.unread.pages:,}", amounts=amounts)
                ui.link(text, address("/pages", {"scan": scan.id, "unread": "1"}))
        for reason, count in not_compared.most_common(_REASONS):
            target = address("/pages", {"scan": scan.id, "state": "failed", "reason": reason})
            words = view.texts.reason(reason).replace("{", "{{").replace("}", "}}")
            _line(target, f"{words}: {{count}}", count)
        for reason, count in pending.most_common(_REASONS):
            line = _("{reason}: {count} addresses were not requested")
            words = view.word(LEFT, reason)
            with ui.element("li"):
                ui.link(line.format(reason=words, count=f"{count:,}"), f"/scans/{scan.id}")


def _new_copies(view: View, rows: Sequence[NewCopies], since: datetime) -> None:
    _ = view.gettext
    if not rows:
        plain(_("Nothing new since the last scan began."), "p").classes("soft")
        return
    columns = [
        Column(_("Work"), "wide"),
        Column(_("Site"), "name"),
        Column(_(NC_("count", "Finds")), "number"),
    ]
    columns.append(Column(_("Copied characters of the case"), "number"))
    table = Table(_("New copies"), [*columns, Column(_("Case"), "word")])
    for copy in rows:
        finds: dict[str, str | int | None] = {
            "site": copy.site,
            "work": copy.work_id,
            "verdict": LEADS,
            "since": since.isoformat(),
        }
        with table.row() as row:
            row.link(copy.work, f"/works/{copy.work_id}")
            row.link(copy.site, address("/cases", {"site": copy.site}))
            row.link(f"{copy.finds:,}", address("/review", finds))
            row.cell("–" if copy.chars is None else f"{copy.chars:,}")
            if copy.case:
                row.link(copy.case, f"/cases/{copy.case}")
            else:
                row.cell("–")


def _services(view: View, figures: Today) -> None:
    """Show the state of the services after a short delay, because workers take two seconds to answer."""
    _ = view.gettext
    with ui.element("div").classes("row-line"):
        if figures.waiting is not None:
            line = _("pages that wait for comparison: {count}").format(count=figures.waiting)
            ui.link(line, address("/pages", {"state": "fetched"}))
        ui.link(_("Sources"), SOURCES.path)
        if view.may("settings:read"):
            ui.link(_("Run a full check"), DOCTOR.path)
    box = ui.element("div").props('role="status"')
    with box:
        plain(_("Checking the services …")).classes("soft")

    async def show() -> None:
        workers = view.installation.workers
        findings = await view.act(service_health, workers, view.texts)
        box.clear()
        with box:
            findings_summary(view, _("Services"), findings)

    ui.timer(_SOON_S, show, once=True)
