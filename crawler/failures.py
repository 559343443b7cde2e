"""Why a download failed, in the words that the report counts by. Pure."""

from typing import Final

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from scrapy.spidermiddlewares.httperror import HttpError

_BY_CLASS: Final = (
    (DownloadTimeoutError, "timeout"),
    (CannotResolveHostError, "dns"),
    (DownloadConnectionRefusedError, "refused"),
    (DownloadCancelledError, "too-large"),
)
_BY_MESSAGE: Final = (
    ("robots.txt", "robots"),
    ("max redirections", "redirects"),
    ("exceed", "too-large"),  # the compressed body was small, the page was not
)


class InnerAddress(IgnoreRequest):
    """A request would have reached our own network."""


def failure_reason(error: BaseException) -> str:
    """Return the reason in one of a few words.

    ``http-404`` (the status), ``timeout``, ``dns``, ``refused``, ``too-large``, ``inner-address``,
    ``robots``, ``redirects`` or ``other: …``.
    """
    if isinstance(error, HttpError):
        return f"http-{error.response.status}"
    if isinstance(error, InnerAddress):
        return "inner-address"
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
