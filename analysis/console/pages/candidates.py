"""Candidates for sources: files are uploaded, and the sites that they name are accepted or rejected."""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from nicegui import events, ui

from analysis.accounts.permissions import Identity
from analysis.actions.candidates import (
    accept_candidate,
    import_candidates,
    reject_candidate,
    reopen_candidate,
)
from analysis.console.parts.badges import badge
from analysis.console.parts.lists import SHOWN, address, nothing, pager
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign, foreign_link, inner_link, plain
from analysis.console.parts.tones import Tone
from analysis.console.parts.uploads import notify_too_large
from analysis.console.places import CANDIDATES
from analysis.console.shell import name_control
from analysis.console.view import View
from analysis.discovery.importing import ImportLine, ImportSummary, KeptLines
from analysis.discovery.rows import STORED
from analysis.queries.candidates import count_candidates, list_candidates
from analysis.reading.work_files import safe_name
from analysis.words.labels import CANDIDATE_FORMS, CANDIDATE_STATES, IMPORT_LINES, SOURCE_KINDS
from analysis.words.remarks import remark_texts
from storage.records import CANDIDATE_STATES as STATES
from storage.records import Candidate, CandidateState
from system.errors import PindnaError
from tracker.runtime import Runtime

_MEGABYTE = 1024 * 1024
_FORM_BYTES = 64 * 1024  # maximum size of a request, without the file
_SHOWN_LINES = 100
_SHOWN_ITEMS = 3
_Act = Callable[[Identity, Runtime, str], object]


async def build(view: View, *, state: str = "open", cursor: str = "") -> None:
    """Show the upload, and the candidates in a state.

    Args:
        view: the page.
        state: of the candidates.
        cursor: of a further part of the list.
    """
    chosen: CandidateState = next((listed_state for listed_state in STATES if listed_state == state), "open")
    if view.may("sources:write"):
        _Imports(view)
    counts = await view.read(count_candidates)
    with ui.element("nav").classes("row-line tabs") as nav:
        nav.props["aria-label"] = view.gettext("State")
        for listed_state in STATES:
            label = f"{view.word(CANDIDATE_STATES, listed_state)} · {counts[listed_state]:,}"
            link = ui.link(label, address(CANDIDATES.path, {"state": listed_state})).classes("tab")
            if listed_state == chosen:
                link.props('aria-current="page"')
    listing = await view.read(list_candidates, state=chosen, cursor=cursor, limit=SHOWN)
    if not listing.items:
        nothing(view, view.gettext("No candidates here. Import a file that names sites."))
    else:
        _table(view, listing.items)
    pager(view, CANDIDATES.path, {"state": chosen}, following=listing.next)


