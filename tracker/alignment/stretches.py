"""Selection of the stretches of an alignment that are significant, and resolution of their overlaps.

Overlap rule: the stretches of one passage are disjoint on the page. The better stretch, by agreeing letters
and characters, keeps the overlap; the free pieces of the other stay. Stretches are disjoint in the passage
too, unless the page repeats that text: at least ``MIN_SHORT_SPAN`` letters, most of which agree in both
stretches, ``MIN_TINY_SPAN`` of them in a row. Other overlaps agree by chance and stay with the better one.

Complexity: O(n log n) in the stretches and O(columns) in each.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from fingerprint.shingle import packed_shingles
from tracker.alignment.columns import Columns
from tracker.alignment.flags import runs_of
from tracker.alignment.seeds import SEED
from tracker.alignment.text import ComparedText

MIN_SPAN = 20  # letters: a shorter stretch counts only together with many others of the same passage
MIN_SHORT_SPAN = 10
MIN_SHORT_TOTAL = 100  # minimum sum of letters for short stretches of a passage to count
MIN_DISTINCT_SEEDS = 45  # minimum number of different seeds in them; a repeated slogan has fewer
MIN_TINY_SPAN = 6  # minimum letters of an unchanged sentence
MIN_TINY_TOTAL = 400  # minimum sum of letters for such sentences of a passage to count
MIN_TINY_CHARS = 0.99
MIN_SCORES = 0.6  # minimum share of columns that score
MIN_SOUND = 0.5  # minimum sound identity; other works' stretches with few equal characters reach at most 0.4
MIN_CHARS = 0.5
_MOSTLY = 0.5  # minimum share of a stretch that counts as most of it
_MIN_HOMOPHONES = 3  # minimum number of homophones between equal characters; fewer occur by chance
_MIN_HOMOPHONE_SHARE = 0.02  # minimum share of homophones there; a lower share occurs by chance

_HELD, _AGREES = 1, 2  # flags: a letter of the passage is within a stretch; it also agrees there

_Bools = npt.NDArray[np.bool_]


def is_alike(columns: Columns) -> bool:
    """Return whether a stretch is long enough and similar enough to consider further."""
    if len(columns) < MIN_TINY_SPAN:
        return False
    if columns.character.mean() >= MIN_CHARS:
        return True
    # Far from every seed, letters agree by chance in long stretches; characters do not.
    return bool(columns.sound.mean() >= MIN_SOUND) and _has_run(columns.scores, SEED)


def _has_run(flags: _Bools, letters: int) -> bool:
    return any(end - start >= letters for start, end in runs_of(flags))


def trim(columns: Columns) -> Columns:
    """Remove columns at both ends that agree only in their initial, or only in sound.

    Homophones are kept where characters were swapped: between the first and the last equal character, or
    where there are hardly any equal characters. A text in pinyin has only a few equal Latin letters.
    """
    equal = np.flatnonzero(columns.character)
    if len(equal) == 0:
        return columns
    inner = columns.part(slice(int(equal[0]), int(equal[-1]) + 1))
    homophones = int(inner.homophone.sum())
    swapped = homophones >= _MIN_HOMOPHONES and homophones > _MIN_HOMOPHONE_SHARE * len(inner)
    if not swapped and columns.homophone.mean() <= _MOSTLY:
        return inner
    alike = np.flatnonzero(columns.sound)
    return columns.part(slice(int(alike[0]), int(alike[-1]) + 1))


def may_count(stretches: Sequence[Columns]) -> bool:
    """Return whether overlapping stretches may be significant; if not, making them disjoint is pointless.

    At least half the columns of a stretch have a letter of the page, and disjoint stretches share none.
    """
    if max(map(len, stretches), default=0) >= MIN_SPAN:
        return True
    long_stretches = [columns.page_letters for columns in stretches if len(columns) >= MIN_SHORT_SPAN]
    letters = np.zeros(max((end for _, end in long_stretches), default=0), dtype=bool)
    for position in long_stretches:
        letters[slice(*position)] = True
    return int(letters.sum()) >= MIN_SHORT_TOTAL * MIN_CHARS


def disjoint(stretches: Iterable[Columns]) -> list[Columns]:
    """Return the best alignment of each stretch of the page, the best first, by the module's overlap rule.

    A stretch that better ones mostly cover is dropped. Of equally good stretches, the first one in the
    passage is kept, because repeated text was copied once.
    """
    ranked = sorted(
        stretches,
        key=lambda columns: (-int(columns.scores.sum() + columns.character.sum()), columns.passage_letters),
    )
    taken = np.zeros(max((columns.page_letters[1] for columns in ranked), default=0), dtype=bool)
    held = np.zeros(max((columns.passage_letters[1] for columns in ranked), default=0), dtype=np.uint8)
    kept = []
    for columns in ranked:
        on_page = taken[columns.page] & (columns.page >= 0)
        if int((columns.scores & ~on_page).sum()) * 2 < len(columns) * MIN_SCORES:
            continue
        for piece in free_parts(columns, on_page, min_letters=MIN_TINY_SPAN):
            for free_piece in _free_in_passage(piece, held):
                taken[slice(*free_piece.page_letters)] = True
                held[slice(*free_piece.passage_letters)] |= _HELD
                held[free_piece.passage[free_piece.scores & (free_piece.passage >= 0)]] |= _AGREES
                kept.append(free_piece)
    return kept


def _free_in_passage(columns: Columns, held: npt.NDArray[np.uint8]) -> Iterator[Columns]:
    """Yield the pieces outside better stretches of the passage; all columns if the page repeats this text."""
    overlap = np.where(columns.passage >= 0, held[columns.passage], 0)
    agreeing = columns.scores & (overlap & _AGREES > 0)
    is_most = int(agreeing.sum()) >= max(MIN_SHORT_SPAN, MIN_SCORES * int((overlap > 0).sum()))
    again = is_most and _has_run(agreeing, MIN_TINY_SPAN)
    blocked = np.zeros(len(columns), dtype=bool) if again else overlap > 0
    yield from free_parts(columns, blocked, min_letters=MIN_TINY_SPAN)


def free_parts(columns: Columns, blocked: _Bools, *, min_letters: int) -> Iterator[Columns]:
    """Yield the long and similar enough pieces between blocked columns; all columns if none is blocked.

    Args:
        columns: a stretch; it begins and ends with agreeing columns.
        blocked: shape (n,): columns that belong to another stretch.
        min_letters: fewest columns of a piece.
    """
    if not blocked.any():
        yield columns
        return
    for start, end in runs_of(~blocked):
        agreeing = np.flatnonzero(columns.scores[start:end]) + start
        if len(agreeing) >= min_letters * MIN_SCORES:
            piece = trim(columns.part(slice(int(agreeing[0]), int(agreeing[-1]) + 1)))
            if len(piece) >= min_letters and is_alike(piece):
                yield piece


def significant(page: ComparedText, stretches: Sequence[Columns]) -> list[Columns]:
    """Drop stretches that are too short to be significant, alone or together."""
    if not stretches:
        return []
    long_stretches = [columns for columns in stretches if len(columns) >= MIN_SHORT_SPAN]
    total = sum(map(len, long_stretches))
    seeds = [packed_shingles(page.codes[slice(*columns.page_letters)], SEED) for columns in long_stretches]
    many = total >= MIN_SHORT_TOTAL and len(np.unique(np.concatenate(seeds))) >= MIN_DISTINCT_SEEDS

    def counts(columns: Columns) -> bool:
        if len(columns) >= MIN_SPAN:
            return True
        alike = columns.character.mean()
        if len(columns) >= MIN_SHORT_SPAN:
            return many and bool(alike >= MIN_CHARS)
        return many and total >= MIN_TINY_TOTAL and bool(alike >= MIN_TINY_CHARS)

    return [columns for columns in stretches if counts(columns)]
