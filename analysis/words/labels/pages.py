"""Labels of pages: versions, captures, looks, text outside the article, and unread content."""

from collections.abc import Mapping
from typing import Literal

from analysis.words.i18n import N_
from storage.records import (
    LookState,
    MatchPart,
    PageEventKind,
    PageKind,
    PageStanding,
    PageState,
    RestReason,
    UnreadReason,
    VisitState,
    WatchState,
)

# ``left``: an address that the round or the scan did not visit.
Looked = LookState | Literal["left"]

PAGE_STATES: Mapping[PageState, str] = {
    "fetched": N_("Waiting for comparison"),
    "compared": N_("Compared"),
    "failed": N_("Not compared"),
}
PAGE_KINDS: Mapping[PageKind, str] = {
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
# The two texts of a page.
MATCH_PARTS: Mapping[MatchPart, str] = {
    "article": N_("in the article"),
    "rest": N_("outside the article"),
}
# Reasons why a text of a page is not in its article.
REST_REASONS: Mapping[RestReason, str] = {
    "hidden": N_("hidden by a style sheet"),
    "outside": N_("next to the article"),
    "repeated": N_("repeated on many pages of the site"),
    "slogan": N_("slogan or advert"),
    "comment": N_("reader's comment, quotation or signature"),
    "silent": N_("in a button, a list of options or another control"),
    "attribute": N_("in an attribute of the page's code"),
    "style": N_("in a style sheet"),
    "script": N_("in a script or in the page's data"),
    "frame": N_("in a frame"),
    "markup": N_("in code that browsers may read differently"),
    "replaced": N_("shown on the page (the article was taken from the data of the page)"),
}
# Reasons why visible content was not compared.
UNREAD: Mapping[UnreadReason, str] = {
    "frames": N_("Frames that were not fetched"),
    "scripts": N_("Scripts that may write text"),
    "images": N_("Images that may show text"),
    "order": N_("Characters that may be shown in another order"),
    "font": N_("Characters that a font may show as other characters"),
    "encoding": N_("Text in an unknown encoding"),
    "limit": N_("Text beyond a size limit"),
    "blocked": N_("Text behind a login, a payment or a captcha"),
    "incomplete": N_("Text that ends early"),
    "failed": N_("Text that could not be read because of an error"),
}
PAGE_EVENTS: Mapping[PageEventKind, str] = {
    "new": N_("New"),
    "changed": N_("Changed"),
    "gone": N_("Gone"),
    "moved": N_("Moved"),
    "returned": N_("Online again"),
}
CAPTURE_STATES = {
    "unchanged": N_("unchanged"),
    "altered": N_("altered"),
    "missing": N_("missing"),
    "undigested": N_("made before digests were stored"),
}
CAPTURE_PARTS = {
    "address": N_("address"),
    "date": N_("capture date"),
    "status": N_("status"),
    "body": N_("response body"),
    "digest": N_("digest"),
    "records": N_("records"),
}
VISIT_STATES: Mapping[VisitState, str] = {"there": N_("Available"), "gone": N_("Gone"), "moved": N_("Moved")}
# The roles of versions of an address that are not current.
STANDINGS: Mapping[PageStanding | Literal["reread"], str] = {
    "last-text": N_("last text that was compared"),
    "replaced": N_("replaced"),
    "reread": N_("the same page, extracted differently"),
}
LOOKS: Mapping[Looked, str] = {
    "up": N_("Still up"),
    "changed": N_("Different text"),
    "gone": N_("Gone"),
    "restricted": N_("Access restricted"),
    "moved": N_("Moved"),
    "unreachable": N_("Could not be checked"),
    "left": N_("Not checked"),
}
WATCH_STATES: Mapping[WatchState, str] = {
    "waiting": N_("Not checked yet"),
    "up": N_("Still up"),
    "changed": N_("Different text"),
    "gone": N_("Gone"),
    "restricted": N_("Access restricted"),
    "moved": N_("Moved"),
    "unreachable": N_("Could not be checked"),
}
