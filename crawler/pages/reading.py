"""Reads a text from its first response to its outcome.

A text with the same bodies as at the last visit is not extracted again. A text may continue under 下一页: its
parts are fetched one after another and joined into one page under the first part's address. If a part cannot
be fetched or is truncated, the text is stored as ``incomplete``. After fifty parts the remainder becomes
another text. A part that repeats earlier parts ends the text, and its links are not followed.
"""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import replace

from scrapy.http import Response
from w3lib.encoding import http_content_type_encoding

from crawler.addresses import canonical, is_web, without_tracking
from crawler.exchange import Exchange
from crawler.extraction import EXTRACTION_VERSION, PageContext
from crawler.extraction.nextpage import continues
from crawler.meta import BROKEN_OFF, RECEIVED, VISIT
from crawler.pages.outcomes import FailedFetch, FetchedPart, Outcome, Text, UnchangedText
from crawler.pages.page_records import MAX_REST_CHARS, PagePart, failed_page, page_of, snapshot_of
from crawler.pages.repeated_parts import ReadLines
from crawler.readers.pool import CannotRead, ReaderPool
from crawler.readers.questions import PageQuestion
from storage.records import Snapshot, TextPart, Visit, utc_now
from system.sites import host_of

# Fetches a further part; returns None if that fails.
FetchPart = Callable[[str, Response], Awaitable[Response | None]]
# Returns the extraction context of a response.
ContextOf = Callable[[Response], Awaitable[PageContext]]
# Returns whether an address is a separate text in this crawl, not a further part of a text.
IsText = Callable[[str], Awaitable[bool]]

_MAX_PARTS = 50
_NOT_MODIFIED = 304


async def read_text(
    response: Response,
    *,
    source: str,
    scan_id: str,
    fetch: FetchPart,
    is_text: IsText,
    readers: ReaderPool,
    context_of: ContextOf,
    extraction_version: str = EXTRACTION_VERSION,
    max_rest_chars: int = MAX_REST_CHARS,
) -> Outcome:
    """Return the outcome of a text.

    Args:
        response: of the text's address.
        source: of the crawl.
        scan_id: of the crawl.
        fetch: fetches further parts.
        is_text: returns whether an address is a separate text.
        readers: parse pages.
        context_of: returns the extraction context of a response.
        extraction_version: of the program and of the rules; texts of another version are read again.
        max_rest_chars: limit of the rest of all parts.
    """
    visit: Visit | None = response.meta.get(VISIT)
    requested_url = canonical(str(response.meta.get("redirect_urls", [response.url])[0]))
    if response.status == _NOT_MODIFIED:
        if visit is None or not visit.page_id:
            return failed_outcome(response.url, source=source, scan_id=scan_id, reason="http-304", status=304)
        fetched_part = _fetched_part(response, visit.parts[0].sha256 if visit.parts else "")
        return UnchangedText(visit, requested_url, (fetched_part,), not_modified=True)
    responses = [response]
    if (
        visit is not None
        and visit.extraction_version == extraction_version
        and await _is_same(responses, visit, fetch)
    ):
        return UnchangedText(
            visit, requested_url, tuple(_fetched_part(item) for item in responses), not_modified=False
        )
    try:
        parts, is_endless = await _read_parts(
            responses, fetch=fetch, is_text=is_text, readers=readers, context_of=context_of
        )
    except CannotRead as error:
        return failed_outcome(
            response.url, source=source, scan_id=scan_id, reason=error.reason, status=response.status
        )
    rest = await _next_part_address(parts, is_text) if len(parts) == _MAX_PARTS else None
    record = page_of(parts, source=source, scan_id=scan_id, max_rest_chars=max_rest_chars)
    record = replace(record, page=replace(record.page, fetched=utc_now()))
    fetched = (
        _fetched_part(item, fetched_part.snapshot.sha256)
        for item, fetched_part in zip(responses, parts, strict=True)
    )
    return Text(
        record, requested_url, tuple(fetched), extraction_version, rest=rest or "", is_endless=is_endless
    )


