"""Collections ``scans`` and ``crawls``: each run, and each source within it."""

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
_KNOWN = 200  # scans whose ids are looked through for one that is like a misspelt one
_STOPPED = Message("stopped by hand")
_DUE: Mapping[str, Any] = {"state": "due"}


def crawl_id(scan_id: str, source: str, number: int = 1) -> str:
    """Return the id of a source's n-th crawl process within a scan."""
    return f"{scan_id}:{source}" if number == 1 else f"{scan_id}:{source}#{number}"


def _ran_since(moment: datetime) -> Document:
    """Return the condition that a scan was still running at a moment, or began later."""
    return {"$or": [{"finished": None}, {"finished": {"$gte": moment}}]}


def _stopped(crawl: Mapping[str, Any] | None) -> Document:
    """Return the end of a crawl that was stopped; its document says why if there is a reason."""
    message = Message(**(crawl or {}).get("message", {}))
    message = message if message.template else _STOPPED
    reason = {"error": one_line(str(message)), "message": storable(asdict(message))}
    return {"state": "failed", "end": "stopped", **reason, "fault": "ours"}


def _unasked(scan: Scan, source: str, number: int) -> Document:
    """Return the crawl of a source that may not be asked now: it is over, and its addresses are left."""
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
        self._scans.create_index([("trigger", 1), ("finished", -1)])  # the last scheduled one
        self._scans.create_index([("started", -1), ("_id", 1)])
        self._crawls.create_index([("scan_id", 1), ("state", 1)])
        self._crawls.create_index([("state", 1), ("lease.until", 1)])
        self._leases.ensure_schema()

    def open(self, scan: Scan) -> None:
        """Store a new scan with a crawl of each of its sources; see :meth:`store`."""
        self.store(ScanOpening(scan=scan))

    def store(self, opening: ScanOpening) -> None:
        """Store a new scan with the crawls of its sources; the scan row comes last.

        Repeating it changes nothing, and so it goes on where somebody was killed within it.
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
        crawls += [_unasked(scan, name, number) for name, number in opening.unasked.items()]
        self._crawls.insert_new(crawls)
        self._scans.insert_new([to_document(scan)])

    def open_in_turn(self, token: str, opening: ScanOpening, *, lease_s: float) -> bool:
        """Store a new scan, so that whoever has the turn next finishes it should we be killed.

        Args:
            token: of the turn.
            opening: what is to be stored.
            lease_s: how long the turn lasts from now.

        Returns:
            False when the turn was over; nothing is stored then.
        """
        if not self.turns.save(token, opening, lease_s=lease_s):
            return False
        self.store(opening)
        self.turns.forget(opening.scan.id)
        return True

    def finish_opening(self) -> Scan | None:
        """Store the rest of the scan that a killed program was about to open; the caller has the turn.

        Returns:
            The scan; None if there is none of that kind.
        """
        if (opening := self.turns.saved()) is None:
            return None
        self.store(opening)
        self.turns.forget(opening.scan.id)
        return opening.scan

    def find(self, scan_id: str) -> Scan | None:
        """Return a scan, if there is one of that id."""
        row = self._scans.find_one({"_id": scan_id})
        return None if row is None else from_document(Scan, row)

    def get(self, scan_id: str) -> Scan:
        """Return a scan.

        Raises:
            UnknownRecord: there is none of that id; the error has ids like it, of the newest scans.
        """
        if (scan := self.find(scan_id)) is not None:
            return scan
        recent = [scan.id for scan in self.newest(_KNOWN)]
        raise unknown_record(kind="scan", name=scan_id, known_names=recent)

    def resolve(self, name: str) -> Scan:
        """Return a scan by its id, or by the beginning of it.

        Raises:
            UnknownRecord: there is none of that id; the error has ids like it.
            AmbiguousId: several begin so.
        """
        row = self._scans.find_one({"_id": name}) or by_prefix(self._scans, name, kind="scan")
        return self.get(name) if row is None else from_document(Scan, row)

    def newest(self, count: int, *, since: datetime | None = None) -> list[Scan]:
        """Return the last ``count`` scans, the newest first; ``since``: of those that ran then or later."""
        ran = [] if since is None else [{"$match": _ran_since(since)}]
        rows = self._scans.aggregate({"$sort": {"started": -1}}, *ran, {"$limit": count})
        return [from_document(Scan, row) for row in rows]

    def count(self, *, since: datetime | None = None) -> int:
        """Return how many scans there are, or ran at a moment or later."""
        return self._scans.count({} if since is None else _ran_since(since))

    def last_end(self, *, trigger: Trigger | None = None) -> datetime | None:
        """Return when the scan that ended last did, of all or of one trigger; None if none has."""
        query = {} if trigger is None else {"trigger": trigger}
        last = next(self._scans.find(query, {"finished": 1}, sort=[("finished", -1)], limit=1), None)
        return last["finished"] if last else None

    def ended_since(self, moment: datetime) -> list[Scan]:
        """Return the scans that ended then or later, in no order."""
        return [from_document(Scan, row) for row in self._scans.find({"finished": {"$gte": moment}})]

    def running(self) -> list[Scan]:
        """Return the scans that are not finished."""
        return [from_document(Scan, row) for row in self._scans.find({"status": "running"})]

    def record_stale_parts(self, scan_id: str, remaining: int) -> None:
        """Note how many parts of the stored pages a scan still has to look through for stale ones."""
        self._scans.update_one({"_id": scan_id}, {"$min": {"stale_parts": remaining}})

    def record_stale_leases(self, scan_id: str, tokens: Iterable[str]) -> None:
        """Note under which leases pages may be compared with an older corpus than a scan's."""
        self._scans.update_one({"_id": scan_id}, {"$set": {"in_hand": sorted(tokens)}})

    def finish(self, scan: Scan) -> bool:
        """Store the end of a scan once; False when it was closed before."""
        document = to_document(scan)
        result = self._scans.replace_one({"_id": scan.id, "status": "running"}, document)
        return result.modified_count == 1

    def is_crawling(self, scan_id: str) -> bool:
        """Return whether a crawl of a scan is not over."""
        return self._crawls.find_one({"scan_id": scan_id, **_DUE}, {"_id": 1}) is not None

    def crawls(self, scan_id: str) -> list[Crawl]:
        """Return a scan's crawls by source, those of one source by their numbers."""
        crawls = [from_document(Crawl, row) for row in self._crawls.find({"scan_id": scan_id})]
        return sorted(crawls, key=lambda crawl: (crawl.source, len(crawl.id), crawl.id))

    def reserve_due(self, *, count: int, lease_s: float) -> tuple[str, list[str]]:
        """Reserve up to ``count`` crawls that wait; returns the token and their ids.

        A crawl that kills its workers is set aside, one that was to end while its worker died is over.
        """
        self._end_stopped({**_DUE, "lease.until": {"$lte": self._now()}})  # their workers died
        given_up = {"state": "failed", "error": _GAVE_UP, "finished": utc_now()}
        reserved = self._leases.reserve(count=count, lease_s=lease_s, given_up=given_up)
        return reserved.token, reserved.ids

    def in_progress(self, crawls: Iterable[Crawl]) -> set[str]:
        """Return the ids of those of some crawls that a worker has, or is sent."""
        now, due = self._now(), [crawl for crawl in crawls if crawl.state == "due"]
        held = {crawl.id for crawl in due if crawl.lease.until > now}
        return held | (self._leases.reserved_ids() & {crawl.id for crawl in due})

    def claim_crawl(self, crawl_id: str, *, token: str, lease_s: float) -> Crawl | None:
        """Begin a reserved crawl; None when the reservation is gone."""
        if not self._leases.claim(crawl_id, token=token, lease_s=lease_s):
            return None
        self._crawls.update_one({"_id": crawl_id}, {"$set": {"started": utc_now(), "end": ""}})
        row = self._crawls.find_one({"_id": crawl_id})
        return None if row is None else from_document(Crawl, row)

    def release(
        self, crawl_ids: Sequence[str], *, token: str, pause_s: float = 0.0, is_attempt: bool = False
    ) -> None:
        """Let others have crawls that were reserved or begun; ``is_attempt``: those count as begun."""
        self._leases.release(crawl_ids, token=token, pause_s=pause_s, is_attempt=is_attempt)

    def extend_crawl(self, crawl_id: str, *, token: str, lease_s: float) -> bool:
        """Keep a running crawl; False when the lease was lost."""
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
        """Store the end of a crawl, if the lease is still ours; the error is cut to one line."""
        report = {"error": one_line(error), "message": storable(asdict(message))}
        end: Document = {"state": state, **report, "fault": fault, "finished": utc_now()}
        self._leases.finish(crawl_id, end, token=token)

    def stop_crawls(self, scan_id: str) -> int:
        """Ask that the crawls of a scan that are not over end; returns how many there are.

        One that no worker has in hand is over at once. The others are over when their processes are, so that
        a scan is not closed before the last page that one of them stores.
        """
        return self._stop(scan_id, {"stopping": True})

    def stop_source(self, source: str) -> int:
        """Ask that the crawls of a source end in every scan that runs, as :meth:`stop_crawls` does.

        The scans show that the source was disabled.
        """
        message = Message(
            "Source {name} was disabled during its crawl. What was fetched is compared.", {"name": source}
        )
        change = {"stopping": True, "message": storable(asdict(message))}
        return sum(self._stop(scan.id, change, source) for scan in self.running() if source in scan.sources)

    def _stop(self, scan_id: str, change: Document, source: str | None = None) -> int:
        """Ask that crawls of a scan which are not over end, all or those of a source; returns how many."""
        due = [
            crawl["_id"]
            for crawl in self._crawls.find({"scan_id": scan_id}, {"state": 1, "source": 1})
            if crawl["state"] == "due" and source in {None, crawl["source"]}
        ]
        count = self._crawls.update_among(due, {"$set": change}, _DUE)
        self._end_stopped({"scan_id": scan_id})
        return count

    def _end_stopped(self, condition: Mapping[str, Any]) -> None:
        """End those of some crawls that somebody asked to end and that no living worker has in hand."""
        for crawl in list(self._crawls.find(condition)):
            lease = crawl["lease"]
            if crawl.get("stopping") and not (lease["taken"] and lease["until"] > self._now()):
                unchanged = {"_id": crawl["_id"], **_DUE, "lease": lease}
                end = {**_stopped(crawl), "finished": utc_now(), "lease": free_lease()}
                self._crawls.update_one(unchanged, {"$set": end})

    def stopping(self, crawl_ids: Sequence[str]) -> set[str]:
        """Return those of some crawls that somebody asked to end."""
        rows = self._crawls.find_among("_id", list(crawl_ids), {"stopping": 1})
        return {row["_id"] for row in rows if row.get("stopping")}

    def close_stopped(self, crawl_id: str, *, token: str) -> None:
        """Store that a crawl which somebody asked to end has ended, if the lease is still ours."""
        crawl = self._crawls.find_one({"_id": crawl_id}, {"message": 1})
        self._leases.finish(crawl_id, {**_stopped(crawl), "finished": utc_now()}, token=token)

    def counts_of(self, crawl_id: str) -> dict[str, int]:
        """Return what a crawl counted so far; one that was killed goes on from there."""
        row = self._crawls.find_one({"_id": crawl_id}, {"counts": 1})
        return dict(row["counts"]) if row else {}

    def frontier_of(self, crawl_id: str) -> str:
        """Return the scan that the frontier of a crawl is named after; empty when there is no such crawl."""
        row = self._crawls.find_one({"_id": crawl_id}, {"continues": 1, "scan_id": 1})
        return str(row.get("continues") or row["scan_id"]) if row else ""

    def counts_of_many(self, crawl_ids: Sequence[str]) -> dict[str, dict[str, int]]:
        """Return what those crawls that exist counted so far, by id."""
        rows = self._crawls.find_among("_id", crawl_ids, {"counts": 1})
        return {row["_id"]: dict(row["counts"]) for row in rows}

    def end_of(self, crawl_id: str) -> CrawlEnd:
        """Return how a crawl came to its end, as its process told it; empty while it did not."""
        row = self._crawls.find_one({"_id": crawl_id}, {"end": 1})
        end: CrawlEnd = row.get("end", "") if row else ""
        return end

    def fault_of(self, crawl_id: str) -> Fault:
        """Return whose fault its failure is, as the crawl told it last; empty when it told nothing."""
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
        """Store what the crawler did so far, and that it is alive; the crawler itself calls this.

        Args:
            crawl_id: of the crawl.
            counts: what was done, by reason.
            addresses: what became of addresses.
            end: how the crawl came to its end.
            fault: whose fault that is.
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
        """Return when the processes of some crawls last said that they are alive, where they did."""
        rows = list(self._crawls.find_among("_id", list(crawl_ids), {"heartbeat": 1}))
        return {row["_id"]: row["heartbeat"] for row in rows if row.get("heartbeat")}
