"""Proposals of contacts for a site: a button that looks them up, and a button that confirms each."""

from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui

from analysis.actions.contacts import confirm_proposals, look_up_site
from analysis.console.parts.badges import badge
from analysis.console.parts.tables import Column, Row, Table
from analysis.console.parts.texts import foreign, foreign_link, plain
from analysis.console.shell import name_control
from analysis.console.view import View
from analysis.queries.contacts import LookupView
from analysis.words.labels import CONTACT_ROLES, PROPOSAL_KINDS, PROPOSAL_SUBJECTS
from analysis.words.lookups import count_line, replaced_lines, result_line
from storage.records import Proposal


class ContactProposals:
    """The last look-up of a site, and the actions on it.

    Args:
        view: the page.
        site: the site.
        renew: shows contacts and look-up as they are stored now.
    """

    def __init__(self, view: View, site: str, renew: Callable[[], Awaitable[None]]) -> None:
        self._view, self._site, self._renew = view, site, renew

    def show(self, shown: LookupView | None) -> None:
        """Show a look-up; None: the site was never looked up."""
        _ = self._view.gettext
        with ui.element("div").classes("row-line"):
            button = ui.button(_("Look up now"), icon="search").props("outline dense no-caps")
            waiting = ui.spinner()
            waiting.set_visibility(False)
        button.on_click(partial(self._look_up, button, waiting))
        if shown is None:
            plain(_("The site was not looked up yet."), "p").classes("soft")
            return
        moment = self._view.moment(shown.lookup.at)
        plain(_("Looked up on {moment}").format(moment=moment), "p").classes("soft small")
        with ui.element("ul").classes("results"):
            for result in shown.lookup.results:
                foreign(result_line(result, self._view.texts), tag="li")
        if shown.lookup.proposals:
            plain(_("Nothing here is checked. Confirm what is true; only then it is used."), "p")
            self._roles = self._role_field()
            self._table(shown)

    def _role_field(self) -> ui.select:
        _ = self._view.gettext
        roles: dict[str, str] = {role: _(label) for role, label in CONTACT_ROLES.items()}
        field = ui.select({"": _("As proposed"), **roles}, label=_("Store as contact"), value="")
        field.props("outlined dense").classes("filter")
        return field

    def _table(self, shown: LookupView) -> None:
        _ = self._view.gettext
        columns = (
            Column(_("about"), "word"),
            Column(_("kind"), "word"),
            Column(_("value"), "wide"),
            Column(_("source"), "wide"),
            Column(_("contact"), "word"),
        )
        table = Table(_("Proposals"), columns)
        for proposal in shown.lookup.proposals:
            with table.row() as row:
                self._row(row, shown, proposal)

    def _row(self, row: Row, shown: LookupView, proposal: Proposal) -> None:
        view = self._view
        row.cell(view.word(PROPOSAL_SUBJECTS, proposal.subject))
        row.cell(view.word(PROPOSAL_KINDS, proposal.kind))
        with row.cell():
            foreign_link(proposal.value) if proposal.kind == "form" else foreign(proposal.value)
        with row.cell():
            foreign(proposal.words, tag="div")
            with ui.element("div").classes("small"):
                foreign_link(proposal.source)
            if line := count_line(proposal, shown.lookup, view.texts):
                plain(line, "div").classes("soft small")
        with row.cell():
            if role := shown.role_of(proposal):
                badge(view.word(CONTACT_ROLES, role), "well")
            else:
                button = ui.button(icon="check", on_click=partial(self._confirm, proposal))
                label = view.gettext("Confirm {value}").format(value=proposal.value)
                name_control(button.props("flat dense"), label)

    async def _look_up(self, button: ui.button, waiting: ui.spinner) -> None:
        button.disable()
        waiting.set_visibility(True)
        try:
            await self._view.act(look_up_site, self._site)
        finally:
            if not button.is_deleted:
                button.enable()
                waiting.set_visibility(False)
        await self._renew()

    async def _confirm(self, proposal: Proposal) -> None:
        role = self._roles.value or None
        confirmed = await self._view.act(confirm_proposals, self._site, [proposal.id], role=role)
        await self._renew()
        with self._view.client:
            line = self._view.gettext("Confirmed: {value}").format(value=proposal.value)
            ui.notify(line, type="positive")
            for line in replaced_lines(confirmed.contact, confirmed.replaced, self._view.texts):
                ui.notify(line, type="warning", timeout=0, close_button=True)
