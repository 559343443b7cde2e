"""Exceptions of downloads, and the reasons under which they are counted. Pure."""

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
    ("exceed", "too-large"),  # the compressed body was within the limit, but not the decompressed page
)


class RequestSkipped(IgnoreRequest):
    """An entry ends without a request; ``reason`` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class PrivateAddress(IgnoreRequest):
    """A request would reach a private address of our network or cloud."""


class AddressTooLong(IgnoreRequest):
    """The address of a request is too long."""


class HostileResponse(IgnoreRequest):
    """A response would exhaust the memory or the time of the crawler."""


class RobotsUnreachable(IgnoreRequest):
    """The site's robots.txt cannot be fetched, so no request to the site is allowed for now.

    Attributes:
        reason: ``robots-unreachable``, or why the server cannot be reached.
    """

    def __init__(self, reason: str = ROBOTS_UNREACHABLE) -> None:
        super().__init__(reason)
        self.reason = reason


class CrawlTimeOver(IgnoreRequest):
    """The crawl ends before the request is sent; its entry stays in the frontier."""


class PauseTooLong(IgnoreRequest):
    """The site requires a longer pause between requests than ``crawler.max_wait_s``."""


class SiteRefuses(IgnoreRequest):
    """The site refused us too often and gets no more requests in this crawl."""


class LoginToOtherSite(IgnoreRequest):
    """A login would be sent to a site that is not the source's own, or without TLS."""


class NoProxyAvailable(IgnoreRequest):
    """Every proxy of the source failed recently."""


class ProxyFailed(DownloadFailedError):
    """A SOCKS proxy does not answer, or does not speak SOCKS."""


class ProxyDeniesLogin(ProxyFailed):
    """A SOCKS proxy rejects our user name and password, or requires some."""


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
    """Return the exception for a reason; ``proxy-refuses`` is counted as ``proxy``."""
    return _ERRORS.get(reason, DownloadFailedError)(reason)


def failure_reason(error: BaseException) -> str:
    """Return the reason of a failed download, from a closed list.

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
    """Return the HTTP status of a failed download; 0 without a response."""
    return int(error.response.status) if isinstance(error, HttpError) else 0
