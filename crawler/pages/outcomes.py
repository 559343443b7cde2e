"""The outcomes of addresses: the items that spiders pass to the pipeline. Pure.

Each frontier entry ends with exactly one :class:`EntryResult`. The pipeline stores the outcome before it
ends the entry, so a crawl that is killed in between repeats the entry. Their ``repr`` appears in logs, so it
contains no text.
"""

from dataclasses import dataclass
from typing import TypeAlias

from crawler.exchange import Exchange
from crawler.pages.page_records import TEXTS, PageRecord
from storage.frontier.interface import Ending, Entry
from storage.records import PARTLY_READ, TextPart, Visit


@dataclass(frozen=True, slots=True)
class FetchedPart:
    """One response of a text: its exchange, and the SHA-256 of its decoded body."""

    text_part: TextPart
    received: Exchange | None


@dataclass(frozen=True, slots=True)
class Text:
    """A page that was read, with text or without.

    Attributes:
        record: the page to store; its address is the one that answered.
        requested_url: the canonical requested address.
        extraction_version: of the program, the source's rules and the site's context.
        rest: address of the remainder of a text with too many parts.
        attached: other responses that are stored as evidence: a first reading without a browser, frames.
            Their snapshots follow those of the parts.
        is_endless: whether the last part links to further parts but only repeats earlier ones.
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
        """Return whether a browser rendered the page, or a part of it."""
        received = [exchange.received for exchange in (*self.fetched, *self.attached)]
        return any(exchange is not None and exchange.rendered is not None for exchange in received)

    @property
    def is_compared(self) -> bool:
        """Return whether the page has words and will be compared."""
        return self.record.page.state == "fetched"

    @property
    def is_text(self) -> bool:
        """Return whether the page is a complete text: compared, not a list, not partly read."""
        kind = self.record.page.kind
        return self.is_compared and kind != "list" and kind not in PARTLY_READ

    @property
    def is_article(self) -> bool:
        """Return whether the page is an article, a chapter or a thread, which are used for learning."""
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
    """A text that equals the stored one: the server answered 304, or the bodies are the same.

    Attributes:
        visit: the stored visit of the address that answered.
        requested_url: the canonical requested address.
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
    """An address that could not be fetched.

    Attributes:
        page: the record of the failure.
        reason: see :func:`crawler.failures.failure_reason`.
        fetched: the response, if it is stored as evidence of a look.
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
    """The result of a frontier entry: its outcome, None for a page of links.

    Attributes:
        entries: further entries from the page.
        rendered: whether a browser rendered the page.
        is_unanswered: whether it is a search that the engine did not answer.
    """

    entry: Entry
    outcome: Outcome | None = None
    entries: tuple[Entry, ...] = ()
    rendered: bool = False
    is_unanswered: bool = False

    def __repr__(self) -> str:
        return f"Done({self.entry.id}, {self.outcome!r}, {len(self.entries)} entries)"


def ending_of(result: EntryResult) -> Ending:
    """Return how an entry ended, without a check whether a text is new."""
    if result.outcome is None:
        return "failed" if result.is_unanswered else "list"
    if isinstance(result.outcome, UnchangedText):
        return "unchanged"
    return "new" if isinstance(result.outcome, Text) and result.outcome.is_compared else "failed"
