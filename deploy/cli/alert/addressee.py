"""``pindna alert add`` and ``pindna alert remove``: addressees that are stored in the database."""

from typing import Annotated, Literal

import typer

from analysis.actions.alerts import add_addressee, remove_addressee
from analysis.words.i18n import gettext as _
from deploy.cli.console import print_result
from deploy.cli.identity import As, user_session
from deploy.cli.secrets import typed_secret
from storage.records import Cadence
from system.secrets import referred_secret

Name = Annotated[str, typer.Argument(metavar="ADDRESSEE", help=_("Name of the addressee in the settings."))]


def add(
    name: Name,
    *,
    address: Annotated[
        str,
        typer.Option(
            metavar="REFERENCE", help=_("${PINDNA_SECRET_NAME}; default: the address is typed or piped in.")
        ),
    ] = "",
    language: Annotated[Literal["zh", "en"] | None, typer.Option(help=_("Language of the messages."))] = None,
    quiet: Annotated[str | None, typer.Option(metavar="HH:MM-HH:MM", help=_("Own quiet hours."))] = None,
    event: Annotated[
        list[str] | None,
        typer.Option(metavar="EVENT", help=_("Send only this event; repeatable; default: all.")),
    ] = None,
    when: Annotated[Cadence, typer.Option(help=_("When to send."))] = "at-once",
    rule: Annotated[
        bool, typer.Option("--rule/--no-rule", help=_("Also add a rule that sends to it."))
    ] = True,
    by: As = "",
) -> None:
    way = address if referred_secret(address) else {"secret": address or typed_secret()}
    addressee = {"address": way, "language": language, "quiet": quiet}
    with user_session(by) as (user, runtime):
        add_addressee(user, runtime, name, addressee, {"events": event or [], "when": when} if rule else None)
    line = _("{name} receives alerts. Send a test with `pindna alert test {name}`.")
    print_result(line.format(name=name))


def remove(name: Name, *, by: As = "") -> None:
    with user_session(by) as (user, runtime):
        remove_addressee(user, runtime, name)
    print_result(_("{name} receives no alerts any more.").format(name=name))
