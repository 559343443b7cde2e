"""Builds the records of fetched pages: snapshots, and pages from one or several responses. Pure."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from crawler.addresses import canonical
from crawler.extraction import ExtractedPage
from crawler.extraction.result import TOO_LONG, posts_within
from crawler.extraction.short_texts import is_text
from crawler.extraction.template import PageForm
from crawler.pages.joining import join_posts, join_rests, join_texts
from crawler.pages.repeated_parts import ReadLines
from fingerprint.exact import content_hash, letters_hash
from fingerprint.text.han import has_han
from storage.collections.pages import page_id
from storage.records import (
    MAX_POSTS,
    MAX_TEXT_CHARS,
    PARTLY_READ,
    Page,
    PageKind,
    Post,
    Snapshot,
    UnreadReason,
    utc_now,
)
from system.sites import host_of

TEXTS: frozenset[PageKind] = frozenset({"article", "chapter", "thread"})
# The unread reason of each kind of partly read page.
_UNREAD_OF: dict[PageKind, UnreadReason] = {
    "blocked": "blocked",
    "obfuscated": "font",
    "incomplete": "incomplete",
    "unreadable": "failed",
}
MIN_COMPARED = 20  # minimum Han characters in the article and the rest of a page together
MAX_REST_CHARS = 100_000  # default of the setting
_MIN_JOINED = 100
_MIN_PROSE = 600  # minimum Han characters in sentences; teasers of a list have fewer
_SENTENCE_END = re.compile("[。！？…；]")


@dataclass(frozen=True, slots=True)
class PagePart:
    """One response of a text with its extraction."""

    snapshot: Snapshot
    extracted: ExtractedPage
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class PageRecord:
    """A page to store after its snapshots. Its ``repr`` appears in logs, so it contains no text.

    Attributes:
        whole: the text including the removed repeated sentences.
        is_chapter: whether it is a chapter, or links to a next one.
        next_chapter: address of the next chapter; empty without one.
        form: layout of its first part, for the site's template.
        failed_steps: optional steps of extraction that failed.
    """

    page: Page
    snapshots: tuple[Snapshot, ...] = ()
    whole: str = ""
    failed_steps: tuple[str, ...] = ()
    is_chapter: bool = False
    next_chapter: str = ""
    form: PageForm | None = None

    @property
    def whole_hash(self) -> str:
        """Return the content hash of the whole text."""
        return self.page.content_hash if self.whole in {"", self.page.text} else content_hash(self.whole)

    def __repr__(self) -> str:
        return f"Seen({self.page.id}, {self.page.kind}, {len(self.page.text)} characters)"


def snapshot_of(*, url: str, status: int, headers: bytes, body: bytes) -> Snapshot:
    """Return the snapshot of a response."""
    return Snapshot(
        sha256=hashlib.sha256(body).hexdigest(),
        url=url,
        status=status,
        headers=headers,
        body=body,
        fetched=utc_now(),
    )


def page_of(
    parts: Sequence[PagePart], *, source: str, scan_id: str, max_rest_chars: int = MAX_REST_CHARS
) -> PageRecord:
    """Return the page of joined parts, under the first part's URL.

    Args:
        parts: responses of one text, in reading order; at least one.
        source: of the crawl.
        scan_id: of the crawl.
        max_rest_chars: limit of the rest of all parts; characters beyond it are counted as unread.
    """
    parts = _without_repeated_texts(parts)
    first = parts[0]
    extractions = [page_part.extracted for page_part in parts]
    url, (joined, posts) = canonical(first.snapshot.url), _join_parts(parts)
    text = joined[:MAX_TEXT_CHARS]
    cut_chars = len(joined) - len(text)
    rests = [(extracted.rest, extracted.rest_pieces) for extracted in extractions]
    rest = join_rests(rests, max_chars=min(max_rest_chars, MAX_TEXT_CHARS))
    kind, digest = _page_kind(parts, text), content_hash(text) if text else ""
    rest_digest = letters_hash(rest.text)
    compared = is_compared(kind, text, rest.text)
    snapshots = tuple(page_part.snapshot for page_part in parts)
    page = Page(
        id=page_id(url, digest or rest_digest),
        url=url,
        host=host_of(url),
        source=source,
        kind=kind,
        title=first.extracted.title,
        author=first.extracted.author,
        published=first.extracted.published,
        text=text,
        posts=tuple(replace(post, quotes=(), signature="") for post in posts_within(posts, len(text))),
        cut_chars=cut_chars + sum(extracted.dropped.get(TOO_LONG, 0) for extracted in extractions),
        content_hash=digest,
        encoding=first.extracted.encoding,
        confidence=min(extracted.confidence for extracted in extractions),
        status=first.snapshot.status,
        etag=first.etag,
        last_modified=first.last_modified,
        snapshots=tuple(snapshot.sha256 for snapshot in snapshots),
        scan_id=scan_id,
        state="fetched" if compared else "failed",
        reason="" if compared else kind,
        rest=rest.text,
        rest_pieces=rest.pieces,
        rest_hash=rest_digest,
        unread=unread_of(extractions, kind, cut_chars=cut_chars + rest.cut_chars),
    )
    return _record_of(page, snapshots, extractions)


def _record_of(
    page: Page, snapshots: tuple[Snapshot, ...], extractions: Sequence[ExtractedPage]
) -> PageRecord:
    """Return a page with the data about its parts that a crawl also needs."""
    is_whole = all(extracted.whole == extracted.text for extracted in extractions)
    wholes = [extracted.whole for extracted in extractions]
    return PageRecord(
        page,
        snapshots,
        page.text if is_whole else join_texts(wholes)[:MAX_TEXT_CHARS],
        tuple(dict.fromkeys(name for extracted in extractions for name in extracted.failed_steps)),
        is_chapter=page.kind == "chapter" or any(extracted.next_chapter for extracted in extractions),
        next_chapter=extractions[-1].next_chapter or "",
        form=extractions[0].form,
    )


def _without_repeated_texts(parts: Sequence[PagePart]) -> list[PagePart]:
    """Remove the text of parts that only repeat earlier parts; their rest stays."""
    lines, different = ReadLines(), list[PagePart]()
    for page_part in parts:
        is_repeated = bool(different) and lines.has(page_part.extracted)
        extracted = lines.without_text(page_part.extracted) if is_repeated else page_part.extracted
        different.append(replace(page_part, extracted=extracted))
        lines.add(page_part.extracted)
    return different


def _join_parts(parts: Sequence[PagePart]) -> tuple[str, tuple[Post, ...]]:
    """Return the joined text of the parts, and its posts if it is a thread."""
    every = [page_part.extracted for page_part in parts]
    if all(extracted.posts for extracted in every):
        text, posts = join_posts([(extracted.text, extracted.posts) for extracted in every])
        return text, posts[:MAX_POSTS]
    return join_texts([extracted.text for extracted in every]), ()


def failed_page(url: str, *, source: str, scan_id: str, reason: str, status: int) -> PageRecord:
    """Return the record of a failed fetch, for reports."""
    address = canonical(url)
    page = Page(
        id=page_id(address, ""),
        url=address,
        host=host_of(address),
        source=source,
        kind="error",
        status=status,
        scan_id=scan_id,
        state="failed",
        reason=reason,
    )
    return PageRecord(page)


def text_hash(page: Page) -> str:
    """Return the hash of a page's version: of its article, or of its rest without an article."""
    return page.content_hash or page.rest_hash


