"""The Merkle tree, held to the test vectors of RFC 6962's reference implementation and to its definition."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.evidence.merkle import (
    EMPTY_ROOT,
    Accumulator,
    changed_tiles,
    inclusion_proof,
    is_included,
    leaf_hash,
    node_hash,
    root,
)

# Leaves and roots of the reference implementation of certificate transparency (merkle_tree_test.cc).
LEAVES = [
    bytes.fromhex(leaf)
    for leaf in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
PATHS = {  # (index, size) → path
    (0, 1): [],
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 3): ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
    (1, 5): [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}


def tree(hashes, parts=()):
    """The tiles of a tree whose leaves come in parts that end at some sizes."""
    tiles = {}
    start = 0

    def tile(height, number):
        return tiles[height, number]

    for end in (*sorted(parts), len(hashes)):
        tiles.update(changed_tiles(start, hashes[start:end], tile))
        start = end
    return tile


def definition(hashes):
    """MTH as RFC 6962 defines it."""
    if not hashes:
        return hashlib.sha256().digest()
    if len(hashes) == 1:
        return hashes[0]
    middle = 1
    while middle * 2 < len(hashes):
        middle *= 2
    return node_hash(definition(hashes[:middle]), definition(hashes[middle:]))


def test_roots_equal_the_reference_implementation():
    assert root(0, tree([])) == EMPTY_ROOT == hashlib.sha256().digest()
    for size, expected in enumerate(ROOTS, 1):
        assert root(size, tree([leaf_hash(leaf) for leaf in LEAVES])).hex() == expected


@pytest.mark.parametrize(("leaf_and_size", "expected"), PATHS.items())
def test_paths_equal_the_reference_implementation(leaf_and_size, expected):
    index, size = leaf_and_size
    tiles = tree([leaf_hash(leaf) for leaf in LEAVES])
    path = inclusion_proof(index, size, tiles)
    assert [node.hex() for node in path] == expected
    assert is_included(leaf_hash(LEAVES[index]), index, size, path, bytes.fromhex(ROOTS[size - 1]))


HASHES = [leaf_hash(str(number).encode()) for number in range(66_000)]


@given(st.integers(1, 1200), st.data())
def test_roots_and_proofs_of_any_tree_hold_only_for_that_tree(size, data):
    index = data.draw(st.integers(0, size - 1))
    before = data.draw(st.integers(1, size))
    parts = data.draw(st.sets(st.integers(0, size), max_size=4))
    hashes = HASHES[:size]
    tiles = tree(hashes, parts)
    whole = definition(hashes)
    assert root(size, tiles) == whole
    path = inclusion_proof(index, size, tiles)
    assert is_included(hashes[index], index, size, path, whole)
    assert not is_included(HASHES[size], index, size, path, whole)
    assert not is_included(hashes[index], size, size, path, whole)
    assert not is_included(hashes[index], index, size, [*path, whole], whole)
    if size > 1:
        other = index - 1 if index else 1
        assert not is_included(hashes[index], other, size, path, whole)
        assert not is_included(hashes[index], index, size, path[:-1], whole)
    assert root(before, tiles) == definition(hashes[:before])  # by which an earlier root is checked


def test_tree_of_three_levels_of_tiles_reads_few_of_them():
    size = len(HASHES)
    tiles = tree(HASHES, [7, 256, 257, 65_535, 65_536])
    read = set()

    def counted(height, number):
        read.add((height, number))
        return tiles(height, number)

    accumulator = Accumulator()
    for hashed in HASHES:
        accumulator.add(hashed)
    assert root(size, counted) == accumulator.root()
    path = inclusion_proof(12_345, size, counted)
    assert is_included(HASHES[12_345], 12_345, size, path, accumulator.root())
    assert len(read) <= 8
