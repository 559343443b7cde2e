"""Alerts: addressees, rules and deliveries. Addressees and rules are changed on the page of settings."""

from functools import partial

from nicegui import ui

from analysis.actions.alerts import send_again, try_addressee
from analysis.alerts.overview import AddresseeStatus, last_of, rule_words
from analysis.console.parts.administered import administered
from analysis.console.parts.badges import badge
from analysis.console.parts.lists import nothing
from analysis.console.parts.panels import titled_panel
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import plain
from analysis.console.parts.tones import MAILING_TONES
from analysis.console.places import ALERTS
from analysis.console.shell import name_control
from analysis.console.view import View
from analysis.queries.alerts import Alerts, alerts
from analysis.words.i18n import NC_
from analysis.words.labels import MAILING_STATES
from storage.settings.alerts import AlertSettings


async def build(view: View) -> None:
    """Show addressees, rules and the outbox."""
    administered(view, ALERTS)
    settings = view.installation.runtime.settings.analysis.alerts
    mailings = await view.read(alerts, settings)
    if not mailings.ways:
        line = view.gettext("No alerts are sent: no addressee is set. Add one under “Settings”.")
        nothing(view, line)
    else:
        _addressees(view, mailings.ways, settings)
        _rules(view, settings)
    _outbox(view, mailings)


def _addressees(view: View, ways: tuple[AddresseeStatus, ...], settings: AlertSettings) -> None:
    _ = view.gettext
    with titled_panel(_("Addressees")):
        columns = (
            Column(_("Addressee"), "name"),
            Column(_("Channel"), "word"),
            Column(_("Quiet hours"), "word"),
            Column(_("Not sent yet"), "number"),
            Column(_("Missing variables"), "wide"),
            Column(""),
        )
        table = Table(_("Addressees"), columns)
        for way in ways:
            quiet = settings.quiet if way.addressee.quiet is None else way.addressee.quiet
            with table.row() as row:
                row.cell(way.name)
                row.cell(_("signed webhook") if way.addressee.webhook else _("message service"))
                row.cell(quiet or "–")
                row.cell(f"{way.waiting:,}")
                row.cell(", ".join(way.missing) or "–")
                with row.cell():
                    if view.may("scans:run"):
                        button = ui.button(_("Send a test message"), on_click=partial(_try, view, way.name))
                        name_control(
                            button.props("flat dense"),
                            _("Send a test message to {name}").format(name=way.name),
                        )


async def _try(view: View, name: str) -> None:
    answer = await view.act(try_addressee, name)
    line = view.gettext("{name} received the test message: {answer}").format(name=name, answer=answer)
    ui.notify(line, type="positive", multi_line=True)


def _rules(view: View, settings: AlertSettings) -> None:
    _ = view.gettext
    with titled_panel(_("Rules")):
        columns = (
            Column(_(NC_("alert", "To")), "name"),
            Column(_("When"), "word"),
            Column(_("Events"), "wide"),
            Column(_("Limited to"), "wide"),
            Column(_("Verdicts"), "wide"),
        )
        table = Table(_("Rules"), columns)
        for rule in settings.rules:
            words = rule_words(rule, view.texts)
            with table.row() as row:
                row.cell(", ".join(rule.to))
                row.cell(words.when)
                row.cell(", ".join(words.events) or _("all"))
                row.cell(", ".join(words.only) or "–")
                row.cell(", ".join(words.verdicts) or _("all"))


def _outbox(view: View, outbox: Alerts) -> None:
    _ = view.gettext
    with titled_panel(_("Outbox")):
        if not outbox.mailings:
            plain(_("No sent or waiting alerts.")).classes("soft")
            return
        columns = (
            Column(_("Addressee"), "name"),
            Column(_("State"), "word"),
            Column(_(NC_("count", "Alerts")), "number"),
            Column(_(NC_("alert", "Created at")), "word"),
            Column(_("Attempts"), "number"),
            Column(_("Next attempt or time of sending"), "word"),
            Column(_("Result"), "wide"),
        )
        table = Table(_("Outbox"), columns)
        for mailing in outbox.mailings:
            moment, answer = last_of(mailing, view.texts)
            with table.row() as row:
                row.cell(mailing.addressee)
                with row.cell():
                    badge(view.word(MAILING_STATES, mailing.state), MAILING_TONES[mailing.state])
                row.cell(f"{len(mailing.deliveries):,}")
                row.cell(view.moment(mailing.made))
                row.cell(f"{mailing.attempts:,}")
                row.cell(view.moment(moment))
                row.cell(answer or "–")
        if outbox.failed and view.may("scans:run"):
            again = view.ngettext("Try {count} mailing again", "Try {count} mailings again", outbox.failed)
            ui.button(again.format(count=outbox.failed), on_click=partial(_again, view))


async def _again(view: View) -> None:
    await view.act(send_again)
    ui.navigate.reload()
