"""Fetches the style sheets of pages, which define hidden text.

Only sheets of the page's own site are fetched: of its host or of the same domain. All pages, crawls and
sources share a sheet until it is a week old. Limits: eight sheets of a page; forty downloads for a host in a
crawl; half a megabyte and ten seconds for each. Requests use the crawl's downloader, so robots.txt, pace and
address checks apply. A sheet that cannot be fetched or parsed counts as empty, and is not tried again for a
day. If the rules of a sheet change, the pages of its site are read again at their next visit. Only readers
parse pages and sheets.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from crawler.meta import REFERRER
from crawler.readers.pool import CannotRead, ReaderPool
from crawler.readers.questions import RulesQuestion, SheetsQuestion
from storage.collections.stylesheets import Sheet, SheetStore
from storage.records import utc_now
from system.errors import PindnaError
from system.sites import host_of, registered_domain

Download = Callable[[Request], Awaitable[Response]]
Call = Callable[..., Awaitable[Any]]

MAX_BYTES = 512 * 1024
_TIMEOUT_S = 10.0
_FRESH = timedelta(days=7)
_TRIED = timedelta(days=1)  # time until a failed sheet is tried again
_MAX_DOWNLOADS = 40  # maximum number of downloads per host
_MAX_HELD = 200  # maximum number of sheets in memory
_OK = 200
_MARKUP = ("<!", "<h", "<H", "<?")  # beginnings of an error page with status 200


class SheetReader:
    """The sheets of one crawl.

    Args:
        download: sends a request through the crawl's middlewares.
        readers: parse pages and sheets.
        store: of sheets between crawls; a trial has none.
        call: runs the store's methods in a thread.
    """

    def __init__(
        self,
        download: Download,
        readers: ReaderPool,
        store: SheetStore | None = None,
        *,
        call: Call = asyncio.to_thread,
    ) -> None:
        self._download = download
        self._readers = readers
        self._store = store
        self._call = call
        self._held: OrderedDict[str, asyncio.Task[str]] = OrderedDict()
        self._asked: Counter[str] = Counter()

    async def of_page(self, page: bytes, *, url: str) -> tuple[tuple[str, str], ...]:
        """Return address and rules of a page's sheets.

        Raises:
            PindnaError: the store failed.
        """
        try:
            linked = await self._readers.ask(SheetsQuestion(page, url))
        except CannotRead:  # later, the page fails too or is read without sheets
            return ()
        site_sheets = [address for address in linked if is_own(address, url)]
        texts = await asyncio.gather(*(self._sheet_text(address, url) for address in site_sheets))
        return tuple((address, rules) for address, rules in zip(site_sheets, texts, strict=True) if rules)

    async def _sheet_text(self, address: str, page_url: str) -> str:
        if address not in self._held:
            self._held[address] = asyncio.ensure_future(self._load_sheet(address, page_url))
            while len(self._held) > _MAX_HELD:
                self._held.popitem(last=False)
        self._held.move_to_end(address)
        return await asyncio.shield(self._held[address])

    async def _load_sheet(self, address: str, page_url: str) -> str:
        stored = await self._stored_sheet(address)
        host = host_of(page_url)
        if stored is not None and utc_now() - stored.fetched < (_FRESH if stored.was_read else _TRIED):
            return stored.rules
        if self._asked[host] >= _MAX_DOWNLOADS:
            return stored.rules if stored is not None else ""
        self._asked[host] += 1
        rules = await self._download_rules(address, page_url)
        sheet = _sheet_after(stored, rules, url=address, host=host)
        if self._store is not None:
            await self._call(self._store.save, sheet)
        return sheet.rules

    async def _stored_sheet(self, address: str) -> Sheet | None:
        if self._store is None:
            return None
        sheets: dict[str, Sheet] = await self._call(self._store.get_many, [address])
        return sheets.get(address)

    async def _download_rules(self, address: str, page_url: str) -> str | None:
        """Return the rules of a sheet; None if it cannot be fetched or parsed."""
        request = Request(
            address,
            headers={"Accept": "text/css,*/*;q=0.1", "Referer": page_url},
            callback=NO_CALLBACK,
            dont_filter=True,
            meta={
                REFERRER: page_url,
                "dont_retry": True,
                "download_timeout": _TIMEOUT_S,
                "download_maxsize": MAX_BYTES,
            },
        )
        try:
            response = await self._download(request)
        except PindnaError:
            raise
        except Exception:  # noqa: BLE001 - a download may raise anything; the page is read without the sheet
            return None
        if response.status != _OK or not is_own(response.url, page_url):
            return None
        text = response.body.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
        if text.startswith(_MARKUP):
            return None
        with suppress(CannotRead):
            return await self._readers.ask(RulesQuestion(text, address))
        return None


def _sheet_after(stored: Sheet | None, rules: str | None, *, url: str, host: str) -> Sheet:
    """Return the sheet to store after a download.

    Args:
        stored: the stored sheet, if any.
        rules: the downloaded rules; None if the download failed, which keeps the stored rules.
        url: of the sheet.
        host: of the page.
    """
    before, changed = ("", None) if stored is None else (stored.rules, stored.changed)
    new = before if rules is None else rules
    if stored is not None and new != before:
        changed = utc_now()
    return Sheet(url=url, host=host, rules=new, was_read=rules is not None, changed=changed)


def is_own(address: str, page_url: str) -> bool:
    """Return whether an address is on a page's site: on the same host or domain."""
    page, sheet = urlsplit(page_url), urlsplit(address)
    if page.netloc == sheet.netloc:
        return True
    domain = registered_domain(page.hostname or "")
    return bool(domain) and domain == registered_domain(sheet.hostname or "")
