"""Decisions of analysts on the passages that a batch of pages may match, read together.

The decisions may be as old as the batch, some seconds. No decision is missed: before a page is closed, it is
checked against the stored decisions (:func:`tracker.scans.pages.store_compared`), and later decisions are
applied to the stored match.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from storage.collections.decisions import on_site
from storage.records import Decision


class DecisionsOnTexts(Protocol):
    """A source of decisions for all sites."""

    def on_texts(self, shas: Iterable[str]) -> Mapping[str, Sequence[Decision]]:
        """Return the decisions on some passages' texts on any site, by the text's SHA-256."""


class BatchDecisions:
    """Decisions on passages' texts, each read once for a batch of pages.

    Args:
        stored: source of the decisions.
    """

    def __init__(self, stored: DecisionsOnTexts) -> None:
        self._stored = stored
        self._known: dict[str, Sequence[Decision]] = {}

    def read(self, shas: Iterable[str]) -> None:
        """Read the decisions on some texts in advance, with one query."""
        if new := {sha for sha in shas if sha} - self._known.keys():
            self._known |= {**dict.fromkeys(new, ()), **self._stored.on_texts(new)}

    def of_passages(self, shas: Iterable[str], *, site: str) -> dict[str, list[Decision]]:
        """Return a site's decisions on some passages' texts, by the text's SHA-256."""
        requested = set(shas)
        self.read(requested)
        return on_site(self._known, site, requested)
