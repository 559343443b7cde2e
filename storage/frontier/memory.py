"""A frontier and a pace in memory: for ``pindna source test`` and for tests."""

import heapq
import itertools
import time
from collections import Counter
from collections.abc import Iterable, Sequence

from storage.frontier.interface import MAX_BEYOND, End, Ending, Entry, FrontierTally, LeaseBatch


class MemoryFrontier:
    """The entries of one crawl in one process; see :class:`storage.frontier.interface.Frontier`.

    Args:
        max_texts: maximum entries of kind ``text``.
    """

    def __init__(self, *, max_texts: int) -> None:
        self._max_texts = max_texts
        self._texts = 0
        self._seen: set[str] = set()
        self._beyond: set[str] = set()
        self._ended: Counter[Ending] = Counter()
        self._queue: list[tuple[int, int, Entry]] = []
        self._leased: dict[str, Entry] = {}
        self._order = itertools.count()

    def push(self, entries: Iterable[Entry]) -> int:
        """Add new entries of this crawl; returns how many were new."""
        return sum(self._push_entry(entry) for entry in entries)

    def lease(self, count: int, *, held: int = 0) -> LeaseBatch:  # noqa: ARG002 - no other process can die
        """Lease up to ``count`` entries."""
        taken = [heapq.heappop(self._queue)[2] for _ in range(min(count, len(self._queue)))]
        self._leased.update((entry.id, entry) for entry in taken)
        return LeaseBatch(tuple(taken), ())

    def end(self, entry_id: str, ending: Ending, entries: Iterable[Entry] = ()) -> bool:
        """End an entry and add its linked entries; returns False if the entry is not leased."""
        self.push(entries)
        is_ours = self._leased.pop(entry_id, None) is not None
        self._ended[ending] += is_ours
        return is_ours

    def end_many(self, ends: Sequence[End]) -> list[bool]:
        """End entries as :meth:`end` does."""
        return [self.end(end.entry_id, end.ending, end.entries) for end in ends]

    def extend(self, entry_ids: Sequence[str]) -> int:
        """Extend leases; returns the number of leases that are still valid."""
        return sum(entry_id in self._leased for entry_id in entry_ids)

    def release(self, entry_ids: Sequence[str]) -> None:
        """Release entries that were not processed."""
        for entry_id in entry_ids:
            entry = self._leased.pop(entry_id, None)
            if entry is not None:
                heapq.heappush(self._queue, (-entry.priority, next(self._order), entry))

    def contains(self, entry_id: str) -> bool:
        """Return whether an address is or was an entry of this crawl."""
        return entry_id in self._seen

    def pending(self) -> int:
        """Return how many entries wait or are leased."""
        return len(self._queue) + len(self._leased)

    def tally(self) -> FrontierTally:
        """Return the number of the crawl's addresses by result so far."""
        ended = {ending: number for ending, number in self._ended.items() if number}
        return FrontierTally(
            entries=len(self._seen), ended=ended, remaining=self.pending(), beyond=len(self._beyond)
        )

    def retain(self, seconds: float) -> None:
        """Do nothing: the entries end with the process."""

    def finish(self) -> None:
        """Do nothing: the entries end with the process."""

    def _push_entry(self, entry: Entry) -> bool:
        if entry.id in self._seen:
            return False
        if entry.kind == "text":
            if self._texts >= self._max_texts:
                if len(self._beyond) < MAX_BEYOND:
                    self._beyond.add(entry.id)
                return False
            self._texts += 1
        self._seen.add(entry.id)
        heapq.heappush(self._queue, (-entry.priority, next(self._order), entry))
        return True


class MemoryPace:
    """Decides when one process may request hosts; see :class:`storage.frontier.interface.Pace`."""

    def __init__(self) -> None:
        self._next: dict[str, float] = {}
        self._spent: dict[str, tuple[float, int]] = {}  # end of period, and turns used in it

    def reserve(self, host: str, *, gap_s: float) -> float:
        """Reserve the next request to a host; returns the seconds to wait before it."""
        now = time.monotonic()
        at = max(now, self._next.get(host, 0.0))
        self._next[host] = at + gap_s
        return at - now

    def hold(self, host: str, *, seconds: float) -> None:
        """Stop all requests to a host for a while, because the host requested a pause."""
        self._next[host] = max(self._next.get(host, 0.0), time.monotonic() + seconds)

    def spend(self, name: str, *, most: int, seconds: int) -> bool:
        """Use one of the turns that all processes share; returns whether a turn was available."""
        now = time.monotonic()
        ends, spent = self._spent.get(name, (0.0, 0))
        ends, spent = (ends, spent) if now < ends else (now + seconds, 0)
        self._spent[name] = ends, spent + 1
        return spent < most
