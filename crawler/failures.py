"""The exceptions of downloads, and the reasons that they stand for. Pure."""

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from scrapy.spidermiddlewares.httperror import HttpError

from crawler.reasons import HOSTILE, ROBOTS_UNREACHABLE

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


class RequestSkipped(IgnoreRequest):
    """An entry ends without a request, for ``reason``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class PrivateAddress(IgnoreRequest):
    """A request would have reached our own network, or our cloud's."""


class AddressTooLong(IgnoreRequest):
    """A request's address is longer than any that we ask for."""


class HostileResponse(IgnoreRequest):
    """A response is built to exhaust whoever reads it."""


class RobotsUnreachable(IgnoreRequest):
    """The site's robots.txt could not be had, so nothing on it is allowed for now.

    Attributes:
        reason: ``robots-unreachable``, or why there is no server to ask.
    """

    def __init__(self, reason: str = ROBOTS_UNREACHABLE) -> None:
        super().__init__(reason)
        self.reason = reason


class CrawlTimeOver(IgnoreRequest):
    """The crawl ends before the request's turn comes; its entry is left, and says nothing of the site."""


class PauseTooLong(IgnoreRequest):
    """The site wants so long a pause between requests that the crawl would stand still."""


class SiteRefuses(IgnoreRequest):
    """The site turned us away so often that it is left alone for the rest of the crawl."""


class LoginToOtherSite(IgnoreRequest):
    """A login would have gone to a site that is not the source's own, or there in the clear."""


class NoProxyAvailable(IgnoreRequest):
    """Every proxy of the source failed lately."""


class ProxyFailed(DownloadFailedError):
    """A SOCKS proxy does not answer, or not as one."""


class ProxyDeniesLogin(ProxyFailed):
    """A SOCKS proxy does not take our user name and password, or wants some."""


_OURS: tuple[tuple[type[BaseException], str], ...] = (
    (PrivateAddress, "inner-address"),
    (HostileResponse, HOSTILE),
    (AddressTooLong, "long-address"),
    (PauseTooLong, "wait"),
    (LoginToOtherSite, "login-elsewhere"),
    (NoProxyAvailable, "proxy"),
    (ProxyFailed, "proxy"),
    (SiteRefuses, "site-refuses"),
)

_ERRORS: dict[str, type[Exception]] = {
    "inner-address": PrivateAddress,
    "dns": CannotResolveHostError,
    "refused": DownloadConnectionRefusedError,
    "timeout": DownloadTimeoutError,
    "too-large": DownloadCancelledError,
    HOSTILE: HostileResponse,
    "proxy": ProxyFailed,
    "proxy-refuses": ProxyDeniesLogin,
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
    if isinstance(error, (RequestSkipped, RobotsUnreachable)):
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


def failure_status(error: BaseException) -> int:
    """Return the HTTP status that came back, 0 when nothing did."""
    return int(error.response.status) if isinstance(error, HttpError) else 0
