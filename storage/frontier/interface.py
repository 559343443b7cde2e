"""What a frontier and a pace offer, whatever holds them.

A *frontier* holds the addresses of one crawl that are still to be asked for; a *pace* says when a host may be
asked next.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from system.errors import PindnaError
from system.exit_status import ExitStatus

EntryKind = Literal["index", "text", "sitemap", "feed", "query"]
# A page of links was read; a text is new, or as it was; an address has no text, for a stored reason.
Ending = Literal["list", "new", "unchanged", "failed"]

MAX_ATTEMPTS = 4
SUSPECT_ATTEMPTS = 2  # after these an entry may be what ends processes, and is worked on alone
MAX_BEYOND = 100_000  # addresses beyond the limit that are told apart; their count is "at least" this


class FrontierLost(PindnaError):
    """Redis no longer has the frontier of a crawl. Data: ``crawl``."""

    template = "Redis lost the frontier of crawl {crawl} before it was complete. Crawl the source again."
    exit_status = ExitStatus.DOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An address to ask for.

    Attributes:
        id: natural key within the crawl; the canonical URL's hash.
        kind: what to expect there.
        priority: higher comes first; −1,000,000 to 1,000,000.
        depth: how many links or pages lead from a start address to it.
        note: what the spider wants to know again about it.
    """

    id: str
    url: str
    kind: EntryKind
    priority: int = 0
    depth: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class LeaseBatch:
    """What a lease brought.

    Attributes:
        entries: to work on.
        given_up: to end, for they were begun too often.
        is_alone: there is one entry, and it is to be worked on before anything else is leased.
    """

    entries: tuple[Entry, ...]
    given_up: tuple[Entry, ...]
    is_alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The end of an entry, and the entries that its page leads to."""

    entry_id: str
    ending: Ending
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierTally:
    """What became of a crawl's addresses; ``entries`` is the sum of ``ended`` and ``remaining``.

    Attributes:
        entries: that were put into the frontier.
        ended: how they ended → how many.
        remaining: entries that wait or that a process works on.
        beyond: texts that the limit kept out, at most ``MAX_BEYOND``.
    """

    entries: int
    ended: dict[Ending, int]
    remaining: int
    beyond: int

    @property
    def numbers(self) -> dict[str, int]:
        """Return what a crawl stores of it, see :attr:`storage.records.Crawl.addresses`."""
        ended = {str(ending): number for ending, number in self.ended.items()}
        return {"entries": self.entries, "left": self.remaining, "beyond": self.beyond, **ended}


class Frontier(Protocol):
    """The entries of one crawl.

    Every method raises ``ServiceDown`` or ``RedisFailed`` when a service that holds the entries does; those
    that need the entries raise :class:`FrontierLost` when they are gone.
    """

    def push(self, entries: Iterable[Entry]) -> int:
        """Add entries that this crawl has not seen; returns how many."""

    def lease(self, count: int, *, held: int = 0) -> LeaseBatch:
        """Take up to ``count`` entries, those of dead processes first.

        An entry that was with two dead processes is taken alone, so that only what ends a third is to blame.

        Args:
            count: how many are wanted.
            held: how many this process works on; while there are any, no such entry is taken.
        """

    def end(self, entry_id: str, ending: Ending, entries: Iterable[Entry] = ()) -> bool:
        """End an entry and add what its page leads to, both or neither; False when the lease was lost."""

    def end_many(self, ends: Sequence[End]) -> list[bool]:
        """End entries as :meth:`end` does, together; returns which leases were still ours."""

    def extend(self, entry_ids: Sequence[str]) -> int:
        """Keep entries longer; returns how many are still ours."""

    def release(self, entry_ids: Sequence[str]) -> None:
        """Give back entries that were not worked on."""

    def contains(self, entry_id: str) -> bool:
        """Return whether an address is, or was, an entry of this crawl."""

    def pending(self) -> int:
        """Return how many entries wait or are with some process."""

    def tally(self) -> FrontierTally:
        """Return what became of the crawl's addresses so far."""

    def retain(self, seconds: float) -> None:
        """Have what is left wait for a crawl that goes on with it later; at least so long."""

    def finish(self) -> None:
        """Let go of a crawl without pending entries soon; a late process still finds it."""


class Pace(Protocol):
    """When hosts may be asked next."""

    def reserve(self, host: str, *, gap_s: float) -> float:
        """Reserve the next request to a host; returns the seconds to wait before sending it."""

    def hold(self, host: str, *, seconds: float) -> None:
        """Let no process ask a host for a while, because it said so."""

    def spend(self, name: str, *, most: int, seconds: int) -> bool:
        """Spend one of the turns that all processes share; returns whether there was one left.

        Args:
            name: of the budget.
            most: turns in a period.
            seconds: length of a period, which begins with its first turn.
        """
