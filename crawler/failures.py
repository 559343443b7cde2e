"""Why a download failed, in the words that the report counts by. Pure."""

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from scrapy.spidermiddlewares.httperror import HttpError

from storage.messages import N_
from storage.records import Fault

_BY_CLASS: tuple[tuple[type[BaseException], str], ...] = (
    (DownloadTimeoutError, "timeout"),
    (CannotResolveHostError, "dns"),
    (DownloadConnectionRefusedError, "refused"),
    (DownloadCancelledError, "too-large"),
)
_BY_MESSAGE = (
    ("robots.txt", "robots"),
    ("max redirections", "redirects"),
    ("exceed", "too-large"),  # the compressed body was small, the page was not
)


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


class NotAsked(IgnoreRequest):
    """An entry ends without a request, for ``reason``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class PrivateAddress(IgnoreRequest):
    """A request would have reached our own network, or our cloud's."""


class AddressTooLong(IgnoreRequest):
    """A request's address is longer than any that we ask for."""


class Hostile(IgnoreRequest):
    """A response is built to exhaust whoever reads it."""


class RobotsUnreachable(IgnoreRequest):
    """The site's robots.txt could not be had, so nothing on it is allowed for now.

    Attributes:
        reason: ``robots-unreachable``, or why there is no server to ask.
    """

    def __init__(self, reason: str = ROBOTS_UNREACHABLE) -> None:
        super().__init__(reason)
        self.reason = reason


class TimeIsUp(IgnoreRequest):
    """The crawl ends before the request's turn comes; its entry is left, and says nothing of the site."""


class WaitTooLong(IgnoreRequest):
    """The site wants so long a pause between requests that the crawl would stand still."""


class SiteRefuses(IgnoreRequest):
    """The site turned us away so often that it is left alone for the rest of the crawl."""


class LoginElsewhere(IgnoreRequest):
    """A login would have gone to a site that is not the source's own, or there in the clear."""


class NoProxyLeft(IgnoreRequest):
    """Every proxy of the source failed lately."""


class ProxyFailed(DownloadFailedError):
    """A SOCKS proxy does not answer, or not as one."""


class ProxyRefusesUs(ProxyFailed):
    """A SOCKS proxy does not take our user name and password, or wants some."""


_OURS: tuple[tuple[type[BaseException], str], ...] = (
    (PrivateAddress, "inner-address"),
    (Hostile, HOSTILE),
    (AddressTooLong, "long-address"),
    (WaitTooLong, "wait"),
    (LoginElsewhere, "login-elsewhere"),
    (NoProxyLeft, "proxy"),
    (ProxyFailed, "proxy"),
    (SiteRefuses, "site-refuses"),
)

_ERRORS: dict[str, type[Exception]] = {
    "inner-address": PrivateAddress,
    "dns": CannotResolveHostError,
    "refused": DownloadConnectionRefusedError,
    "timeout": DownloadTimeoutError,
    "too-large": DownloadCancelledError,
    HOSTILE: Hostile,
    "proxy": ProxyFailed,
    "proxy-refuses": ProxyRefusesUs,
}


def error_of(reason: str) -> Exception:
    """Return the exception that a crawl knows a failure by; ``proxy-refuses`` counts as ``proxy``."""
    return _ERRORS.get(reason, DownloadFailedError)(reason)


def failure_reason(error: BaseException) -> str:
    """Return the reason in one of a few words.

    ``http-404`` (the status), ``timeout``, ``dns``, ``refused``, ``too-large``, ``inner-address``,
    ``gave-up``, ``address``, ``long-address``, ``hostile``, ``wait``,
    ``login-elsewhere``, ``proxy``, ``site-refuses``,
    ``robots``, ``robots-unreachable``, ``redirects`` or ``other: …``.
    """
    if isinstance(error, (NotAsked, RobotsUnreachable)):
        return error.reason
    if isinstance(error, HttpError):
        return f"http-{error.response.status}"
    for kind, reason in _OURS:
        if isinstance(error, kind):
            return reason
    for kind, reason in _BY_CLASS:
        if isinstance(error, kind):
            return reason
    if isinstance(error, IgnoreRequest):
        return next(
            (reason for words, reason in _BY_MESSAGE if words in str(error).lower()), "other: ignored"
        )
    return f"other: {type(error).__name__}"


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
        reason: as :func:`failure_reason` returns it, or the kind of a page without a text.
    """
    if reason in _NO_FAILURE:
        return ""
    if reason in _NETWORK:
        return "network"
    return "ours" if reason in _OUR_OWN else "theirs"


def failure_status(error: BaseException) -> int:
    """Return the HTTP status that came back, 0 when nothing did."""
    return int(error.response.status) if isinstance(error, HttpError) else 0


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
