"""Labels of pages, their versions and captures, and of the looks at them."""

from analysis.i18n import N_

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
