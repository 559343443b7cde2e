"""HTTP exchanges as the bytes that were sent and received, before anything is parsed. Pure."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from storage.records import PageImport

# Marks that pindna adds to a rendered page, see crawler.download.browser.marked_page.
HIDDEN_MARK = "data-pindna-hidden"  # attribute of elements whose text is completely hidden
SHOWN_TYPE = "application/pindna-shown+json"  # type of the script that contains the visible lines


@dataclass(frozen=True, slots=True)
class RenderedAnswer:
    """A page as a browser rendered it.

    Attributes:
        dom: the page as it was extracted, UTF-8, with the marks of what a reader saw.
        screenshot: PNG; empty if none was requested, or none fits the size limit.
        browser: name and version.
    """

    dom: bytes
    screenshot: bytes
    browser: str

    def __repr__(self) -> str:
        return f"Rendered({len(self.dom)} bytes)"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response as bytes, without the transfer encoding.

    Attributes:
        request: request line and field lines as they were sent, without confidential values.
        header_block: status line and field lines as they were received, without confidential values; see
            ``crawler.download.header_blocks``.
        payload: the response's body, still compressed if it was.
        address: IP address of the server, or of the proxy; empty when unknown.
        imported: the file that it comes from; then it may have no request. None: pindna sent and received it.
        certificates: DER; the server's own, then those of its chain that the transport provides; none
            without TLS.
        rendered: the page as a browser rendered it, if it did; then the payload is decompressed.
    """

    url: str
    request: bytes
    status: int
    header_block: bytes
    payload: bytes
    at: datetime
    address: str = ""
    rendered: RenderedAnswer | None = None
    certificates: tuple[bytes, ...] = ()
    imported: PageImport | None = None

    @property
    def certificate(self) -> str:
        """SHA-256 of the server's certificate in hexadecimal, as browsers show it; empty without one."""
        return hashlib.sha256(self.certificates[0]).hexdigest() if self.certificates else ""

    def __repr__(self) -> str:
        return f"Received({self.status}, {len(self.payload)} bytes)"
