"""Labels of candidates, and of the results of imported entries."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from analysis.words.i18n import N_, NC_
from storage.records import CandidateForm, CandidateState, CapturedForm

if TYPE_CHECKING:
    from analysis.discovery.rows import ImportResult
    from crawler.pages.importing import RecordResult

CANDIDATE_STATES: Mapping[CandidateState, str] = {
    "open": NC_("candidate", "Open"),
    "accepted": NC_("candidate", "Accepted"),
    "rejected": NC_("candidate", "Rejected"),
}
CANDIDATE_FORMS: Mapping[CandidateForm, str] = {
    "book-sources": N_("书源 file of a reading app"),
    "opml": N_("OPML subscriptions"),
    "feed": N_("Feed (RSS or Atom)"),
    "sitemap": N_("Sitemap"),
    "bookmarks": N_("Bookmarks"),
    "addresses": N_("List of addresses"),
    "workbook": N_("Workbook (XLSX)"),
    "index": N_("Index of a web archive"),
    "removals": N_("Removal requests"),
    "chat": N_("Exported chat"),
}
IMPORT_LINES: "Mapping[ImportResult, str]" = {
    "new": N_("New site"),
    "extended": N_("Added to a site"),
    "known": N_("Imported before"),
    "full": N_("Not stored: the site has the maximum number of addresses"),
    "accepted": N_("The site is a source already"),
    "rejected": N_("The site was rejected"),
    "no-address": N_("No http(s) address"),
    "no-work": N_("Names none of your works"),
    "no-text": N_("Audio, pictures or files, not text"),
    "inner": N_("Private address: not accepted"),
    "login": N_("Contains a user name or password"),
    "long": N_("Address too long"),
    "damaged": N_("Cannot be read"),
    "cut": N_("Not read to its end"),
}
CAPTURED_FORMS: Mapping[CapturedForm, str] = {
    "warc": N_("WARC file"),
    "wacz": N_("WACZ file"),
    "har": N_("HAR file"),
    "mhtml": N_("MHTML file"),
    "saved-page": N_("Saved page"),
}
PAGE_IMPORTS: "Mapping[RecordResult, str]" = {
    "new": N_("New page version"),
    "known": N_("Stored before"),
    "not-page": N_("Not a page (pictures, scripts, styles …)"),
    "status": N_("The server answered with an error or a redirect"),
    "no-address": N_("No http(s) address"),
    "no-date": N_("No usable capture date"),
    "revisit": N_("The body is in another file"),
    "long": N_("The body is too long"),
    "damaged": N_("Cannot be read"),
    "cut": N_("Not read to its end"),
    "no-text": N_("Too little Chinese text to compare"),
    "unread": N_("Exceeded the limits for reading a page"),
}
