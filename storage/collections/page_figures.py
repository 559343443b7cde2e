"""Figures of the pages in a scope, computed by the server, and the pages in it that need attention.

A scope contains the last seen version of each address: all addresses, or those of a scan, since a moment, or
on some hosts. The server computes figures by an aggregation that starts with an index. Only pages with copies
and pages without a full comparison are sent to the client, one at a time.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import WITHOUT_TEXT, Document, from_document
from storage.records import (
    FOUND,
    MIN_CONFIDENCE,
    PARTLY_READ,
    UNREAD_UNITS,
    Page,
    PageKind,
    PageState,
    UnreadFigures,
    UnreadReason,
    Verdict,
)
from system.batches import batched

_FOUND: Mapping[str, Any] = {"verdict": {"$in": list(FOUND)}}
_NOT_COMPARED: Mapping[str, Any] = {"state": {"$ne": "compared"}}
_UNREAD: Mapping[str, Any] = {"unread": {"$nin": [{}, None]}}  # documents of older versions lack the field
_NO_TEXT: Mapping[str, Any] = {"$project": WITHOUT_TEXT}
_URLS = 1_000  # number of addresses in one query


@dataclass(frozen=True, slots=True, kw_only=True)
class PageScope:
    """A scope: the last seen versions of the addresses that match all given conditions.

    Attributes:
        scan_id: the scan that saw the page last.
        since: seen at or after this moment.
        hosts: hosts of the pages.
    """

    scan_id: str | None = None
    since: datetime | None = None
    hosts: tuple[str, ...] | None = None

    def admits(self, page: Page) -> bool:
        """Return whether a page is in scope."""
        return (
            page.standing == "current"
            and self.scan_id in (None, page.scan_id)
            and (self.since is None or page.last_seen >= self.since)
            and self.is_on_hosts(page)
        )

    def is_on_hosts(self, page: Page) -> bool:
        """Return whether a page is on one of the hosts."""
        return self.hosts is None or page.host in self.hosts

    def stages(self, also: Mapping[str, Any] | None = None) -> list[Document]:
        """Return the stages of an aggregation that select the scope; the first one uses an index.

        Args:
            also: a further condition.
        """
        condition: Document = {"standing": "current", **(also or {})}
        if self.since is not None:
            condition["last_seen"] = {"$gte": self.since}
        places: Document = {}
        if self.scan_id is not None:
            places["scan_id"] = self.scan_id
        if self.hosts is not None:
            places["host"] = {"$in": list(self.hosts)}
        leading = next(iter(places), None)
        names = ("standing", "verdict") if leading is None else (leading,)
        condition |= places
        indexed = {name: condition.pop(name) for name in names if name in condition}
        return [{"$match": indexed}, *([{"$match": condition}] if condition else [])]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageGroup:
    """A number of similar pages on one host.

    Attributes:
        reason: why the pages were not compared; empty otherwise.
        count: number of pages.
    """

    host: str
    kind: PageKind
    state: PageState
    verdict: Verdict | None
    reason: str
    low_confidence: bool
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Incomplete:
    """A compared page that was not fully compared, or whose article is uncertain.

    See :class:`storage.records.Page` for the fields.
    """

    url: str
    unaligned: int
    capped: int
    cut_chars: int
    confidence: float
    unread: dict[UnreadReason, int]


class PageFigures:
    """Figures of pages. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._pages = database["pages"]

    def groups(self, scope: PageScope) -> list[PageGroup]:
        """Count the pages of a scope in the groups that reports distinguish; a host has several groups."""
        fields = ("host", "kind", "state", "verdict", "reason", "low_confidence")
        group = {"$group": {"_id": {field: f"${field}" for field in fields}, "count": {"$sum": 1}}}
        return [
            _page_group(row["_id"], row["count"]) for row in self._pages.aggregate(*scope.stages(), group)
        ]

    def has_any(self, scope: PageScope) -> bool:
        """Return whether a page is in scope."""
        rows = self._pages.aggregate(*scope.stages(), {"$limit": 1}, {"$project": {"_id": 1}})
        return any(True for _ in rows)

    def with_matches(self, scope: PageScope) -> Iterator[Page]:
        """Yield the pages of a scope with copies of a work, without their texts."""
        for row in self._pages.aggregate(*scope.stages(_FOUND), _NO_TEXT):
            yield from_document(Page, row)

    def last_texts(self, scope: PageScope) -> Iterator[Page]:
        """Yield the last fully compared version of each address in scope whose current version was not."""
        hosts = {} if scope.hosts is None else {"host": {"$in": list(scope.hosts)}}
        rows = self._pages.find({**hosts, "standing": "last-text"}, WITHOUT_TEXT)
        for chunk in batched(rows, _URLS):
            last_texts = [from_document(Page, row) for row in chunk]
            not_in_full = self._not_in_full(scope, {page.url for page in last_texts})
            yield from (page for page in last_texts if page.url in not_in_full)

    def _not_in_full(self, scope: PageScope, urls: Collection[str]) -> set[str]:
        """Return the addresses whose current versions are in scope and were not fully compared."""
        versions = self._pages.find_among("url", sorted(urls), WITHOUT_TEXT)
        current = (from_document(Page, row) for row in versions if row["standing"] == "current")
        return {page.url for page in current if scope.admits(page) and not _is_in_full(page)}

    def admitted(self, scope: PageScope, ids: Sequence[str]) -> Iterator[Page]:
        """Yield the pages whose texts count in a scope; the yielded pages contain no text.

        These are the pages in scope and, for addresses in scope that were not fully compared, the last
        compared versions.
        """
        rows = [from_document(Page, row) for row in self._pages.find_among("_id", ids, WITHOUT_TEXT)]
        last_texts = [page for page in rows if page.standing == "last-text"]
        not_in_full = self._not_in_full(scope, {page.url for page in last_texts})
        for page in rows:
            if scope.admits(page) or (page.standing == "last-text" and page.url in not_in_full):
                yield page

    def first_not_compared(self, scope: PageScope, *, reason: str | None, count: int) -> list[str]:
        """Return the first addresses, in order, that were not compared for a given reason.

        Args:
            scope: the scope.
            reason: the reason; None: waiting pages.
            count: how many at most.
        """
        if count <= 0:
            return []
        also = {"state": "fetched"} if reason is None else {"state": "failed", "reason": reason}
        first = {"$sort": {"url": 1}}, {"$limit": count}, {"$project": {"url": 1}}
        return [row["url"] for row in self._pages.aggregate(*scope.stages(also), *first)]

    def not_compared_at(self, scope: PageScope, urls: Iterable[str]) -> Iterator[Page]:
        """Yield the pages in scope at addresses that were not compared, without their texts."""
        for row in self._pages.find_among("url", sorted(set(urls)), WITHOUT_TEXT, _NOT_COMPARED):
            page = from_document(Page, row)
            if scope.admits(page):
                yield page

    def incomplete(self, scope: PageScope) -> Iterator[Incomplete]:
        """Yield the compared pages in scope that were not fully compared, or whose article is uncertain."""
        fields = ("unaligned", "capped", "cut_chars")
        doubtful = {"confidence": {"$lt": MIN_CONFIDENCE}}
        also = {"state": "compared", "$or": [doubtful, _UNREAD, *({field: {"$gt": 0}} for field in fields)]}
        project = {"$project": dict.fromkeys(("url", "confidence", "unread", *fields), 1)}
        for row in self._pages.aggregate(*scope.stages(also), project):
            counts = {field: int(row.get(field) or 0) for field in fields}
            yield Incomplete(
                url=row["url"],
                confidence=float(row.get("confidence", 1.0)),
                unread=row.get("unread") or {},
                **counts,
            )

    def unread(self, scope: PageScope) -> UnreadFigures:
        """Return the figures of those compared pages in scope that have parts without a comparison."""
        sums: Document = {reason: {"$sum": f"$unread.{reason}"} for reason in UNREAD_UNITS}
        group = {"$group": {"_id": None, "pages": {"$sum": 1}, **sums}}
        for row in self._pages.aggregate(*scope.stages({"state": "compared", **_UNREAD}), group):
            amounts = {reason: int(row[reason]) for reason in UNREAD_UNITS if row[reason]}
            return UnreadFigures(pages=int(row["pages"]), amounts=amounts)
        return UnreadFigures()


def _page_group(fields: Mapping[str, Any], count: int) -> PageGroup:
    return PageGroup(
        host=fields["host"],
        kind=fields["kind"],
        state=fields["state"],
        verdict=fields.get("verdict"),
        reason=fields.get("reason") or "",
        low_confidence=bool(fields.get("low_confidence")),
        count=count,
    )


def _is_in_full(page: Page) -> bool:
    """Return whether a page was fully read and compared, as far as its kind shows."""
    return page.verdict is not None and page.kind not in PARTLY_READ
