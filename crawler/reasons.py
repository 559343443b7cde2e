"""Reasons why a page was not fetched or read, as reports count them, and who is at fault."""

from storage.records import Fault
from system.messages import N_

GAVE_UP = "gave-up"  # an address that crashed every process that worked on it
BAD_ADDRESS = "address"  # an address to which no request can be sent
UNREADABLE = "unreadable"  # a page that crashed its reader or raised an error in it
TOO_SLOW = "too-slow"  # a page that took its reader too long
TOO_MUCH_MEMORY = "too-much-memory"  # a page that took its reader too much memory
HOSTILE = "hostile"  # a response built to exhaust us, or a page of a site that used up its readers' time
EXPRESSION = "expression"  # a page on which the source's regular expression takes too long
UNSTORABLE = "unstorable"  # a page that the database cannot store
INTERNAL = "internal-error"  # a page that triggers a bug in pindna
READING_REASONS = frozenset({UNREADABLE, TOO_SLOW, TOO_MUCH_MEMORY, HOSTILE})
ROBOTS_UNREACHABLE = "robots-unreachable"

_NO_FAILURE = frozenset({"", "waiting", "list", "empty"})
_NETWORK = frozenset({"dns", "timeout", "proxy", ROBOTS_UNREACHABLE})
# Reasons for which the site is not responsible: bugs, settings of the source, and limits of pindna.
_OUR_OWN = frozenset(
    {
        "inner-address",
        "login",
        "login-elsewhere",
        "long-address",
        "other: ignored",
        "too-large",
        EXPRESSION,
        GAVE_UP,
        INTERNAL,
        TOO_MUCH_MEMORY,
        TOO_SLOW,
        UNREADABLE,
        UNSTORABLE,
    }
)


def fault_of(reason: str) -> Fault:
    """Return whose fault it is that a page, or a whole source, was not fetched or read.

    ``ours``: our bugs, settings and limits; ``network``: the connection; ``theirs``: the answer of the site.

    Args:
        reason: as :func:`crawler.failures.failure_reason` returns it, or the kind of a page without a text.
    """
    if reason in _NO_FAILURE:
        return ""
    if reason in _NETWORK:
        return "network"
    return "ours" if reason in _OUR_OWN else "theirs"


_ADVICE = {
    "robots": N_("Its robots.txt forbids the crawl. Ask the site for permission, or remove the source."),
    "robots-unreachable": N_(
        "Its robots.txt cannot be fetched, so no page is requested. Crawl again when the site answers."
    ),
    "inner-address": N_(
        "Private addresses are refused. If the address belongs to the source, add it to crawler.allow_inner."
    ),
    "login": N_("Correct the login of the source: the address, the fields, or the text that shows success."),
    "login-elsewhere": N_(
        "Its form would send the login to another site, or without TLS. Correct the login of the source."
    ),
}


def advice_on(reason: str) -> str:
    """Return what the user can do about a failed download."""
    if reason.startswith("http-4"):
        return N_("Correct the address of the source.")
    return _ADVICE.get(reason, N_("Check the address and the network, then crawl again."))


_PAGE_ADVICE = {
    "robots": N_("Its robots.txt forbids programs to read it. Open the page yourself and paste its text."),
    "robots-unreachable": N_(
        "The robots.txt of the site cannot be fetched, so the page is not requested. Try again later."
    ),
    "inner-address": N_("Addresses of private networks are refused."),
}


def advice_on_page(reason: str) -> str:
    """Return what the user can do about a failed download of a single page, which belongs to no source."""
    if reason.startswith("http-4"):
        return N_("Correct the address, or open the page yourself and paste its text.")
    return _PAGE_ADVICE.get(reason, N_("Check the address and the network, then try again."))
