"""Records of scans and of their crawls."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.leases import FREE, Lease
from storage.records.rest import UnreadFigures
from system.messages import NO_MESSAGE, Message

CrawlState = Literal["due", "done", "failed"]
CRAWL_STATES: tuple[CrawlState, ...] = get_args(CrawlState)

# How a crawl ended; empty while it runs, or after its process died.
CrawlEnd = Literal["", "finished", "time", "hours", "stalled", "refused", "service", "stopped"]
CRAWL_ENDS: tuple[CrawlEnd, ...] = get_args(CrawlEnd)

# The cause of a failure; empty if there is none. ``network``: the connection between pindna and the site
# failed.
Fault = Literal["", "theirs", "network", "ours"]
FAULTS: tuple[Fault, ...] = get_args(Fault)

ScanStatus = Literal["running", "finished", "failed"]
SCAN_STATES: tuple[ScanStatus, ...] = get_args(ScanStatus)

# What starts a scan. ``schedule``: the daily schedule; ``hours``: the crawl hours of sources that were closed
# at the daily scan.
Trigger = Literal["hand", "schedule", "hours", "corpus"]
TRIGGERS: tuple[Trigger, ...] = get_args(Trigger)
SCHEDULED: frozenset[Trigger] = frozenset({"schedule", "hours"})

# Reason → name of the counter for links that a crawl did not follow. ``catalogue``: chapters that exist
# according to a catalogue or the numbering, but to which no link leads. ``no-texts``: start pages
# that name no text.
CUT_OFF = {
    "lists": "left:lists",
    "depth": "left:depth",
    "traps": "left:traps",
    "catalogue": "left:catalogue",
    "no-texts": "left:no-texts",
    "too-many": "refused:too-many",
    "long-address": "refused:long-address",
    "cut-short": "refused:cut-short",
    "searches-budget": "left:searches-budget",
    "searches-refused": "left:searches-refused",
    "searches-failed": "left:searches-failed",
    "searches-empty": "left:searches-empty",
    "searches-partial": "left:searches-partial",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawl:
    """One source within one scan.

    Attributes:
        id: scan and source, with the process's number when several processes share the source's frontier.
        counts: counters of the crawler, by reason (``requests``, ``pages``, ``unchanged``, ``failed`` …).
        addresses: results of the addresses of the source's crawl, over all its processes: ``entries``; ended
            as ``list``, ``new``, ``unchanged`` or ``failed``; ``left``: not requested; ``beyond``: excluded
            by the limit of texts.
        end: how it ended; ``hours``: the source's opening hours ended, and a later crawl continues.
        continues: the scan whose frontier it continues; empty: it has its own frontier.
        stopping: a user asked to stop it.
        heartbeat: the last sign of life of its process.
        error: why it failed, in one line without internal addresses; empty otherwise.
        fault: the cause of the failure.
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
        """Return the id of the scan after which the crawl's frontier is named."""
        return self.continues or self.scan_id

    @property
    def left(self) -> dict[str, int]:
        """Return how many addresses no process of the crawl requested, by reason: its end, or ``limit``."""
        why = self.end if self.end not in {"", "finished"} else "unfinished"
        numbers = {why: self.addresses.get("left", 0), "limit": self.addresses.get("beyond", 0)}
        return {reason: number for reason, number in numbers.items() if number}

    @property
    def cut_off(self) -> dict[str, int]:
        """Return the number of links that this process did not follow, by reason."""
        numbers = {reason: self.counts.get(name, 0) for reason, name in CUT_OFF.items()}
        return {reason: number for reason, number in numbers.items() if number}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """One run of the daily job.

    Attributes:
        counts: pages by state, kind and verdict at the end, and page events by kind; ``capped``: hashes of
            compared pages with more postings than the index returns.
        not_compared: reason → number of pages that could not be compared.
        unread: pages that were compared, but not fully.
        left: reason → number of known addresses that were not requested, over all sources.
        index_generation: the generation of the index.
        corpus_version: version of the mother corpus at the start.
        stale_parts: shards of the stored pages that remain to be searched for outdated comparisons, see
            :mod:`storage.collections.stale`.
        in_hand: tokens of the leases under which workers may compare pages with an older corpus. The search
            of shards starts after they finish. None: not determined yet.
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
