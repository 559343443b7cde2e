"""``pindna user``: accounts of the console and the API."""

from typing import Annotated

import typer

from analysis.accounts.managing import Manager, account_fields, check_name
from analysis.accounts.one_time import new_secret, provisioning_uri
from analysis.accounts.otp_keys import OneTimeKeys
from analysis.queries import accounts as queries
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from analysis.words.labels import ROLES
from deploy.cli.clock import local_moment
from deploy.cli.console import ask, can_ask, print_json_line, print_progress, print_result
from deploy.cli.identity import As, terminal_identity, user_session
from deploy.cli.labels import word_of
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonLines, AsJsonObject, Limit
from deploy.cli.secrets import NoTerminal, new_password
from deploy.cli.session import session
from deploy.cli.tables import print_list
from storage.records import Account, Role
from tracker.runtime import Runtime

Name = Annotated[str, typer.Argument(metavar="NAME", help=_("Name of the account."))]
_Role = Annotated[Role, typer.Option("--role", help=_("Role of the account."))]
_Holder = Annotated[
    list[str] | None,
    typer.Option("--holder", metavar="NAME", help=_("Holder whose works the role holder sees; repeatable.")),
]


def add(
    name: Name,
    *,
    role: _Role,
    holder: _Holder = None,
    no_password: Annotated[
        bool,
        typer.Option("--no-password", help=_("The account cannot sign in; programs use it with tokens.")),
    ] = False,
    by: As = "",
) -> None:
    check_name(name)
    password = "" if no_password else new_password()
    with session() as runtime:
        manager = _manager(runtime, by)
        account = manager.add(name, role=role, holders=holder or (), password=password)
    print_result(_("Added: {name}").format(name=account.name))


def list_accounts(*, limit: Limit = None, as_json: AsJsonLines = False) -> None:
    with user_session() as (user, runtime):
        accounts = queries.list_accounts(user, runtime.stores, limit=limit or 0)
    headers = _("name"), _("role"), _("holders"), _("state")
    print_list(accounts, _as_object, headers, _cells, as_json=as_json)


def _cells(account: Account) -> tuple[str, ...]:
    state = _("disabled") if account.disabled else ""
    return account.name, word_of(ROLES, account.role), ", ".join(account.holders) or "–", state


def show(name: Name, *, as_json: AsJsonObject = False) -> None:
    with user_session() as (user, runtime):
        access = queries.get_account(user, runtime.stores, name)
    account, tokens = access.account, access.tokens
    if as_json:
        sessions = [object_of(row, "address agent started seen ends") for row in access.sessions]
        print_json_line(_as_object(account) | {"sessions": sessions, "tokens": [row.id for row in tokens]})
        return
    print_result(f"{account.name}: {word_of(ROLES, account.role)}")
    for label, value in _lines(account):
        print_result(f"  {label}: {value}")
    for row in access.sessions:
        line = _("signed in since {time} from {address}").format(
            time=local_moment(row.started), address=row.address
        )
        print_result(f"  {line}  {row.agent}")
    for token in tokens:
        print_result(f"  {token.id}  {token.label}")


def role(name: Name, *, role: _Role, holder: _Holder = None, by: As = "") -> None:
    with session() as runtime:
        account = _manager(runtime, by).set_role(name, role=role, holders=holder or ())
    print_result(_("{name}: {role}").format(name=account.name, role=word_of(ROLES, account.role)))


def password(name: Name, *, by: As = "") -> None:
    with session() as runtime:
        manager = _manager(runtime, by, name)
        manager.set_password(name, new_password())
    print_result(_("Changed: {name}").format(name=name))


def reset(name: Name, *, by: As = "") -> None:
    with session() as runtime:
        manager = _manager(runtime, by, name)
        manager.reset(name, new_password())
    print_result(_("Changed: {name}").format(name=name))


def totp(name: Name, *, by: As = "") -> None:
    """Enrol a device; prints the recovery codes once."""
    if not can_ask():
        raise NoTerminal
    with session() as runtime:
        manager = _manager(runtime, by, name)
        keys = OneTimeKeys.of(runtime.settings, runtime.stores)
        secret = new_secret()
        print_progress(_("Type this address, or its secret, into the app of your device:"))
        print_progress(f"  {provisioning_uri(secret, name=name, installation='pindna')}")
        codes = manager.enrol(name, secret, ask(_("One-time password that the app shows:")), keys)
    print_result(_("Recovery codes; each works for one sign-in. Keep them away from the device:"))
    for code in codes:
        print_result(f"  {code}")


def rotate_key(*, by: As = "") -> None:
    with session() as runtime:
        keys = OneTimeKeys.of(runtime.settings, runtime.stores)
        count = _manager(runtime, by).rotate_one_time_key(keys)
    print_result(
        ngettext(
            "{count} secret is encrypted with a new key in {path}.",
            "{count} secrets are encrypted with a new key in {path}.",
            count,
        ).format(count=count, path=keys.path)
    )
    print_progress(_("Copy the file to every machine of this installation, and to the backup."))


def disable(name: Name, *, by: As = "") -> None:
    with session() as runtime:
        _manager(runtime, by).disable(name)
    print_result(_("Disabled: {name}").format(name=name))


def enable(name: Name, *, by: As = "") -> None:
    with session() as runtime:
        _manager(runtime, by).enable(name)
    print_result(_("Enabled: {name}").format(name=name))


def sign_out(name: Name, *, by: As = "") -> None:
    with session() as runtime:
        count = _manager(runtime, by).sign_out(name)
    print_result(ngettext("{count} session ended.", "{count} sessions ended.", count).format(count=count))


def _manager(runtime: Runtime, by: str, name: str = "") -> Manager:
    """Return the object with which the user of the terminal changes accounts.

    Args:
        runtime: the open services.
        by: the name that was given with ``--as``.
        name: of the account; where there is none a user is not asked for a password first.
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
