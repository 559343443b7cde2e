"""Collections ``scans`` and ``crawls``: each scan, and the crawl of each source in it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, from_document, storable, to_document
from storage.collections.leases import Leases, free_lease
from storage.collections.naming import by_prefix
from storage.collections.scan_turns import ScanOpening, ScanTurns
from storage.records import (
    NO_MESSAGE,
    Crawl,
    CrawlEnd,
    CrawlState,
    Fault,
    Message,
    Scan,
    Trigger,
    utc_now,
)
from system.errors import one_line
from system.names import unknown_record

_GAVE_UP = "the crawl never came to an end; the worker's log says why"
_KNOWN = 200  # number of recent scans whose ids are compared with a mistyped id
_STOPPED = Message("stopped by hand")
_DUE: Mapping[str, Any] = {"state": "due"}


def crawl_id(scan_id: str, source: str, number: int = 1) -> str:
    """Return the id of the n-th crawl process of a source in a scan."""
    return f"{scan_id}:{source}" if number == 1 else f"{scan_id}:{source}#{number}"


def _ran_since(moment: datetime) -> Document:
    """Return the condition that a scan was running at a moment or started later."""
    return {"$or": [{"finished": None}, {"finished": {"$gte": moment}}]}


def _stopped_crawl_fields(crawl: Mapping[str, Any] | None) -> Document:
    """Return the fields of a crawl that was stopped, with the reason if there is one."""
    message = Message(**(crawl or {}).get("message", {}))
    message = message if message.template else _STOPPED
    reason = {"error": one_line(str(message)), "message": storable(asdict(message))}
    return {"state": "failed", "end": "stopped", **reason, "fault": "ours"}


def _crawl_outside_hours(scan: Scan, source: str, number: int) -> Document:
    """Return a finished crawl for a source that is outside its hours, with the remaining addresses."""
    crawl = Crawl(
        id=crawl_id(scan.id, source),
        scan_id=scan.id,
        source=source,
        state="done",
        end="hours",
        addresses={"entries": number, "left": number},
        finished=scan.started,
    )
    return to_document(crawl)


class ScanStore:
    """Scans and their crawls. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._scans = database["scans"]
        self._crawls = database["crawls"]
        self.turns = ScanTurns(database)
        self._now = database.now
        self._leases = Leases[str](database, "crawls", _DUE, sharded=False)

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._scans.create_index("status")
        self._scans.create_index("finished")
        self._scans.create_index([("trigger", 1), ("finished", -1)])  # finds the last scheduled scan
        self._scans.create_index([("started", -1), ("_id", 1)])
        self._crawls.create_index([("scan_id", 1), ("state", 1)])
        self._crawls.create_index([("state", 1), ("lease.until", 1)])
        self._leases.ensure_schema()

    def open(self, scan: Scan) -> None:
        """Store a new scan with a crawl for each of its sources; see :meth:`store`."""
        self.store(ScanOpening(scan=scan))

    def store(self, opening: ScanOpening) -> None:
        """Store a new scan with the crawls of its sources; the scan row comes last.

        Idempotent: a second call finishes an interrupted one.
        """
        scan = opening.scan
        if self.find(scan.id) is not None:
            return
        crawls = [
            to_document(
                Crawl(
                    id=crawl_id(scan.id, name, number),
                    scan_id=scan.id,
                    source=name,
                    continues=opening.rests.get(name, ""),
                )
            )
            for name in scan.sources
            for number in range(1, opening.processes.get(name, 1) + 1)
        ]
        crawls += [_crawl_outside_hours(scan, name, number) for name, number in opening.unasked.items()]
        self._crawls.insert_new(crawls)
        self._scans.insert_new([to_document(scan)])

    def open_in_turn(self, token: str, opening: ScanOpening, *, lease_s: float) -> bool:
        """Store a new scan so that after a crash the next process with the turn can finish storing it.

        Args:
            token: token of the turn.
            opening: the scan with its crawls.
            lease_s: new length of the turn.

        Returns:
            False if the turn has expired; nothing is stored then.
        """
        if not self.turns.save(token, opening, lease_s=lease_s):
            return False
        self.store(opening)
        self.turns.forget(opening.scan.id)
        return True

    def finish_opening(self) -> Scan | None:
        """Finish storing a scan whose process was killed; the caller must have the turn.

        Returns:
            The scan; None if none was interrupted.
        """
        if (opening := self.turns.saved()) is None:
            return None
        self.store(opening)
        self.turns.forget(opening.scan.id)
        return opening.scan

    def find(self, scan_id: str) -> Scan | None:
        """Return a scan; None if it does not exist."""
        row = self._scans.find_one({"_id": scan_id})
        return None if row is None else from_document(Scan, row)

    def get(self, scan_id: str) -> Scan:
        """Return a scan.

        Raises:
            UnknownRecord: there is no such scan; the error contains similar ids of the newest scans.
        """
        if (scan := self.find(scan_id)) is not None:
            return scan
        recent = [scan.id for scan in self.newest(_KNOWN)]
        raise unknown_record(kind="scan", name=scan_id, known_names=recent)

    def resolve(self, name: str) -> Scan:
        """Return a scan by its id, or by the start of the id.

        Raises:
            UnknownRecord: there is no such scan; the error contains similar ids.
            AmbiguousId: several ids start with it.
        """
        row = self._scans.find_one({"_id": name}) or by_prefix(self._scans, name, kind="scan")
        return self.get(name) if row is None else from_document(Scan, row)

    def newest(self, count: int, *, since: datetime | None = None) -> list[Scan]:
        """Return the last ``count`` scans, the newest first; ``since``: only scans that ran after it."""
        ran = [] if since is None else [{"$match": _ran_since(since)}]
        rows = self._scans.aggregate({"$sort": {"started": -1}}, *ran, {"$limit": count})
        return [from_document(Scan, row) for row in rows]

    def count(self, *, since: datetime | None = None) -> int:
        """Return the number of scans; ``since``: only of scans that ran at or after that moment."""
        return self._scans.count({} if since is None else _ran_since(since))

    def last_end(self, *, trigger: Trigger | None = None) -> datetime | None:
        """Return when a scan (of one trigger, or any) last ended; None if no scan has ended."""
        query = {} if trigger is None else {"trigger": trigger}
        last = next(self._scans.find(query, {"finished": 1}, sort=[("finished", -1)], limit=1), None)
        return last["finished"] if last else None

    def ended_since(self, moment: datetime) -> list[Scan]:
        """Return the scans that ended at a moment or later, in no order."""
        return [from_document(Scan, row) for row in self._scans.find({"finished": {"$gte": moment}})]

    def running(self) -> list[Scan]:
        """Return the scans that are not finished."""
        return [from_document(Scan, row) for row in self._scans.find({"status": "running"})]

    def record_stale_parts(self, scan_id: str, remaining: int) -> None:
        """Record in how many shards of the stored pages a scan must still search for stale pages."""
        self._scans.update_one({"_id": scan_id}, {"$min": {"stale_parts": remaining}})

    def record_stale_leases(self, scan_id: str, tokens: Iterable[str]) -> None:
        """Record the leases under which workers may compare pages with an older corpus than the scan's."""
        self._scans.update_one({"_id": scan_id}, {"$set": {"in_hand": sorted(tokens)}})

    def finish(self, scan: Scan) -> bool:
        """Store the end of a scan; returns False if the scan is closed already."""
        document = to_document(scan)
        result = self._scans.replace_one({"_id": scan.id, "status": "running"}, document)
        return result.modified_count == 1

    def is_crawling(self, scan_id: str) -> bool:
        """Return whether any crawl of a scan is running or waiting."""
        return self._crawls.find_one({"scan_id": scan_id, **_DUE}, {"_id": 1}) is not None

    def crawls(self, scan_id: str) -> list[Crawl]:
        """Return a scan's crawls by source, then by number."""
        crawls = [from_document(Crawl, row) for row in self._crawls.find({"scan_id": scan_id})]
        return sorted(crawls, key=lambda crawl: (crawl.source, len(crawl.id), crawl.id))

    def reserve_due(self, *, count: int, lease_s: float) -> tuple[str, list[str]]:
        """Reserve up to ``count`` waiting crawls; returns the token and their ids.

        A crawl that kills its workers is set aside. A crawl whose worker died after a user stopped it is
        closed.
        """
        self._end_stopped({**_DUE, "lease.until": {"$lte": self._now()}})  # their workers have died
        given_up = {"state": "failed", "error": _GAVE_UP, "finished": utc_now()}
        reserved = self._leases.reserve(count=count, lease_s=lease_s, given_up=given_up)
        return reserved.token, reserved.ids

    def in_progress(self, crawls: Iterable[Crawl]) -> set[str]:
        """Return the ids of crawls that are leased or reserved."""
        now, due = self._now(), [crawl for crawl in crawls if crawl.state == "due"]
        held = {crawl.id for crawl in due if crawl.lease.until > now}
        return held | (self._leases.reserved_ids() & {crawl.id for crawl in due})

    def claim_crawl(self, crawl_id: str, *, token: str, lease_s: float) -> Crawl | None:
        """Begin a reserved crawl; returns None if the reservation is gone."""
        if not self._leases.claim(crawl_id, token=token, lease_s=lease_s):
            return None
        self._crawls.update_one({"_id": crawl_id}, {"$set": {"started": utc_now(), "end": ""}})
        row = self._crawls.find_one({"_id": crawl_id})
        return None if row is None else from_document(Crawl, row)

    def release(
        self, crawl_ids: Sequence[str], *, token: str, pause_s: float = 0.0, is_attempt: bool = False
    ) -> None:
        """Release crawls that were reserved or begun; ``is_attempt``: the attempt is counted."""
        self._leases.release(crawl_ids, token=token, pause_s=pause_s, is_attempt=is_attempt)

    def extend_crawl(self, crawl_id: str, *, token: str, lease_s: float) -> bool:
        """Extend the lease of a running crawl; False if the lease was lost."""
        return self._leases.extend([crawl_id], token=token, lease_s=lease_s)

    def close_crawl(
        self,
        crawl_id: str,
        *,
        token: str,
        state: CrawlState,
        error: str = "",
        message: Message = NO_MESSAGE,
        fault: Fault = "",
    ) -> None:
        """Store the end of a crawl, if the lease is valid; the error is cut to one line."""
        report = {"error": one_line(error), "message": storable(asdict(message))}
        end: Document = {"state": state, **report, "fault": fault, "finished": utc_now()}
        self._leases.finish(crawl_id, end, token=token)

    def stop_crawls(self, scan_id: str) -> int:
        """Stop the unfinished crawls of a scan; returns their number.

        A crawl without a worker ends at once. Any other crawl ends with its process, so that the scan is not
        closed before the last page is stored.
        """
        return self._request_stop(scan_id, {"stopping": True})

    def stop_source(self, source: str) -> int:
        """Stop the crawls of a source in every running scan, as :meth:`stop_crawls` does.

        The scans show that the source was disabled.
        """
        message = Message(
            "Source {name} was disabled during its crawl. The fetched pages are still compared.",
            {"name": source},
        )
        change = {"stopping": True, "message": storable(asdict(message))}
        return sum(
            self._request_stop(scan.id, change, source) for scan in self.running() if source in scan.sources
        )

    def _request_stop(self, scan_id: str, change: Document, source: str | None = None) -> int:
        """Stop the unfinished crawls of a scan, or only those of a source; returns their number."""
        due = [
            crawl["_id"]
            for crawl in self._crawls.find({"scan_id": scan_id}, {"state": 1, "source": 1})
            if crawl["state"] == "due" and source in {None, crawl["source"]}
        ]
        count = self._crawls.update_among(due, {"$set": change}, _DUE)
        self._end_stopped({"scan_id": scan_id})
        return count

    def _end_stopped(self, condition: Mapping[str, Any]) -> None:
        """End the stopped crawls that have no living worker."""
        for crawl in list(self._crawls.find(condition)):
            lease = crawl["lease"]
            if crawl.get("stopping") and not (lease["taken"] and lease["until"] > self._now()):
                unchanged = {"_id": crawl["_id"], **_DUE, "lease": lease}
                end = {**_stopped_crawl_fields(crawl), "finished": utc_now(), "lease": free_lease()}
                self._crawls.update_one(unchanged, {"$set": end})

    def stopping(self, crawl_ids: Sequence[str]) -> set[str]:
        """Return the crawls of a scan that a user stopped."""
        rows = self._crawls.find_among("_id", list(crawl_ids), {"stopping": 1})
        return {row["_id"] for row in rows if row.get("stopping")}

    def close_stopped(self, crawl_id: str, *, token: str) -> None:
        """Close a stopped crawl, if the lease is valid."""
        crawl = self._crawls.find_one({"_id": crawl_id}, {"message": 1})
        self._leases.finish(crawl_id, {**_stopped_crawl_fields(crawl), "finished": utc_now()}, token=token)

    def counts_of(self, crawl_id: str) -> dict[str, int]:
        """Return the counts of a crawl so far; a restarted crawl continues from these counts."""
        row = self._crawls.find_one({"_id": crawl_id}, {"counts": 1})
        return dict(row["counts"]) if row else {}

    def frontier_of(self, crawl_id: str) -> str:
        """Return the scan whose id is part of a frontier's name; empty if the crawl does not exist."""
        row = self._crawls.find_one({"_id": crawl_id}, {"continues": 1, "scan_id": 1})
        return str(row.get("continues") or row["scan_id"]) if row else ""

    def counts_of_many(self, crawl_ids: Sequence[str]) -> dict[str, dict[str, int]]:
        """Return the counts of the existing crawls so far, by id."""
        rows = self._crawls.find_among("_id", crawl_ids, {"counts": 1})
        return {row["_id"]: dict(row["counts"]) for row in rows}

    def end_of(self, crawl_id: str) -> CrawlEnd:
        """Return how a crawl ended according to its process; empty while the crawl runs."""
        row = self._crawls.find_one({"_id": crawl_id}, {"end": 1})
        end: CrawlEnd = row.get("end", "") if row else ""
        return end

    def fault_of(self, crawl_id: str) -> Fault:
        """Return the cause of failure that the crawl reported last; empty without a report."""
        row = self._crawls.find_one({"_id": crawl_id}, {"fault": 1})
        fault: Fault = row.get("fault", "") if row else ""
        return fault

    def record_progress(
        self,
        crawl_id: str,
        *,
        counts: Mapping[str, int],
        addresses: Mapping[str, int],
        end: CrawlEnd = "",
        fault: Fault = "",
    ) -> None:
        """Store the progress of a crawl and the time as its sign of life. The crawl process calls this.

        Args:
            crawl_id: id of the crawl.
            counts: counters by reason.
            addresses: results of addresses.
            end: how the crawl ended.
            fault: cause of a failure.
        """
        progress: dict[str, Any] = {
            "counts": dict(counts),
            "addresses": dict(addresses),
            "fault": fault,
            "heartbeat": utc_now(),
        }
        progress |= {"end": end} if end else {}
        self._crawls.update_one({"_id": crawl_id}, {"$set": progress})

    def heartbeats(self, crawl_ids: Sequence[str]) -> dict[str, datetime]:
        """Return the last signs of life of crawl processes."""
        rows = list(self._crawls.find_among("_id", list(crawl_ids), {"heartbeat": 1}))
        return {row["_id"]: row["heartbeat"] for row in rows if row.get("heartbeat")}
