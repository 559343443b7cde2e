"""One's own account: password, one-time passwords, sessions and tokens."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from analysis.accounts.one_time import new_secret, provisioning_uri
from analysis.accounts.own_account import OwnAccount
from analysis.console.parts.panels import titled_panel
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign, plain
from analysis.console.view import View
from analysis.words.labels import ROLES
from storage.records import Session, Token, utc_now

_DAYS = 90  # default lifetime of a token


async def build(view: View) -> None:
    """Show the settings that users may change in their own accounts."""
    account = view.identity.account
    role = view.word(ROLES, account.role)
    ui.label(f"{account.name} · {role}" + (f" · {', '.join(account.holders)}" if account.holders else ""))
    with ui.element("div").classes("columns"):
        _password(view)
        await _one_time(view)
    await _sessions(view)
    await _tokens(view)


async def _do(view: View, act: Callable[[OwnAccount], Any]) -> Any:
    """Call an action with the current account of the session."""
    return await view.act(lambda _who, _runtime: act(view.own_account))


def _secret_input(label: str, autocomplete: str) -> ui.input:
    return (
        ui.input(label, password=True).props(f"outlined dense autocomplete={autocomplete}").classes("field")
    )


def _password(view: View) -> None:
    with titled_panel(view.gettext("Password")):
        old = _secret_input(view.gettext("Current password"), "current-password")
        new = _secret_input(view.gettext("New password"), "new-password")

        async def change() -> None:
            await _do(view, lambda account: account.change_password(old.value, new.value))
            old.value = new.value = ""
            ui.notify(
                view.gettext("The password is changed, and your other sessions have ended."), type="positive"
            )

        ui.button(view.gettext("Change the password"), on_click=change)


async def _one_time(view: View) -> None:
    is_on = bool(view.identity.account.otp_secret)
    with titled_panel(view.gettext("One-time passwords")):
        ui.label(
            view.gettext("One-time passwords are required when you sign in.")
            if is_on
            else view.gettext(
                "Anyone who knows your password can sign in. A second device protects your account."
            )
        ).classes("soft")
        if not is_on and view.installation.settings.require_one_time_passwords:
            line = view.gettext("One-time passwords are required. Enrol a device to open the other pages.")
            plain(line, "p").props('role="alert"')
        password = _secret_input(view.gettext("Current password"), "current-password")
        if is_on:
            _stop_one_time(view, password)
        else:
            _enrol(view, password)


def _enrol(view: View, password: ui.input) -> None:
    secret = new_secret()
    uri = provisioning_uri(secret, name=view.identity.account.name, installation="pindna")
    ui.label(view.gettext("Type this secret, or the address below it, into the app of your device:"))
    plain(secret, "code").classes("mono")
    plain(uri, "code").classes("mono soft")
    code = ui.input(view.gettext("One-time password that the app shows")).props(
        "outlined dense autocomplete=off"
    )

    async def enrol() -> None:
        codes = await _do(view, lambda account: account.enrol(password.value, secret, code.value))
        _show_codes(view, codes)

    ui.button(view.gettext("Turn on one-time passwords"), on_click=enrol)


def _stop_one_time(view: View, password: ui.input) -> None:
    code = ui.input(view.gettext("One-time password or recovery code")).props(
        "outlined dense autocomplete=off"
    )

    async def stop() -> None:
        await _do(view, lambda account: account.stop_one_time(password.value, code.value))
        ui.navigate.reload()

    async def renew() -> None:
        codes = await _do(view, lambda account: account.new_recovery_codes(password.value, code.value))
        _show_codes(view, codes)

    with ui.element("div").classes("row-line"):
        ui.button(view.gettext("New recovery codes"), on_click=renew)
        ui.button(view.gettext("Turn off one-time passwords"), on_click=stop).props("flat color=negative")


def _show_codes(view: View, codes: list[str]) -> None:
    """Show a secret that is shown once; the page reloads when it is closed."""
    with ui.dialog().props("persistent") as dialog, ui.card().classes("dialog"):
        plain(view.gettext("Recovery codes"), "h2").classes("subtitle")
        ui.label(view.gettext("Each code works once. Keep the codes away from the device:"))
        for code in codes:
            plain(code, "code").classes("mono")
        ui.button(view.gettext("I have saved them"), on_click=ui.navigate.reload)
    dialog.open()


async def _sessions(view: View) -> None:
    sessions: list[Session] = await _do(view, lambda account: account.sessions())
    with titled_panel(view.gettext("Your active sessions")):
        columns = (
            Column(view.gettext("Browser"), "wide"),
            Column(view.gettext("IP address")),
            Column(view.gettext("Since"), "word"),
            Column(view.gettext("Last used"), "word"),
            Column(""),
        )
        table = Table(view.gettext("Sessions"), columns)
        for session in sessions:
            _row(
                view,
                table,
                (session.agent, session.address, view.moment(session.started), view.moment(session.seen)),
                state=view.gettext("this session") if session.id == view.session.id else "",
                label=view.gettext("End session"),
                end=partial(OwnAccount.end_session, session_id=session.id),
            )

        async def end_others() -> None:
            await _do(view, lambda account: account.end_other_sessions())
            ui.navigate.reload()

        ui.button(view.gettext("End all other sessions"), on_click=end_others).props("flat")


def _row(
    view: View,
    table: Table,
    cells: Sequence[str],
    *,
    state: str,
    label: str,
    end: Callable[[OwnAccount], object],
) -> None:
    """Show a session or a token, with its state in words, or with the button that ends it.

    Args:
        view: the page.
        table: that lists it.
        cells: its facts.
        state: why it cannot be ended here; empty: it can.
        label: of the button.
        end: ends it.
    """

    async def press() -> None:
        await _do(view, end)
        ui.navigate.reload()

    with table.row() as row:
        for text in cells:
            row.cell(text)
        with row.cell():
            if state:
                plain(state).classes("soft")
            else:
                ui.button(label, on_click=press).props("flat dense color=negative")


async def _tokens(view: View) -> None:
    tokens: list[Token] = await _do(view, lambda account: account.tokens())
    with titled_panel(view.gettext("API tokens")):
        if tokens:
            columns = (
                Column(view.gettext("Token"), "word"),
                Column(view.gettext("Purpose"), "wide"),
                Column(view.gettext("Ends"), "word"),
                Column(view.gettext("Last used"), "word"),
                Column(""),
            )
            table = Table(view.gettext("Tokens"), columns)
            for token in tokens:
                _row(
                    view,
                    table,
                    (token.id, token.label, view.moment(token.ends), view.moment(token.used)),
                    state=_state_of(view, token),
                    label=view.gettext("Revoke"),
                    end=partial(OwnAccount.revoke_token, name=token.id),
                )
        _new_token(view)


def _state_of(view: View, token: Token) -> str:
    if token.revoked is not None:
        return view.gettext("revoked")
    return view.gettext("ended") if token.ends <= utc_now() else ""


def _new_token(view: View) -> None:
    with ui.element("div").classes("row-line"):
        label = ui.input(view.gettext("Purpose")).props("outlined dense")
        scopes = (
            ui.select(sorted(view.identity.permissions), label=view.gettext("Permissions"), multiple=True)
            .props("outlined dense use-chips")
            .classes("field")
        )
        days = ui.number(view.gettext("Days of validity"), value=_DAYS, min=1, precision=0).props(
            "outlined dense"
        )
        password = _secret_input(view.gettext("Current password"), "current-password")

    async def make() -> None:
        secret, _token = await _do(
            view,
            lambda account: account.make_token(
                password.value, label=label.value, scopes=scopes.value or (), days=int(days.value or 0)
            ),
        )
        with ui.dialog().props("persistent") as dialog, ui.card().classes("dialog"):
            plain(view.gettext("The token, which is shown only now:"), "h2").classes("subtitle")
            foreign(secret, tag="code").classes("mono")
            ui.button(view.gettext("I have saved it"), on_click=ui.navigate.reload)
        dialog.open()

    ui.button(view.gettext("Make a token"), on_click=make)
