"""Scans, and the crawls that they consist of."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.leases import FREE, Lease
from storage.records.rest import UnreadFigures
from system.messages import NO_MESSAGE, Message

CrawlState = Literal["due", "done", "failed"]
CRAWL_STATES: tuple[CrawlState, ...] = get_args(CrawlState)

# How a crawl came to its end; empty while it has not, or when its process died.
CrawlEnd = Literal["", "finished", "time", "hours", "stalled", "refused", "service", "stopped"]
CRAWL_ENDS: tuple[CrawlEnd, ...] = get_args(CrawlEnd)

# Whose fault a failure is; empty without one. ``network`` is what lies between us and a site.
Fault = Literal["", "theirs", "network", "ours"]
FAULTS: tuple[Fault, ...] = get_args(Fault)

ScanStatus = Literal["running", "finished", "failed"]
SCAN_STATES: tuple[ScanStatus, ...] = get_args(ScanStatus)

# What opens a scan; ``schedule``: the daily one; ``hours``: those of its sources began after that.
Trigger = Literal["hand", "schedule", "hours", "corpus"]
TRIGGERS: tuple[Trigger, ...] = get_args(Trigger)
SCHEDULED: frozenset[Trigger] = frozenset({"schedule", "hours"})

# Reason → the count of a crawl that says how much of its lists, or of the links of a site, was not taken;
# ``catalogue``: chapters that exist, as the catalogue or the numbers of others say, and that nothing led to.
CUT_OFF = {
    "lists": "left:lists",
    "depth": "left:depth",
    "traps": "left:traps",
    "catalogue": "left:catalogue",
    "too-many": "refused:too-many",
    "long-address": "refused:long-address",
    "cut-short": "refused:cut-short",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawl:
    """One source within one scan.

    Attributes:
        id: scan and source, with the process's number when several processes share the source's frontier.
        counts: what the crawler did, by reason (``requests``, ``pages``, ``unchanged``, ``failed`` …).
        addresses: what became of the addresses of the source's crawl, over all its processes, as this one
            saw it last: ``entries``; how they ended: ``list``, ``new``, ``unchanged``, ``failed``; ``left``
            were not asked for, ``beyond`` were kept out by the limit of texts.
        end: how it came to its end; ``hours``: those of its source were over, and a later crawl goes on.
        continues: the scan whose frontier it goes on with; empty: it has its own.
        stopping: somebody asked that it ends.
        heartbeat: when its process last said that it is alive.
        error: why it failed, in one line without addresses of our own; empty otherwise.
        fault: whose fault that is.
    """

    id: str
    scan_id: str
    source: str
    state: CrawlState = "due"
    counts: dict[str, int] = field(default_factory=dict)
    addresses: dict[str, int] = field(default_factory=dict)
    end: CrawlEnd = ""
    continues: str = ""
    stopping: bool = False
    heartbeat: datetime | None = None
    error: str = ""
    message: Message = NO_MESSAGE
    fault: Fault = ""
    started: datetime | None = None
    finished: datetime | None = None
    attempts: int = 0
    lease: Lease = FREE

    @property
    def frontier(self) -> str:
        """Return the scan that its frontier is named after."""
        return self.continues or self.scan_id

    @property
    def left(self) -> dict[str, int]:
        """Return the addresses of all processes that were not asked for, by reason: the end, or ``limit``."""
        why = self.end if self.end not in {"", "finished"} else "unfinished"
        numbers = {why: self.addresses.get("left", 0), "limit": self.addresses.get("beyond", 0)}
        return {reason: number for reason, number in numbers.items() if number}

    @property
    def cut_off(self) -> dict[str, int]:
        """Return what this process did not take of the lists and links that it read, by reason."""
        numbers = {reason: self.counts.get(name, 0) for reason, name in CUT_OFF.items()}
        return {reason: number for reason, number in numbers.items() if number}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """One run of the daily job.

    Attributes:
        counts: pages by state, kind and verdict at the end, and what happened to pages by kind of event;
            ``capped``: hashes of compared pages with more postings than the index returns.
        not_compared: reason → number of pages that could not be compared.
        unread: pages that were compared, but not fully.
        left: reason → number of known addresses that were not asked for, over all sources.
        index_generation: the index that answered.
        corpus_version: version of the mother corpus at the start.
        stale_parts: parts of the stored pages that are still to be looked through for what was compared with
            an older version, see :mod:`storage.collections.stale`.
        in_hand: tokens of the leases under which pages may be compared with an older version: no part is
            looked through before these are done. None: nobody has asked for them yet.
    """

    id: str
    trigger: Trigger
    sources: tuple[str, ...]
    started: datetime
    finished: datetime | None = None
    status: ScanStatus = "running"
    counts: dict[str, int] = field(default_factory=dict)
    not_compared: dict[str, int] = field(default_factory=dict)
    unread: UnreadFigures = field(default_factory=UnreadFigures)
    left: dict[str, int] = field(default_factory=dict)
    index_generation: str = ""
    corpus_version: int = 0
    stale_parts: int = 0
    in_hand: tuple[str, ...] | None = None
    error: str = ""
