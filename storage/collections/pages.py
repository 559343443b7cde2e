"""Collection ``pages``: every crawled page in every version of its text, and its comparison.

States: ``fetched → compared | failed``. A page seen again with the same text only gets a new ``last_seen``. A
page compared with an older corpus goes back to ``fetched``. A version whose rest (the text outside the
article) has changed also goes back to ``fetched``, with the newer rest, and is compared as a whole.
:mod:`storage.collections.standings` decides which versions of an address count, and
:mod:`storage.collections.stale` finds pages to compare again.

Any write that may change which versions count (a sight, a comparison) also sets the mark ``unsettled``, which
is removed when it is decided which versions count. If a process is killed in between, the mark stays, and the
end of the scan finds the address by it.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from pymongo import UpdateOne

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import (
    WITHOUT_TEXT,
    Document,
    StorageFailed,
    from_document,
    longest,
    to_document,
)
from storage.collections.leases import SHARDS, Leases, Reservation, free_lease, shard_of, shard_parts
from storage.collections.newest import Newest
from storage.collections.stale import RETRIED, StalePages
from storage.collections.standings import AS_A_WHOLE, Standings, new_mark
from storage.records import FOUND, MAX_TEXT_CHARS, Page, PageResult, fitted_rest, utc_now
from system.batches import batched

_WAITING: Mapping[str, Any] = {"state": "fetched"}
_SEEN: Mapping[str, int] = dict.fromkeys(
    ("host", "last_seen", "state", "standing", "kind", "verdict", "reason", "capped", "unread"), 1
)
_NEWEST = (("first_seen", -1), ("_id", 1))
_OLDEST = (("first_seen", 1), ("_id", -1))
_SHARDS_AT_ONCE = 8  # shards in one query: SecantusDB reads all rows of a query into memory
_RESULTS_TOGETHER = 50  # number of pages in one command
MAX_BACKGROUND_SPANS = 5_000  # maximum in one page: 1 MB, in addition to 12 MB of text
_CLOCKS_AGREE = timedelta(seconds=1)
_HISTORY: Mapping[str, int] = {"url": 1, "verdict": 1, "reread_of": 1}


def page_id(url: str, content_hash: str) -> str:
    """Return the id of a version of a page: 32 hex digits of SHA-256 over URL and content hash."""
    return hashlib.sha256(f"{url}\0{content_hash}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Closing(NamedTuple):
    """The result of closing pages in one command.

    Attributes:
        closed: ids of the closed pages.
        lost: ids of pages that another worker has compared with another corpus version.
        unsettled: addresses with a mark, to be settled.
    """

    closed: list[str]
    lost: set[str]
    unsettled: set[str]


class PageStore:
    """Pages by id, scan and state. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._pages = database["pages"]
        self._now = database.now
        self._ahead: timedelta | None = None  # lead of the server's clock at the last call
        self._leases = Leases[str](database, "pages", _WAITING)
        self._newest = Newest(database, "pages")
        self._standings = Standings(database)
        self.stale = StalePages(self._pages)

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._pages.create_index("url")
        self._pages.create_index([("host", 1), ("shard", 1)])
        self._pages.create_index("snapshots")
        self._pages.create_index([("scan_id", 1), ("state", 1), ("shard", 1)])
        self._pages.create_index([("standing", 1), ("verdict", 1), *_NEWEST])
        for scope in ((), ("source",), ("host",), ("scan_id",)):
            keys = [(field, 1) for field in (*scope, "standing", "state", "reason")]
            self._pages.create_index([*keys, *_NEWEST])
        self._leases.ensure_schema()
        self._standings.ensure_schema()
        self._newest.ensure_schema()
        self.stale.ensure_schema()

    def see_many(self, pages: Sequence[Page], *, keep_scan: bool = False) -> list[bool]:
        """Store fetched pages; returns which versions are new.

        An existing version keeps its first sight and its comparison. A failed version gets the newest reason,
        or waits for comparison if it can be compared now. An existing version whose rest has changed gets the
        new rest and waits for comparison; a worker that still compares the earlier rest cannot close it.

        Args:
            pages: the pages.
            keep_scan: existing versions keep their last scan, because this fetch is not a scan.
        """
        pages = [_with_fitted_rest(page) for page in self._with_server_times(pages)]
        mark, several = new_mark(), self._addresses_of_several([page.url for page in pages])
        # The only version of its address is current, so there is nothing to settle.
        marks: dict[bool, Document] = {True: {"unsettled": mark}, False: {}}
        new = self._pages.insert_new([_page_document(page) | marks[page.url in several] for page in pages])
        self._newest.record(page.first_seen for page, is_new in zip(pages, new, strict=True) if is_new)
        stored = [page for page, is_new in zip(pages, new, strict=True) if not is_new]
        if stored:
            self._pages.bulk_write(
                [_sight_update(page, mark, keep_scan=keep_scan) for page in stored], ordered=False
            )
        if read := [page for page in stored if page.state == "fetched"]:
            again = [update for page in read for update in (_retry_update(page), _rest_update(page))]
            self._pages.bulk_write(again, ordered=False)
        return new

    def add_imported(self, pages: Sequence[Page]) -> list[bool]:
        """Store pages that others captured; returns which versions are new.

        An existing version stays as it is, except that an earlier capture dates an imported one.
        """
        pages = list(map(_with_fitted_rest, pages))
        mark = {"unsettled": new_mark()}
        new = self._pages.insert_new([_page_document(page) | mark for page in pages])
        self._newest.record(page.first_seen for page, is_new in zip(pages, new, strict=True) if is_new)
        stored = [page for page, is_new in zip(pages, new, strict=True) if not is_new]
        self._pages.bulk_write([_earlier_sight(page) for page in stored])
        return new

    def touch(self, page_ids: Iterable[str], *, scan_id: str) -> None:
        """Record that pages were seen again unchanged (HTTP 304); without a scan the stored scan stays."""
        ids = list(dict.fromkeys(page_ids))
        among: Document = {"_id": {"$in": ids}}
        sight = {"last_seen": self._now(), **({"scan_id": scan_id} if scan_id else {})}
        # Current versions stay current, so there is nothing to settle.
        touched = self._pages.update_many({**among, "standing": "current"}, {"$set": sight}).matched_count
        if touched < len(ids):
            not_current = {**among, "standing": {"$ne": "current"}}
            self._pages.update_many(not_current, {"$set": {**sight, "unsettled": new_mark()}})

    def _with_server_times(self, pages: Sequence[Page]) -> Sequence[Page]:
        """Convert the times of sights to the server's time, which decides the last seen version.

        Otherwise a machine whose clock is a month ahead would keep its version for a month, and one whose
        clock is behind would hide its version. If the clock was set since the last call, the time at which a
        page was seen is uncertain, so the present time is used for all pages.
        """
        now, before = self._now(), self._ahead
        ahead = self._ahead = now - utc_now()
        if before is not None and abs(ahead - before) >= _CLOCKS_AGREE:
            return [_seen_at(page, now) for page in pages]
        if abs(ahead) < _CLOCKS_AGREE:
            return pages
        return [_seen_at(page, page.last_seen + ahead) for page in pages]

    def _addresses_of_several(self, urls: Sequence[str]) -> set[str]:
        """Return the addresses of pages that have a stored version, or two versions among these pages."""
        stored = {row["url"] for row in self._pages.find_among("url", list(dict.fromkeys(urls)), {"url": 1})}
        return stored | {url for url, times in Counter(urls).items() if times > 1}

    def settle(self, urls: Iterable[str], *, compared: Collection[str] = ()) -> None:
        """Mark which versions of addresses, and which matches of these versions, count.

        Args:
            urls: addresses of which a version was seen or compared.
            compared: ids of versions whose matches were stored just now.
        """
        self._standings.settle(urls, compared=compared)

    def forget_failures(self, urls: Sequence[str]) -> None:
        """Delete the failed versions of addresses that turned out to be list pages."""
        ids = [page_id(url, "") for url in urls]
        failed = [row["url"] for row in self._pages.find_among("_id", ids, {"url": 1}, {"state": "failed"})]
        if not failed:
            return
        unsettled = {"$set": {"unsettled": new_mark()}}  # set before the deletion
        self._pages.update_many({"url": {"$in": failed}}, unsettled)
        self._pages.delete_many({"_id": {"$in": ids}, "state": "failed"})
        self.settle(failed)

    def settle_remaining(self) -> None:
        """Settle every address with the mark ``unsettled``, whether its process was killed or still runs."""
        self._standings.settle_remaining()

    def first_seen_of(self, ids: Sequence[str]) -> dict[str, datetime]:
        """Return when pages were first seen, by id; pages that do not exist are left out."""
        return {
            row["_id"]: row["first_seen"] for row in self._pages.find_among("_id", ids, {"first_seen": 1})
        }

    def versions(self, url: str) -> list[Page]:
        """Return every version of a page, the last seen first."""
        rows = list(self._pages.find({"url": url}))
        pages = (from_document(Page, row) for row in rows)
        return sorted(pages, key=lambda page: page.last_seen, reverse=True)

    def ids_by_url(self, urls: Iterable[str]) -> dict[str, list[str]]:
        """Return the ids of every version of pages, by address."""
        ids: dict[str, list[str]] = {}
        for row in self._pages.find_among("url", sorted(set(urls)), {"url": 1}):
            ids.setdefault(row["url"], []).append(row["_id"])
        return ids

    def imported_among(self, ids: Iterable[str]) -> set[str]:
        """Return the ids of those pages that others captured."""
        rows = self._pages.find_among("_id", sorted(ids), {"imported": 1})
        return {row["_id"] for row in rows if row.get("imported") is not None}

    def get(self, page_id: str) -> Page | None:
        """Return a page by id."""
        row = self._pages.find_one({"_id": page_id})
        return None if row is None else from_document(Page, row)

    def get_many(self, ids: Iterable[str]) -> dict[str, Page]:
        """Return the existing pages."""
        rows = list(self._pages.find_among("_id", list(ids)))
        return {row["_id"]: from_document(Page, row) for row in rows}

    def without_texts(self, ids: Sequence[str]) -> Iterator[Page]:
        """Yield the existing pages, without their texts."""
        for row in self._pages.find_among("_id", ids, WITHOUT_TEXT):
            yield from_document(Page, row)

    def content_hashes(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the content hashes of the existing pages, by page id."""
        rows = self._pages.find_among("_id", ids, {"content_hash": 1})
        return {row["_id"]: row["content_hash"] for row in rows}

    def seen_by(self, scan_id: str) -> Iterator[Document]:
        """Yield the statistics of the pages that a scan saw last and that do not wait.

        Rows with ``_id``, ``host``, ``last_seen``, ``state``, ``standing``, ``kind``, ``verdict``,
        ``reason``, ``capped`` and ``unread``, read some shards at a time.
        """
        for state in ("compared", "failed"):
            for first in range(0, SHARDS, _SHARDS_AT_ONCE):
                shards = list(range(first, first + _SHARDS_AT_ONCE))
                yield from self._pages.find(
                    {"scan_id": scan_id, "state": state, "shard": {"$in": shards}}, _SEEN
                )

    def of_scan(self, scan_id: str) -> Iterator[Page]:
        """Yield the pages that a scan saw last, without their texts."""
        for row in self._pages.find({"scan_id": scan_id}, WITHOUT_TEXT):
            yield from_document(Page, row)

    def count_older(self, urls: Iterable[str]) -> dict[str, int]:
        """Return how many earlier compared texts each address has; other extractions of one text count once.

        Addresses without an older text are left out.
        """
        rows = self._pages.find_among("url", list(dict.fromkeys(urls)), _HISTORY)
        texts = Counter(row["url"] for row in rows if row["verdict"] and not row.get("reread_of"))
        return {url: count - 1 for url, count in texts.items() if count > 1}

    def all(self) -> Iterator[Page]:
        """Yield every page in every version, without the texts."""
        for row in self._pages.find({}, WITHOUT_TEXT):
            yield from_document(Page, row)

    def hosts(self) -> set[str]:
        """Return the hosts of all pages."""
        return set(self._pages.distinct("host"))

    def sample_clear_pages(self, host: str, *, count: int) -> list[tuple[str, str]]:
        """Return the address and id of some current pages of a host that contain no copies."""
        fields = {"url": 1, "standing": 1, "verdict": 1}
        clear: list[tuple[str, str]] = []
        for shard in shard_parts():
            if len(clear) >= count:
                break
            clear += [
                (row["url"], row["_id"])
                for row in self._pages.find({"host": host, **shard}, fields)
                if row["standing"] == "current" and row["verdict"] not in (None, *FOUND)
            ]
        return clear[:count]

    def current_addresses(self, host: str, *, limit: int) -> list[tuple[str, str, str]]:
        """Return id, address and title of current pages of a host that have a stored response.

        Args:
            host: the host.
            limit: read no further pages when this number is reached.
        """
        fields = {"url": 1, "title": 1, "standing": 1, "snapshots": 1}
        rows: list[tuple[str, str, str]] = []
        for shard in shard_parts():
            if len(rows) >= limit:
                break
            rows += [
                (row["_id"], row["url"], row.get("title", ""))
                for row in self._pages.find({"host": host, **shard}, fields)
                if row["standing"] == "current" and row.get("snapshots")
            ]
        return rows[:limit]

    def is_host(self, host: str) -> bool:
        """Return whether a page of this host is stored."""
        return self._pages.find_one({"host": host}, {"_id": 1}) is not None

    def reserve_fetched(self, *, count: int, lease_s: float) -> Reservation[str]:
        """Reserve up to ``count`` pages that wait for comparison.

        A page that kills its workers is set aside.
        """
        given_up = {"state": "failed", "reason": "gave-up", "broke_off": utc_now(), "lease": free_lease()}
        return self._leases.reserve(count=count, lease_s=lease_s, given_up=given_up)

    def claim_many(self, ids: Sequence[str], *, token: str, lease_s: float) -> tuple[str, list[Page]]:
        """Begin comparing reserved pages; returns the lease token and the claimed pages."""
        lease_token, rows = self._leases.claim_many(ids, token=token, lease_s=lease_s)
        return lease_token, [from_document(Page, row) for row in rows]

    def release(self, ids: Sequence[str], *, token: str) -> None:
        """Release pages that were reserved or begun; no attempt is counted."""
        self._leases.release(ids, token=token)

    def renew(self, ids: Sequence[str], *, token: str, lease_s: float) -> set[str]:
        """Extend the leases of pages whose comparison is complete; returns the pages with valid leases."""
        return self._leases.renew(ids, token=token, lease_s=lease_s)

    def extend_many(self, ids: Sequence[str], *, token: str, lease_s: float) -> bool:
        """Extend leases; False if one was lost or its page is finished."""
        return self._leases.extend(ids, token=token, lease_s=lease_s)

    def is_waiting(self, scan_id: str) -> bool:
        """Return whether any page of a scan waits for comparison."""
        waiting = {"scan_id": scan_id, **_WAITING}
        return any(self._pages.find_one({**waiting, **shard}, {"_id": 1}) for shard in shard_parts())

    def waiting(self, scan_id: str) -> int:
        """Return how many of a scan's pages wait for comparison."""
        return self._pages.count({"scan_id": scan_id, **_WAITING})

    def oldest_waiting(self, scan_id: str) -> datetime | None:
        """Return when the oldest waiting page of a scan was first seen; None if none waits."""
        waiting = {"scan_id": scan_id, "standing": "current", **_WAITING, "reason": ""}
        oldest = self._pages.find(waiting, {"first_seen": 1}, sort=_OLDEST, limit=1)
        return next((row["first_seen"] for row in oldest), None)

    def has_pages_in_progress(self, scan_id: str) -> bool:
        """Return whether any page of a scan is leased or reserved."""
        now, of_scan = self._now(), {"scan_id": scan_id}
        for shard in shard_parts():
            rows = self._pages.find({**of_scan, **_WAITING, **shard}, {"lease.until": 1})
            if any(row["lease"]["until"] > now for row in rows):
                return True
        reserved = sorted(self._leases.reserved_ids())
        return any(True for _ in self._pages.find_among("_id", reserved, {"_id": 1}, of_scan))

    def lease_tokens(self) -> set[str]:
        """Return the tokens of all leases on pages."""
        now = self._now()
        rows = (
            row for shard in shard_parts() for row in self._pages.find({**_WAITING, **shard}, {"lease": 1})
        )
        return {row["lease"]["token"] for row in rows if row["lease"]["until"] > now}

    def has_pages_leased_under(self, tokens: Collection[str]) -> bool:
        """Return whether any page is leased under one of these tokens."""
        held = {**_WAITING, "lease.token": {"$in": sorted(tokens)}, "lease.until": {"$gt": self._now()}}
        return any(self._pages.find_one({**held, **shard}, {"_id": 1}) for shard in shard_parts())

    def compared(self, scan_id: str) -> int:
        """Return how many of a scan's pages are compared."""
        return self._pages.count({"scan_id": scan_id, "state": "compared"})

    def mark_compared(
        self, results: Sequence[tuple[Page, PageResult]], *, token: str, corpus_version: int
    ) -> Iterator[Closing]:
        """Close comparisons whose leases are valid. Call it after the matches of the pages were stored.

        One command stores many results. The outcome of a command is yielded before the next command is sent,
        so a later failure does not lose the outcome. If the server refuses a command, each of its results is
        stored separately.

        The only version of an address always counts, so it gets no mark ``unsettled`` if it still counts. A
        worker that later sees another version finds the stored matches and marks them.

        Args:
            results: result of each page.
            token: of the leases.
            corpus_version: the version that the pages were compared with.
        """
        several = self._with_several_versions({page.url for page, _ in results})
        for groups in batched(_group_by_result(results), _RESULTS_TOGETHER):
            try:
                closing = self._close_pages(groups, several, token, corpus_version)
            except StorageFailed:
                for group in groups:
                    yield self._close_pages([group], several, token, corpus_version)
            else:
                yield closing

    def _close_pages(
        self,
        by_result: Sequence[tuple[PageResult, list[Page]]],
        several: Collection[str],
        token: str,
        corpus_version: int,
    ) -> Closing:
        """Store the results of pages and close them; ``several`` are the addresses with several versions."""
        closed = {"state": "compared", "reason": "", "corpus_version": corpus_version}
        mark = {"unsettled": new_mark(with_matches=True)}
        groups = [(pages, {**closed, **_result_fields(result)}) for result, pages in by_result]
        alone = [([page.id for page in pages if page.url not in several], fields) for pages, fields in groups]
        count = self._leases.finish_groups(alone, token=token, condition={"standing": "current"})
        is_all = count == sum(len(ids) for ids, _ in alone)
        unfinished = [
            ([page for page in pages if not is_all or page.url in several], fields | mark)
            for pages, fields in groups
        ]
        marked = [([page.id for page in pages], fields) for pages, fields in unfinished]
        count += self._leases.finish_groups(marked, token=token)
        rests = {page.id: page.rest_hash for pages, _ in groups for page in pages}
        lost = self._changed_since_comparison(rests, corpus_version) if count < len(rests) else set[str]()
        own_ids = [page_id for page_id in rests if page_id not in lost]
        return Closing(own_ids, lost, {page.url for pages, _ in unfinished for page in pages})

    def _changed_since_comparison(self, rests: Mapping[str, str | None], corpus_version: int) -> set[str]:
        """Return the pages that were not compared with a corpus version, or whose rest has changed since.

        Args:
            rests: hash of each page's compared rest; None: any.
            corpus_version: version of the corpus; replaced versions never have one.
        """
        fields = {"corpus_version": 1, "rest_hash": 1}
        rows = self._pages.find_among("_id", list(rests), fields, {"standing": {"$ne": "replaced"}})
        return {
            row["_id"]
            for row in rows
            if row["corpus_version"] != corpus_version
            or rests[row["_id"]] not in (None, row.get("rest_hash", ""))
        }

    def revoke(self, ids: Iterable[str]) -> None:
        """Revoke the leases of pages that are being compared; they are compared again."""
        self._leases.revoke(sorted(ids))

    def compare_again(self, ids: Iterable[str]) -> None:
        """Request a whole comparison of pages; workers that compare them now cannot close them."""
        again = {"corpus_version": AS_A_WHOLE, "lease": free_lease()}
        self._pages.update_among(sorted(ids), {"$set": again}, {"standing": {"$ne": "replaced"}})

    def _with_several_versions(self, urls: Collection[str]) -> set[str]:
        versions = Counter(row["url"] for row in self._pages.find_among("url", sorted(urls), {"url": 1}))
        return {url for url, count in versions.items() if count > 1}

    def mark_current(self, ids: Sequence[str], *, token: str, corpus_version: int) -> set[str]:
        """Mark pages as up to date with this corpus version, if their leases are valid.

        Returns:
            The ids of pages that another worker has compared with another version.
        """
        fields = {"state": "compared", "reason": "", "corpus_version": corpus_version}
        count = self._leases.finish_many(ids, fields, token=token)
        remaining = dict.fromkeys(ids)
        return self._changed_since_comparison(remaining, corpus_version) if count < len(ids) else set()

    def update_verdict(self, page: Page, now: Page) -> bool:
        """Store the verdict after a decision; False if the page has changed since it was read."""
        names = ("verdict", "coverage", "copied_chars", "rest_verdict", "is_doubtful")
        fields = {name: getattr(now, name) for name in names}
        as_read = {"_id": page.id, "verdict": page.verdict, "copied_chars": page.copied_chars}
        return self._pages.update_one(as_read, {"$set": fields}).matched_count == 1

    def mark_failed(self, page_id: str, *, token: str, reason: str) -> None:
        """Record why a page could not be compared, if the lease is valid."""
        broke_off = {"broke_off": utc_now()} if reason in RETRIED else {}
        self._leases.finish(page_id, {"state": "failed", "reason": reason, **broke_off}, token=token)


def _result_fields(result: PageResult) -> Document:
    """Return the fields that a result changes in a page's document; only the longest stretches are kept."""
    fields: Document = asdict(result)
    texts = fields["background"]
    if sum(len(text["spans"]) for text in texts) > MAX_BACKGROUND_SPANS:
        for text in texts:
            text["spans"] = longest(text["spans"], max(1, MAX_BACKGROUND_SPANS // len(texts)))
    return fields


def _group_by_result(results: Iterable[tuple[Page, PageResult]]) -> list[tuple[PageResult, list[Page]]]:
    pages = dict[PageResult, list[Page]]()
    for page, result in results:
        pages.setdefault(result, []).append(page)
    return list(pages.items())


def _with_fitted_rest(page: Page) -> Page:
    """Cut the rest of a page to the size of a document; returns the page and the hash of the cut rest."""
    from fingerprint.exact import letters_hash  # noqa: PLC0415 - avoids importing NumPy where pages are only read

    room = MAX_TEXT_CHARS - len(page.text)
    rest, pieces, unread = fitted_rest(page.rest, page.rest_pieces, page.unread, room=room)
    digest = letters_hash(rest)
    return replace(page, rest=rest, rest_pieces=pieces, unread=unread, rest_hash=digest)


def _seen_at(page: Page, moment: datetime) -> Page:
    return replace(page, first_seen=min(page.first_seen, moment), last_seen=moment)


def _page_document(page: Page) -> Document:
    document = to_document(page)
    document["shard"] = shard_of(page.id)
    return document


def _sight_update(page: Page, mark: str, *, keep_scan: bool) -> UpdateOne:
    """Return the update that records another sight of a version, which may have been deleted meantime."""
    document = _page_document(page)
    page_key = document.pop("_id")
    moving = ["last_seen", "etag", "last_modified", "fetched", *([] if keep_scan else ["scan_id"])]
    moving += ["unread"] if page.state == "fetched" else []
    change: Document = {}
    if page.state == "failed":
        moving += ["state", "reason", "status", "kind"]
        change["$unset"] = {"broke_off": ""}
    sight = {key: document.pop(key) for key in moving}
    change |= {"$set": {**sight, "unsettled": mark}, "$setOnInsert": document}
    return UpdateOne({"_id": page_key}, change, upsert=True)


def _earlier_sight(page: Page) -> UpdateOne:
    """Return the update that dates an imported version by an earlier capture; not what pindna saw itself."""
    document = _page_document(page)
    fields = {name: document[name] for name in ("first_seen", "imported")}
    later = {"_id": page.id, "first_seen": {"$gt": page.first_seen}, "imported": {"$ne": None}}
    return UpdateOne(later, {"$set": fields})


def _retry_update(page: Page) -> UpdateOne:
    again = {"state": "fetched", "kind": page.kind, "reason": "", "attempts": 0}
    return UpdateOne({"_id": page.id, "state": "failed"}, {"$set": again, "$unset": {"broke_off": ""}})


def _rest_update(page: Page) -> UpdateOne:
    """Return the update for a version whose rest has changed, so that the page is compared as a whole.

    The lease is removed, so that a worker that compares the earlier rest cannot close it.
    """
    document = _page_document(page)
    rest = {
        name: document[name] for name in ("rest", "rest_pieces", "rest_hash", "snapshots", "added_snapshots")
    }
    waits = {"state": "fetched", "reason": "", "attempts": 0, "corpus_version": AS_A_WHOLE}
    # Rows of older versions have neither this field nor a rest.
    before = [page.rest_hash, *([] if page.rest_hash else [None])]
    return UpdateOne(
        {"_id": page.id, "rest_hash": {"$nin": before}},
        {"$set": {**rest, **waits, "lease": free_lease()}, "$unset": {"broke_off": ""}},
    )
