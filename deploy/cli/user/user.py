"""``pindna user``: accounts of the console and the API."""

from typing import Annotated

import typer

from analysis.accounts.managing import Manager, account_fields, check_name
from analysis.accounts.one_time import new_secret, provisioning_uri
from analysis.accounts.otp_keys import OneTimeKeys
from analysis.queries import accounts as queries
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext, translator
from analysis.words.labels import ROLES, word
from deploy.cli.clock import local_moment
from deploy.cli.console import ask, can_ask, print_json_line, print_progress, print_result
from deploy.cli.identity import As, terminal_identity, user_session
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonLines, AsJsonObject, Limit
from deploy.cli.secrets import NoTerminal, new_password
from deploy.cli.session import session
from deploy.cli.tables import print_list
from storage.records import Account, Role
from tracker.runtime import Runtime

app = typer.Typer(no_args_is_help=True)
Name = Annotated[str, typer.Argument(metavar="NAME", help=_("Name of the account."))]
_Role = Annotated[Role, typer.Option("--role", help=_("What the account may do."))]
_Holder = Annotated[
    list[str] | None,
    typer.Option("--holder", metavar="NAME", help=_("Holder whose works the role holder sees; repeatable.")),
]


@app.command("add", help=_("Make an account; asks for its password, or reads it from the input."))
def add(
    name: Name,
    *,
    role: _Role,
    holder: _Holder = None,
    no_password: Annotated[
        bool, typer.Option("--no-password", help=_("No sign-in: programs use tokens."))
    ] = False,
    by: As = "",
) -> None:
    """Store a new account."""
    check_name(name)
    password = "" if no_password else new_password()
    with session() as runtime:
        manager = _manager(runtime, by)
        account = manager.add(name, role=role, holders=holder or (), password=password)
    print_result(_("Added: {name}").format(name=account.name))


@app.command("list", help=_("List the accounts."))
def list_accounts(*, limit: Limit = None, as_json: AsJsonLines = False) -> None:
    """Print accounts by name."""
    with user_session() as (user, runtime):
        accounts = queries.list_accounts(user, runtime.stores, limit=limit or 0)
    headers = _("name"), _("role"), _("holders"), _("state")
    print_list(accounts, _as_object, headers, _cells, as_json=as_json)


def _cells(account: Account) -> tuple[str, ...]:
    state = _("disabled") if account.disabled else ""
    return account.name, word(translator(), ROLES, account.role), ", ".join(account.holders) or "–", state


@app.command("show", help=_("Show an account, where it is signed in, and its tokens."))
def show(name: Name, *, as_json: AsJsonObject = False) -> None:
    """Print an account."""
    with user_session() as (user, runtime):
        access = queries.get_account(user, runtime.stores, name)
    account, tokens = access.account, access.tokens
    if as_json:
        sessions = [object_of(row, "address agent started seen ends") for row in access.sessions]
        print_json_line(_as_object(account) | {"sessions": sessions, "tokens": [row.id for row in tokens]})
        return
    print_result(f"{account.name}: {word(translator(), ROLES, account.role)}")
    for label, value in _lines(account):
        print_result(f"  {label}: {value}")
    for row in access.sessions:
        line = _("signed in since {time} from {address}").format(
            time=local_moment(row.started), address=row.address
        )
        print_result(f"  {line}  {row.agent}")
    for token in tokens:
        print_result(f"  {token.id}  {token.label}")


@app.command("role", help=_("Give an account another role."))
def role(name: Name, *, role: _Role, holder: _Holder = None, by: As = "") -> None:
    """Change the role, and whose works the account sees."""
    with session() as runtime:
        account = _manager(runtime, by).set_role(name, role=role, holders=holder or ())
    print_result(_("{name}: {role}").format(name=account.name, role=word(translator(), ROLES, account.role)))


@app.command("password", help=_("Give an account another password, and end its sessions."))
def password(name: Name, *, by: As = "") -> None:
    """Change the password."""
    with session() as runtime:
        manager = _manager(runtime, by, name)
        manager.set_password(name, new_password())
    print_result(_("Changed: {name}").format(name=name))


