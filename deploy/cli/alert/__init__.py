"""Commands: rules, addressees and messages of alerts."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

ALERT: Group = {
    "list": Command(
        "alert", N_("List addressees and rules, and which secrets are missing here."), "list_alerts"
    ),
    "test": Command("alert", N_("Send a test message to an addressee, and show the answer."), "send_test"),
    "outbox": Command("alert", N_("Show alerts that wait, were given up or were sent.")),
}