async def _read_parts(
    responses: list[Response],
    *,
    fetch: FetchPart,
    is_text: IsText,
    readers: ReaderPool,
    context_of: ContextOf,
) -> tuple[list[PagePart], bool]:
    """Read the responses and their further parts, whose responses are appended to the list.

    Returns:
        The parts, and whether the last one only repeats the earlier ones, so the chain may be endless.
    """
    parts = [await part_of(response, readers, await context_of(response)) for response in responses]
    lines = ReadLines()
    for page_part in parts:
        lines.add(page_part.extracted)
    while len(parts) < _MAX_PARTS and (following := await _next_part_address(parts, is_text)) is not None:
        further = await fetch(following, responses[-1])
        if further is None:
            cut = replace(parts[-1].extracted, kind="incomplete")
            parts[-1] = replace(parts[-1], extracted=cut)
            break
        responses.append(further)
        page_part = await part_of(further, readers, await context_of(further))
        if lines.has(page_part.extracted):
            return [*parts, page_part], True
        lines.add(page_part.extracted)
        parts.append(page_part)
    return parts, False


def failed_outcome(
    url: str,
    *,
    source: str,
    scan_id: str,
    reason: str,
    status: int,
    requested_url: str = "",
    kept: Response | None = None,
) -> FailedFetch:
    """Return the outcome of an address that could not be fetched, with ``kept`` as its evidence."""
    page = failed_page(url, source=source, scan_id=scan_id, reason=reason, status=status)
    if kept is None:
        return FailedFetch(page, requested_url or page.page.url, reason, status)
    page = replace(page, snapshots=(_snapshot_of(kept),))
    return FailedFetch(page, requested_url or page.page.url, reason, status, (_fetched_part(kept),))


async def part_of(response: Response, readers: ReaderPool, context: PageContext) -> PagePart:
    """Return the snapshot and the extraction of a response.

    Raises:
        CannotRead: the page exceeds the limits of the readers.
    """
    context = replace(context, fetched=utc_now())
    question = PageQuestion(response.body, response.url, declared_charset(response), context)
    extracted = await readers.ask(question)
    return PagePart(
        snapshot=_snapshot_of(response),
        extracted=replace(extracted, kind="incomplete") if BROKEN_OFF in response.flags else extracted,
        etag=_header_value(response, "ETag"),
        last_modified=_header_value(response, "Last-Modified"),
    )


def _snapshot_of(response: Response) -> Snapshot:
    return snapshot_of(
        url=response.url,
        status=response.status,
        headers=response.headers.to_string(),
        body=response.body,
    )


def declared_charset(response: Response) -> str | None:
    """Return the charset of the Content-Type header."""
    return http_content_type_encoding(_header_value(response, "Content-Type"))


def content_type_of(response: Response) -> str:
    """Return the media type of the Content-Type header, in lower case and without parameters."""
    return (_header_value(response, "Content-Type") or "").partition(";")[0].strip().lower()


def was_rendered(response: Response) -> bool:
    """Return whether a browser rendered the page."""
    received: Exchange | None = response.meta.get(RECEIVED)
    return received is not None and received.rendered is not None


async def _is_same(responses: list[Response], visit: Visit, fetch: FetchPart) -> bool:
    """Return whether all parts equal the visit's; fetch them one by one into ``responses``."""
    if not visit.parts or not visit.content_hash:
        return False
    for number, text_part in enumerate(visit.parts):
        if number >= len(responses):
            further = await fetch(text_part.url, responses[-1])
            if further is None:
                return False
            responses.append(further)
        if _body_sha256(responses[number].body) != text_part.sha256:
            return False
    return canonical(responses[0].url) == visit.url


async def _next_part_address(parts: list[PagePart], is_text: IsText) -> str | None:
    """Return the address of the next part, unless it was read, or is on another host, or a separate text."""
    first, last = parts[0].snapshot.url, parts[-1].extracted
    target = last.next_page
    # /100/2 → /100/3 looks like the next chapter; the first address /100 shows that it is a part.
    if target is None and last.next_chapter and continues(first, last.next_chapter, number=len(parts) + 1):
        target = last.next_chapter
    if target is None or not is_web(target):
        return None
    target = without_tracking(target)
    read_urls = {canonical(page_part.snapshot.url) for page_part in parts}
    if host_of(target) != host_of(first) or canonical(target) in read_urls or await is_text(target):
        return None
    return target


def _fetched_part(response: Response, sha256: str | None = None) -> FetchedPart:
    text_part = TextPart(url=response.url, sha256=_body_sha256(response.body) if sha256 is None else sha256)
    return FetchedPart(text_part, response.meta.get(RECEIVED))


def _body_sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _header_value(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return value.decode("latin-1") if isinstance(value, bytes) else None