@app.command("reset", help=_("Reset a lost password or device; ends sessions, revokes tokens."))
def reset(name: Name, *, by: As = "") -> None:
    """Set a new password and ask for no one-time passwords."""
    with session() as runtime:
        manager = _manager(runtime, by, name)
        manager.reset(name, new_password())
    print_result(_("Changed: {name}").format(name=name))


@app.command("totp", help=_("Ask for one-time passwords from now on."))
def totp(name: Name, *, by: As = "") -> None:
    """Enrol a device; prints the recovery codes once."""
    if not can_ask():
        raise NoTerminal
    with session() as runtime:
        manager = _manager(runtime, by, name)
        keys = OneTimeKeys.of(runtime.settings, runtime.stores.accounts)
        secret = new_secret()
        print_progress(_("Type this address, or its secret, into the app of your device:"))
        print_progress(f"  {provisioning_uri(secret, name=name, installation='pindna')}")
        codes = manager.enrol(name, secret, ask(_("One-time password that it shows:")), keys)
    print_result(_("Recovery codes; each is good for one sign-in. Keep them where the device is not:"))
    for code in codes:
        print_result(f"  {code}")


@app.command("rotate-key", help=_("Encrypt the secrets of one-time passwords with a new key from now on."))
def rotate_key(*, by: As = "") -> None:
    """Make a key and encrypt every secret with it."""
    with session() as runtime:
        keys = OneTimeKeys.of(runtime.settings, runtime.stores.accounts)
        count = _manager(runtime, by).rotate_one_time_key(keys)
    print_result(
        ngettext(
            "{count} secret is encrypted with a new key in {path}.",
            "{count} secrets are encrypted with a new key in {path}.",
            count,
        ).format(count=count, path=keys.path)
    )
    print_progress(_("Copy the file to every machine of this installation, and to the backup."))


@app.command("disable", help=_("Let an account be used no more; ends sessions, revokes tokens."))
def disable(name: Name, *, by: As = "") -> None:
    """Disable an account."""
    with session() as runtime:
        _manager(runtime, by).disable(name)
    print_result(_("Disabled: {name}").format(name=name))


@app.command("enable", help=_("Let a disabled account be used again."))
def enable(name: Name, *, by: As = "") -> None:
    """Enable an account."""
    with session() as runtime:
        _manager(runtime, by).enable(name)
    print_result(_("Enabled: {name}").format(name=name))


@app.command("sign-out", help=_("End the sessions of an account."))
def sign_out(name: Name, *, by: As = "") -> None:
    """End every session."""
    with session() as runtime:
        count = _manager(runtime, by).sign_out(name)
    print_result(ngettext("{count} session ended.", "{count} sessions ended.", count).format(count=count))


def _manager(runtime: Runtime, by: str, name: str = "") -> Manager:
    """Return what changes accounts for the user of the terminal.

    Args:
        runtime: the open services.
        by: the name that was given with ``--as``.
        name: of the account; where there is none a user is not asked for a password first.

    Raises:
        NotPermitted: accounts are not the user's to change.
        UnknownRecord: there is no such account.
    """
    user = terminal_identity(runtime.settings, by)
    if name:
        queries.get_account(user, runtime.stores, name)
    return Manager.acting_for(user, runtime.stores)


def _as_object(account: Account) -> dict[str, object]:
    return object_of(account, "name", **account_fields(account), added=account.added)


def _lines(account: Account) -> tuple[tuple[str, str], ...]:
    return (
        (_("holders"), ", ".join(account.holders) or "–"),
        (_("password"), _("yes") if account.password else _("none")),
        (_("one-time passwords"), _("yes") if account.otp_secret else _("none")),
        (_("recovery codes left"), str(len(account.recovery))),
        (_("disabled"), local_moment(account.disabled) if account.disabled else "–"),
    )
