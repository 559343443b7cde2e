"""Information of text: how many bits a reader of ordinary Chinese learns from each character.

Official formulas, names of statutes and set lines of letters can be predicted from the characters before
them, so they carry few bits; ordinary prose carries five to eight bits a character. A text that repeats
itself carries nothing new.

The background model is a table of character n-grams (``information.npy``) that
:mod:`benchmarks.learn_information` learned. It contains hashes and figures only. Each n-gram has the bits of
its last character after the others. The longest known n-gram counts. Each missing character of context costs
``BACKOFF_BITS``, unless that context is unknown too (stupid backoff: Brants et al., "Large language models in
machine translation", 2007).

Complexity: O(n) in NumPy, about 1 µs per character. The table is memory-mapped at its first use.
"""

from functools import cache, lru_cache
from importlib.resources import as_file, files

import numpy as np
import numpy.typing as npt

from fingerprint.mixing import mix64
from fingerprint.text.letters import code_points, to_letters
from fingerprint.text.variants import fold_points

ORDER = 5  # number of characters in the longest n-gram
BUCKETS, SLOTS = 120_000, 4  # number of buckets, and of slots per bucket
CHECK_BITS, VALUE_BITS = 11, 5  # bits of an entry
STEP = 0.5  # bits of information in a step of the stored value
BACKOFF_BITS = 1.0  # cost of each character of context that is missing in the table
UNKNOWN_BITS = 14.0  # information of a character that is missing in the table

Bits = npt.NDArray[np.float32]
Hashes = npt.NDArray[np.uint64]
Table = npt.NDArray[np.uint16]

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_TOP = np.uint64(64 - CHECK_BITS)


def information(text: str, *, table: Table | None = None) -> Bits:
    """Return the bits that each character of a text carries: shape (len(text),), ``float32``.

    Characters that are not Han carry nothing, and neither do repetitions of an n-gram of the text.

    Args:
        text: any text.
        table: the background model; None: the one of the package.
    """
    letters = to_letters(text)
    bits = np.zeros(len(text), dtype=np.float32)
    if len(letters):
        points = fold_points(code_points(text)[letters.offsets])
        np.maximum.at(bits, letters.offsets, _bits_of(points, background_table() if table is None else table))
    return bits


@lru_cache(maxsize=4)  # one page is judged against many passages
def context_gains(text: str) -> Bits:
    """Return the bits that each Han character's context saves a reader: shape (len(text),), ``float32``.

    In natural text of any style, the characters before a character make it more probable: the mean is about
    one bit. A character that was put there at random is less probable: the mean is about minus one bit.
    """
    letters = to_letters(text)
    gains = np.zeros(len(text), dtype=np.float32)
    if len(letters):
        points, table = fold_points(code_points(text)[letters.offsets]), background_table()
        gains[letters.offsets] = _bits_within(points, table, 1) - _bits_within(points, table, ORDER)
    return gains


@lru_cache(maxsize=4)  # one page is judged against many passages
def bits_a_character(text: str) -> float:
    """Return the mean information of a text's characters."""
    return float(information(text).mean()) if text else 0.0


def _bits_of(points: npt.NDArray[np.uint32], table: Table) -> Bits:
    """Return the bits of each Han character; repetitions carry nothing: shape (n,)."""
    bits = _bits_within(points, table, ORDER)
    if len(points) >= ORDER:
        hashes = ngram_hashes(points, ORDER)
        again = np.ones(len(hashes), dtype=bool)
        again[np.unique(hashes, return_index=True)[1]] = False
        bits[ORDER - 1 :][again] = 0
    return bits


def _bits_within(points: npt.NDArray[np.uint32], table: Table, order: int) -> Bits:
    """Return the bits of each Han character, given at most ``order`` − 1 characters before it: shape (n,)."""
    bits = np.full(len(points), UNKNOWN_BITS, dtype=np.float32)
    knows_context = np.zeros(len(points), dtype=bool)
    for size in range(1, min(order, len(points)) + 1):
        stored = look_up(ngram_hashes(points, size), table)
        longer = bits[size - 1 :] + np.float32(BACKOFF_BITS) * knows_context[size - 1 :]
        bits[size - 1 :] = np.where(stored >= 0, stored, longer)
        knows_context[size:] = stored[:-1] >= 0
    return np.minimum(bits, np.float32(UNKNOWN_BITS))


def ngram_hashes(points: npt.NDArray[np.uint32], size: int) -> Hashes:
    """Return a hash of each n-gram: shape (n − size + 1,), ``uint64``.

    Args:
        points: code points, shape (n,).
        size: characters of an n-gram, at most n.
    """
    count = len(points) - size + 1
    values = np.full(count, size, dtype=np.uint64)
    for number in range(size):
        values = values * _MULTIPLIER + points[number : number + count]
    return mix64(values)


def places_of(hashes: Hashes) -> tuple[npt.NDArray[np.int64], Table]:
    """Return bucket and check value of each hash."""
    buckets = (hashes % np.uint64(BUCKETS)).astype(np.int64)
    return buckets, (hashes >> _TOP).astype(np.uint16)


def look_up(hashes: Hashes, table: Table) -> Bits:
    """Return the bits of n-grams, −1 for those that the table does not have: shape (n,)."""
    buckets, checks = places_of(hashes)
    entries = table[buckets]
    is_here = (entries >> VALUE_BITS == checks[:, None]) & (entries > 0)
    values = np.where(is_here, entries & np.uint16(2**VALUE_BITS - 1), 0).max(axis=1)
    return np.where(is_here.any(axis=1), values * np.float32(STEP), np.float32(-1))


@cache
def background_table() -> Table:
    """Return the background model of the package, memory-mapped: shape (BUCKETS, SLOTS), ``uint16``."""
    with as_file(files(__package__) / "information.npy") as path:
        table: Table = np.load(path, mmap_mode="r")
    return table
