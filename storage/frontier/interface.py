"""The interfaces of a frontier and a pace.

A *frontier* contains the addresses that a crawl still has to request. A *pace* decides when a host may be
requested next.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from system.errors import PindnaError
from system.exit_status import ExitStatus

EntryKind = Literal["index", "text", "sitemap", "feed", "query"]
# How an entry ended: a list page was read, a text is new, a text is unchanged, or an address has no text, for
# a stored reason.
Ending = Literal["list", "new", "unchanged", "failed"]

MAX_ATTEMPTS = 4
SUSPECT_ATTEMPTS = 2  # after so many attempts an entry is processed alone, because it may crash processes
MAX_BEYOND = 100_000  # maximum count of addresses beyond the limit; it then means "at least"


class FrontierLost(PindnaError):
    """Redis lost the frontier of a crawl. Data: ``crawl``."""

    template = "Redis lost the frontier of crawl {crawl} before it was complete. Crawl the source again."
    exit_status = ExitStatus.DOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry of a frontier: an address to request.

    Attributes:
        id: natural key within the crawl; the canonical URL's hash.
        kind: the expected kind of page.
        priority: higher comes first; −1,000,000 to 1,000,000.
        depth: number of links or pages from a start address.
        note: a note of the spider for later.
    """

    id: str
    url: str
    kind: EntryKind
    priority: int = 0
    depth: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class LeaseBatch:
    """The entries that a call of ``lease`` returns.

    Attributes:
        entries: the leased entries.
        given_up: entries to end, because they were begun too often.
        is_alone: there is one entry, to be processed before another lease.
    """

    entries: tuple[Entry, ...]
    given_up: tuple[Entry, ...]
    is_alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How an entry ended, and the entries to which its page links."""

    entry_id: str
    ending: Ending
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierTally:
    """The number of a crawl's addresses by result; ``entries`` is the sum of ``ended`` and ``remaining``.

    Attributes:
        entries: number of entries added to the frontier.
        ended: ending → number of entries.
        remaining: entries that wait or that a process works on.
        beyond: texts excluded by the limit, at most ``MAX_BEYOND``.
    """

    entries: int
    ended: dict[Ending, int]
    remaining: int
    beyond: int

    @property
    def numbers(self) -> dict[str, int]:
        """The figures that are stored with a crawl, see :attr:`storage.records.Crawl.addresses`."""
        ended = {str(ending): number for ending, number in self.ended.items()}
        return {"entries": self.entries, "left": self.remaining, "beyond": self.beyond, **ended}


class Frontier(Protocol):
    """The entries of one crawl.

    Every method raises ``ServiceDown`` or ``RedisFailed`` when the server fails. Methods that need the
    entries raise :class:`FrontierLost` when they are missing.
    """

    def push(self, entries: Iterable[Entry]) -> int:
        """Add new entries of this crawl; returns how many were new."""

    def lease(self, count: int, *, held: int = 0) -> LeaseBatch:
        """Lease up to ``count`` entries, those of dead processes first.

        An entry whose process died twice is leased alone, so that a third crash has a clear cause.

        Args:
            count: maximum number of entries.
            held: entries that this process works on; while there are any, no such entry is leased.
        """

    def end(self, entry_id: str, ending: Ending, entries: Iterable[Entry] = ()) -> bool:
        """End an entry and add its linked entries, both or neither; returns False if the lease was lost."""

    def end_many(self, ends: Sequence[End]) -> list[bool]:
        """End entries together as :meth:`end` does; returns for each whether its lease was still valid."""

    def extend(self, entry_ids: Sequence[str]) -> int:
        """Extend leases; returns the number of leases that are still valid."""

    def release(self, entry_ids: Sequence[str]) -> None:
        """Release entries that were not processed."""

    def contains(self, entry_id: str) -> bool:
        """Return whether an address is or was an entry of this crawl."""

    def pending(self) -> int:
        """Return how many entries wait or are leased."""

    def tally(self) -> FrontierTally:
        """Return the number of the crawl's addresses by result so far."""

    def retain(self, seconds: float) -> None:
        """Keep the remaining entries for a later crawl, at least for this time."""

    def finish(self) -> None:
        """Let a frontier without pending entries expire soon; a late process can still read it."""


class Pace(Protocol):
    """Decides when hosts may be requested next."""

    def reserve(self, host: str, *, gap_s: float) -> float:
        """Reserve the next request to a host; returns the seconds to wait before it."""

    def hold(self, host: str, *, seconds: float) -> None:
        """Stop all requests to a host for a while, because the host requested a pause."""

    def spend(self, name: str, *, most: int, seconds: int) -> bool:
        """Use one of the turns that all processes share; returns whether a turn was available.

        Args:
            name: of the budget.
            most: turns in a period.
            seconds: length of a period, which begins with its first turn.
        """
