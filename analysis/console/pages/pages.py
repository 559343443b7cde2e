"""The list of pages, with their sources and the results of their comparison."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import cast, get_args

from nicegui import ui

from analysis.console.parts.badges import badge, verdict_badge
from analysis.console.parts.filters import FilterForm
from analysis.console.parts.lists import SHOWN, nothing, pager
from analysis.console.parts.record_table import record_table
from analysis.console.parts.tables import Row
from analysis.console.parts.texts import foreign_link, plain
from analysis.console.view import View
from analysis.fields.pages import LIST_FIELDS
from analysis.queries.pages import PageQuery, list_pages
from analysis.words.labels import MATCH_PARTS, PAGE_STATES, VERDICTS
from analysis.words.page_texts import unread_line
from storage.records import VERDICTS as ALL_VERDICTS
from storage.records import Page, PageState


async def build(
    view: View,
    *,
    source: str = "",
    site: str = "",
    scan: str = "",
    state: str = "",
    reason: str = "",
    verdict: str = "",
    unread: str = "",
    cursor: str = "",
) -> None:
    """Show the requested pages with their addresses."""
    filters = {
        "source": source, "site": site, "scan": scan, "state": state, "reason": reason, "verdict": verdict,
        "unread": unread,
    }  # fmt: skip
    _form(view, filters)
    query = PageQuery(
        source=source,
        site=site,
        scan=scan,
        state=cast("PageState", state) if state in get_args(PageState) else None,
        reason=reason,
        verdict=verdict if verdict in ALL_VERDICTS else None,
        unread=bool(unread),
    )
    listing = await view.read(list_pages, query, cursor=cursor, limit=SHOWN)
    _remarks(view, scan, reason)
    if not listing.items:
        nothing(view)
        return
    _table(view, listing.items)
    pager(view, "/pages", filters, following=listing.next)


def _form(view: View, filters: Mapping[str, str]) -> None:
    """Show the filters; their values become part of the address."""
    form = FilterForm(view, "/pages", filters)
    form.text("site", view.gettext("Site"))
    form.text("source", view.gettext("Source"))
    form.choice(
        "state", view.gettext("State"), {name: view.word(PAGE_STATES, name) for name in get_args(PageState)}
    )
    form.choice(
        "verdict", view.gettext("Verdict"), {name: view.word(VERDICTS, name) for name in ALL_VERDICTS}
    )
    form.choice("unread", view.gettext("Compared"), {"1": view.gettext("only in part")})
    form.button()


def _remarks(view: View, scan: str, reason: str) -> None:
    """Show the other active filters of the list, and which pages of a scan the list omits."""
    if scan or reason:
        scans = [view.gettext("Scan {id}").format(id=scan)] if scan else []
        ui.label(" · ".join([*scans, *([view.texts.reason(reason)] if reason else [])])).classes("soft")
    if scan:
        left_out = view.gettext(
            "Pages that were removed or changed after this scan, or that a later scan visited, are not "
            "listed."
        )
        plain(left_out, "p").classes("soft small")


def _table(view: View, pages: Sequence[Page]) -> None:
    def link(row: Row, page: Page) -> None:
        with row.cell():
            foreign_link(page.url)

    record_table(
        view,
        view.gettext("Pages"),
        pages,
        fields=LIST_FIELDS,
        cells={"url": link, "state": partial(_result, view)},
        kinds={"title": "wide", "url": "wide"},
    )


def _result(view: View, row: Row, page: Page) -> None:
    """Show the result of comparing a page."""
    with row.cell():
        if page.verdict is not None:
            with ui.element("div").classes("row-line"):
                verdict_badge(view, page.verdict)
                if page.is_doubtful:
                    badge(view.word(MATCH_PARTS, "rest"), "warn")
        elif page.state == "failed":
            badge(view.texts.reason(page.reason), "warn")
        else:
            badge(view.word(PAGE_STATES, page.state))
        if page.state == "compared" and (line := unread_line(page.unread, view.texts)):
            plain(line, "div").classes("soft small")
