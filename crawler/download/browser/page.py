"""One page in the browser, from its request to what is handed on as its response.

The document's response is stopped before the browser sees it: a redirect goes back to Scrapy, so that it
meets robots.txt, the guard and the pace as any other; what is no HTML is handed on as it came; a body without
end is cut off. What the page's scripts want to become of it goes the same way, unless it has a text of its
own: pages that only lead elsewhere are redirects, pages with a text that do are advertisers.
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
from playwright.async_api import Request as Wanted

from crawler.download.browser.outcome import Document, Headers
from crawler.download.browser.settling import Looker
from crawler.download.forwarding.proxy import Client
from crawler.failures import Hostile, error_of

_CHUNK = 1 << 20
_MAX_REQUESTS = 300  # of one page
_MAX_RELOADS = 3
_MIN_TEXT = 200  # characters of a page that has a text of its own
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
class Shown:
    """What came of a page: its document, and what the browser made of it; no ``dom`` if it was not shown."""

    document: Document
    dom: str | None = None
    screenshot: bytes = b""


@dataclass(slots=True, eq=False)
class PageVisit:
    """A page under way.

    Attributes:
        most_bytes: of the document and of what becomes of it, together.
        timeout_s: for the document.
        leads_to: where the page's scripts wanted to go.
        document: the last one that was shown.
        instead: a document that is not shown: a redirect, a file.
        problem: why there is nothing.
        answered: when the site answered, in monotonic seconds.
    """

    page: Page
    url: str
    passed: Client
    most_bytes: int
    timeout_s: float
    screenshot: bool
    leads_to: str = ""
    document: Document | None = None
    instead: Document | None = None
    problem: Exception | None = None
    requests: int = 0
    reloads: int = 0
    awaited: set[Wanted] = field(default_factory=set)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    frame: str = ""
    answered: float = field(default_factory=time.monotonic)

    async def show(self, session: CDPSession) -> Shown:
        """Open the page and wait until it stands.

        Raises:
            Exception: as a download does, see :mod:`crawler.failures`.
        """
        await self._listen(session)
        try:
            await self.page.goto(self.url, wait_until="commit", timeout=self.timeout_s * 1000)
        except Error as error:
            if self.document is None:
                return self._not_shown(error)
        looker = Looker(session, self.frame)
        look = await looker.settled(
            most=self.most_bytes,
            is_busy=lambda: bool(self.awaited),
            is_left=lambda: bool(self.leads_to),
        )
        if self.instead is not None or self.problem is not None or self.document is None:
            return self._not_shown(None)
        if self.leads_to and look.characters < _MIN_TEXT:
            return Shown(_leading(self.document, self.leads_to))
        most = self.most_bytes - len(self.document.body)
        dom = await looker.dom(most=most)
        if dom is None or len(dom.encode("utf-8", "replace")) > most:
            raise error_of("too-large")
        image = await looker.screenshot() if self.screenshot else b""
        return Shown(self.document, dom, image)

    async def decide(self, route: Route) -> None:
        """Let something that the page asks for be fetched, or not."""
        try:
            if self._refuses(route.request):
                await route.abort(
                    "aborted"
                )  # any other error would put a page of the browser's own in its place
            else:
                await route.fallback()
        except Error:  # the page is gone
            return

    def _refuses(self, wanted: Wanted) -> bool:
        self.requests += 1
        if self.requests > _MAX_REQUESTS or urlsplit(wanted.url).scheme not in ("http", "https"):
            return True
        if wanted.is_navigation_request() and wanted.frame == self.page.main_frame:
            return self._refuses_to_go(wanted)
        if wanted.resource_type in _NEVER or (not self.screenshot and wanted.resource_type in _PICTURES):
            return True
        if wanted.resource_type in _AWAITED or (self.screenshot and wanted.resource_type == "image"):
            self.awaited.add(wanted)
        return False

    def _refuses_to_go(self, wanted: Wanted) -> bool:
        """Let the page be fetched and load itself again a few times; all else is Scrapy's to decide."""
        is_itself = urldefrag(wanted.url).url == urldefrag(self.url).url
        if is_itself and wanted.method == "GET" and self.reloads <= _MAX_RELOADS:
            self.reloads += 1
            return False
        if wanted.method == "GET" and not is_itself:
            self.leads_to = self.leads_to or wanted.url
        return True

    async def _listen(self, session: CDPSession) -> None:
        # Playwright marks the objects whose methods it calls, which have no room for it: so no methods here.
        self.page.on("requestfinished", lambda wanted: self.awaited.discard(wanted))  # noqa: PLW0108
        self.page.on("requestfailed", lambda wanted: self.awaited.discard(wanted))  # noqa: PLW0108
        self.page.on("crash", lambda _: self._crashed())
        tree = await session.send("Page.getFrameTree")
        self.frame = tree["frameTree"]["frame"]["id"]
        session.on("Fetch.requestPaused", lambda event: self._begin(session, event))
        pattern = {"resourceType": "Document", "requestStage": "Response"}
        await session.send("Fetch.enable", {"patterns": [pattern]})

    def _crashed(self) -> None:
        self.problem = Hostile("the page brought its process down")

    def _begin(self, session: CDPSession, event: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._answered(session, event))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _answered(self, session: CDPSession, event: dict[str, Any]) -> None:
        """Decide on a document that is about to come."""
        paused = {"requestId": event["requestId"]}
        try:
            if event["frameId"] != self.frame or "responseStatusCode" not in event:
                await session.send("Fetch.continueRequest", paused)
                return
            document = await self._received(session, event)
            if document is None or not _is_shown(document):
                self.instead = document
                await session.send("Fetch.failRequest", {**paused, "errorReason": _BLOCKED})
                return
            self.document = document
            await session.send("Fetch.fulfillRequest", {**paused, **_fulfilling(document)})
        except Error:  # the page is gone
            return

    async def _received(self, session: CDPSession, event: dict[str, Any]) -> Document | None:
        """Return the document; None when it is too large, which is kept as the problem."""
        self.answered = time.monotonic()
        headers = tuple((each["name"], each["value"]) for each in event.get("responseHeaders", ()))
        status = int(event["responseStatusCode"])
        body: bytes | None = b""
        if status not in _REDIRECTS and status not in _NO_BODY:
            body = await self._body(session, event["requestId"])
        if body is None:
            self.problem = error_of("too-large")
            return None
        return Document(event["request"]["url"], _head(event["request"]), status, headers, body)

    async def _body(self, session: CDPSession, request_id: str) -> bytes | None:
        """Read a body piece by piece; None when it has no end within the bounds."""
        stream = await session.send("Fetch.takeResponseBodyAsStream", {"requestId": request_id})
        found = bytearray()
        while True:
            piece = await session.send("IO.read", {"handle": stream["stream"], "size": _CHUNK})
            found += base64.b64decode(piece["data"]) if piece.get("base64Encoded") else piece["data"].encode()
            if len(found) > self.most_bytes:
                return None
            if piece["eof"]:
                return bytes(found)

    def _not_shown(self, error: Error | None) -> Shown:
        """Return what there is instead of a page.

        Raises:
            Exception: there is nothing; as a download would say why.
        """
        if self.instead is not None:
            return Shown(self.instead)
        if self.problem is not None:
            raise self.problem
        parts = urlsplit(self.url)
        place = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        reason = self.passed.refusals.get(place, "timeout" if error and "Timeout" in str(error) else "other")
        raise error_of(reason) from error


