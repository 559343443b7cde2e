"""The benchmark's interface to every method: add a corpus, then find the passages that a page copies.

Each method has a rule that decides which passages it finds. DNA and letter shingles use the tracker's rule
for candidates. The whole comparison uses the verdict of ``pindna check``. All other methods of
``fingerprint/`` need a shared key and a similarity above the method's threshold. Peers return the results of
the library's index.

Methods that compare whole texts store the passages in pages of 3,000 characters. The questions are such pages
too. So each question begins and ends where a stored text does, which is the best case for these methods.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, Protocol

from support.changed.texts import Page, Passage, cut_pages

Group = Literal["pindna", "method", "peer", "baseline"]


class Finder(Protocol):
    """A method together with its index."""

    @property
    def name(self) -> str:
        """Name of the method in tables."""

    @property
    def group(self) -> Group:
        """Kind of method: pindna's search, another method of pindna, a peer, or a baseline."""

    def fingerprint(self, text: str) -> object:
        """Return the method's fingerprint of a text. The benchmark measures the time of this call."""

    def add(self, passages: Iterable[Passage]) -> None:
        """Add passages to the index and make it ready for queries."""

    def find(self, text: str) -> set[int]:
        """Return the ids of the passages that the page copies, according to the method."""

    def index_bytes(self) -> int:
        """Return the size of the index in bytes; 0 if it is unknown."""


def pages_of(passages: Iterable[Passage]) -> Iterator[tuple[int, Page]]:
    """Yield (passage id, page) for each page of each passage, for methods that compare whole texts."""
    for passage in passages:
        for page in cut_pages(passage.source):
            yield passage.id, page
