"""Loads one page in the browser, from its request to its response.

The response of the document is intercepted. A redirect goes back to Scrapy, so that robots.txt, the address
checks and the pace apply to it. A document that is not HTML is returned unchanged, and an endless body is
cut off. A page whose scripts navigate to another page is returned as a redirect, unless it has text: then
the navigation is an advertisement.
"""

import asyncio
import base64
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urldefrag, urlsplit

from playwright.async_api import CDPSession, Error, Page, Route
from playwright.async_api import Request as PageRequest

from crawler.download.browser.capturing import Capturer
from crawler.download.browser.document import BrowserDocument, Headers, WireHeaders, blocks_of
from crawler.download.browser.settling import Settler
from crawler.download.forwarding.proxy import Client, destination_of
from crawler.download.header_blocks import header_block
from crawler.failures import HostileResponse, error_of

_CHUNK = 1 << 20
_MAX_REQUESTS = 300  # maximum number of requests of one page
_MAX_RELOADS = 3
_MAX_EXCHANGES = 32  # maximum number of exchanges whose headers are stored
_MIN_TEXT = 200  # a page with this many characters counts as a text
_PICTURES = frozenset({"image", "media", "font"})
_NEVER = frozenset({"ping", "csp_report", "eventsource", "manifest", "texttrack"})
_AWAITED = frozenset({"document", "script", "stylesheet", "xhr", "fetch"})
_HTML = re.compile(r"\s*(text/html|application/xhtml\+xml)\b|\s*$", re.IGNORECASE)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile(r"[\0\r\n]")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NO_BODY = frozenset({204, 205, 304})
_NOT_FULFILLED = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_BLOCKED = "BlockedByClient"


@dataclass(frozen=True, slots=True)
class BrowserResult:
    """The document of a page, and the page as it was rendered; ``dom`` is None if it was not rendered."""

    document: BrowserDocument
    dom: str | None = None
    screenshot: bytes = b""


