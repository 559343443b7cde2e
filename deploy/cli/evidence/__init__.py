"""Commands: sealed packages and the log of evidence."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

EVIDENCE: Group = {
    "verify": Command(
        "evidence_verify", N_("Verify a package and recompute its results; no services are needed.")
    ),
    "export": Command("evidence", N_("Write a sealed package of the evidence for cases or matches.")),
    "log": Command("", N_("The log that reveals every change of stored evidence."), "LOG"),
    "key": Command("", N_("The key that seals packages and the log."), "KEY"),
}

LOG: Group = {
    "status": Command(
        "evidence_log", N_("Show the state of the evidence log, and the number of records that wait for it.")
    ),
    "show": Command("evidence_log", N_("Show the last entries of the evidence log, or its signed root.")),
    "receipts": Command("evidence_log", N_("Show the receipts of witnesses for daily signed roots.")),
    "verify": Command("evidence_log", N_("Find any change, deletion or insertion in the stored evidence.")),
}

KEY: Group = {
    "show": Command("evidence_key", N_("Show the fingerprint of the signing key, and of earlier ones.")),
    "rotate": Command(
        "evidence_key", N_("Sign with a new key from now on; the earlier one endorses it."), "rotate_key"
    ),
}
