"""Converts headers, cookies and responses between Scrapy and the browser, and records the exchange."""

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any

from scrapy.http.headers import Headers

from crawler.download.browser.page import BrowserResult, headers_of_decoded_body
from crawler.download.confidential import ConfidentialValues
from crawler.download.forwarding.proxy import destination_of
from crawler.download.header_blocks import ORIGINAL, rename_fields
from crawler.exchange import Exchange, RenderedAnswer
from storage.records import utc_now

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext
    from playwright.async_api import Request as PageRequest
    from scrapy import Request

_OWN = frozenset({"accept-encoding", "connection", "cookie", "host", "proxy-authorization"})
_CONDITIONS = ("if-none-match", "if-modified-since")  # not sent, because the browser has no cache
_HTML = "text/html; charset=utf-8"
# Headers that are not valid for the decoded bodies that the browser returns.
_NOT_OF_PAYLOAD = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})


async def headers_for(
    *,
    browser_type_name: str,  # noqa: ARG001 - scrapy-playwright's signature
    playwright_request: "PageRequest",
    scrapy_request_data: Mapping[str, Any],
) -> dict[str, str]:
    """Return the headers of a request of a page; the page itself also gets the headers of the crawl."""
    headers = dict(await playwright_request.all_headers())
    if not playwright_request.is_navigation_request() or playwright_request.frame.parent_frame is not None:
        return headers
    crawl = scrapy_request_data["headers"].to_unicode_dict()
    ours = {name.lower(): value for name, value in crawl.items()}
    return {**headers, **{name: ours[name] for name in ours if name not in _OWN and name not in _CONDITIONS}}


async def cookies_of(request: "Request", context: "BrowserContext") -> list[Any]:
    """Return the cookies of the crawl that the browser context of a request does not have."""
    sent = b"; ".join(request.headers.getlist("Cookie")).decode("latin-1")
    if not sent:
        return []
    names = {cookie.get("name") for cookie in await context.cookies(request.url)}
    try:
        values = {name: morsel.coded_value for name, morsel in SimpleCookie(sent).items()}
    except CookieError:
        return []
    return [
        {"name": name, "value": value, "url": request.url}
        for name, value in values.items()
        if name not in names
    ]


def response_fields(result: BrowserResult) -> dict[str, Any]:
    """Return the arguments of a Scrapy response."""
    document = result.document
    headers: Headers = Headers()
    for name, value in headers_of_decoded_body(document.headers):
        headers.appendlist(name, value)
    body = document.body
    if result.dom is not None:
        headers["Content-Type"] = _HTML
        body = dom_bytes(result.dom)
    return {"url": document.url, "status": document.status, "headers": headers, "body": body}


def dom_bytes(dom: str) -> bytes:
    """Return the page as it is extracted and stored."""
    return dom.encode("utf-8", "replace")


def received_of(
    result: BrowserResult,
    *,
    addresses: Mapping[tuple[str, int], str],
    browser: str,
    confidential: ConfidentialValues,
) -> Exchange:
    """Return the exchange with the rendered page.

    Args:
        result: of a page.
        addresses: the IP address of each (host, port).
        browser: name and version.
        confidential: values to remove.
    """
    document, rendered = result.document, None
    sent, came = document.blocks
    if result.dom is not None:
        rendered = RenderedAnswer(dom=dom_bytes(result.dom), screenshot=result.screenshot, browser=browser)
    return Exchange(
        url=document.url,
        request=confidential.request(sent),
        status=document.status,
        header_block=confidential.response(rename_fields(came, _NOT_OF_PAYLOAD, prefix=ORIGINAL)),
        payload=document.body,
        at=utc_now(),
        address=addresses.get(destination_of(document.url), ""),
        rendered=rendered,
    )