class _Imports:
    """A field for files, and the results of their entries.

    Args:
        view: the page.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._turn = asyncio.Lock()  # one file at a time per page
        megabytes = view.installation.settings.upload_megabytes
        forms = view.gettext(
            "书源 (JSON), OPML, feeds, sitemaps, bookmarks, lists of addresses (text, CSV, XLSX), CDXJ, "
            "removal requests (CSV), exported chats; up to {megabytes} MB each. Nothing is requested before "
            "you accept a site."
        )
        plain(forms.format(megabytes=megabytes), "p").classes("soft small")
        upload = ui.upload(
            multiple=True,
            auto_upload=True,
            max_file_size=megabytes * _MEGABYTE - _FORM_BYTES,
            on_upload=self._take,
            on_rejected=partial(notify_too_large, view),
        )
        upload.props('aria-hidden="true"').classes("unseen")

        def choose() -> None:
            upload.reset()
            upload.run_method("pickFiles")

        ui.button(view.gettext("Import files"), icon="upload", on_click=choose)
        self._results = ui.element("ul").classes("results").props('aria-live="polite"')
        self._results.props["aria-label"] = view.gettext("Result for each file")

    async def _take(self, event: events.UploadEventArguments) -> None:
        view, name = self._view, safe_name(event.file.name)
        with self._results:
            line = ui.element("li")
        with line:
            foreign(name).classes("strong")
            ui.spinner(size="sm")
        kept = KeptLines(_SHOWN_LINES)
        with tempfile.TemporaryDirectory(prefix="pindna-") as folder:
            path = Path(folder) / "file"
            await event.file.save(path)
            try:
                async with self._turn:
                    summary = await view.act(import_candidates, path, name=name, report=kept.report)
            except PindnaError as error:
                line.delete()
                view.report(error)
                return
        if not line.is_deleted:
            line.clear()
            with line:
                self._show(summary, kept.lines)

    def _show(self, summary: ImportSummary, lines: Sequence[ImportLine]) -> None:
        view = self._view
        with ui.element("div").classes("row-line"):
            foreign(summary.name).classes("strong")
            plain(view.word(CANDIDATE_FORMS, summary.form)).classes("soft")
            for result, count in Counter(summary.counts).most_common():
                tone: Tone = "well" if result == "new" else "" if result in STORED else "warn"
                badge(f"{view.word(IMPORT_LINES, result)}: {count:,}", tone)
            ui.link(view.gettext("Show the candidates"), CANDIDATES.path)
        with ui.element("details").classes("group"):
            plain(view.gettext("Result for each line"), "summary")
            columns = (
                Column(view.gettext("Line"), "number"),
                Column(view.gettext("Entry"), "wide"),
                Column(view.gettext("Result"), "wide"),
            )
            table = Table(view.gettext("Result for each line"), columns)
            for line in lines:
                with table.row() as row:
                    row.cell(f"{line.number:,}")
                    row.cell(line.text)
                    with row.cell():
                        plain(view.word(IMPORT_LINES, line.result), "div")
                        for remark in remark_texts(line.remarks, view.texts):
                            foreign(remark, tag="div").classes("soft small")
            if (more := sum(summary.counts.values()) - len(lines)) > 0:
                line_text = view.gettext("{count} more lines are not shown.")
                plain(line_text.format(count=f"{more:,}"), "p").classes("soft small")


def _table(view: View, candidates: Sequence[Candidate]) -> None:
    columns = [
        Column(view.gettext("Site"), "word"),
        Column(view.gettext("Names of your works"), "wide"),
        Column(view.gettext("Evidence"), "wide"),
        Column(view.gettext("Would crawl"), "wide"),
    ]
    may_decide = view.may("sources:write")
    columns += [Column(view.gettext("Decision"), "word")]
    table = Table(view.gettext(CANDIDATES.title), columns)
    for candidate in candidates:
        with table.row() as row:
            row.cell(candidate.id)
            row.cell(view.gettext(", ").join(candidate.works) or "–")
            with row.cell():
                _evidence(view, candidate)
            with row.cell():
                _plan(view, candidate)
            with row.cell() as cell:
                _decision(view, candidate, cell, may_decide=may_decide)


def _evidence(view: View, candidate: Candidate) -> None:
    for item in candidate.evidence[:_SHOWN_ITEMS]:
        foreign(f"{item.file}:{item.line} {item.text}", tag="div").classes("small")
    _more(view, len(candidate.evidence) - _SHOWN_ITEMS)
    if candidate.remarks:
        with ui.element("details").classes("group"):
            plain(view.gettext("Parts that cannot be used"), "summary")
            for remark in remark_texts(candidate.remarks, view.texts):
                foreign(remark, tag="div").classes("small")


def _plan(view: View, candidate: Candidate) -> None:
    plain(view.word(SOURCE_KINDS, candidate.kind), "div")
    addresses = (*candidate.urls, *candidate.feeds, *candidate.sitemaps)
    for url in addresses[:_SHOWN_ITEMS]:
        with ui.element("div").classes("small"):
            foreign_link(url)
    _more(view, len(addresses) - _SHOWN_ITEMS)
    if candidate.search:
        plain(view.gettext("Searches the site for each of your titles"), "div").classes("small")
    if candidate.rules.text:
        plain(view.gettext("Has rules for the text"), "div").classes("small")


def _more(view: View, count: int) -> None:
    if count > 0:
        plain(view.ngettext("{count} more", "{count} more", count).format(count=f"{count:,}"), "div").classes(
            "soft small"
        )


def _decision(view: View, candidate: Candidate, cell: ui.element, *, may_decide: bool) -> None:
    """Show who decided, or the buttons that decide."""
    if candidate.decided is not None and candidate.state != "open":
        foreign(f"{candidate.by} · {view.moment(candidate.decided)}", tag="div").classes("small")
        if candidate.source:
            inner_link(candidate.source, f"/sources/{candidate.source}")
    if not may_decide or candidate.state == "accepted":
        return
    buttons: list[tuple[str, str, _Act]] = [
        (view.gettext("Accept"), "check", accept_candidate),
        (view.gettext("Reject"), "close", reject_candidate),
    ]
    if candidate.state == "rejected":
        buttons = [(view.gettext("Reopen"), "undo", reopen_candidate)]
    for label, icon, act in buttons:
        button = ui.button(icon=icon, on_click=partial(_decide, view, candidate, cell, act))
        name_control(button.props("flat dense"), f"{label}: {candidate.id}")


async def _decide(view: View, candidate: Candidate, cell: ui.element, act: _Act) -> None:
    """Carry out a decision, and show it in its row; the other rows stay."""
    await view.act(act, candidate.id)
    if cell.is_deleted:
        return
    cell.clear()
    with cell:
        badge(view.gettext("Done"), "well")
