"""What every spider does: begin at the source's addresses, read texts page by page, note failures.

A text may go on under 下一页: its parts are fetched one after the other and joined into one page under the
first part's address. When a part cannot be fetched, the text is stored as ``incomplete``.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import scrapy
from scrapy.http import Response
from twisted.python.failure import Failure
from w3lib.encoding import http_content_type_encoding

from crawler.addresses import canonical, is_web, site_of
from crawler.extraction import NOTHING, Known, extract
from crawler.failures import failure_reason, failure_status
from crawler.job import Job
from crawler.middlewares.conditional import CONDITIONAL, KNOWN_PAGE
from crawler.nextpage import continues
from crawler.pages import Part, Seen, Unchanged, failed_page, page_of, snapshot_of
from crawler.parsing import Tree, decode_page, parse
from crawler.resolver import REFUSED_NAMES
from storage.errors import PindnaError

Output: TypeAlias = Iterator[scrapy.Request | Seen | Unchanged]

_MOST_PARTS: Final = 50
_NOT_MODIFIED: Final = 304
_PART_PRIORITY: Final = 1_000_000  # finish a text before beginning another


class SourceSpider(scrapy.Spider):
    """Base of the spiders; subclasses say what to do with a start page."""

    name = "source"

    def __init__(self, *, job: Job, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.job = job
        self.known: dict[str, Known] = {}
        self.asked: set[str] = set()  # texts of their own, so never a further page of another

    async def start(self) -> AsyncIterator[Any]:
        """Ask for the source's start addresses."""
        for site in {site_of(url) for url in self.job.source.start_urls if is_web(url)}:
            repeats = await self.job.store(self.job.stores.repeats.of_site, site)
            self.known[site] = Known(self.job.source.rules, repeats.removed)
        for url in self.job.source.start_urls:
            if is_web(url):
                yield scrapy.Request(
                    url, callback=self.parse_start, errback=self.start_failed, dont_filter=True
                )
            else:
                self.job.problems.append((url, "not an http(s) address"))

    def parse_start(self, response: Response) -> Output:
        """Go on from a start page that answered."""
        try:
            yield from self.parse_index(response)
        except TimeoutError:  # it would hold up this crawl, and the scan with it
            self.job.problems.append((response.url, "the source's expression takes for ever on its links"))
        else:
            self.job.reached += 1

    def parse_index(self, response: Response) -> Output:
        """Follow the links of a section page or catalogue."""
        raise NotImplementedError

    def text_requests(self, urls: list[str]) -> Output:
        """Ask for texts in order, as many as the source allows."""
        for ordinal, url in enumerate(urls):
            if canonical(url) in self.asked:
                continue
            if not self.job.promise_page():
                return
            self.asked.add(canonical(url))
            yield scrapy.Request(
                url,
                callback=self.parse_text,
                errback=self.text_failed,
                priority=-ordinal,
                meta={CONDITIONAL: True, "handle_httpstatus_list": [_NOT_MODIFIED]},
            )

    def parse_text(self, response: Response, parts: tuple[Part, ...] = ()) -> Output:
        """Read one part of a text, then its next part or the whole."""
        if response.status == _NOT_MODIFIED:
            known = response.meta.get(KNOWN_PAGE)
            yield Unchanged(known) if known else self._failed(response.url, "http-304", response.status)
            return
        known = self.known.get(site_of(response.url), Known(self.job.source.rules))
        parts = (*parts, part_of(response, known))
        following = self._following(parts)
        if following is None:
            yield page_of(parts, source=self.job.source.name, scan_id=self.job.scan_id)
            return
        yield scrapy.Request(
            following,
            callback=self.parse_text,
            errback=self.part_failed,
            cb_kwargs={"parts": parts},
            dont_filter=True,
            priority=_PART_PRIORITY,
        )

    def text_failed(self, failure: Failure) -> Output:
        """Note a text that could not be fetched."""
        request: scrapy.Request = failure.request  # type: ignore[attr-defined]
        if not isinstance(failure.value, PindnaError):  # the job has it, and the crawl ends
            yield self._failed(request.url, self._reason(failure), failure_status(_error(failure)))

    def part_failed(self, failure: Failure) -> Output:
        """Store what there is of a text, as incomplete."""
        request: scrapy.Request = failure.request  # type: ignore[attr-defined]
        parts: tuple[Part, ...] = request.cb_kwargs["parts"]
        last = replace(parts[-1], extracted=replace(parts[-1].extracted, kind="incomplete"))
        yield page_of((*parts[:-1], last), source=self.job.source.name, scan_id=self.job.scan_id)

    def start_failed(self, failure: Failure) -> Output:
        """Note a start address that could not be fetched."""
        request: scrapy.Request = failure.request  # type: ignore[attr-defined]
        self.job.problems.append((request.url, self._reason(failure)))
        yield from self.text_failed(failure)

    def _following(self, parts: tuple[Part, ...]) -> str | None:
        """Return the address of the next part, unless it leads in a circle or away."""
        first, last = parts[0].snapshot.url, parts[-1].extracted
        target = last.next_page
        # /100/2 → /100/3 looks like the next chapter until it is known that the text began at /100.
        if (
            target is None
            and last.next_chapter
            and continues(first, last.next_chapter, number=len(parts) + 1)
        ):
            target = last.next_chapter
        if target is None or len(parts) >= _MOST_PARTS or not is_web(target):
            return None
        known = self.asked | {canonical(part.snapshot.url) for part in parts}
        return None if site_of(target) != site_of(first) or canonical(target) in known else target

    def _failed(self, url: str, reason: str, status: int) -> Seen:
        return failed_page(
            url, source=self.job.source.name, scan_id=self.job.scan_id, reason=reason, status=status
        )

    def _reason(self, failure: Failure) -> str:
        reason = failure_reason(_error(failure))
        host = urlsplit(failure.request.url).hostname  # type: ignore[attr-defined]
        return "inner-address" if reason == "dns" and host in REFUSED_NAMES else reason


def part_of(response: Response, known: Known = NOTHING) -> Part:
    """Return a response's evidence and what is in it."""
    headers = response.headers
    return Part(
        snapshot=snapshot_of(
            url=response.url, status=response.status, headers=headers.to_string(), body=response.body
        ),
        extracted=extract(response.body, url=response.url, declared=declared_charset(response), known=known),
        etag=_header(response, "ETag"),
        last_modified=_header(response, "Last-Modified"),
    )


def tree_of(response: Response) -> Tree | None:
    """Return the tree of a page of links."""
    return parse(decode_page(response.body, declared=declared_charset(response)).text)


def declared_charset(response: Response) -> str | None:
    """Return the charset of the Content-Type header."""
    return http_content_type_encoding(_header(response, "Content-Type"))


def _header(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return value.decode("latin-1") if isinstance(value, bytes) else None


def _error(failure: Failure) -> BaseException:
    return failure.value if isinstance(failure.value, BaseException) else RuntimeError("unknown")
