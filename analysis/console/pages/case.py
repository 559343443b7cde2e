"""A case: its figures, states, matches, notices, evidence, takedown watch and history."""

from collections.abc import Iterable, Mapping
from urllib.parse import quote

from nicegui import ui

from analysis.actions import cases as acts
from analysis.cases.publication_order import PublicationOrder
from analysis.cases.views import CaseView
from analysis.console.parts.badges import review_badge, state_badge, verdict_badge
from analysis.console.parts.bulk import deadline_of_day
from analysis.console.parts.case_evidence import show_evidence
from analysis.console.parts.case_history import show_history
from analysis.console.parts.case_notices import show_notices
from analysis.console.parts.case_page import CasePage, deadline_mark, fact, section
from analysis.console.parts.case_rail import show_rail
from analysis.console.parts.lists import address, nothing
from analysis.console.parts.look_now import look_button
from analysis.console.parts.match_table import Cell, match_table
from analysis.console.parts.tables import Row
from analysis.console.parts.texts import foreign, foreign_link, plain
from analysis.console.parts.watch_line import show_watch
from analysis.console.places import CASES, SITE
from analysis.console.view import View
from analysis.fields.case_row import row_of
from analysis.fields.cases import FACT_FIELDS
from analysis.fields.cells import shown
from analysis.fields.field import visible
from analysis.fields.matches import IN_CASE_FIELDS
from analysis.queries.cases import CaseFindings, case_history, findings_of, view_case
from analysis.queries.listing import Listing
from analysis.queries.watching import watched_of
from analysis.words.figures import percent
from analysis.words.labels import LOOKS, PRECEDENCES, PRIORITIES, REVIEWS, Code
from analysis.words.labels.pages import Looked
from storage.records import IDLE_STATES, LOOK_STATES, Event, Match

_MATCHES = 100  # maximum number of shown matches; the list of matches has all


async def build(view: View, *, case: str = "", cursor: str = "") -> None:
    """Show a case."""
    box = ui.element("div").classes("stack")

    async def show() -> None:
        settings = view.installation.runtime.settings.analysis
        case_view = await view.read(view_case, settings, case)
        findings = await view.read(findings_of, case_view.case) if view.may("matches:read") else None
        history = await view.read(case_history, case_view.case.name, cursor=cursor)
        watched, more = await view.read(watched_of, case_view.case.name)
        page = CasePage(view, case_view.case, show)
        box.clear()
        with box:
            _title(view, case_view)
            show_rail(page, history.items)
            _overview(page, case_view, findings)
            await _papers(page, history)
            is_watched = case_view.case.state not in IDLE_STATES
            with section(view.gettext("Checks of the addresses of the case")):
                if is_watched:
                    look_button(view, [case_view.case.name], renew=show)
                show_watch(view, watched, more, is_watched=is_watched)
            with section(view.gettext("History")):
                show_history(page, history)

    await show()


def _overview(page: CasePage, case_view: CaseView, findings: CaseFindings | None) -> None:
    view = page.view
    with ui.element("div").classes("columns"):
        with section(view.gettext("Summary")):
            _facts(view, case_view)
        with ui.element("div").classes("stack"):
            if findings is not None:
                with section(view.gettext("Publication order")):
                    _first(view, findings.first)
            if view.may("cases:write"):
                with section(view.gettext("Assignee and deadline")):
                    _people(page, case_view)
    if findings is not None:
        with section(view.gettext("Matches of the case")):
            _matches(view, findings)


async def _papers(page: CasePage, history: Listing[Event]) -> None:
    view = page.view
    if view.may("notices:read"):
        with section(view.gettext("Notices")):
            await show_notices(page)
    if view.may("evidence:read"):
        with section(view.gettext("Evidence")):
            await show_evidence(page, history.items)


def _title(view: View, case_view: CaseView) -> None:
    case = case_view.case
    view.entitle(f"{case.name} 《{case.work_title}》 · {case.site}")
    with ui.element("div").classes("row-line"):
        verdict_badge(view, case.verdict)
        state_badge(view, case.state)
        deadline_mark(view, case_view)


def _site_address(view: View, site: str) -> str:
    """Return the address of a site's page; for users without that page, of the cases of the site."""
    if view.may("notices:make"):
        return SITE.path.format(site=quote(site, safe=""))
    return address(CASES.path, {"site": site})


def _facts(view: View, case_view: CaseView) -> None:
    """Show the fields of a case that its description lists as facts."""
    case, row, zone = case_view.case, row_of(case_view), view.installation.zone
    ways = {"work": f"/works/{case.work_id}", "site": _site_address(view, case.site)}
    lines = _joint_lines(view, case_view)
    with ui.element("dl").classes("facts"):
        for field in visible(FACT_FIELDS, view.identity):
            text = lines[field.name] if field.name in lines else shown(field, row, view.texts, zone)
            if not text:
                continue
            with fact(view.gettext(field.label_on("facts"))):
                if field.name in ways:
                    with ui.link(target=ways[field.name]):
                        foreign(text)
                else:
                    foreign(text) if field.format == "text" else plain(text)


