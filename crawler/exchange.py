"""What went over the wire: an exchange as it was sent and received, before anything is read in it. Pure."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

# What a rendered page's body contains in addition to the page: see crawler.download.browser.marked_page.
HIDDEN_MARK = "data-pindna-hidden"  # attribute of elements of which a reader sees nothing
SHOWN_TYPE = "application/pindna-shown+json"  # type of the script with the lines that a reader sees


@dataclass(frozen=True, slots=True)
class RenderedAnswer:
    """What a browser made of a document.

    Attributes:
        dom: the page as it was extracted, UTF-8, with the marks that say what a reader saw of it.
        screenshot: PNG; empty when none was wanted, or none fitted into the bounds.
        browser: name and version.
    """

    dom: bytes
    screenshot: bytes
    browser: str

    def __repr__(self) -> str:
        return f"Rendered({len(self.dom)} bytes)"


@dataclass(frozen=True, slots=True)
class Exchange:
    """An exchange as it went over the wire, after the transfer encoding was taken off.

    Attributes:
        request: request line and field lines as they were sent, without what is confidential.
        header_block: status line and field lines as they came, without what is confidential; see
            ``crawler.download.header_blocks``.
        payload: the response's body, still compressed if it was.
        address: IP address of the server, or of the proxy; empty when unknown.
        certificates: of the server, DER, its own first, then those of its chain that the transport gives;
            none without TLS.
        rendered: what a browser made of it, for a source that is rendered; the payload is unpacked then.
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

    @property
    def certificate(self) -> str:
        """SHA-256 of the server's certificate in hexadecimal, as browsers show it; empty without one."""
        return hashlib.sha256(self.certificates[0]).hexdigest() if self.certificates else ""

    def __repr__(self) -> str:
        return f"Received({self.status}, {len(self.payload)} bytes)"
