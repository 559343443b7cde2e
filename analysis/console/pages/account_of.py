"""An account, for administrators: role, reset of the password, sessions, tokens."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, get_args

from nicegui import ui

from analysis.accounts.managing import Manager
from analysis.actions.tokens import revoke_token
from analysis.console.parts.administered import administered
from analysis.console.parts.dialogs import confirmed
from analysis.console.parts.panels import titled_panel
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import capitalised, plain
from analysis.console.places import ACCOUNT_OF
from analysis.console.view import View
from analysis.queries.accounts import get_account
from analysis.words.labels import ROLES
from storage.records import Account, Role, Session, Token, utc_now


async def build(view: View, *, account: str) -> None:
    """Show an account and the actions on it."""
    administered(view, ACCOUNT_OF)
    access = await view.read(get_account, account)
    shown_account = access.account
    view.entitle(view.gettext("Account {name}").format(name=shown_account.name))
    state = view.gettext("Active") if shown_account.disabled is None else view.gettext("Disabled")
    plain(f"{capitalised(view.word(ROLES, shown_account.role))} · {state}", "p")
    with ui.element("div").classes("columns"):
        _role(view, shown_account)
        _reset(view, shown_account)
    _sessions(view, shown_account, access.sessions)
    _tokens(view, access.tokens)
    ui.link(
        view.gettext("History of this account"),
        f"/administration/audit?subject=account+{shown_account.name}",
    )


async def _manage(view: View, act: Callable[[Manager], Any]) -> None:
    """Change the account, and reload the page."""
    await view.act(lambda identity, runtime: act(Manager.acting_for(identity, runtime.stores)))
    ui.navigate.reload()


def _role(view: View, account: Account) -> None:
    with titled_panel(view.gettext("Role")):
        line = view.gettext("Sessions and tokens have the rights of the new role from their next request on.")
        plain(line, "p").classes("soft")
        roles = {role: view.word(ROLES, role) for role in get_args(Role)}
        role = ui.select(roles, label=view.gettext("Role"), value=account.role).props("outlined dense")
        label = view.gettext("Rights holders, one per line")
        holders = ui.textarea(label, value="\n".join(account.holders)).props("outlined dense autogrow")
        holders.classes("field").bind_visibility_from(role, "value", value="holder")

        async def change() -> None:
            named = [line.strip() for line in (holders.value or "").splitlines() if line.strip()]
            line = tuple(named) if role.value == "holder" else ()
            await _manage(view, lambda manager: manager.set_role(account.name, role=role.value, holders=line))

        ui.button(view.gettext("Change the role"), on_click=change)


def _reset(view: View, account: Account) -> None:
    with titled_panel(view.gettext("Restore access")):
        line = view.gettext(
            "For users who lost their password or device. Their sessions end and their tokens are revoked."
        )
        plain(line, "p").classes("soft")
        password = ui.input(view.gettext("New password"), password=True)
        password.props("outlined dense autocomplete=new-password").classes("field")

        async def reset() -> None:
            question = view.gettext("Reset {name}?").format(name=account.name)
            lines = (
                view.gettext("The new password works at once. One-time passwords are turned off."),
                view.gettext("The sessions of the account end, and its tokens are revoked."),
            )
            if await confirmed(view, question, lines, act=view.gettext("Reset"), is_grave=True):
                await _manage(view, lambda manager: manager.reset(account.name, password.value or ""))

        ui.button(view.gettext("Reset"), on_click=reset).props("color=negative")


def _sessions(view: View, account: Account, sessions: Sequence[Session]) -> None:
    with titled_panel(view.gettext("Active sessions")):
        if not sessions:
            plain(view.gettext("No active sessions.")).classes("soft")
            return
        columns = (
            Column(view.gettext("Browser"), "wide"),
            Column(view.gettext("IP address"), "word"),
            Column(view.gettext("Since"), "word"),
            Column(view.gettext("Last used"), "word"),
        )
        table = Table(view.gettext("Sessions"), columns)
        for session in sessions:
            with table.row() as row:
                for text in (
                    session.agent,
                    session.address,
                    view.moment(session.started),
                    view.moment(session.seen),
                ):
                    row.cell(text)
        end = partial(_manage, view, lambda manager: manager.sign_out(account.name))
        ui.button(view.gettext("End sessions"), on_click=end).props("flat color=negative")


def _tokens(view: View, tokens: Sequence[Token]) -> None:
    with titled_panel(view.gettext("API tokens")):
        if not tokens:
            plain(view.gettext("None.")).classes("soft")
            return
        columns = (
            Column(view.gettext("Token"), "word"),
            Column(view.gettext("Purpose"), "wide"),
            Column(view.gettext("Permissions"), "wide"),
            Column(view.gettext("Ends"), "word"),
            Column(view.gettext("Last used"), "word"),
            Column(""),
        )
        table = Table(view.gettext("Tokens"), columns)
        for token in tokens:
            with table.row() as row:
                row.cell(token.id)
                row.cell(token.label)
                row.cell(", ".join(token.scopes))
                row.cell(view.moment(token.ends))
                row.cell(view.moment(token.used))
                with row.cell():
                    if token.revoked is not None:
                        plain(view.gettext("revoked")).classes("soft")
                    elif token.ends <= utc_now():
                        plain(view.gettext("ended")).classes("soft")
                    else:
                        button = ui.button(view.gettext("Revoke"), on_click=partial(_revoke, view, token.id))
                        button.props("flat dense color=negative")


async def _revoke(view: View, token: str) -> None:
    await view.act(revoke_token, token)
    ui.navigate.reload()
