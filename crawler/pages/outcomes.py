"""The outcomes of addresses: the items that spiders hand to the pipeline. Pure.

Each frontier entry ends with exactly one :class:`EntryResult`. The pipeline stores what was found before it
completes the entry, so a crawl that is killed between the two repeats the entry. Their ``repr`` ends up in
logs, so it holds no text.
"""

from dataclasses import dataclass
from typing import TypeAlias

from crawler.exchange import Exchange
from crawler.pages.page_records import TEXTS, PageRecord
from storage.frontier.interface import Ending, Entry
from storage.records import PARTLY_READ, TextPart, Visit


@dataclass(frozen=True, slots=True)
class FetchedPart:
    """One response that belongs to a text: its exchange, and the SHA-256 of its decoded body."""

    text_part: TextPart
    received: Exchange | None


@dataclass(frozen=True, slots=True)
class Text:
    """A page was read, with a text or without.

    Attributes:
        record: the page to store; its address is the one that answered.
        requested_url: the canonical address that was asked for.
        extraction_version: of the program, of the source's rules and of what is known of the site.
        rest: the address at which the text goes on, where it has more parts than one page is made of.
        attached: other responses that belong to the page and are kept as its evidence: that of a first
            reading without a browser, frames. Their snapshots follow those of the parts.
        is_endless: its last part leads on, and only repeats what the parts before have.
    """

    record: PageRecord
    requested_url: str
    fetched: tuple[FetchedPart, ...]
    extraction_version: str = ""
    rest: str = ""
    is_endless: bool = False
    attached: tuple[FetchedPart, ...] = ()

    @property
    def is_rendered(self) -> bool:
        """Return whether a browser showed the page, or a part of it."""
        received = [exchange.received for exchange in (*self.fetched, *self.attached)]
        return any(exchange is not None and exchange.rendered is not None for exchange in received)

    @property
    def is_compared(self) -> bool:
        """Return whether the page has words, and waits for its comparison."""
        return self.record.page.state == "fetched"

    @property
    def is_text(self) -> bool:
        """Return whether the page is its address's text: compared, not a list, and not read in part only."""
        kind = self.record.page.kind
        return self.is_compared and kind != "list" and kind not in PARTLY_READ

    @property
    def is_article(self) -> bool:
        """Return whether the page is an article, a chapter or a thread, from which its site is learnt."""
        return self.is_compared and self.record.page.kind in TEXTS

    @property
    def response_url(self) -> str:
        """Return the address that answered."""
        return self.record.page.url

    @property
    def page_id(self) -> str:
        """Return the id of the version that answered."""
        return self.record.page.id

    def __repr__(self) -> str:
        return f"Text({self.record!r})"


@dataclass(frozen=True, slots=True)
class UnchangedText:
    """The text is the one that is stored: the server said so (304), or the bodies are the same.

    Attributes:
        visit: what was known of the address that answered.
        requested_url: the canonical address that was asked for.
    """

    visit: Visit
    requested_url: str
    fetched: tuple[FetchedPart, ...]
    not_modified: bool

    @property
    def response_url(self) -> str:
        """Return the address that answered."""
        return self.visit.url

    @property
    def page_id(self) -> str:
        """Return the id of the version that answered."""
        return self.visit.page_id

    def __repr__(self) -> str:
        return f"Same({self.visit.page_id})"


@dataclass(frozen=True, slots=True)
class FailedFetch:
    """An address could not be fetched.

    Attributes:
        page: the record that says so.
        reason: see :func:`crawler.failures.failure_reason`.
        fetched: the answer, where it is kept as the evidence of a look.
    """

    page: PageRecord
    requested_url: str
    reason: str
    status: int
    fetched: tuple[FetchedPart, ...] = ()

    def __repr__(self) -> str:
        return f"Failed({self.reason})"


Outcome: TypeAlias = Text | UnchangedText | FailedFetch


@dataclass(frozen=True, slots=True)
class EntryResult:
    """The end of a frontier entry: its outcome, None for a page of links, and what it leads to.

    Attributes:
        entries: those found there.
        rendered: a browser showed the page.
    """

    entry: Entry
    outcome: Outcome | None = None
    entries: tuple[Entry, ...] = ()
    rendered: bool = False

    def __repr__(self) -> str:
        return f"Done({self.entry.id}, {self.outcome!r}, {len(self.entries)} entries)"


def ending_of(result: EntryResult) -> Ending:
    """Return how an entry ended; only the database knows whether a text is new."""
    if result.outcome is None:
        return "list"
    if isinstance(result.outcome, UnchangedText):
        return "unchanged"
    return "new" if isinstance(result.outcome, Text) and result.outcome.is_compared else "failed"
