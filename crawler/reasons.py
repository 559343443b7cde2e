"""Why a page was not fetched or not read, in the words that the report counts by, and whose fault it is."""

from storage.records import Fault
from system.messages import N_

GAVE_UP = "gave-up"  # an address that ended every process that worked on it
BAD_ADDRESS = "address"  # an address that nothing can be asked for at
UNREADABLE = "unreadable"  # a page that ended its reader, or that the reader could make nothing of
TOO_SLOW = "too-slow"  # a page that its reader needed too long for
TOO_MUCH_MEMORY = "too-much-memory"  # a page that its reader needed too much memory for
HOSTILE = "hostile"  # a response built to exhaust us, or a page of a site that wore out its readers
EXPRESSION = "expression"  # a page on which the source's own expression takes too long
UNSTORABLE = "unstorable"  # a page that the database cannot hold
INTERNAL = "internal-error"  # a page on which pindna has a bug
READING_REASONS = frozenset({UNREADABLE, TOO_SLOW, TOO_MUCH_MEMORY, HOSTILE})
ROBOTS_UNREACHABLE = "robots-unreachable"

_NO_FAILURE = frozenset({"", "waiting", "list", "empty"})
_NETWORK = frozenset({"dns", "timeout", "proxy", ROBOTS_UNREACHABLE})
# Errors of ours, settings of the source, and bounds that we set.
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
    """Return whose fault it is that a page, or a whole source, was not fetched or not read.

    Ours is what our errors, settings and bounds kept out; the network's what was lost on the way; theirs is
    the rest: what a site answered, refused or forbade.

    Args:
        reason: as :func:`crawler.failures.failure_reason` returns it, or the kind of a page without a text.
    """
    if reason in _NO_FAILURE:
        return ""
    if reason in _NETWORK:
        return "network"
    return "ours" if reason in _OUR_OWN else "theirs"


_ADVICE = {
    "robots": N_("Its robots.txt forbids the crawl; ask the site, or remove the source."),
    "robots-unreachable": N_(
        "Without its robots.txt nothing is asked for; crawl again once the site answers."
    ),
    "inner-address": N_(
        "Inner addresses are refused; if it is the source's own, name it in crawler.allow_inner."
    ),
    "login": N_("Correct the source's login: its address, its fields, or the words to check for."),
    "login-elsewhere": N_(
        "Its form would send the login to another site, or without TLS; correct the source's login."
    ),
}


def advice_on(reason: str) -> str:
    """Return what the user can do about a failed download."""
    if reason.startswith("http-4"):
        return N_("Correct the address of the source.")
    return _ADVICE.get(reason, N_("Check the address and the network, then crawl again."))


_PAGE_ADVICE = {
    "robots": N_("Its robots.txt forbids programs to read it; open it yourself, and paste its text."),
    "robots-unreachable": N_("Without its robots.txt nothing is asked for; try again once the site answers."),
    "inner-address": N_("Addresses of inner networks are refused."),
}


def advice_on_page(reason: str) -> str:
    """Return what somebody can do who gave the address of a page, which is of no source."""
    if reason.startswith("http-4"):
        return N_("Correct the address, or open it yourself and paste its text.")
    return _PAGE_ADVICE.get(reason, N_("Check the address and the network, then try again."))