def _joint_lines(view: View, case_view: CaseView) -> dict[str, str]:
    """Return the lines that combine several fields, by the field that labels the line."""
    _, case = view.gettext, case_view.case
    looks: dict[Looked, int] = {state: case.looks[state] for state in LOOK_STATES if state in case.looks}
    return {
        "copied_chars": _("{chars} characters · passages {passages} · pages {pages}").format(
            chars=f"{case.copied_chars:,}", passages=case.passages, pages=case.pages
        ),
        "work_share": _("{work} of the work · up to {page} of a page").format(
            work=percent(case.work_share), page=percent(case.page_share)
        ),
        "reviews": _counts(view, REVIEWS, {review or "open": n for review, n in case.reviews.items()}) or "–",
        "first_seen": f"{view.moment(case.first_seen)} – {view.moment(case.last_seen)}",
        "looks": _counts(view, LOOKS, looks),
        "priority": _priority(view, case_view),
    }


def _counts(view: View, labels: Mapping[Code, str], counts: Mapping[Code, int]) -> str:
    return " · ".join(f"{view.word(labels, code)} {count:,}" for code, count in counts.items())


def _priority(view: View, case_view: CaseView) -> str:
    parts = []
    for component in case_view.priority.parts:
        name = view.word(PRIORITIES, component.reason)
        if component.value is None:
            line = view.gettext("{name}: not known").format(name=name)
        else:
            line = (
                f"{name} {percent(component.value)}"
                if component.reason == "share"
                else f"{name} {component.value:,.0f}"
            )
        parts.append(f"{line} (+{component.points})")
    return f"{case_view.priority.points}: {' · '.join(parts)}"


def _first(view: View, first: PublicationOrder) -> None:
    _ = view.gettext
    with ui.element("dl").classes("facts"):
        with fact(_("Earliest date shown on a page")):
            plain(view.moment(first.claimed) if first.claimed else _("not known"))
            if first.claimed_url:
                with ui.element("div"):
                    foreign_link(first.claimed_url)
        with fact(_("First seen by pindna")):
            plain(view.moment(first.first_seen))
        with fact(_("Date of the work")):
            plain(view.moment(first.work) if first.work else _("not known"))
        if first.registered is not None:
            with fact(_("Registered")):
                plain(view.moment(first.registered))
            with fact("SHA-256"):
                plain(first.proof_sha256).classes("mono")
    for precedence in dict.fromkeys(by for _name, by in first.older):
        names = ", ".join(name for name, by in first.older if by == precedence)
        plain(f"{view.word(PRECEDENCES, precedence)} ({names})", "p").classes("note")


def _people(page: CasePage, case_view: CaseView) -> None:
    """Show the assignee and the deadline of the case, with fields to change both."""
    view, case = page.view, case_view.case
    _ = view.gettext

    async def assign() -> None:
        line = _("{name} is assigned.").format(name=case.name)
        await page.do(acts.assign, case.name, to=name.value or "", expected_version=case.moves, line=line)

    async def set_deadline() -> None:
        moment = deadline_of_day(view, day.value)
        line = _("The deadline of {name} is set.").format(name=case.name)
        await page.do(acts.set_deadline, case.name, deadline=moment, expected_version=case.moves, line=line)

    with ui.element("div").classes("row-line"):
        name = ui.input(_("Assigned to"), value=case.assignee).props('outlined dense maxlength="100"')
        ui.button(_("Assign"), on_click=assign).props("outline dense no-caps")
        if case.assignee != view.identity.name:
            own_name = view.identity.name
            ui.button(_("Myself"), on_click=lambda: name.set_value(own_name)).props("flat dense no-caps")
    with ui.element("div").classes("row-line spaced"):
        until = case.deadline.astimezone(view.installation.zone) if case.deadline else None
        day = ui.input(_("Deadline"), value=f"{until:%Y-%m-%d}" if until else "")
        day.props("type=date outlined dense stack-label")
        ui.button(_("Set deadline"), on_click=set_deadline).props("outline dense no-caps")
        if case_view.deadline and not case.deadline:
            line = _("Default from the settings: {moment}").format(moment=view.moment(case_view.deadline))
            plain(line).classes("soft small")


def _matches(view: View, findings: CaseFindings) -> None:
    if not findings.matches:
        nothing(view, view.gettext("No copies remain."))
        return
    _ = view.gettext

    def page(row: Row, match: Match) -> None:
        with row.cell():
            foreign(match.page_title or "–")
            with ui.element("div").classes("small"):
                foreign_link(match.url)

    def review(row: Row, match: Match) -> None:
        with row.cell():
            review_badge(view, match.review)

    cells: dict[str, Cell] = {
        "match": lambda row, match: row.link(match.name, f"/matches/{match.name}"),
        "page_title": page,
        "review": review,
    }
    matches = _most_copied(findings.matches)
    match_table(view, _("Matches"), matches, fields=IN_CASE_FIELDS, surface="case", cells=cells)
    if len(findings.matches) > _MATCHES:
        line = _("{count} matches; the {shown} with the most copied text are shown.")
        plain(line.format(count=len(findings.matches), shown=_MATCHES), "p").classes("soft")


def _most_copied(matches: Iterable[Match]) -> list[Match]:
    return sorted(matches, key=lambda match: -match.copied_chars)[:_MATCHES]
