"""English labels of the codes in records, marked for translation.

Codes that are not listed here are shown as they are.
"""

from collections.abc import Mapping

from analysis.i18n import N_, Translator
from storage.messages import Message

VERDICTS = {
    "copy": N_("Copy"),
    "partial": N_("Partial copy"),
    "licensed": N_("Licensed"),
    "quote": N_("Quotation"),
    "common": N_("Common text"),
    "clear": N_("Nothing found"),
}
PAGE_STATES = {
    "fetched": N_("Waiting for comparison"),
    "compared": N_("Compared"),
    "failed": N_("Not compared"),
}
PAGE_KINDS = {
    "article": N_("Article"),
    "chapter": N_("Chapter"),
    "thread": N_("Thread"),
    "list": N_("List or catalogue"),
    "obfuscated": N_("Obfuscated text"),
    "blocked": N_("Blocked"),
    "incomplete": N_("Incomplete text"),
    "empty": N_("No text"),
    "unreadable": N_("Unreadable"),
    "error": N_("Error"),
}
# What a crawl asks an address for.
ENTRY_KINDS = {
    "index": N_("Catalogue"),
    "text": N_("Text"),
    "sitemap": N_("Sitemap"),
    "feed": N_("Feed"),
    "query": N_("Search"),
}
SCAN_STATES = {"running": N_("Running"), "finished": N_("Finished"), "failed": N_("Failed")}
CRAWL_STATES = {"due": N_("Not finished"), "done": N_("Done"), "failed": N_("Failed")}
TRIGGERS = {
    "hand": N_("by hand"),
    "schedule": N_("by schedule"),
    "corpus": N_("after a change of the corpus"),
}
CASE_STATES = {
    "new": N_("New"),
    "confirmed": N_("Confirmed"),
    "dismissed": N_("Dismissed"),
    "notified": N_("Notified"),
    "accepted": N_("Accepted by the site"),
    "refused": N_("Refused by the site"),
    "unanswered": N_("Unanswered"),
    "removed": N_("Removed by the site"),
    "partly_removed": N_("Removed in part"),
    "still_up": N_("Still up"),
    "back": N_("Back again"),
    "closed": N_("Closed"),
}
# What happened to a case; a move is called as the state that it leads to.
EVENTS = CASE_STATES | {
    "carried-over": N_("Carried over from an earlier version"),
    "opened": N_("Opened"),
    "joined": N_("New copy"),
    "reopened": N_("Reopened"),
    "assigned": N_("Assigned"),
    "deadline": N_("Deadline set"),
    "noted": N_("Note"),
    "replied": N_("Reply of the site"),
    "exported": N_("Evidence package made"),
    "notice-made": N_("Notice made"),
    "notice-sent": N_("Notice sent"),
    "notice-failed": N_("Notice not sent"),
    "notice-uncertain": N_("Notice uncertain"),
    "notice-withdrawn": N_("Notice withdrawn"),
    "match-confirmed": N_("Match confirmed"),
    "match-dismissed": N_("Match dismissed"),
    "match-doubtful": N_("Match set aside"),
    "signed-in": N_("Signed in"),
    "signed-out": N_("Signed out"),
    "sign-in-refused": N_("Sign-in refused"),
    "account-added": N_("Account added"),
    "account-changed": N_("Account changed"),
    "token-made": N_("Token made"),
    "token-revoked": N_("Token revoked"),
    "licence-granted": N_("Licence granted"),
    "source-saved": N_("Source saved"),
    "source-removed": N_("Source removed"),
    "work-added": N_("Work added"),
    "work-changed": N_("Work changed"),
    "work-removed": N_("Work removed"),
    "scan-started": N_("Scan started"),
    "scan-stopped": N_("Scan stopped"),
    "requested": N_("Other act"),
    "match-reopened": N_("Match reopened"),
}
# What accounts of the console and the API may do.
ROLES = {
    "holder": N_("rights holder"),
    "analyst": N_("analyst"),
    "operator": N_("operator"),
    "administrator": N_("administrator"),
}
CADENCES = {"at-once": N_("at once"), "daily": N_("daily"), "weekly": N_("weekly")}
MAILING_STATES = {"waiting": N_("Waiting"), "failed": N_("Given up"), "sent": N_("Sent")}
LOGGED_KINDS = {
    "capture": N_("Captures"),
    "event": N_("Decisions and events"),
    "statement": N_("Statements on deletions"),
}
STATEMENTS = {
    "pruned": N_("Deleted because their time was up"),
    "removed": N_("Deleted with a removed work"),
    "erased": N_("Changed because a person's data were erased"),
}
# What computing a match of a package once more comes to.
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
    "root-signature": N_("A root of a day has no valid signature"),
    "root-timestamp": N_("A root of a day has a wrong timestamp"),
    "root": N_("The entries do not lead to a signed root"),
    "leaf-missing": N_("An entry is missing or was inserted"),
    "leaf-changed": N_("An entry was changed"),
    "leaves-cut-off": N_("The end of the log is missing"),
    "record-deleted": N_("A record was deleted"),
    "record-changed": N_("A record was changed"),
    "record-added": N_("A record was stored past the log"),
    "capture": N_("A capture does not hold what it held"),
    "statement": N_("A statement has no valid signature"),
    "unreadable": N_("A row cannot be read"),
}
# What a case gets points of priority for.
PRIORITIES = {
    "copied_chars": N_("copied characters"),
    "share": N_("share of the work"),
    "lag_days": N_("days after the work"),
    "other_cases": N_("other cases of the site that were confirmed"),
    "traffic_rank": N_("traffic rank"),
}
# Why a case is closed, where nobody said so in words.
CLOSED_BECAUSE = {
    "no-matches": N_("Nothing of it is found any more"),
    "not-protected": N_("The work is no longer protected here"),
    "joined": N_("What was found belongs to another case now"),
}
WORK_ROLES = {
    "protected": N_("Protected work"),
    "earlier": N_("Earlier publication"),
    "background": N_("Background text"),
}
WORK_STATES = {
    "stored": N_("Waits to be indexed"),
    "indexed": N_("Indexed"),
    "failed": N_("Could not be indexed"),
    "removed": N_("Removed"),
}
WORK_KINDS = {"novel": N_("Novel"), "news": N_("News")}
SOURCE_KINDS = {
    "news": N_("News site"),
    "novel": N_("Novel site"),
    "site": N_("Whole site"),
    "urls": N_("List of addresses"),
    "discovery": N_("Discovery by search"),
}
ALERTS = {
    "blocked": N_("The site refuses us"),
    "collapsed": N_("Far less than usual was found"),
    "empty": N_("Nothing was found"),
    "slow": N_("The site's pauses leave no time for all its texts"),
    "unreadable": N_("The source could not be read"),
    "unreachable": N_("The network did not lead to the source"),
    "interrupted": N_("The crawl was broken off on our side"),
}
PAGE_EVENTS = {
    "new": N_("New"),
    "changed": N_("Changed"),
    "gone": N_("Gone"),
    "moved": N_("Moved"),
    "returned": N_("Came back"),
}
CAPTURE_STATES = {
    "unchanged": N_("unchanged"),
    "altered": N_("altered"),
    "missing": N_("missing"),
    "undigested": N_("made before digests were kept"),
}
CAPTURE_PARTS = {
    "address": N_("address"),
    "date": N_("date"),
    "status": N_("status"),
    "body": N_("body"),
    "digest": N_("digest"),
    "records": N_("records"),
}
VISIT_STATES = {"there": N_("There"), "gone": N_("Gone"), "moved": N_("Moved")}
# What a version of an address counts for, where it is not the current one.
STANDINGS = {
    "last-text": N_("last text that was compared"),
    "replaced": N_("replaced"),
    "reread": N_("the same page, read otherwise"),
}
LOOKS = {
    "up": N_("Still up"),
    "changed": N_("Another text"),
    "gone": N_("Gone"),
    "restricted": N_("Access restricted"),
    "moved": N_("Moved"),
    "unreachable": N_("Could not be looked at"),
    "left": N_("Not looked at"),
}
WATCH_STATES = {
    "waiting": N_("Not looked at yet"),
    "up": N_("Still up"),
    "changed": N_("Another text"),
    "gone": N_("Gone"),
    "restricted": N_("Access restricted"),
    "moved": N_("Moved"),
    "unreachable": N_("Could not be looked at"),
}
DISGUISES = {
    "homophones": N_("Homophones"),
    "traditional": N_("Traditional or variant characters"),
    "noise": N_("Inserted noise"),
    "pinyin": N_("Pinyin in place of or beside characters"),
    "doubled": N_("Characters or words written several times"),
    "reversed": N_("Written backwards"),
    "columns": N_("Written in columns"),
    "slogans": N_("Inserted slogans"),
    "shuffled": N_("Shuffled order"),
    "components": N_("Characters split into their parts"),
    "edited": N_("Edited characters"),
}
LICENCES = {
    "licensed": N_("Licensed"),
    "not-begun": N_("The licence had not begun"),
    "expired": N_("The licence has expired"),
    "no-attribution": N_("Published without the attribution that the licence asks for"),
    "beyond-licence": N_("More than the licence allows"),
}
PRECEDENCES = {
    "": N_("The page is older than the work: the copying may have gone the other way."),
    "claimed-date": N_(
        "The page is older than the work by the date that it bears: the copying may have gone the other way."
    ),
    "first-sight": N_(
        "The page is older than the work by our first sight of it: the copying may have gone the other way."
    ),
}
DATES = {"claimed-date": N_("the date that it bears"), "first-sight": N_("our first sight of it")}
REVIEWS = {
    "open": N_("Open"),
    "confirmed": N_("Confirmed"),
    "dismissed": N_("Dismissed"),
    "doubtful": N_("Doubtful"),
}
ROBOTS = {
    "": "–",
    "allowed": N_("allows it"),
    "forbidden": N_("forbids it"),
    "unreachable": N_("cannot be had"),
    "disregarded": N_("is disregarded"),
}
LIST_LINES = {
    "taken": N_("Taken"),
    "known": N_("There already"),
    "repeated": N_("Repeated in the list"),
    "long": N_("Address too long"),
    "inner": N_("Inner address: not taken"),
    "login": N_("Holds a user name or password"),
    "no-address": N_("No http(s) address"),
}
DAYS = {
    "Mo": N_("Mon"),
    "Tu": N_("Tue"),
    "We": N_("Wed"),
    "Th": N_("Thu"),
    "Fr": N_("Fri"),
    "Sa": N_("Sat"),
    "Su": N_("Sun"),
}
FAULTS = {
    "": "–",
    "theirs": N_("the site's"),
    "network": N_("the network's"),
    "ours": N_("our own"),
}
LEFT = {
    "unfinished": N_("The crawl did not come to its end"),
    "time": N_("The crawl's time was up"),
    "hours": N_("The hours in which its source may be asked were over; the next ones go on with it"),
    "stalled": N_("Nothing moved any more"),
    "refused": N_("The site refuses us"),
    "service": N_("A service failed"),
    "stopped": N_("The crawl was stopped"),
    "limit": N_("More texts than the source's limit"),
    "lists": N_("Further lists, with what they lead to"),
    "too-many": N_("More addresses in one list than are taken"),
    "long-address": N_("The address is too long"),
    "cut-short": N_("The list breaks off"),
}
# Of the counts of a crawl those that its readers ask for; all are in the JSON.
COUNTS = {
    "requests": N_("requests"),
    "pages": N_("new texts"),
    "unchanged": N_("unchanged"),
    "not_due": N_("not due yet"),
    "failed": N_("failed"),
    "event:changed": N_("changed"),
    "event:gone": N_("gone"),
    "event:moved": N_("moved"),
    "event:returned": N_("came back"),
}
NO_TEXT = {
    "gone": N_("The page or the passage is no longer stored, so the texts cannot be shown."),
    "changed": N_("The passage was changed after the comparison, so the texts cannot be shown."),
    "limit": N_(
        "Only the gravest matches are shown with their texts. Make a report of this work or site alone."
    ),
}
# What a package of evidence lacks, or what in it is not what it was.
PACKAGE_PROBLEMS = {
    "page-gone": N_("The page is no longer stored"),
    "passage-gone": N_("The passage is no longer stored"),
    "no-capture": N_("No capture of this response is stored"),
    "capture-missing": N_("The capture's body is no longer stored"),
    "capture-altered": N_("The capture was altered"),
    "capture-unreadable": N_("The capture cannot be read and is left out of the archive"),
    "computed-otherwise": N_("Computing it again gives another result"),
    "no-pdf": N_("The report could not be printed as PDF"),
    "no-screenshot": N_("No picture could be taken"),
}
CHANGES = {
    "homophone": N_("Other character, same syllable"),
    "near": N_("Other character, near syllable (z and zh, n and l …)"),
    "variant": N_("Traditional or variant form"),
    "latin": N_("Latin letters: the same or a near syllable, or its initial"),
    "replaced": N_("Other character"),
    "inserted": N_("Only on the page"),
    "deleted": N_("Only in the work"),
}
# Disguises under which nothing is marked, and why.
REORDERED = {
    "reversed": N_(
        "The page's text stands backwards here. It is compared in the order in which it is read, "
        "so nothing is marked."
    ),
    "columns": N_(
        "The page's text stands in columns here. It is compared in the order in which it is read, "
        "so nothing is marked."
    ),
}
# A character with its syllable, as the side-by-side shows them: examples for its legend.
SYLLABLES = {"homophone": ("清", "qīng"), "near": ("四", "sì")}
# What the operating system says of files and connections; errors of ours carry it as their problem.
SYSTEM_ERRORS = (
    N_("Address already in use"),
    N_("Connection refused"),
    N_("Disk quota exceeded"),
    N_("File exists"),
    N_("File name too long"),
    N_("Input/output error"),
    N_("Is a directory"),
    N_("No such file or directory"),
    N_("No space left on device"),
    N_("Not a directory"),
    N_("Operation not permitted"),
    N_("Permission denied"),
    N_("Read-only file system"),
    N_("Too many open files"),
)
# Thresholds of a profile that are drawn.
THRESHOLDS = {"partial_coverage": N_("partial from"), "copy_coverage": N_("copy from")}
STEPS = {"day": N_("day"), "week": N_("week"), "month": N_("month"), "year": N_("year")}
DETAILS = {
    "id": N_("id"),
    "title": N_("title"),
    "author": N_("author"),
    "holder": N_("rights holder"),
    "language": N_("language"),
    "rights": N_("rights"),
    "kind": N_("kind"),
    "url": N_("address"),
    "published": N_("published"),
    "licensed_sites": N_("licensed sites"),
    "origin": N_("file"),
    "passages": N_("passages"),
    "characters": N_("characters"),
    "postings": N_("entries in the index"),
    "status": N_("status"),
    "edition_of": N_("is an edition of"),
    "role": N_("role"),
    "generation": N_("generation"),
    "params_ids": N_("methods"),
    "memory_bytes": N_("bytes in Redis"),
    "unfinished": N_("passages whose adding broke off"),
    "dead": N_("removed passages that still take room"),
    "capped": N_("entries that are not looked up whole"),
    "buckets": N_("strings in Redis"),
}

