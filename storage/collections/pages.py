"""Collection ``pages``: every crawled page in every version of its text, and its way to a comparison.

States: ``fetched → compared | failed``. A page seen again with the same text only moves ``last_seen``; a
page that was compared with an older mother corpus goes back to ``fetched``. What counts of the versions of
one address is settled in :mod:`storage.collections.standings`.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pymongo import UpdateOne

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.collections.leases import Leases, free_lease, shard_of
from storage.collections.standings import Standings
from storage.records import Background, Page, Verdict, utc_now

_WAITING: Mapping[str, Any] = {"state": "fetched"}
_RETRIED = ("internal-error", "gave-up")  # a new scan or a new version of pindna may do better
_IDS = 1_000  # ids in one update
_HISTORY: Mapping[str, int] = {"url": 1, "verdict": 1, "reread_of": 1}


def page_id(url: str, content_hash: str) -> str:
    """Return the id of a version of a page: 32 hex digits of SHA-256 over URL and content hash."""
    return hashlib.sha256(f"{url}\0{content_hash}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


class PageStore:
    """Pages by id, scan and state. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._pages = database["pages"]
        self._leases = Leases[str](self._pages, _WAITING)
        self._standings = Standings(database)

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._pages.create_index("url")
        self._pages.create_index("host")
        self._pages.create_index("snapshots")
        self._pages.create_index([("state", 1), ("shard", 1)])
        self._pages.create_index([("state", 1), ("lease.until", 1)])
        self._pages.create_index([("scan_id", 1), ("state", 1)])
        self._pages.create_index("standing")

    def see_many(self, pages: Sequence[Page]) -> list[bool]:
        """Note that pages were fetched; returns which of their versions are new.

        A version that is known keeps its first sight and its comparison; a failure takes the newest reason,
        and what failed before but can be compared now waits for that.
        """
        if not pages:
            return []
        inserted = self._pages.bulk_write([_sight(page) for page in pages], ordered=False).upserted_ids
        new = [number in (inserted or {}) for number in range(len(pages))]
        known = [page for page, is_new in zip(pages, new, strict=True) if not is_new]
        if again := [_second_chance(page) for page in known if page.state == "fetched"]:
            self._pages.bulk_write(again, ordered=False)
        return new

    def touch(self, page_ids: Iterable[str], *, scan_id: str) -> None:
        """Note that pages were seen again unchanged (the server said 304)."""
        self._pages.update_many(
            {"_id": {"$in": list(page_ids)}},
            {"$set": {"last_seen": utc_now(), "scan_id": scan_id}},
        )

    def settle(self, urls: Iterable[str], *, compared: Collection[str] = ()) -> None:
        """Mark which versions of some addresses count from now on, and their matches.

        Args:
            urls: addresses of which a version was seen or compared.
            compared: ids of versions whose matches were stored just now.
        """
        self._standings.settle(urls, compared=compared)

    def verdicts_of(self, ids: Sequence[str]) -> dict[str, Verdict | None]:
        """Return the verdicts on the pages that exist among ``ids``; None where there is none."""
        return {row["_id"]: row["verdict"] for row in self._pages.find_among("_id", ids, {"verdict": 1})}

    def first_seen_of(self, ids: Sequence[str]) -> dict[str, datetime]:
        """Return when the pages that exist among ``ids`` were seen first."""
        return {
            row["_id"]: row["first_seen"] for row in self._pages.find_among("_id", ids, {"first_seen": 1})
        }

    def versions(self, url: str) -> list[Page]:
        """Return every version of a page, the one seen last first."""
        rows = list(self._pages.find({"url": url}))
        pages = (from_document(Page, row) for row in rows)
        return sorted(pages, key=lambda page: page.last_seen, reverse=True)

    def ids_of(self, url: str) -> list[str]:
        """Return the ids of every version of a page."""
        return [row["_id"] for row in self._pages.find({"url": url}, {"_id": 1})]

    def get(self, page_id: str) -> Page | None:
        """Return a page by id."""
        row = self._pages.find_one({"_id": page_id})
        return None if row is None else from_document(Page, row)

    def get_many(self, ids: Iterable[str]) -> dict[str, Page]:
        """Return the pages that exist among ``ids``."""
        rows = list(self._pages.find_among("_id", list(ids)))
        return {row["_id"]: from_document(Page, row) for row in rows}

    def without_texts(self, ids: Sequence[str]) -> Iterator[Page]:
        """Yield the pages that exist among ``ids``, without their texts."""
        for row in self._pages.find_among("_id", ids, {"text": 0}):
            yield from_document(Page, row)

    def of_scan(self, scan_id: str) -> Iterator[Page]:
        """Yield the pages that a scan saw last, without their texts."""
        for row in self._pages.find({"scan_id": scan_id}, {"text": 0}):
            yield from_document(Page, row)

    def current(self) -> Iterator[Page]:
        """Yield what was seen of each address last, without the texts."""
        for row in self._pages.find({"standing": "current"}, {"text": 0}):
            yield from_document(Page, row)

    def last_texts(self, urls: Iterable[str]) -> Iterator[Page]:
        """Yield the last texts of addresses whose current versions were not compared, without the texts."""
        for row in self._pages.find_among("url", list(dict.fromkeys(urls)), {"text": 0}):
            if row["standing"] == "last-text":
                yield from_document(Page, row)

    def count_older(self, urls: Iterable[str]) -> dict[str, int]:
        """Return how many compared texts each address had before; another reading of ours is no other text.

        Addresses without an older text are left out.
        """
        rows = self._pages.find_among("url", list(dict.fromkeys(urls)), _HISTORY)
        texts = Counter(row["url"] for row in rows if row["verdict"] and not row.get("reread_of"))
        return {url: count - 1 for url, count in texts.items() if count > 1}

    def all(self) -> Iterator[Page]:
        """Yield every page in every version, without the texts."""
        for row in self._pages.find({}, {"text": 0}):
            yield from_document(Page, row)

    def hosts(self) -> set[str]:
        """Return the hosts of all pages."""
        return set(self._pages.distinct("host"))

    def is_host(self, host: str) -> bool:
        """Return whether a page of a host is stored."""
        return self._pages.find_one({"host": host}, {"_id": 1}) is not None

    def reserve_fetched(self, *, count: int, lease_s: float) -> tuple[str, list[str]]:
        """Reserve up to ``count`` pages that wait for comparison; returns the token and their ids.

        A page that kills its workers is set aside.
        """
        given_up = {"state": "failed", "reason": "gave-up", "lease": free_lease()}
        return self._leases.reserve(count=count, lease_s=lease_s, given_up=given_up)

    def take_many(self, ids: Sequence[str], *, token: str, lease_s: float) -> tuple[str, list[Page]]:
        """Begin comparing reserved pages; returns the token to go on with, and those that were got."""
        own, taken = self._leases.take_many(ids, token=token, lease_s=lease_s)
        return own, list(self.get_many(taken).values())

    def extend(self, page_id: str, *, token: str, lease_s: float) -> bool:
        """Keep a page that is being compared; False when the lease was lost."""
        return self._leases.extend([page_id], token=token, lease_s=lease_s)

    def waiting(self, scan_id: str) -> int:
        """Return how many of a scan's pages still wait for comparison."""
        return sum(1 for _ in self._pages.find({**_WAITING, "scan_id": scan_id}, {"_id": 1}))

    def is_in_hand(self, scan_id: str) -> bool:
        """Return whether a worker has some page of a scan, or is sent one."""
        now = utc_now()
        rows = self._pages.find({**_WAITING, "scan_id": scan_id}, {"lease": 1})
        return any(row["lease"]["until"] > now for row in rows)

    def compared(self, scan_id: str) -> int:
        """Return how many of a scan's pages are compared."""
        return sum(1 for _ in self._pages.find({"state": "compared", "scan_id": scan_id}, {"_id": 1}))

    def mark_compared(
        self,
        page_id: str,
        *,
        token: str,
        corpus_version: int,
        verdict: Verdict,
        coverage: float,
        copied_chars: int,
        low_confidence: bool,
        unaligned: int,
        capped: int = 0,
        background: Iterable[Background] = (),
    ) -> None:
        """Close a comparison if the lease is still ours; the page's matches are stored before."""
        fields = {
            "state": "compared",
            "reason": "",
            "corpus_version": corpus_version,
            "verdict": verdict,
            "coverage": coverage,
            "copied_chars": copied_chars,
            "low_confidence": low_confidence,
            "unaligned": unaligned,
            "capped": capped,
            "background": [asdict(own) for own in background],
        }
        self._leases.finish(page_id, fields, token=token)

    def mark_current(self, page_id: str, *, token: str, corpus_version: int) -> bool:
        """Note that what is known of a page holds for this corpus version; False if the lease was lost."""
        fields = {"state": "compared", "reason": "", "corpus_version": corpus_version}
        return self._leases.finish(page_id, fields, token=token)

    def judge_again(self, page_id: str, *, verdict: Verdict, coverage: float, copied_chars: int) -> None:
        """Set the verdict of a page, which was compared once, that an analyst's word changed."""
        fields = {"verdict": verdict, "coverage": coverage, "copied_chars": copied_chars}
        self._pages.update_one({"_id": page_id, "verdict": {"$ne": None}}, {"$set": fields})

    def mark_failed(self, page_id: str, *, token: str, reason: str) -> None:
        """Note that a page could not be compared, and why, if the lease is still ours."""
        self._leases.finish(page_id, {"state": "failed", "reason": reason}, token=token)

    def reopen_stale(
        self, *, corpus_version: int, scan_id: str | None = None, running: Collection[str] = ()
    ) -> int:
        """Send pages back to ``fetched`` whose comparison is out of date or broke off; returns how many.

        Args:
            corpus_version: the version that comparisons must have.
            scan_id: when given, the scan that shall wait for the new comparison …
            running: … unless the page's own scan is one of these and waits for it anyway.
        """
        again = {"state": "fetched", "reason": "", "attempts": 0, "lease": free_lease()}
        stale = self._stale(corpus_version)
        moving = [key for key, own_scan in stale if own_scan not in running]
        for start in range(0, len(stale), _IDS):
            ids = [key for key, _ in stale[start : start + _IDS]]
            self._pages.update_many({"_id": {"$in": ids}}, {"$set": again})
        for start in range(0, len(moving) if scan_id else 0, _IDS):
            ids = moving[start : start + _IDS]
            self._pages.update_many({"_id": {"$in": ids}}, {"$set": {"scan_id": scan_id}})
        return len(stale)

    def count_stale(self, *, corpus_version: int) -> int:
        """Return how many pages were compared with another corpus version."""
        return len(self._stale(corpus_version))

    def _stale(self, corpus_version: int) -> list[tuple[str, str]]:
        """Return id and scan of the pages to compare again; without a text there is nothing to compare.

        Nothing of what is history is: a text that comes back is compared when it does.
        """
        fields = {"corpus_version": 1, "scan_id": 1, "reason": 1, "content_hash": 1, "standing": 1}
        compared = list(self._pages.find({"state": "compared"}, fields))
        failed = list(self._pages.find({"state": "failed"}, fields))
        old = [row for row in compared if row["corpus_version"] != corpus_version]
        broken = [row for row in failed if row["reason"] in _RETRIED and row["content_hash"]]
        counting = [row for row in (*old, *broken) if row["standing"] != "replaced"]
        return [(row["_id"], row["scan_id"]) for row in counting]


def _sight(page: Page) -> UpdateOne:
    document = to_document(page)
    page_key = document.pop("_id")
    document["shard"] = shard_of(page_key)
    moving = ["last_seen", "scan_id", "etag", "last_modified", "fetched"]
    if page.state == "failed":
        moving += ["state", "reason", "status", "kind"]
    seen = {key: document.pop(key) for key in moving}
    return UpdateOne({"_id": page_key}, {"$set": seen, "$setOnInsert": document}, upsert=True)


def _second_chance(page: Page) -> UpdateOne:
    again = {"state": "fetched", "kind": page.kind, "reason": "", "attempts": 0}
    return UpdateOne({"_id": page.id, "state": "failed"}, {"$set": again})