def _is_shown(document: Document) -> bool:
    """Return whether the browser is to show a document: a page, and no file to keep."""
    is_kept = document.header("content-disposition").strip().lower().startswith("attachment")
    has_body = document.status not in _REDIRECTS and document.status not in _NO_BODY
    return has_body and not is_kept and bool(_HTML.match(document.header("content-type")))


def _leading(document: Document, target: str) -> Document:
    """Return a page that only leads elsewhere as the redirect that it is."""
    return Document(document.url, document.request, 302, (("Location", target),), b"")


def _fulfilling(document: Document) -> dict[str, Any]:
    # The protocol knows no other names than tokens; the evidence has what came.
    plain = ((name, value) for name, value in unpacked(document.headers) if _TOKEN.fullmatch(name))
    headers = [{"name": name, "value": value} for name, value in plain if not _CONTROL.search(value)]
    body = base64.b64encode(document.body).decode("ascii")
    return {"responseCode": document.status, "responseHeaders": headers, "body": body}


def unpacked(headers: Headers) -> Iterator[tuple[str, str]]:
    """Yield headers without those that only hold for the body as it was sent."""
    return ((name, value) for name, value in headers if name.lower() not in _NOT_FULFILLED)


def _head(request: dict[str, Any]) -> bytes:
    """Return a request's first line and headers."""
    parts = urlsplit(request["url"])
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    fields = {"Host": parts.netloc.rpartition("@")[2], **request["headers"]}
    kept = (f"{name}: {value}" for name, value in fields.items())
    return "\r\n".join([f"{request['method']} {path} HTTP/1.1", *kept]).encode("utf-8", "replace")