NOTICE_STATES = {
    "made": N_("Made, not sent yet"),
    "sending": N_("Being sent"),
    "sent": N_("Sent"),
    "uncertain": N_("Uncertain"),
    "failed": N_("Not sent"),
    "answered": N_("Answered"),
    "unanswered": N_("Unanswered"),
    "withdrawn": N_("Withdrawn"),
}
NOTICE_KINDS = {
    "infringement": N_("Notice of infringement"),
    "dmca": N_("DMCA notice"),
    "reminder": N_("Reminder"),
    "counsel": N_("Instruction of counsel"),
}
CONTACT_ROLES = {
    "site": N_("Site"),
    "host": N_("Hosting provider"),
    "search": N_("Search engine"),
    "counsel": N_("Law firm"),
}
DOCUMENT_KINDS = {
    "authorisation": N_("Authorisation"),
    "identity": N_("Proof of identity"),
    "title": N_("Proof of title"),
}


def word(texts: Translator, words: Mapping[str, str], code: str) -> str:
    """Return the word for a code in the translator's language."""
    return texts.gettext(words.get(code, code))


def label(words: Mapping[str, str], code: str) -> Message:
    """Return the word for a code as an error carries it; it is translated where the error is told."""
    return Message(words.get(code, code))


def reason_word(texts: Translator, reason: str) -> str:
    """Return the words for the reason why a page was not compared, in the translator's language."""
    return texts.reason(reason)
