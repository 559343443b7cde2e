"""Builds requests for frontier entries and for further parts of a text."""

from collections.abc import Callable
from typing import Any

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from crawler.download.browser import RENDERED
from crawler.download.own_sites import own_sites_of
from crawler.download.proxies import expand_variables
from crawler.meta import CONDITIONAL, ENTRY, REFERRER, RENDER, SKIP_REASON
from crawler.reasons import BAD_ADDRESS
from storage.frontier.interface import Entry, EntryKind
from storage.records import Source

_NOT_MODIFIED = 304
_NOWHERE = "http://address.invalid/"  # no host has this name (RFC 6761)


class RequestBuilder:
    """Builds the requests of one source.

    Raises:
        MissingVariable, OpenVariable: a cookie names an environment variable that cannot be read.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._own_sites = own_sites_of(source)
        self._cookies: Any = _cookies_of(source)

    def for_entry(
        self, entry: Entry, *, callback: Callable[..., Any], errback: Callable[..., Any]
    ) -> Request:
        """Return the request for an entry.

        For an invalid address it is a request that ends at once, because only a request can end an entry.
        """
        meta: dict[str, Any] = {ENTRY: entry, RENDER: self._rendering_of(entry.kind)}
        if entry.kind == "text":
            meta |= {CONDITIONAL: True, "handle_httpstatus_list": [_NOT_MODIFIED]}
        options: dict[str, Any] = {"callback": callback, "errback": errback, "dont_filter": True}
        try:
            cookies = self._cookies if self._own_sites.has(entry.url) else None
            return Request(entry.url, cookies=cookies, meta=meta, **options)
        except ValueError:
            return Request(_NOWHERE, meta={**meta, SKIP_REASON: BAD_ADDRESS}, **options)

    def for_part(self, url: str, *, previous_url: str) -> Request:
        """Return the request for a further part of a text.

        Args:
            url: of the part.
            previous_url: of the previous part.
        """
        return Request(
            url,
            headers={"Referer": previous_url},
            dont_filter=True,
            callback=NO_CALLBACK,
            meta={RENDER: self._rendering_of("text"), REFERRER: previous_url},
        )

    def for_rendering(self, url: str, *, previous_url: str) -> Request:
        """Return the request that renders a page which was read without a browser.

        Args:
            url: of the page.
            previous_url: of the previous page; its own address for the first part.
        """
        request = self.for_part(url, previous_url=previous_url)
        request.meta[RENDER] = "text"
        return request

    def _rendering_of(self, kind: EntryKind) -> EntryKind | None:
        return kind if self._source.render is True and kind in RENDERED else None


def _cookies_of(source: Source) -> dict[str, str] | None:
    if source.cookies is None:
        return None
    return {name: expand_variables(value, source=source.name) for name, value in source.cookies.items()}