def has_prose(page: Page) -> bool:
    """Return whether a page of links has enough sentences to hide a text among them."""
    lines = f"{page.text}\n{page.rest}".split("\n")
    sentences = (line for line in lines if _SENTENCE_END.search(line) and has_han(line, MIN_COMPARED))
    return has_han("".join(sentences), _MIN_PROSE)


def is_compared(kind: PageKind, text: str, rest: str) -> bool:
    """Return whether a page is compared: it has enough Han characters, or a text in Latin pinyin."""
    return kind != "error" and (has_han(f"{text}\n{rest}", MIN_COMPARED) or (kind in TEXTS and is_text(text)))


def unread_of(
    parts: Sequence[ExtractedPage], kind: PageKind, *, cut_chars: int = 0
) -> dict[UnreadReason, int]:
    """Return the unread counts of a page over all parts.

    Args:
        parts: extraction of each response.
        kind: of the page; some kinds mean an incomplete text.
        cut_chars: number of characters beyond the limits.
    """
    unread: Counter[UnreadReason] = Counter()
    for extracted in parts:
        unread.update(extracted.unread)
    unread["limit"] += cut_chars
    if kind in PARTLY_READ:
        reason, is_counted = _UNREAD_OF[kind], kind != "obfuscated"
        chars = sum(len(extracted.text) for extracted in parts)
        unread[reason] = unread[reason] or (1 if is_counted else max(1, chars))
    return {reason: number for reason, number in unread.items() if number > 0}


def _page_kind(parts: Sequence[PagePart], text: str) -> PageKind:
    """Return the first kind of an incomplete page; else the first part's kind, as others may be too short."""
    kinds = [page_part.extracted.kind for page_part in parts]
    obstacle = next((kind for kind in kinds if kind in PARTLY_READ), None)
    if obstacle is not None:
        return obstacle
    if len(kinds) > 1 and kinds[0] not in TEXTS and len(text) >= _MIN_JOINED:
        return "chapter"
    return kinds[0]
