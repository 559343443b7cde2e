"""Commands: rules, addressees and messages of alerts."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

ALERT: Group = {
    "list": Command(
        "alert", N_("List addressees and rules, and which secrets are missing here."), "list_alerts"
    ),
    "add": Command("addressee", N_("Add an addressee, and a rule that sends to it."), "add"),
    "remove": Command("addressee", N_("Remove an addressee, also from groups and rules."), "remove"),
    "test": Command("alert", N_("Send a test message to an addressee, and show the answer."), "send_test"),
    "outbox": Command("alert", N_("Show alerts that wait, were given up or were sent.")),
}
