"""Queries for an index of winnowed shingles: shingles that are probably stored, and shingles with a gap.

Two ideas make a sparse index useful for a page that was edited every few letters.

*Query the shingles that may be stored.* Winnowing prefers small hashes. A hash of the value u·2⁶⁴ is kept
with the probability (1 − u)^(s − 1) · (1 + (s − 1)·u), where s is the selection. So a page queries its
winnowed hashes, and also all of its hashes below ``share`` · 2⁶⁴. This finds most stored shingles that the
page contains unchanged, even if a nearby edit makes winnowing select another shingle of the page. It needs
only a fraction ``share`` of all look-ups. (With a selection of 10, a share of 0.2 finds four fifths of them.)

*Leave one letter out.* A run of k + 1 letters without its middle letter is queried as a shingle of k letters.
It matches a stored shingle if the page has an additional letter in the middle. This is an indel seed (Mak,
Gelfand and Benson, "Indel seeds for homology search", Bioinformatics 22:e341, 2006). Only the page's shingles
have a gap, so the index does not grow. If letters are inserted at regular distances of at least ⌈k / 2⌉ + 1,
there is one such run around each inserted letter, even if no run of k letters is intact.

Guarantee: any run of ``size + selection − 1`` letters that two texts share is found, as with winnowing.

Complexity: O(k · n) in NumPy.
"""

import numpy as np

from fingerprint.fingerprints import Fingerprints
from fingerprint.mixing import Hashes, in_lowest_share, mix64
from fingerprint.shingle import BITS, MAX_SIZE, ShingleParams, packed_shingles
from fingerprint.text.letters import Codes, Letters
from fingerprint.winnow import winnow

# Factor for ``share``. Shingles with a gap find little if edits are random, and enough if they are regular.
GAPPED_SHARE = 0.25


def gapped_shingles(codes: Codes, size: int) -> Hashes:
    """Return every run of ``size`` + 1 letters without its middle letter: shape (n − size,), ``uint64``.

    Args:
        codes: shape (n,), letters 1-26.
        size: remaining letters, 2 to 12; ``size // 2`` of them are before the gap.

    Raises:
        ValueError: ``size`` is out of range.

    >>> codes = np.array([1, 2, 9, 3, 4], dtype=np.uint8)
    >>> gapped_shingles(codes, 4)[0] == packed_shingles(codes[codes < 9], 4)[0]
    np.True_
    """
    if not 2 <= size <= MAX_SIZE:  # noqa: PLR2004 - at least one letter on each side of the gap
        raise ValueError(f"size must be between 2 and {MAX_SIZE}, not {size}")
    before = size // 2
    after = size - before
    count = max(0, len(codes) - size)
    heads, tails = packed_shingles(codes, before), packed_shingles(codes, after)
    return (heads[:count] << np.uint64(BITS * after)) | tails[before + 1 : before + 1 + count]


def shingle_query(letters: Letters, params: ShingleParams, *, share: float) -> Fingerprints:
    """Return the shingles to look up for a page.

    Args:
        letters: the page's letters.
        params: parameters of the stored shingles.
        share: share of the page's shingles to query in addition to the winnowed ones, in [0, 1]. The share of
            shingles with a gap is ``GAPPED_SHARE`` times this value.

    >>> from fingerprint.text.letters import to_letters
    >>> query = shingle_query(to_letters("青灯渡口夜雨初停人声渐远"), ShingleParams(size=7), share=1)
    >>> len(query), query.positions.tolist()[-1]
    (8, 5)
    """
    whole = mix64(packed_shingles(letters.codes, params.size))
    gapped = mix64(gapped_shingles(letters.codes, params.size))
    chosen = in_lowest_share(whole, share)
    chosen[winnow(whole, params.selection)] = True
    starts = np.flatnonzero(chosen)
    gapped_starts = np.flatnonzero(in_lowest_share(gapped, share * GAPPED_SHARE))
    hashes = np.concatenate([whole[starts], gapped[gapped_starts]])
    positions = np.concatenate([starts, gapped_starts])
    order = np.argsort(positions, kind="stable")
    return Fingerprints(hashes[order], positions[order].astype(np.uint32))
