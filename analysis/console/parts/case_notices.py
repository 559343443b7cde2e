"""Notices about a case: the existing notices, and a button for a new notice with a preview."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from analysis.console.parts.badges import badge
from analysis.console.parts.case_page import CasePage
from analysis.console.parts.lists import nothing
from analysis.console.parts.new_notice import NewNoticeDialog
from analysis.console.parts.notice_dialog import open_notice
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign
from analysis.console.parts.tones import NOTICE_TONES
from analysis.console.view import View
from analysis.queries.notices import LetterScope, NoticeQuery, list_notices
from analysis.words.i18n import NC_
from analysis.words.labels import NOTICE_KINDS, NOTICE_STATES
from storage.records import Notice

_SHOWN = 20


async def show_notices(page: CasePage) -> None:
    """Show the notices about a case, the newest first."""
    view, case = page.view, page.case
    _ = view.gettext
    notices = (await view.read(list_notices, NoticeQuery(case=case.name), limit=_SHOWN)).items
    if view.may("notices:make"):
        with ui.element("div").classes("row-line"):
            notice_button(page.view, LetterScope(cases=(case.name,)), page.do, _("Write a notice…"))
            line = _("One letter for {site}…").format(site=case.site)
            notice_button(page.view, LetterScope(site=case.site), page.do, line)
    if not notices:
        nothing(view, _("No notices yet."))
        return
    columns = [
        Column(_("Notice"), "word"),
        Column(_("State"), "word"),
        Column(_("Kind")),
        Column(_(NC_("notice", "To")), "wide"),
    ]
    table = Table(
        _("Notices"), [*columns, Column(_(NC_("time", "Sent")), "word"), Column(_("Reply due"), "word")]
    )
    for notice in notices:
        with table.row() as row:
            with row.cell():
                _opener(page, notice)
            with row.cell():
                notice_badge(view, notice)
            row.cell(view.word(NOTICE_KINDS, notice.kind))
            with row.cell():
                foreign(notice.addressee.name or "–")
            row.cell(view.moment(notice.sent))
            row.cell(view.moment(notice.reply_due))


def notice_button(view: View, scope: LetterScope, do: Callable[..., Awaitable[None]], line: str) -> None:
    """Show a button that opens the dialog for a new notice."""
    button = ui.button(line, icon="mail", on_click=lambda: NewNoticeDialog(view, scope, do).ask())
    button.props("outline dense no-caps")


def _opener(page: CasePage, notice: Notice) -> None:
    button = ui.button(notice.name, on_click=lambda: open_notice(page, notice.name))
    button.props("flat dense no-caps")


def notice_badge(view: View, notice: Notice) -> None:
    """Show the state of a notice, or that it is a draft."""
    if notice.is_draft:
        badge(view.gettext("Draft"))
    else:
        badge(view.word(NOTICE_STATES, notice.state), NOTICE_TONES[notice.state])
