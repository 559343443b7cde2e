"""Labels of evidence packages and of the evidence log."""

from collections.abc import Mapping

from analysis.words.i18n import N_
from storage.records import EnvironmentFinding
from storage.records.evidence_log import LoggedKind, StatementKind

LOGGED_KINDS: Mapping[LoggedKind, str] = {
    "capture": N_("Captures"),
    "event": N_("Decisions and events"),
    "statement": N_("Statements on deletions"),
    "session": N_("Environments of crawls"),
}
STATEMENTS: Mapping[StatementKind, str] = {
    "pruned": N_("Deleted at the end of the retention period"),
    "removed": N_("Deleted with a removed work"),
    "erased": N_("Changed because personal data were erased"),
}
ENVIRONMENT_FINDINGS: Mapping[EnvironmentFinding, str] = {
    "clock": N_("The machine's clock was wrong by more than five seconds"),
    "hosts-file": N_("The machine's hosts file names the site"),
    "proxy": N_("Pages were fetched through a proxy"),
    "resolvers-differ": N_("Two name servers gave different addresses"),
    "one-resolver": N_("No second name server was asked"),
    "unresolved": N_("A host had no address"),
}
# Results of recomputing a match of a package.
RECOMPUTED = {
    "same": N_("Same"),
    "same-other-version": N_("Same text, other version"),
    "stretches-only": N_("Stretches only"),
    "not-computed": N_("Not computed"),
    "different": N_("Different"),
}
LOG_PROBLEMS = {
    "head": N_("The head of the log"),
    "kept-root": N_("The log is not a continuation of a signed root that was kept"),
    "root-signature": N_("A daily root has no valid signature"),
    "root-timestamp": N_("A daily root has a wrong timestamp"),
    "root": N_("The entries do not match a signed root"),
    "leaf-missing": N_("An entry is missing or was inserted"),
    "leaf-changed": N_("An entry was changed"),
    "leaves-cut-off": N_("The end of the log is missing"),
    "record-deleted": N_("A record was deleted"),
    "record-changed": N_("A record was changed"),
    "record-added": N_("A record was stored without a log entry"),
    "capture": N_("A capture was altered"),
    "statement": N_("A statement has no valid signature"),
    "unreadable": N_("A row cannot be read"),
}
# Records that are missing in an evidence package or were altered.
PACKAGE_PROBLEMS = {
    "page-gone": N_("The page is no longer stored"),
    "passage-gone": N_("The passage is no longer stored"),
    "no-capture": N_("No capture of this response is stored"),
    "capture-missing": N_("The capture's body is no longer stored"),
    "capture-altered": N_("The capture was altered"),
    "capture-unreadable": N_("The capture cannot be read and is left out of the archive"),
    "computed-otherwise": N_("Recomputing gives another result"),
    "no-pdf": N_("The report could not be printed as PDF"),
    "no-screenshot": N_("Screenshot failed"),
}
