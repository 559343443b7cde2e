"""Administration: the accounts and their roles."""

from typing import get_args

from nicegui import ui

from analysis.accounts.managing import Manager
from analysis.console.parts.administered import administered
from analysis.console.parts.badges import badge
from analysis.console.parts.dialogs import confirmed
from analysis.console.parts.tables import Column, Row, Table
from analysis.console.parts.texts import plain
from analysis.console.places import ADMINISTRATION
from analysis.console.view import View
from analysis.queries.accounts import list_accounts
from analysis.words.i18n import NC_
from analysis.words.labels import ROLES
from storage.records import Account, Role


async def build(view: View) -> None:
    """Show the accounts, and links to the other pages of administration."""
    administered(view, ADMINISTRATION)
    accounts = await view.read(list_accounts)
    columns = (
        Column(view.gettext(NC_("account", "Name")), "wide"),
        Column(view.gettext("Role"), "word"),
        Column(view.gettext("Rights holders"), "wide"),
        Column(view.gettext("One-time passwords"), "word"),
        Column(view.gettext("State"), "word"),
        Column(""),
    )
    table = Table(view.gettext("Accounts"), columns)
    for account in accounts:
        with table.row() as row:
            row.link(account.name, f"/administration/accounts/{account.name}")
            row.cell(view.word(ROLES, account.role))
            row.cell(", ".join(account.holders) or "–")
            row.cell(view.gettext("Yes") if account.otp_secret else view.gettext("No"))
            with row.cell():
                _state(view, account)
            _actions(view, row, account)
    _add(view)


def _state(view: View, account: Account) -> None:
    if account.disabled is None:
        badge(view.gettext("Active"), "well")
    else:
        badge(view.gettext("Disabled"), "warn")


def _actions(view: View, row: Row, account: Account) -> None:
    async def switch() -> None:
        name = account.name
        if account.disabled is None:
            question = view.gettext("Disable {name}?").format(name=name)
            lines = (view.gettext("The sessions of the account end, and its tokens are revoked."),)
            if not await confirmed(view, question, lines, act=view.gettext("Disable"), is_grave=True):
                return
            await view.act(
                lambda identity, runtime: Manager.acting_for(identity, runtime.stores).disable(name)
            )
        else:
            await view.act(
                lambda identity, runtime: Manager.acting_for(identity, runtime.stores).enable(name)
            )
        ui.navigate.reload()

    async def end_sessions() -> None:
        await view.act(
            lambda identity, runtime: Manager.acting_for(identity, runtime.stores).sign_out(account.name)
        )
        ui.notify(view.gettext("The sessions of {name} have ended.").format(name=account.name))

    with row.cell(), ui.element("div").classes("row-line"):
        ui.button(view.gettext("End sessions"), on_click=end_sessions).props("flat dense")
        label = view.gettext("Disable") if account.disabled is None else view.gettext("Enable")
        ui.button(label, on_click=switch).props("flat dense")


def _add(view: View) -> None:
    with ui.element("section").classes("panel") as panel:
        panel.props["aria-label"] = view.gettext("New account")
        plain(view.gettext("New account"), "h2").classes("subtitle")
        with ui.element("div").classes("row-line"):
            name = (
                ui.input(view.gettext(NC_("account", "Name")))
                .props("outlined dense autocomplete=off")
                .classes("filter")
            )
            roles = {role: view.word(ROLES, role) for role in get_args(Role)}
            role = ui.select(roles, label=view.gettext("Role"), value="analyst")
            role.props("outlined dense").classes("filter")
            holder = ui.input(view.gettext("Rights holder")).props("outlined dense").classes("filter")
            password = ui.input(view.gettext("Password"), password=True)
            password.props("outlined dense autocomplete=new-password").classes("filter")

        async def add() -> None:
            holders = (holder.value.strip(),) if (holder.value or "").strip() else ()
            await view.act(
                lambda identity, runtime: Manager.acting_for(identity, runtime.stores).add(
                    (name.value or "").strip(),
                    role=role.value,
                    holders=holders,
                    password=password.value or "",
                )
            )
            ui.navigate.reload()

        ui.button(view.gettext("Add the account"), on_click=add)
