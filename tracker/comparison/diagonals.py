"""Selection of passages by the hits of a page: arrays of hits in, passage ids out.

A hit means that a window of the page and a window of a passage look alike. Copies put many hits on one
diagonal (passage position − page position); chance scatters them. A passage is selected if two hits agree on
a diagonal within ``BAND`` letters and together cover ``MIN_REACH`` letters of the page. Three distinct
shingles of the page anywhere in the passage also suffice: shuffled sentences and many insertions leave these.

Complexity: O(h log h) for h hits.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from fingerprint.fingerprints import Fingerprints
from storage.index.interface import Hits

BAND = 32  # letters: inserted and deleted characters shift a diagonal by a few letters
MIN_ON_DIAGONAL = 2
MIN_REACH = 12  # letters: a phrase of nine letters already has three shingles of seven
MIN_SHINGLES = 3
# per this many letters of a page, one more shingle agrees with a passage by chance
LETTERS_A_SHINGLE = 10_000
MAX_LONE = 4  # maximum number of passages that are aligned because of a single window

Ints = npt.NDArray[np.int64]

_BAND_BITS = 28  # the 32 bits above contain the passage id
_LOWEST_BAND = -(1 << (_BAND_BITS - 1))
_NONE: Ints = np.empty(0, dtype=np.int64)


def places_of(prints: Fingerprints, hits: Hits, size: int) -> Ints:
    """Return passage, page position, diagonal and end on the page of each hit: shape (4, n).

    Args:
        prints: the fingerprints that were looked up.
        hits: the answer of the index.
        size: letters of a window.
    """
    page = prints.positions[hits.queries].astype(np.int64)
    diagonals = hits.positions.astype(np.int64) - page
    return np.stack([hits.passages.astype(np.int64), page, diagonals, page + size])


def in_repeated_passages(passages: Ints) -> npt.NDArray[np.bool_]:
    """Return which hits are in passages with several hits. Most chance hits are alone in their passage."""
    ordered = np.sort(passages)
    return np.isin(passages, ordered[1:][ordered[1:] == ordered[:-1]])


def on_diagonals(places: Ints) -> Ints:
    """Return the passages with enough hits on one diagonal.

    There are two sets of bands, half a band apart, so two near diagonals share a band in one of the sets.
    """
    passages, pages, diagonals, ends = places
    strong = []
    for shift in (0, BAND // 2):
        bands = (diagonals + shift) // BAND - _LOWEST_BAND
        groups, counts, reach = _by_group((passages << _BAND_BITS) + bands, pages, ends)
        strong.append(groups[(counts >= MIN_ON_DIAGONAL) & (reach >= MIN_REACH)] >> _BAND_BITS)
    return np.unique(np.concatenate(strong))


def with_shingles(places: Ints, letters: int) -> Ints:
    """Return the passages that contain enough distinct shingles of the page, in proportion to its letters."""
    several = places[:, in_repeated_passages(places[0])]
    passages, counts, reach = _by_group(several[0], several[1], several[3])
    return passages[(counts >= MIN_SHINGLES + letters // LETTERS_A_SHINGLE) & (reach >= MIN_REACH)]


def rare_window_passages(answers: Iterable[Hits], strong: Ints) -> Ints:
    """Return the passages with the rarest single windows, except passages that are selected anyway."""
    passages = np.concatenate([hits.passages for hits in answers]).astype(np.int64)
    rarity = np.concatenate([np.bincount(hits.queries)[hits.queries] for hits in answers])
    ordered = passages[np.lexsort((passages, rarity))]
    _, first = np.unique(ordered, return_index=True)
    distinct = ordered[np.sort(first)]
    return distinct[~np.isin(distinct, strong)][:MAX_LONE]


def _by_group(groups: Ints, pages: Ints, ends: Ints) -> tuple[Ints, Ints, Ints]:
    """Return each group of hits once, with its number of page positions and the letters it covers."""
    if len(groups) == 0:
        return _NONE, _NONE, _NONE
    order = np.lexsort((pages, groups))
    groups, pages, ends = groups[order], pages[order], ends[order]
    new_group = np.ones(len(groups), dtype=bool)
    new_group[1:] = np.diff(groups) != 0
    new_place = new_group.copy()
    new_place[1:] |= np.diff(pages) != 0
    starts = np.flatnonzero(new_group)
    counts = np.add.reduceat(new_place.astype(np.int64), starts)
    return groups[starts], counts, np.maximum.reduceat(ends, starts) - pages[starts]
