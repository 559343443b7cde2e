"""Between Scrapy's messages and the browser's: headers, cookies, responses, and what is kept as evidence."""

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.http.headers import Headers

from crawler.download.browser.outcome import Document
from crawler.download.browser.page import Shown, unpacked
from crawler.download.confidential import Confidential
from crawler.download.heads import head_of
from crawler.exchange import Received, Rendered
from storage.records import utc_now

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext
    from playwright.async_api import Request as Wanted
    from scrapy import Request

_OWN = frozenset({"accept-encoding", "connection", "cookie", "host", "proxy-authorization"})
_CONDITIONS = (
    "if-none-match",
    "if-modified-since",
)  # the browser keeps nothing that could be the same
_HTML = "text/html; charset=utf-8"


async def headers_for(
    *,
    browser_type_name: str,  # noqa: ARG001 - scrapy-playwright's signature
    playwright_request: "Wanted",
    scrapy_request_data: Mapping[str, Any],
) -> dict[str, str]:
    """Return the headers of what a page asks for; the page's own request has the crawl's over it."""
    found = dict(await playwright_request.all_headers())
    if not playwright_request.is_navigation_request() or playwright_request.frame.parent_frame is not None:
        return found
    crawl = scrapy_request_data["headers"].to_unicode_dict()
    ours = {name.lower(): value for name, value in crawl.items()}
    return {**found, **{name: ours[name] for name in ours if name not in _OWN and name not in _CONDITIONS}}


async def cookies_of(request: "Request", context: "BrowserContext") -> list[Any]:
    """Return the crawl's cookies for a request that its browser context does not have yet."""
    sent = b"; ".join(request.headers.getlist("Cookie")).decode("latin-1")
    if not sent:
        return []
    known = {each.get("name") for each in await context.cookies(request.url)}
    try:
        found = {name: each.coded_value for name, each in SimpleCookie(sent).items()}
    except CookieError:
        return []
    return [
        {"name": name, "value": value, "url": request.url}
        for name, value in found.items()
        if name not in known
    ]


def response_fields(shown: Shown) -> dict[str, Any]:
    """Return what a response of Scrapy's is made of."""
    document = shown.document
    headers: Headers = Headers()
    for name, value in unpacked(document.headers):
        headers.appendlist(name, value)
    body = document.body
    if shown.dom is not None:
        headers["Content-Type"] = _HTML
        body = dom_bytes(shown.dom)
    return {"url": document.url, "status": document.status, "headers": headers, "body": body}


def dom_bytes(dom: str) -> bytes:
    """Return the page as it is extracted and kept."""
    return dom.encode("utf-8", "replace")


def received_of(
    shown: Shown, *, addresses: Mapping[tuple[str, int], str], browser: str, confidential: Confidential
) -> Received:
    """Return the exchange with what the browser made of it.

    Args:
        shown: what came of a page.
        addresses: where each (host, port) was reached.
        browser: name and version.
        confidential: what is left out.
    """
    document, parts = shown.document, urlsplit(shown.document.url)
    place = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    rendered = None
    if shown.dom is not None:
        rendered = Rendered(dom=dom_bytes(shown.dom), screenshot=shown.screenshot, browser=browser)
    return Received(
        url=document.url,
        request=confidential.request(document.request),
        status=document.status,
        head=confidential.response(_head(document)),
        payload=document.body,
        at=utc_now(),
        address=addresses.get(place, ""),
        rendered=rendered,
    )


def _head(document: Document) -> bytes:
    """Return the head of a response; the browser hands its bytes on as text."""
    fields = [(_bytes(_kept_name(name)), _bytes(value)) for name, value in document.headers]
    return head_of(f"HTTP/1.1 {document.status} ".encode(), fields)


def _bytes(text: str) -> bytes:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def _kept_name(name: str) -> str:
    """Return a header's name as evidence: what says how the body was packed does not hold for it."""
    packed = ("content-encoding", "content-length", "transfer-encoding")
    return f"X-Archive-Orig-{name}" if name.lower() in packed else name
