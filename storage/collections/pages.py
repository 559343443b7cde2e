"""Collection ``pages``: every crawled page in every version of its text, and its way to a comparison.

States: ``fetched → compared | failed``. A page seen again with the same text only moves ``last_seen``; a
page that was compared with an older mother corpus goes back to ``fetched``.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pymongo import UpdateOne
from pymongo.database import Database

from storage.collections import leases
from storage.collections.documents import Document, find_among, from_document, mongo_errors, to_document
from storage.records import Page, Verdict, utc_now

_WAITING: Mapping[str, Any] = {"state": "fetched"}
_RETRIED = ("internal-error", "gave-up")  # a new scan or a new version of pindna may do better
_IDS = 1_000  # ids in one update


def page_id(url: str, content_hash: str) -> str:
    """Return the id of a version of a page: 32 hex digits of SHA-256 over URL and content hash."""
    return hashlib.sha256(f"{url}\0{content_hash}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


class PageStore:
    """Pages by id, scan and state. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: Database[Document]) -> None:
        self._database = database
        self._pages = database["pages"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        with mongo_errors(self._database):
            self._pages.create_index("url")
            self._pages.create_index([("state", 1), ("shard", 1)])
            self._pages.create_index([("state", 1), ("lease.until", 1)])
            self._pages.create_index([("scan_id", 1), ("state", 1)])

    def see(self, page: Page) -> bool:
        """Note that a page was fetched; True when this version of it is new.

        A version that is known keeps its first sight and its comparison; a failure takes the newest reason,
        and what failed before but can be compared now waits for that.
        """
        return self.see_many([page])[0]

    def see_many(self, pages: Sequence[Page]) -> list[bool]:
        """Note pages as :meth:`see` does, in one operation; tells which versions are new."""
        if not pages:
            return []
        with mongo_errors(self._database):
            inserted = self._pages.bulk_write([_sight(page) for page in pages], ordered=False).upserted_ids
            new = [number in (inserted or {}) for number in range(len(pages))]
            known = [page for page, is_new in zip(pages, new, strict=True) if not is_new]
            if again := [_second_chance(page) for page in known if page.state == "fetched"]:
                self._pages.bulk_write(again, ordered=False)
        return new

    def touch(self, page_ids: Iterable[str], *, scan_id: str) -> None:
        """Note that pages were seen again unchanged (the server said 304)."""
        with mongo_errors(self._database):
            self._pages.update_many(
                {"_id": {"$in": list(page_ids)}},
                {"$set": {"last_seen": utc_now(), "scan_id": scan_id}},
            )

    def verdicts_of(self, ids: Sequence[str]) -> dict[str, Verdict | None]:
        """Return the verdicts on the pages that exist among ``ids``; None where there is none."""
        with mongo_errors(self._database):
            return {row["_id"]: row["verdict"] for row in find_among(self._pages, "_id", ids, {"verdict": 1})}

    def versions(self, url: str) -> list[Page]:
        """Return every version of a page, the one seen last first."""
        with mongo_errors(self._database):
            rows = list(self._pages.find({"url": url}))
        pages = (from_document(Page, row) for row in rows)
        return sorted(pages, key=lambda page: page.last_seen, reverse=True)

    def newest(self, url: str) -> Page | None:
        """Return the version of a page that was seen last and had a text."""
        with mongo_errors(self._database):
            rows = [row for row in self._pages.find({"url": url}) if row["content_hash"]]
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
            rows = list(find_among(self._pages, "_id", list(ids)))
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
            reserved = leases.reserve(self._pages, _WAITING, count=count, now=utc_now(), lease_s=lease_s)
        for each in reserved.exhausted:
            self._give_up(each)
        return reserved.token, reserved.ids

    def _give_up(self, each: str) -> None:
        """Set a page aside that kills its workers, unless somebody has begun it once more meanwhile."""
        ended = {"_id": each, **_WAITING, "lease.until": {"$lte": utc_now()}}
        ended["attempts"] = {"$gte": leases.MAX_ATTEMPTS}
        given_up = {"state": "failed", "reason": "gave-up", "lease": leases.freed()}
        with mongo_errors(self._database):
            self._pages.update_one(ended, {"$set": given_up})

    def take_many(self, ids: Sequence[str], *, token: str, lease_s: float) -> tuple[str, list[Page]]:
        """Begin comparing reserved pages; returns the token to go on with, and those that were got."""
        with mongo_errors(self._database):
            own, taken = leases.take_many(
                self._pages, ids, _WAITING, token=token, now=utc_now(), lease_s=lease_s
            )
        return own, list(self.get_many(taken).values())

    def take(self, each: str, *, token: str, lease_s: float) -> bool:
        """Begin comparing a reserved page."""
        with mongo_errors(self._database):
            return leases.take(self._pages, each, _WAITING, token=token, now=utc_now(), lease_s=lease_s)

    def extend(self, each: str, *, token: str, lease_s: float) -> bool:
        """Keep a page that is being compared; False when the lease was lost."""
        with mongo_errors(self._database):
            return leases.extend(self._pages, each, token=token, now=utc_now(), lease_s=lease_s)

    def waiting(self, scan_id: str) -> int:
        """Return how many of a scan's pages still wait for comparison."""
        with mongo_errors(self._database):
            return sum(1 for _ in self._pages.find({**_WAITING, "scan_id": scan_id}, {"_id": 1}))

    def mark_compared(
        self,
        each: str,
        *,
        token: str,
        corpus_version: int,
        verdict: Verdict,
        coverage: float,
        copied_chars: int,
        low_confidence: bool,
        unaligned: int,
        capped: int = 0,
    ) -> None:
        """Close a comparison if the lease is still ours; the page's matches are stored before."""
        self._close(
            each,
            token=token,
            state="compared",
            reason="",
            corpus_version=corpus_version,
            verdict=verdict,
            coverage=coverage,
            copied_chars=copied_chars,
            low_confidence=low_confidence,
            unaligned=unaligned,
            capped=capped,
        )

    def mark_current(self, each: str, *, token: str, corpus_version: int) -> bool:
        """Note that what is known of a page holds for this corpus version; False if the lease was lost."""
        fields = {"state": "compared", "reason": "", "corpus_version": corpus_version}
        with mongo_errors(self._database):
            result = self._pages.update_one(
                {"_id": each, "lease.token": token}, {"$set": {**fields, "lease": leases.freed()}}
            )
        return result.matched_count == 1

    def judge_again(self, each: str, *, verdict: Verdict, coverage: float, copied_chars: int) -> None:
        """Set the verdict of a page, which was compared once, that an analyst's word changed."""
        fields = {"verdict": verdict, "coverage": coverage, "copied_chars": copied_chars}
        with mongo_errors(self._database):
            self._pages.update_one({"_id": each, "verdict": {"$ne": None}}, {"$set": fields})

    def mark_failed(self, each: str, *, token: str, reason: str) -> None:
        """Note that a page could not be compared, and why, if the lease is still ours."""
        self._close(each, token=token, state="failed", reason=reason)

    def _close(self, each: str, *, token: str, **fields: object) -> None:
        own = {"_id": each, "lease.token": token}
        with mongo_errors(self._database):
            self._pages.update_one(own, {"$set": {**fields, "lease": leases.freed()}})

    def reopen_stale(
        self, *, corpus_version: int, scan_id: str | None = None, running: Collection[str] = ()
    ) -> int:
        """Send pages back to ``fetched`` whose comparison is out of date or broke off; returns how many.

        Args:
            corpus_version: the version that comparisons must have.
            scan_id: when given, the scan that shall wait for the new comparison …
            running: … unless the page's own scan is one of these and waits for it anyway.
        """
        again = {"state": "fetched", "reason": "", "attempts": 0, "lease": leases.freed()}
        stale = self._stale(corpus_version)
        moving = [each for each, own_scan in stale if own_scan not in running]
        with mongo_errors(self._database):
            for start in range(0, len(stale), _IDS):
                ids = [each for each, _ in stale[start : start + _IDS]]
                self._pages.update_many({"_id": {"$in": ids}}, {"$set": again})
            for start in range(0, len(moving) if scan_id else 0, _IDS):
                ids = moving[start : start + _IDS]
                self._pages.update_many({"_id": {"$in": ids}}, {"$set": {"scan_id": scan_id}})
        return len(stale)

    def count_stale(self, *, corpus_version: int) -> int:
        """Return how many pages were compared with another corpus version."""
        return len(self._stale(corpus_version))

    def _stale(self, corpus_version: int) -> list[tuple[str, str]]:
        """Return id and scan of the pages to compare again; without a text there is nothing to compare."""
        fields = {"corpus_version": 1, "scan_id": 1, "reason": 1, "content_hash": 1}
        with mongo_errors(self._database):
            compared = list(self._pages.find({"state": "compared"}, fields))
            failed = list(self._pages.find({"state": "failed"}, fields))
        old = [row for row in compared if row["corpus_version"] != corpus_version]
        broken = [row for row in failed if row["reason"] in _RETRIED and row["content_hash"]]
        return [(row["_id"], row["scan_id"]) for row in (*old, *broken)]


def _sight(page: Page) -> UpdateOne:
    document = to_document(page)
    page_key = document.pop("_id")
    document["shard"] = leases.shard_of(page_key)
    moving = ["last_seen", "scan_id", "etag", "last_modified", "fetched"]
    if page.state == "failed":
        moving += ["state", "reason", "status", "kind"]
    seen = {key: document.pop(key) for key in moving}
    return UpdateOne({"_id": page_key}, {"$set": seen, "$setOnInsert": document}, upsert=True)


def _second_chance(page: Page) -> UpdateOne:
    again = {"state": "fetched", "kind": page.kind, "reason": "", "attempts": 0}
    return UpdateOne({"_id": page.id, "state": "failed"}, {"$set": again})