@dataclass(slots=True, eq=False)
class PageVisit:
    """The visit of one page.

    Attributes:
        max_bytes: limit for the document and its DOM together.
        timeout_s: for the document.
        wire: headers from the network service, by the browser's id of the exchange.
        leads_to: address to which the page's scripts navigate.
        document: the last rendered document.
        unrendered: a document that is not rendered: a redirect, a file.
        problem: the error that leaves no document.
        answered_at: when the site answered, in monotonic seconds.
    """

    page: Page
    url: str
    client: Client
    max_bytes: int
    timeout_s: float
    screenshot: bool
    leads_to: str = ""
    document: BrowserDocument | None = None
    unrendered: BrowserDocument | None = None
    problem: Exception | None = None
    requests: int = 0
    reloads: int = 0
    awaited: set[PageRequest] = field(default_factory=set)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    frame: str = ""
    wire: dict[str, WireHeaders] = field(default_factory=dict)
    answered_at: float = field(default_factory=time.monotonic)

    async def show(self, session: CDPSession) -> BrowserResult:
        """Open the page and wait until it has settled.

        Raises:
            Exception: as a download raises it, see :mod:`crawler.failures`.
        """
        await self._listen_for_requests(session)
        try:
            await self.page.goto(self.url, wait_until="commit", timeout=self.timeout_s * 1000)
        except Error as error:
            if self.document is None:
                return self._not_rendered(error)
        settler = Settler(session, self.frame)
        state = await settler.wait_until_settled(
            max_chars=self.max_bytes,
            is_busy=lambda: bool(self.awaited),
            is_left=lambda: bool(self.leads_to),
        )
        if self.unrendered is not None or self.problem is not None or self.document is None:
            return self._not_rendered(None)
        if self.leads_to and state.characters < _MIN_TEXT:
            return BrowserResult(_as_redirect(self.document, self.leads_to))
        remaining_bytes = self.max_bytes - len(self.document.body)
        capturer = Capturer(self.page, session, settler, is_busy=lambda: bool(self.awaited))
        dom = await capturer.capture(max_chars=remaining_bytes)
        if dom is None or len(dom.encode("utf-8", "replace")) > remaining_bytes:
            raise error_of("too-large")
        image = await settler.screenshot() if self.screenshot else b""
        return BrowserResult(self.document, dom, image)

    async def decide_route(self, route: Route) -> None:
        """Send one request of the page, or abort it."""
        try:
            if self._is_refused(route.request):
                # "aborted" on purpose: for any other error the browser would show an error page.
                await route.abort("aborted")
            else:
                await route.fallback()
        except Error:  # the page is gone
            return

    def _is_refused(self, request: PageRequest) -> bool:
        self.requests += 1
        if self.requests > _MAX_REQUESTS or urlsplit(request.url).scheme not in ("http", "https"):
            return True
        if request.is_navigation_request() and request.frame == self.page.main_frame:
            return self._refuses_navigation(request)
        if request.resource_type in _NEVER or (not self.screenshot and request.resource_type in _PICTURES):
            return True
        if request.resource_type in _AWAITED or (self.screenshot and request.resource_type == "image"):
            self.awaited.add(request)
        return False

    def _refuses_navigation(self, request: PageRequest) -> bool:
        """Allow the page and a few reloads of it; leave other navigations to Scrapy."""
        is_itself = urldefrag(request.url).url == urldefrag(self.url).url
        if is_itself and request.method == "GET" and self.reloads <= _MAX_RELOADS:
            self.reloads += 1
            return False
        if request.method == "GET" and not is_itself:
            self.leads_to = self.leads_to or request.url
        return True

    async def _listen_for_requests(self, session: CDPSession) -> None:
        # Lambdas, because Playwright sets an attribute on the owner of a bound method, and this class has
        # slots.
        self.page.on("requestfinished", lambda request: self.awaited.discard(request))  # noqa: PLW0108
        self.page.on("requestfailed", lambda request: self.awaited.discard(request))  # noqa: PLW0108
        self.page.on("crash", lambda _: self._note_crash())
        tree = await session.send("Page.getFrameTree")
        self.frame = tree["frameTree"]["frame"]["id"]
        session.on("Fetch.requestPaused", lambda event: self._begin_body(session, event))
        sent, came = "Network.requestWillBeSentExtraInfo", "Network.responseReceivedExtraInfo"
        session.on(sent, lambda event: self._wire_of(event["requestId"]).record_request(event))
        session.on(came, lambda event: self._wire_of(event["requestId"]).record_response(event))
        await session.send("Network.enable")
        pattern = {"resourceType": "Document", "requestStage": "Response"}
        await session.send("Fetch.enable", {"patterns": [pattern]})

    def _wire_of(self, exchange_id: str) -> WireHeaders:
        """Return the headers of an exchange; drop the oldest exchange if there are too many."""
        headers = self.wire.setdefault(exchange_id, WireHeaders())
        if len(self.wire) > _MAX_EXCHANGES:
            del self.wire[next(iter(self.wire))]
        return headers

    def _note_crash(self) -> None:
        self.problem = HostileResponse("the page crashed its process")

    def _begin_body(self, session: CDPSession, event: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._decide_document(session, event))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _decide_document(self, session: CDPSession, event: dict[str, Any]) -> None:
        """Decide whether the browser renders a document, before it receives it."""
        paused = {"requestId": event["requestId"]}
        try:
            if event["frameId"] != self.frame or "responseStatusCode" not in event:
                await session.send("Fetch.continueRequest", paused)
                return
            document = await self._read_document(session, event)
            if document is None or not _is_rendered(document):
                self.unrendered = document
                await session.send("Fetch.failRequest", {**paused, "errorReason": _BLOCKED})
                return
            self.document = document
            await session.send("Fetch.fulfillRequest", {**paused, **_fulfil_arguments(document)})
        except Error:  # the page is gone
            return

    async def _read_document(self, session: CDPSession, event: dict[str, Any]) -> BrowserDocument | None:
        """Return the document; None if it is too large, which is recorded as the problem."""
        self.answered_at = time.monotonic()
        headers = tuple((header["name"], header["value"]) for header in event.get("responseHeaders", ()))
        status = int(event["responseStatusCode"])
        body: bytes | None = b""
        if status not in _REDIRECTS and status not in _NO_BODY:
            body = await self._read_body(session, event["requestId"])
        if body is None:
            self.problem = error_of("too-large")
            return None
        url: str = event["request"]["url"]
        blocks = self.client.exchanges.get(urldefrag(url).url) or blocks_of(
            event["request"], status, headers, wire=self._wire_of(event.get("networkId", ""))
        )
        return BrowserDocument(url, status, headers, body, blocks)

    async def _read_body(self, session: CDPSession, request_id: str) -> bytes | None:
        """Read a body piece by piece; None if it is too large."""
        stream = await session.send("Fetch.takeResponseBodyAsStream", {"requestId": request_id})
        body = bytearray()
        while True:
            piece = await session.send("IO.read", {"handle": stream["stream"], "size": _CHUNK})
            body += base64.b64decode(piece["data"]) if piece.get("base64Encoded") else piece["data"].encode()
            if len(body) > self.max_bytes:
                return None
            if piece["eof"]:
                return bytes(body)

    def _not_rendered(self, error: Error | None) -> BrowserResult:
        """Return the document that was not rendered.

        Raises:
            Exception: there is no document; as a download raises it.
        """
        if self.unrendered is not None:
            return BrowserResult(self.unrendered)
        if self.problem is not None:
            raise self.problem
        default = "timeout" if error and "Timeout" in str(error) else "other"
        reason = self.client.refusals.get(destination_of(self.url), default)
        raise error_of(reason) from error


def _is_rendered(document: BrowserDocument) -> bool:
    """Return whether the browser renders a document: a page, not a file to download."""
    is_download = document.header("content-disposition").strip().lower().startswith("attachment")
    has_body = document.status not in _REDIRECTS and document.status not in _NO_BODY
    return has_body and not is_download and bool(_HTML.match(document.header("content-type")))


def _as_redirect(document: BrowserDocument, target: str) -> BrowserDocument:
    """Return a redirect instead of a page that only navigates to another page."""
    sent, _ = document.blocks
    came = header_block(b"HTTP/1.1 302 ", [(b"Location", target.encode())])
    return BrowserDocument(document.url, 302, (("Location", target),), b"", (sent, came))


def _fulfil_arguments(document: BrowserDocument) -> dict[str, Any]:
    # The protocol accepts only tokens as header names. The evidence contains the original headers.
    fields = headers_of_decoded_body(document.headers)
    valid = ((name, value) for name, value in fields if _TOKEN.fullmatch(name))
    headers = [{"name": name, "value": value} for name, value in valid if not _CONTROL.search(value)]
    body = base64.b64encode(document.body).decode("ascii")
    return {"responseCode": document.status, "responseHeaders": headers, "body": body}


def headers_of_decoded_body(headers: Headers) -> Iterator[tuple[str, str]]:
    """Yield the headers that are valid for the decoded body."""
    return ((name, value) for name, value in headers if name.lower() not in _NOT_FULFILLED)
