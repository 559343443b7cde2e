"""``pindna token``: manage the keys with which programs use the API."""

from typing import Annotated

import typer

from analysis.actions.tokens import make_token, revoke_token
from analysis.queries.accounts import get_account
from analysis.words.i18n import gettext as _
from deploy.cli.clock import local_moment
from deploy.cli.console import print_progress, print_result
from deploy.cli.identity import As, user_session
from deploy.cli.options import AsJsonLines
from deploy.cli.tables import print_list
from storage.records import Token, utc_now

_DAYS = 90
_FIELDS = "token=id account label scopes made ends used revoked"


def add(
    account: Annotated[str, typer.Argument(metavar="ACCOUNT", help=_("Account that the program acts for."))],
    *,
    label: Annotated[str, typer.Option("--label", metavar="TEXT", help=_("Purpose of the token."))],
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope",
            metavar="SCOPE",
            help=_("Permission of the token; repeatable. Default: all permissions of the account."),
        ),
    ] = None,
    days: Annotated[int, typer.Option(min=1, help=_("Validity in days."))] = _DAYS,
    by: As = "",
) -> None:
    with user_session(by) as (user, runtime):
        secret, token = make_token(user, runtime, account, label=label, scopes=scope or (), days=days)
    print_progress(_("{name} is valid until {day}. Save the secret; it is not shown again:").format(
        name=token.id, day=local_moment(token.ends)
    ))  # fmt: skip
    print_result(secret)


def list_tokens(
    account: Annotated[str, typer.Argument(metavar="ACCOUNT", help=_("Account of the tokens."))],
    *,
    as_json: AsJsonLines = False,
) -> None:
    with user_session() as (user, runtime):
        tokens = get_account(user, runtime.stores, account).tokens
    headers = _("token"), _("label"), _("scopes"), _("last used"), _("state")
    print_list(tokens, _FIELDS, headers, _cells, as_json=as_json)


def revoke(
    name: Annotated[str, typer.Argument(metavar="TOKEN", help=_("Name of the token, such as t7."))],
    *,
    by: As = "",
) -> None:
    with user_session(by) as (user, runtime):
        token = revoke_token(user, runtime, name)
    print_result(_("Revoked: {name}").format(name=token.id))


def _cells(token: Token) -> tuple[str, ...]:
    return token.id, token.label, ", ".join(token.scopes), local_moment(token.used), _state(token)


def _state(token: Token) -> str:
    if token.revoked:
        return _("revoked")
    if token.ends <= utc_now():
        return _("ended")
    return _("until {day}").format(day=local_moment(token.ends))
