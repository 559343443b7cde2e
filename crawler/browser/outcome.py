"""What a page in the browser comes to. Pure."""

from dataclasses import dataclass
from typing import Final

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)

from crawler.failures import Hostile, InnerAddress

Headers = tuple[tuple[str, str], ...]

_ERRORS: Final[dict[str, type[Exception]]] = {
    "inner-address": InnerAddress,
    "dns": CannotResolveHostError,
    "refused": DownloadConnectionRefusedError,
    "timeout": DownloadTimeoutError,
    "too-large": DownloadCancelledError,
    "hostile": Hostile,
}


@dataclass(frozen=True, slots=True)
class Document:
    """A page's document as the browser received it.

    Attributes:
        request: method, path and headers as the browser sent them, cookies left out.
        headers: of the response, in their order; the browser keeps Set-Cookie to itself.
        body: unpacked.
    """

    url: str
    request: bytes
    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str:
        """Return a header's first value, empty without one."""
        return next((value for key, value in self.headers if key.lower() == name), "")


def error_of(reason: str) -> Exception:
    """Return the exception that a crawl knows a failure by."""
    return _ERRORS.get(reason, DownloadFailedError)(reason)
