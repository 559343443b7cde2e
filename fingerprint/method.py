"""The interface of all methods, which compute fingerprints of texts and compare them.

A method is a small frozen object with its parameters. Each method has its own type of fingerprint: selected
hashes with positions (DNA, shingles), a signature (SimHash, MinHash, digests) or weighted words (cosine,
SCAM). Code that indexes, compares or measures texts needs only this protocol::

    fingerprint = method.fingerprint(Views(text, cut=cut))     # to store
    keys = method.keys(fingerprint)                            # to index: uint64, distinct
    query = method.query(Views(page, cut=cut))                 # to look up
    candidates = … texts that share one of method.keys(query) …
    method.similarity(query, fingerprint) >= method.threshold  # the verdict of this method alone

Keys. Two texts are compared only if they share a key. A key may be a window hash, a whole digest, a band of a
MinHash signature, one quarter of a SimHash value, or the hash of a word in an inverted index. Keys of
different methods belong in different indexes.

A text that is too short has an empty fingerprint. It has no keys, and its similarity with every text is 0,
even with itself. That means "unknown", never "the same".
"""

from typing import Protocol, TypeVar

from fingerprint.mixing import Hashes
from fingerprint.text.views import Views

F = TypeVar("F")


class Method(Protocol[F]):
    """A method that decides whether two texts are similar. Implementations inherit from this class."""

    @property
    def name(self) -> str:
        """Short name for tables and command lines, unique among the registered methods."""

    @property
    def params_id(self) -> str:
        """Id of all parameters that influence the stored hashes."""

    @property
    def threshold(self) -> float:
        """Minimum similarity of duplicates, as the method's authors recommend; in (0, 1]."""

    def fingerprint(self, views: Views) -> F:
        """Return the fingerprint of a text to store."""

    def query(self, views: Views) -> F:
        """Return the fingerprint of a text to look up; the default is the fingerprint to store."""
        return self.fingerprint(views)

    def similarity(self, first: F, second: F) -> float:
        """Return how similar two texts are: 0 to 1, symmetric unless a method's docstring says otherwise."""

    def keys(self, fingerprint: F) -> Hashes:
        """Return the candidate keys: distinct, ascending, shape (k,), ``uint64``."""
