"""The evidence of pages as a report tells it: every capture of what they hold is checked once more."""

from analysis.report_records import CaptureFacts
from crawler.pages.verifying import CheckedCapture, Verifier
from storage.collections.stores import Stores
from storage.records import Page


class Evidence:
    """Checks the captures of pages; those of one response once, however many pages and matches it has.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """

    def __init__(self, stores: Stores) -> None:
        self._captures = stores.captures
        self._verifier = Verifier(stores)
        self._known: dict[str, tuple[CaptureFacts, ...]] = {}

    def of_page(self, page: Page) -> tuple[CaptureFacts, ...]:
        """Return of each response of a page its first capture, and every one that does not agree.

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
                CaptureFacts(url="", fetched=None, sha256=sha256, digest="", state="missing", problem="body"),
            )
        return tuple(_fact(result) for number, result in enumerate(results) if number == 0 or result.problem)


def _fact(checked: CheckedCapture) -> CaptureFacts:
    capture = checked.capture
    return CaptureFacts(
        url=capture.url,
        fetched=capture.fetched,
        sha256=capture.sha256,
        digest=capture.digest,
        state=checked.state,
        problem=checked.problem,
    )
