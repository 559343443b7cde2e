"""The interface of the benchmark to every method: add a corpus, then find the passages that a page copies.

Each method decides by its own rule what a *hit* is: the tracker's candidate rule for DNA and letter shingles,
the verdict of ``pindna check`` for the whole comparison, a shared key and the method's threshold for all
other methods of ``fingerprint/``, and the answer of a library's index for peers.

Methods on whole texts store the passages cut into pages of 3,000 characters, the unit of the questions. So
each question has exactly the bounds of a stored text, which is the best case for these methods.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, Protocol

from support.changed.texts import Page, Passage, cut_pages

Group = Literal["pindna", "method", "peer", "baseline"]


class Finder(Protocol):
    """A method with its index."""

    @property
    def name(self) -> str:
        """Name in tables."""

    @property
    def group(self) -> Group:
        """Group: pindna's search, another method of pindna, a peer, or a baseline."""

    def fingerprint(self, text: str) -> object:
        """Return the method's fingerprint of a text; this call is timed."""

    def add(self, passages: Iterable[Passage]) -> None:
        """Add passages to the index and make it ready for queries."""

    def find(self, text: str) -> set[int]:
        """Return the ids of the passages that the page copies, according to the method."""

    def index_bytes(self) -> int:
        """Return the size of the index; 0 if it is unknown."""


def pages_of(passages: Iterable[Passage]) -> Iterator[tuple[int, Page]]:
    """Yield each page of each passage with the passage's id, for methods on whole texts."""
    for passage in passages:
        for page in cut_pages(passage.source):
            yield passage.id, page
