"""English labels of the codes in records, marked for translation.

Codes that are not listed here are shown as they are.
"""

from analysis.i18n import N_, Translator

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
    "list": N_("List or catalogue"),
    "obfuscated": N_("Obfuscated text"),
    "blocked": N_("Blocked"),
    "incomplete": N_("Incomplete text"),
    "empty": N_("No text"),
    "unreadable": N_("Unreadable"),
    "error": N_("Error"),
}
SCAN_STATES = {"running": N_("Running"), "finished": N_("Finished"), "failed": N_("Failed")}
CRAWL_STATES = {"due": N_("Not finished"), "done": N_("Done"), "failed": N_("Failed")}
TRIGGERS = {
    "hand": N_("by hand"),
    "schedule": N_("by schedule"),
    "corpus": N_("after a change of the corpus"),
}
CASE_STATES = {"open": N_("Open")}
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
DISGUISES = {
    "homophones": N_("Homophones"),
    "traditional": N_("Traditional or variant characters"),
    "noise": N_("Inserted noise"),
    "pinyin": N_("Pinyin letters in place of characters"),
    "slogans": N_("Inserted slogans"),
    "shuffled": N_("Shuffled order"),
    "edited": N_("Edited characters"),
}
LICENCES = {
    "licensed": N_("Licensed"),
    "not-begun": N_("The licence had not begun"),
    "expired": N_("The licence has expired"),
    "no-attribution": N_("Published without the attribution that the licence asks for"),
    "beyond-licence": N_("More than the licence allows"),
}
REVIEWS = {"open": N_("Open"), "confirmed": N_("Confirmed"), "dismissed": N_("Dismissed")}
REASONS = {
    "waiting": N_("Waiting for comparison"),
    "list": N_("List or catalogue"),
    "obfuscated": N_("Obfuscated text"),
    "blocked": N_("Blocked"),
    "incomplete": N_("Incomplete text"),
    "empty": N_("No text"),
    "timeout": N_("The site did not answer in time"),
    "dns": N_("The host's name is unknown"),
    "refused": N_("The host refused the connection"),
    "too-large": N_("The response was too large"),
    "inner-address": N_("An address of an inner network, which is not crawled"),
    "robots": N_("Forbidden by robots.txt"),
    "redirects": N_("Too many redirections"),
    "hostile": N_("The response, or its whole site, was built to do harm"),
    "long-address": N_("The address is too long"),
    "robots-unreachable": N_("Its robots.txt could not be had, so the page was not asked for"),
    "wait": N_("The site wants longer pauses than a crawl can keep"),
    "proxy": N_("No proxy of the source works"),
    "site-refuses": N_("The site refuses us"),
    "gave-up": N_("Tried too often"),
    "login": N_("The login failed"),
    "unreadable": N_("The page ended its reader, or could not be read at all"),
    "too-slow": N_("Reading the page took too long"),
    "too-much-memory": N_("Reading the page took too much memory"),
    "not-a-feed": N_("Neither a sitemap nor a feed"),
    "not-a-search": N_("Not what a search engine answers"),
    "login-elsewhere": N_("The login would have gone to another site"),
    "unstorable": N_("The database cannot hold what the page consists of"),
    "address": N_("Nothing can be asked for at this address"),
    "expression": N_("The source's expression takes too long on this page"),
    "internal-error": N_("An error of pindna; its log says more"),
}
LEFT = {
    "unfinished": N_("The crawl did not come to its end"),
    "time": N_("The crawl's time was up"),
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
_HTTP_REASON = N_("HTTP status {status}")
COUNTS = {
    "requests": N_("requests"),
    "pages": N_("pages"),
    "unchanged": N_("unchanged"),
    "failed": N_("failed"),
}
NO_TEXT = {
    "gone": N_("The page or the passage is no longer stored, so the texts cannot be shown."),
    "changed": N_("The passage was changed after the comparison, so the texts cannot be shown."),
    "limit": N_(
        "Only the gravest matches are shown with their texts. Make a report of this work or site alone."
    ),
}
CHANGES = {
    "homophone": N_("Other character, same initial sound"),
    "variant": N_("Traditional or variant form"),
    "replaced": N_("Other character"),
    "inserted": N_("Only on the page"),
    "deleted": N_("Only in the work"),
}


def word(texts: Translator, words: dict[str, str], code: str) -> str:
    """Return the word for a code in the translator's language."""
    return texts.gettext(words.get(code, code))


def reason_word(texts: Translator, reason: str) -> str:
    """Return the words for the reason why a page was not compared, in the translator's language."""
    kind, _, status = reason.partition("-")
    if kind == "http" and status.isdecimal():
        return texts.gettext(_HTTP_REASON).format(status=status)
    return word(texts, REASONS, reason)
