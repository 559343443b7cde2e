"""Names of the keys of the index.

::

    pindna:{index}:live              name of the live generation
    pindna:{index}:generations       set of all generations, to find abandoned ones
    pindna:{index}:lock              lock for repair, rebuild and compaction
    pindna:{index}:<g>:manifest      hash: format, parameter ids, bits, corpus, version, counts, and a
                                     stamp that every change renews
    pindna:{index}:<g>:passages      hash: passage id → its postings, or -1 while it is being added
    pindna:{index}:<g>:dead          set: removed passages whose records are still in the buckets
    pindna:{index}:<g>:buried        set: dead passages that the running compaction cuts
    pindna:<g>{<tag>}<p><bucket>     records of the p-th parameter id: ``bucket`` in five hex digits
    pindna:<g>{<tag>}intact          exists unless a bucket of that tag was dropped or lost

In a Redis Cluster the text in braces decides the slot of a key. All keys that one transaction changes are in
the slot of ``{index}``. The highest bits of a bucket's number choose one of 32 tags. Tag g is in the g-th of
32 equal ranges of slots, so nodes with equal numbers of slots have equal parts of the index. A page needs at
most 32 MGETs, in one round trip to each node.

The key of a bucket has 21 characters. With its length it fits into 24 bytes, Redis's second smallest block of
memory.
"""

import numpy as np
import numpy.typing as npt
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot

from storage.index.records import Buckets

PREFIX = "pindna"
LIVE = f"{PREFIX}:{{index}}:live"
GENERATIONS = f"{PREFIX}:{{index}}:generations"
LOCK = f"{PREFIX}:{{index}}:lock"
GENERATION_BYTES = 2

GROUP_BITS = 5
GROUPS = 1 << GROUP_BITS
MIN_BITS = 16
MAX_BITS = 20

_DIGITS = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)
_INTACT = 15  # used instead of the number of a parameter id; larger than all of these
_GROUP_SHIFT, _PARAMS_SHIFT = 24, 20
_BUCKET = (1 << _PARAMS_SHIFT) - 1

# Codes of keys; they sort by group, number of the parameter id, and bucket.
Codes = npt.NDArray[np.int64]


def _group_tags() -> tuple[str, ...]:
    """Return a tag for each group: the smallest number in hex whose slot is in the group's range."""
    tags: dict[int, str] = {}
    for number in range(256):
        tag = f"{number:02x}"
        tags.setdefault(key_slot(tag.encode()) * GROUPS // REDIS_CLUSTER_HASH_SLOTS, tag)
    return tuple(tags[group] for group in range(GROUPS))


TAGS = _group_tags()
_TAG_BYTES = np.frombuffer("".join(TAGS).encode(), dtype=np.uint8).reshape(GROUPS, 2)


def codes_of(params: int, buckets: Buckets, bits: int) -> Codes:
    """Return the codes of buckets of one parameter id."""
    codes: Codes = (buckets >> (bits - GROUP_BITS)) << _GROUP_SHIFT | params << _PARAMS_SHIFT | buckets
    return codes


def intact_codes(groups: npt.NDArray[np.int64]) -> Codes:
    """Return the code of each group's "intact" mark; it sorts after all buckets of the group."""
    codes: Codes = groups << _GROUP_SHIFT | _INTACT << _PARAMS_SHIFT
    return codes


def group_of(codes: Codes) -> npt.NDArray[np.int64]:
    """Return the group of each code."""
    groups: npt.NDArray[np.int64] = codes >> _GROUP_SHIFT
    return groups


def is_intact(codes: Codes) -> npt.NDArray[np.bool_]:
    """Return for each code whether it is the code of an "intact" mark."""
    marks: npt.NDArray[np.bool_] = (codes >> _PARAMS_SHIFT & 15) == _INTACT
    return marks


def key_rows(
    generation: str, codes: Codes, *, before: bytes = b"", after: bytes = b""
) -> npt.NDArray[np.uint8]:
    """Return the keys of codes as bytes: shape (n, length), ``uint8``.

    Args:
        generation: its name.
        codes: of buckets and marks.
        before: prefix of each key.
        after: suffix of each key.
    """
    start = len(before) + len(f"{PREFIX}:{generation}{{")
    row = before + f"{PREFIX}:{generation}{{..}}......".encode() + after
    rows = np.tile(np.frombuffer(row, dtype=np.uint8), (len(codes), 1))
    rows[:, start : start + 2] = _TAG_BYTES[group_of(codes)]
    rows[:, start + 3] = _DIGITS[codes >> _PARAMS_SHIFT & 15]
    for column in range(5):
        rows[:, start + 4 + column] = _DIGITS[(codes & _BUCKET) >> 4 * (4 - column) & 15]
    rows[is_intact(codes), start + 3 : start + 9] = np.frombuffer(b"intact", dtype=np.uint8)
    return rows


def keys_of(generation: str, codes: Codes) -> list[bytes]:
    """Return the keys of codes."""
    rows = key_rows(generation, codes)
    joined, width = rows.tobytes(), rows.shape[1]
    return [joined[at : at + width] for at in range(0, len(joined), width)]


def meta_key(generation: str, name: str) -> str:
    """Return one of the four other keys of a generation: manifest, passages, dead or buried."""
    return f"{PREFIX}:{{index}}:{generation}:{name}"
