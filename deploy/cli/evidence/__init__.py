"""Commands: sealed packages and the log of evidence."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

EVIDENCE: Group = {
    "verify": Command(
        "evidence.evidence_verify",
        "verify",
        N_("Verify a package and recompute its results; no services are needed."),
    ),
    "export": Command(
        "evidence.evidence", "export", N_("Write a sealed package of the evidence for cases or matches.")
    ),
    "log": Command("evidence", "LOG", N_("The log that reveals every change of stored evidence.")),
    "key": Command("evidence", "KEY", N_("The key that seals packages and the log.")),
}

LOG: Group = {
    "status": Command(
        "evidence.evidence_log",
        "status",
        N_("Show the state of the evidence log, and the number of records that wait for it."),
    ),
    "show": Command(
        "evidence.evidence_log", "show", N_("Show the last entries of the evidence log, or its signed root.")
    ),
    "verify": Command(
        "evidence.evidence_log",
        "verify",
        N_("Find any change, deletion or insertion in the stored evidence."),
    ),
}

KEY: Group = {
    "show": Command(
        "evidence.evidence_key", "show", N_("Show the fingerprint of the signing key, and of earlier ones.")
    ),
    "rotate": Command(
        "evidence.evidence_key",
        "rotate_key",
        N_("Sign with a new key from now on; the earlier one endorses it."),
    ),
}
