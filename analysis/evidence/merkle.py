"""The Merkle tree of the evidence log: RFC 6962, section 2 (the same tree as in RFC 9162, section 2.1).

A leaf is hashed as SHA-256(0x00 ‖ leaf), a node as SHA-256(0x01 ‖ left ‖ right). A tree of n leaves splits at
the largest power of two below n. Hashes are stored in *tiles* of 256 (https://c2sp.org/tlog-tiles): tile
(height h, number i) contains the roots of the complete subtrees of 256^h leaves, from subtree 256·i on, 32
bytes each. A full tile never changes and a partial one only grows, so tiles beyond the size of a tree do not
affect it. Roots and proofs read O(log n) tiles; appending m leaves writes O(m/256 + log n).

Pure: a function reads the tiles. Checking a proof needs no tiles.
"""

import hashlib
from collections.abc import Callable, Sequence

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256().digest()
_HEIGHT = 8
_WIDTH = 1 << _HEIGHT  # number of hashes in a full tile

TileKey = tuple[int, int]
"""Height and number of a tile."""

ReadTile = Callable[[int, int], bytes]
"""Returns the hashes of a tile by its height and number, perhaps including hashes of a later tree."""


def leaf_hash(leaf: bytes) -> bytes:
    """Return SHA-256(0x00 ‖ leaf)."""
    return hashlib.sha256(b"\0" + leaf).digest()


def node_hash(left_hash: bytes, right: bytes) -> bytes:
    """Return SHA-256(0x01 ‖ left ‖ right)."""
    return hashlib.sha256(b"\1" + left_hash + right).digest()


def changed_tiles(size: int, hashes: Sequence[bytes], tile: ReadTile) -> dict[TileKey, bytes]:
    """Return the tiles that change when leaves are appended.

    Args:
        size: number of leaves before.
        hashes: hashes of the new leaves, in order.
        tile: reads the tiles of the tree before.
    """
    changed: dict[TileKey, bytes] = {}
    height, start, pending = 0, size, list(hashes)
    while pending:
        full = []
        number, offset = divmod(start, _WIDTH)
        taken = 0
        while taken < len(pending):
            added = pending[taken : taken + _WIDTH - offset]
            stored = tile(height, number)[: offset * HASH_BYTES] if offset else b""
            changed[height, number] = stored + b"".join(added)
            if offset + len(added) == _WIDTH:
                full.append(_fold_hashes(changed[height, number]))
            taken, number, offset = taken + len(added), number + 1, 0
        height, start, pending = height + 1, start >> _HEIGHT, full
    return changed


def _fold_hashes(hashes: bytes) -> bytes:
    """Return the root over adjacent hashes, whose number is a power of two."""
    row = [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]
    while len(row) > 1:
        row = [node_hash(row[at], row[at + 1]) for at in range(0, len(row), 2)]
    return row[0]


def _subtree_root(level: int, number: int, tile: ReadTile) -> bytes:
    """Return the root of the complete subtree of 2^level leaves from leaf number·2^level on."""
    height, rest = divmod(level, _HEIGHT)
    tile_number, first = divmod(number << rest, _WIDTH)
    start = first * HASH_BYTES
    return _fold_hashes(tile(height, tile_number)[start : start + (HASH_BYTES << rest)])


def _range_root(start: int, end: int, tile: ReadTile) -> bytes:
    """Return the root over leaves start … end - 1 as RFC 6962 divides them: MTH(D[start:end])."""
    count = end - start
    if count & (count - 1) == 0:
        level = count.bit_length() - 1
        return _subtree_root(level, start >> level, tile)
    middle = start + _split_point(count)
    return node_hash(_range_root(start, middle, tile), _range_root(middle, end, tile))


def _split_point(count: int) -> int:
    """Return the largest power of two below a count."""
    return 1 << ((count - 1).bit_length() - 1)


def root(size: int, tile: ReadTile) -> bytes:
    """Return the root of a tree of ``size`` leaves: MTH(D_n)."""
    return _range_root(0, size, tile) if size else EMPTY_ROOT


def inclusion_proof(index: int, size: int, tile: ReadTile) -> list[bytes]:
    """Return the path from a leaf up to the root: PATH(index, D_size).

    Args:
        index: index of the leaf, below ``size``.
        size: number of leaves.
        tile: reads the tiles.
    """
    path, start, end = [], 0, size
    while end - start > 1:
        middle = start + _split_point(end - start)
        if index < middle:
            path.append(_range_root(middle, end, tile))
            end = middle
        else:
            path.append(_range_root(start, middle, tile))
            start = middle
    return path[::-1]


def is_included(leaf: bytes, index: int, size: int, proof: Sequence[bytes], tree_root: bytes) -> bool:
    """Return whether a proof connects the hash of a leaf with a root (RFC 9162, section 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    at, last, result = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            result = node_hash(sibling, result)
            while at & 1 == 0 and at:
                at, last = at >> 1, last >> 1
        else:
            result = node_hash(result, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and result == tree_root


class Accumulator:
    """Computes the root over a sequence of leaves, with O(log n) hashes in memory."""

    def __init__(self) -> None:
        self.size = 0
        # (number of leaves, root) of each subtree, the largest first
        self._subtrees: list[tuple[int, bytes]] = []

    def add(self, hashed: bytes) -> None:
        """Add the hash of the next leaf."""
        count = 1
        while self._subtrees and self._subtrees[-1][0] == count:
            hashed = node_hash(self._subtrees.pop()[1], hashed)
            count *= 2
        self._subtrees.append((count, hashed))
        self.size += 1

    def root(self) -> bytes:
        """Return the root over the leaves so far."""
        if not self._subtrees:
            return EMPTY_ROOT
        result = self._subtrees[-1][1]
        for _, subtree in reversed(self._subtrees[:-1]):
            result = node_hash(subtree, result)
        return result
