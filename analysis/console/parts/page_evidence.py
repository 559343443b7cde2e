"""The stored evidence of a match's page: captures with digests, the fetched page, its versions."""

from collections.abc import Sequence

from nicegui import ui

from analysis.console.parts.badges import badge
from analysis.console.parts.lists import address, nothing
from analysis.console.parts.tables import Column, Row, Table
from analysis.console.parts.texts import foreign, plain
from analysis.console.places import EVIDENCE_LOG
from analysis.console.view import View
from analysis.queries.page_evidence import StoredCapture, Version
from analysis.words.figures import percent
from analysis.words.labels import CAPTURE_STATES, PAGE_STATES, STANDINGS, VERDICTS
from storage.records import Match, Page

_MAX_PARTS = 20  # maximum number of shown responses per page


def _file(match: Match, kind: str, sha256: str) -> str:
    return address(f"/matches/{match.name}/{kind}", {"body": sha256})


def page_evidence(view: View, match: Match, page: Page, captures: Sequence[StoredCapture]) -> None:
    """Show the captures of a page, whether they are unchanged, and their positions in the evidence log."""
    with ui.element("dl").classes("facts"):
        plain(view.gettext("SHA-256 of the text"), "dt")
        plain(page.content_hash or "–", "dd").classes("mono")
    if not captures:
        nothing(view, view.gettext("No captures."))
        return
    columns = (
        Column(view.gettext("What"), "word"),
        Column(view.gettext("Fetched"), "word"),
        Column(view.gettext("SHA-256"), "wide"),
        Column(view.gettext("Digest of the capture"), "wide"),
        Column(view.gettext("Entry of the log"), "number"),
        Column(view.gettext("State"), "word"),
        Column(view.gettext("Download"), "word"),
    )
    table = Table(view.gettext("Evidence"), columns)
    for capture in captures:
        with table.row() as row:
            _capture(view, row, match, capture)
    plain(view.gettext("Export the complete package of a case on the page of the case."), "p").classes(
        "soft small"
    )


def _capture(view: View, row: Row, match: Match, capture: StoredCapture) -> None:
    facts = capture.facts
    is_picture = capture.kind == "screenshot"
    row.cell(view.gettext("Picture") if is_picture else view.gettext("Response"))
    row.cell(view.moment(facts.fetched))
    row.cell(facts.sha256).classes("mono")
    row.cell(facts.digest or "–").classes("mono")
    if capture.entry is not None and view.may("audit:read"):
        row.link(f"{capture.entry:,}", EVIDENCE_LOG.path)
    else:
        row.cell("–" if capture.entry is None else f"{capture.entry:,}")
    with row.cell():
        is_whole = facts.state in {"unchanged", "undigested"}
        badge(view.word(CAPTURE_STATES, facts.state), "well" if is_whole else "grave")
    with row.cell(), ui.element("div").classes("row-line"):
        if is_picture and is_whole:
            ui.link(view.gettext("View"), _file(match, "picture", facts.sha256), new_tab=True)
        if is_whole and view.may("evidence:export"):
            ui.link(view.gettext("WARC records"), _file(match, "records", facts.sha256))


def page_as_it_was(view: View, match: Match, captures: Sequence[StoredCapture]) -> None:
    """Show a page as it was received, in frames without scripts and network."""
    parts = [
        capture.facts
        for capture in captures
        if capture.kind == "response" and capture.facts.state != "missing"
    ]
    bodies = list(dict.fromkeys(facts.sha256 for facts in parts))[:_MAX_PARTS]
    if not bodies:
        nothing(view, view.gettext("The original page is not stored."))
        return
    line = view.gettext("Shown without scripts, forms, links and content that would have to be loaded.")
    plain(line, "p").classes("soft small")
    for number, body in enumerate(bodies, 1):
        title = view.gettext("The page as it was fetched, part {number}").format(number=number)
        with ui.element("details").classes("as-it-was") as details:
            if number == 1:
                details.props["open"] = True
            plain(title, "summary")
            frame = ui.element("iframe").props('sandbox="" loading="lazy" referrerpolicy="no-referrer"')
            frame.props["title"] = title
            frame.props["src"] = _file(match, "as-it-was", body)


def page_versions(view: View, match: Match, versions: Sequence[Version]) -> None:
    """Show the versions of a page."""
    columns = (
        Column(view.gettext("First seen"), "word"),
        Column(view.gettext("Last seen"), "word"),
        Column(view.gettext("Title"), "wide"),
        Column(view.gettext("State"), "word"),
        Column(view.gettext("Share"), "number"),
        Column(view.gettext("Match"), "word"),
    )
    table = Table(view.gettext("Versions of the page"), columns)
    for version in versions:
        page = version.page
        with table.row() as row:
            row.cell(view.moment(page.first_seen))
            row.cell(view.moment(page.last_seen))
            row.cell(page.title)
            with row.cell():
                state = (
                    view.word(VERDICTS, page.verdict) if page.verdict else view.word(PAGE_STATES, page.state)
                )
                plain(state)
                if page.standing != "current":
                    plain(view.word(STANDINGS, page.standing)).classes("soft small")
            row.cell(percent(page.coverage) if page.verdict else "–")
            if version.match == match.name:
                with row.cell():
                    foreign(version.match).classes("strong")
            elif version.match:
                row.link(version.match, f"/matches/{version.match}")
            else:
                row.cell("–")
