"""The interface of all methods: views of a text in, a fingerprint out, its similarity and candidate keys.

A method is a small frozen object with its parameters. Each method has its own type of fingerprint: selected
hashes with positions (DNA, shingles), a signature (SimHash, MinHash, digests) or weighted words (cosine,
SCAM). Code that indexes, compares or measures needs only this protocol::

    fingerprint = method.fingerprint(Views(text, cut=cut))     # to store
    keys = method.keys(fingerprint)                            # to index: uint64, distinct
    query = method.query(Views(page, cut=cut))                 # to look up
    candidates = … texts that share one of method.keys(query) …
    method.similarity(query, fingerprint) >= method.threshold  # the verdict of this method alone

Keys. Two texts that share a key are compared; two texts that share none are missed. A key may be a window
hash, the whole digest, a band of a MinHash signature, one quarter of a SimHash word, or the hash of a word in
an inverted index. Keys of different methods belong in different indexes.

A text that is too short for a fingerprint has an empty one: no keys, and similarity 0 with every text, even
itself. That means "unknown", never "the same".
"""

from typing import Protocol, TypeVar

from fingerprint.mixing import Hashes
from fingerprint.text.views import Views

F = TypeVar("F")


class Method(Protocol[F]):
    """A method that decides whether two texts are similar. Implementations inherit from it."""

    @property
    def name(self) -> str:
        """Short name for tables and command lines, unique among the methods in use."""

    @property
    def params_id(self) -> str:
        """Id of everything that changes a stored hash."""

    @property
    def threshold(self) -> float:
        """The similarity from which the method's source calls two texts duplicates; in (0, 1]."""

    def fingerprint(self, views: Views) -> F:
        """Return the fingerprint of a text to store."""

    def query(self, views: Views) -> F:
        """Return the fingerprint of a text to look up; it differs only for methods that sample."""
        return self.fingerprint(views)

    def similarity(self, first: F, second: F) -> float:
        """Return how similar two texts are: 0 to 1, symmetric unless a method's docstring says otherwise."""

    def keys(self, fingerprint: F) -> Hashes:
        """Return the candidate keys: distinct, ascending, shape (k,), ``uint64``."""
