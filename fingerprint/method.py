"""The one way to call every method: views of a text in, a fingerprint out, its similarity and candidate keys.

A method is a small frozen object that carries its parameters. Its fingerprint's type is its own affair:
selected hashes with positions (DNA, shingles), a signature (SimHash, MinHash, digests) or weighted words
(cosine, SCAM).
Whoever indexes, compares or measures needs only this protocol::

    fingerprint = method.fingerprint(Views(text, cut=cut))     # to store
    keys = method.keys(fingerprint)                            # to index: uint64, distinct
    asked = method.query(Views(page, cut=cut))                 # to look up
    candidates = … texts that share one of method.keys(asked) …
    method.similarity(asked, fingerprint) >= method.threshold  # the verdict of the method alone

Keys. Two texts that share a key are worth comparing; two that share none are missed. What a key is differs:
window hashes, the whole digest, a band of a MinHash signature, one quarter of a SimHash word, the hash of a
word in an inverted index. Keys of different methods live in different indexes.

Texts that are too short to have a fingerprint give an empty one: no keys, and similarity 0 with everything,
itself included. It says that the method cannot tell, and never that two such texts are the same.
"""

from typing import Protocol, TypeVar

from fingerprint.mixing import Hashes
from fingerprint.text.views import Views

F = TypeVar("F")


class Method(Protocol[F]):
    """A way to tell that two texts are alike. Implementations inherit from it."""

    @property
    def name(self) -> str:
        """A short name for tables and command lines, unique among the methods in use."""

    @property
    def params_id(self) -> str:
        """Names everything that changes a stored hash."""

    @property
    def threshold(self) -> float:
        """The similarity from which the method, by its source, calls two texts duplicates; in (0, 1]."""

    def fingerprint(self, views: Views) -> F:
        """Return the fingerprint of a text that is stored."""

    def query(self, views: Views) -> F:
        """Return the fingerprint of a text that is looked up; differs only where sampling does."""
        return self.fingerprint(views)

    def similarity(self, first: F, second: F) -> float:
        """Return how alike two texts are: 0 to 1, symmetric unless the method's docstring says otherwise."""

    def keys(self, fingerprint: F) -> Hashes:
        """Return the candidate keys: distinct, ascending, shape (k,), ``uint64``."""
