"""Find the captures of pages by address, read them, and check them for a report."""

from dataclasses import dataclass
from datetime import datetime

from analysis.evidence.archived import RENDERED, declared_charset
from crawler.pages.verifying import CaptureState, CheckedCapture, Verifier
from crawler.pages.warc_reading import ArchivedExchange, read_back
from storage.collections.stores import Stores
from storage.records import Capture, Page


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureFacts:
    """A fetched response of a page, with the result of its check.

    Attributes:
        id: id of the capture; empty if there is none.
        sha256: SHA-256 of the response.
        digest: stored digest over the whole capture; empty if there is none.
        problem: the mismatch; empty if there is none.
    """

    url: str
    fetched: datetime | None
    sha256: str
    digest: str
    state: CaptureState
    problem: str = ""
    id: str = ""


class CaptureEvidence:
    """Checks the captures of pages, each response once even if many pages share it.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """

    def __init__(self, stores: Stores) -> None:
        self._captures = stores.captures
        self._verifier = Verifier(stores)
        self._known: dict[str, tuple[CaptureFacts, ...]] = {}

    def of_page(self, page: Page) -> tuple[CaptureFacts, ...]:
        """Return, for each response of a page, its first capture and every capture that does not match.

        Raises:
            ServiceDown, StorageFailed: the database refused.
        """
        for sha256 in page.snapshots:
            if sha256 not in self._known:
                self._known[sha256] = self._facts(sha256)
        return tuple(fact for sha256 in page.snapshots for fact in self._known[sha256])

    def _facts(self, sha256: str) -> tuple[CaptureFacts, ...]:
        results = [self._verifier.check(capture) for capture in self._captures.of_bodies([sha256])]
        if not results:
            return (
                CaptureFacts(
                    url="", fetched=None, sha256=sha256, digest="", state="missing", problem="response body"
                ),
            )
        return tuple(
            facts_of(result) for number, result in enumerate(results) if number == 0 or result.problem
        )


def facts_of(checked: CheckedCapture) -> CaptureFacts:
    """Return the facts about a checked capture."""
    capture = checked.capture
    return CaptureFacts(
        url=capture.url,
        fetched=capture.fetched,
        sha256=capture.sha256,
        digest=capture.digest,
        state=checked.state,
        problem=checked.problem,
        id=capture.id,
    )


def read_exchange(sha256: str, stores: Stores) -> ArchivedExchange:
    """Return the stored request and response of a snapshot; without WARC records, what is stored of them.

    Raises:
        UnknownRecord: there is no such snapshot.
    """
    stored = stores.snapshots.get(sha256)
    if stored.warc:
        return read_back(stored.warc, sha256=sha256)
    return ArchivedExchange(
        stored.url, stored.fetched.isoformat(), b"", stored.headers, stored.body, stored.body, stored.body
    )


def charset_of(exchange: ArchivedExchange) -> str | None:
    """Return the charset declared for the body of an exchange; UTF-8 if a browser built it."""
    is_rendered = exchange.body != exchange.document
    return RENDERED if is_rendered else declared_charset(exchange.headers)


def warc_members(captures: list[Capture], stores: Stores) -> list[bytes]:
    """Return the WARC records of captures, oldest first, each full record before references to it."""
    members: dict[str, bytes] = {}
    for capture in reversed(captures):
        if capture.sha256 and capture.sha256 not in members:
            members[capture.sha256] = stores.snapshots.get(capture.sha256).warc
        if capture.warc:
            members[capture.id] = capture.warc
    return [member for member in members.values() if member]
