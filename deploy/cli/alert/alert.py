"""``pindna alert``: rules and receivers of alerts, test messages, and waiting alerts."""

from typing import Annotated

import typer

from analysis.actions.alerts import send_again, try_addressee
from analysis.alerts.overview import AddresseeStatus, last_of, rule_words
from analysis.queries.alerts import addressees, newest_mailings
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext, translator
from analysis.words.labels import MAILING_STATES
from deploy.cli.clock import local_moment
from deploy.cli.console import print_json_line, print_progress, print_result, print_table
from deploy.cli.identity import As, user_session
from deploy.cli.labels import word_of
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonLines
from deploy.cli.tables import print_list
from storage.records import Mailing, MailingState
from storage.settings.alerts import AlertRule


def list_alerts(*, as_json: AsJsonLines = False) -> None:
    with user_session() as (user, runtime):
        settings = runtime.settings.analysis.alerts
        statuses = addressees(user, runtime.stores, settings)
    if as_json:
        for way in statuses:
            print_json_line(_way_as_object(way))
        for rule in settings.rules:
            print_json_line({"type": "rule", **rule.model_dump(mode="json")})
        return
    if not statuses:
        print_result(_("No alert is sent: the settings list no addressee in [analysis.alerts]."))
        return
    print_table(
        (_("addressee"), _("channel"), _("language"), _("quiet hours"), _("not sent yet"), _("missing here")),
        [_way_row(way, settings.quiet) for way in statuses],
    )
    print_table(
        (_("addressees"), _("when"), _("events"), _("limited to"), _("verdicts")),
        [_rule_row(rule) for rule in settings.rules],
    )


def _way_as_object(way: AddresseeStatus) -> dict[str, object]:
    return {
        "type": "addressee",
        "name": way.name,
        "way": "webhook" if way.addressee.webhook else "service",
        "language": way.addressee.language,
        "quiet": way.addressee.quiet,
        "waiting": way.waiting,
        "missing": way.missing,
    }


def _way_row(way: AddresseeStatus, quiet: str) -> tuple[str | tuple[str, ...], ...]:
    quiet_hours = way.addressee.quiet
    return (
        way.name,
        _("signed webhook") if way.addressee.webhook else _("message service"),
        way.addressee.language or "–",
        (quiet if quiet_hours is None else quiet_hours) or "–",
        str(way.waiting),
        way.missing or "–",
    )


def _rule_row(rule: AlertRule) -> tuple[str | tuple[str, ...], ...]:
    words = rule_words(rule, translator())
    return (
        tuple(rule.to),
        words.when,
        words.events or _("all"),
        words.only or "–",
        words.verdicts or _("all"),
    )


def send_test(
    name: Annotated[
        str, typer.Argument(metavar="ADDRESSEE", help=_("Name of the addressee in the settings."))
    ],
    *,
    by: As = "",
) -> None:
    with user_session(by) as (user, runtime):
        answer = try_addressee(user, runtime, name)
    print_result(_("{name} received the test: {answer}").format(name=name, answer=answer))


def outbox(
    *,
    state: Annotated[
        MailingState | None, typer.Option(help=_("Only mailings in this state; default: waiting and failed."))
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, help=_("List at most this number of mailings of each state, the newest."))
    ] = 50,
    retry: Annotated[bool, typer.Option("--retry", help=_("Retry alerts that were given up."))] = False,
    by: As = "",
    as_json: AsJsonLines = False,
) -> None:
    with user_session(by) as (user, runtime):
        if retry:
            count = send_again(user, runtime)
            line = ngettext("{count} mailing is tried again.", "{count} mailings are tried again.", count)
            print_progress(line.format(count=count))
        states: list[MailingState] = [state] if state else ["waiting", "failed"]
        mailings = newest_mailings(user, runtime.stores, states, limit=limit)
    headers = (
        *(_("id"), _("addressee"), _("state"), _("alerts")),
        *(_("made"), _("attempts"), _("next attempt or time of sending"), _("what came back")),
    )
    print_list(mailings, _mailing_as_object, headers, _mailing_row, as_json=as_json)


def _mailing_row(mailing: Mailing) -> tuple[str, ...]:
    moment, answer = last_of(mailing, translator())
    return (
        mailing.id,
        mailing.addressee,
        word_of(MAILING_STATES, mailing.state),
        str(len(mailing.deliveries)),
        local_moment(mailing.made),
        str(mailing.attempts),
        local_moment(moment),
        answer or "–",
    )


def _mailing_as_object(mailing: Mailing) -> dict[str, object]:
    return object_of(
        mailing,
        "id addressee when=cadence state alerts made due attempts error answer sent",
        alerts=len(mailing.deliveries),
        error=str(mailing.error) or None,
        answer=mailing.answer or None,
    )
