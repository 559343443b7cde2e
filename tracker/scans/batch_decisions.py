"""The decisions of analysts on what a batch of pages may match, read together.

What :class:`BatchDecisions` returns may be as old as the batch: some seconds, while its pages are compared.
That misses no decision: before a page is closed, it is held against the decisions that are stored by then
(:func:`tracker.scans.pages.store_compared`), and whoever decides later settles the stored match.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from storage.collections.decisions import on_site
from storage.records import Decision


class DecisionsOnTexts(Protocol):
    """Where decisions come from, for all sites."""

    def on_texts(self, shas: Iterable[str]) -> Mapping[str, Sequence[Decision]]:
        """Return the decisions on some passages' texts on any site, by the text's SHA-256."""


class BatchDecisions:
    """Decisions on passages' texts, each read once for a batch of pages.

    Args:
        stored: where decisions come from.
    """

    def __init__(self, stored: DecisionsOnTexts) -> None:
        self._stored = stored
        self._known: dict[str, Sequence[Decision]] = {}

    def read(self, shas: Iterable[str]) -> None:
        """Read the decisions on some texts ahead, by one query."""
        if new := {sha for sha in shas if sha} - self._known.keys():
            self._known |= {**dict.fromkeys(new, ()), **self._stored.on_texts(new)}

    def of_passages(self, shas: Iterable[str], *, site: str) -> dict[str, list[Decision]]:
        """Return a site's decisions on some passages' texts, by the text's SHA-256."""
        requested = set(shas)
        self.read(requested)
        return on_site(self._known, site, requested)
