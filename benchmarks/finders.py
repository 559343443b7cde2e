"""The one way in which the benchmark asks every method: add a corpus, find the passages that a page copies.

A *hit* is what a method says by its own rule: the tracker's candidate rule for DNA and letter shingles, the
verdict of ``pindna check`` for the whole comparison, a shared key and the method's own threshold for every
other method of ``fingerprint/``, the answer of the library's own index for peers.

Methods that judge whole texts hold the passages cut into pages of 3,000 characters, the unit of the
questions: they are asked about texts with the very bounds of those they hold, which is their best case.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, Protocol

from support.changed.texts import Page, Passage, cut_pages

Group = Literal["pindna", "method", "peer", "baseline"]


class Finder(Protocol):
    """A method with its index."""

    @property
    def name(self) -> str:
        """Its name in tables."""

    @property
    def group(self) -> Group:
        """What it is: pindna's own search, another of its methods, a peer, a baseline."""

    def fingerprint(self, text: str) -> object:
        """Return what the method makes of a text: what is timed."""

    def add(self, passages: Iterable[Passage]) -> None:
        """Add passages to the index and make it ready for questions."""

    def find(self, text: str) -> set[int]:
        """Return the ids of the passages that the method holds a page to be a copy of."""

    def index_bytes(self) -> int:
        """Return the size of the index; 0 where it cannot be told."""


def pages_of(passages: Iterable[Passage]) -> Iterator[tuple[int, Page]]:
    """Yield each page of each passage with the passage's id: what whole-text methods hold."""
    for passage in passages:
        for page in cut_pages(passage.source):
            yield passage.id, page
