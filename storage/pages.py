"""Collection ``pages``: every crawled page in every version of its text, and its way to a comparison.

States: ``fetched → compared | failed``. A page seen again with the same text only moves ``last_seen``; a
page that was compared with an older mother corpus goes back to ``fetched``.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pymongo.database import Database

from storage import leases
from storage.documents import Document, from_document, mongo_errors, to_document
from storage.records import Page, Verdict, utc_now

_WAITING: Mapping[str, Any] = {"state": "fetched"}


def page_id(url: str, content_hash: str) -> str:
    """Return the id of a version of a page: 32 hex digits of SHA-256 over URL and content hash."""
    return hashlib.sha256(f"{url}\0{content_hash}".encode()).hexdigest()[:32]


class PageStore:
    """Pages by id, scan and state. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: Database[Document]) -> None:
        self._database = database
        self._pages = database["pages"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        with mongo_errors(self._database):
            self._pages.create_index("url")
            self._pages.create_index("state")
            self._pages.create_index("scan_id")

    def see(self, page: Page) -> bool:
        """Note that a page was fetched; True when this version of it is new.

        A version that is known keeps its first sight and its comparison; a failure takes the newest reason.
        """
        document = to_document(page)
        page_key = document.pop("_id")
        moving = ["last_seen", "scan_id", "etag", "last_modified"]
        if page.state == "failed":
            moving += ["state", "reason", "status", "kind"]
        seen = {key: document.pop(key) for key in moving}
        with mongo_errors(self._database):
            result = self._pages.update_one(
                {"_id": page_key}, {"$set": seen, "$setOnInsert": document}, upsert=True
            )
        return result.upserted_id is not None

    def touch(self, page_ids: Iterable[str], *, scan_id: str) -> None:
        """Note that pages were seen again unchanged (the server said 304)."""
        with mongo_errors(self._database):
            self._pages.update_many(
                {"_id": {"$in": list(page_ids)}},
                {"$set": {"last_seen": utc_now(), "scan_id": scan_id}},
            )

    def newest(self, url: str) -> Page | None:
        """Return the version of a page that was seen last and had a text."""
        with mongo_errors(self._database):
            rows = list(self._pages.find({"url": url, "content_hash": {"$ne": ""}}))
        newest = max(rows, key=lambda row: row["last_seen"], default=None)
        return None if newest is None else from_document(Page, newest)

    def get(self, each: str) -> Page | None:
        """Return a page by id."""
        with mongo_errors(self._database):
            row = self._pages.find_one({"_id": each})
        return None if row is None else from_document(Page, row)

    def get_many(self, ids: Iterable[str]) -> dict[str, Page]:
        """Return the pages that exist among ``ids``."""
        with mongo_errors(self._database):
            rows = list(self._pages.find({"_id": {"$in": list(ids)}}))
        return {row["_id"]: from_document(Page, row) for row in rows}

    def of_scan(self, scan_id: str) -> Iterator[Page]:
        """Yield the pages that a scan saw last, without their texts."""
        with mongo_errors(self._database):
            for row in self._pages.find({"scan_id": scan_id}, {"text": 0}):
                yield from_document(Page, row)

    def all(self) -> Iterator[Page]:
        """Yield every page without its text."""
        with mongo_errors(self._database):
            for row in self._pages.find({}, {"text": 0}):
                yield from_document(Page, row)

    def reserve_fetched(self, *, count: int, lease_s: float) -> tuple[str, list[str]]:
        """Reserve up to ``count`` pages that wait for comparison; returns the token and their ids."""
        with mongo_errors(self._database):
            return leases.reserve(self._pages, _WAITING, count=count, now=utc_now(), lease_s=lease_s)

    def take(self, each: str, *, token: str, lease_s: float) -> bool:
        """Begin comparing a reserved page."""
        with mongo_errors(self._database):
            return leases.take(self._pages, each, _WAITING, token=token, now=utc_now(), lease_s=lease_s)

    def waiting(self, scan_id: str) -> int:
        """Return how many of a scan's pages still wait for comparison."""
        with mongo_errors(self._database):
            return sum(1 for _ in self._pages.find({**_WAITING, "scan_id": scan_id}, {"_id": 1}))

    def mark_compared(
        self,
        each: str,
        *,
        corpus_version: int,
        verdict: Verdict,
        coverage: float,
        copied_chars: int,
        low_confidence: bool,
    ) -> None:
        """Close a comparison; the page's matches are stored before."""
        self._close(
            each,
            state="compared",
            reason="",
            corpus_version=corpus_version,
            verdict=verdict,
            coverage=coverage,
            copied_chars=copied_chars,
            low_confidence=low_confidence,
        )

    def mark_failed(self, each: str, *, reason: str, corpus_version: int) -> None:
        """Note that a page could not be compared, and why."""
        self._close(each, state="failed", reason=reason, corpus_version=corpus_version)

    def _close(self, each: str, **fields: object) -> None:
        with mongo_errors(self._database):
            self._pages.update_one({"_id": each}, {"$set": {**fields, "lease": leases.freed()}})

    def reopen_stale(self, *, corpus_version: int, scan_id: str | None = None) -> int:
        """Send pages compared with another corpus version back to ``fetched``; returns how many.

        Args:
            corpus_version: the version that comparisons must have.
            scan_id: when given, the scan that shall wait for the new comparison.
        """
        fields: dict[str, object] = {"state": "fetched", "lease": leases.freed()}
        if scan_id is not None:
            fields["scan_id"] = scan_id
        stale = self._stale(corpus_version)
        with mongo_errors(self._database):
            for start in range(0, len(stale), 1000):
                self._pages.update_many(
                    {"_id": {"$in": stale[start : start + 1000]}, "state": "compared"}, {"$set": fields}
                )
        return len(stale)

    def count_stale(self, *, corpus_version: int) -> int:
        """Return how many pages were compared with another corpus version."""
        return len(self._stale(corpus_version))

    def _stale(self, corpus_version: int) -> list[str]:
        with mongo_errors(self._database):
            rows = list(self._pages.find({"state": "compared"}, {"corpus_version": 1}))
        return [row["_id"] for row in rows if row["corpus_version"] != corpus_version]
