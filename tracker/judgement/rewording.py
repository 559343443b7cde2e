"""Retellings: the page has the content of a passage in other words. Pure.

Names, figures and short phrases agree between a text and its retelling or another translation of it, so
alignment finds long stretches of low identity there. A copy with edits has such stretches too. What differs
is how the other words of the page read: a person's sentences are natural, random edits are not.
:func:`fingerprint.information.context_gains` measures this, in modern and classical text alike.

Not every difference is another word. These leave a copy a copy:

* characters that sound alike, or are variants of each other (they agree);
* words in another order nearby;
* words that are only left out, or only added;
* words that are replaced one by one, each by one of the same length;
* syllables instead of characters.

Complexity: O(n log n) in NumPy for n characters of the stretches, only where many characters differ.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from fingerprint.information import Bits, context_gains
from fingerprint.text.disguises import PINYIN
from fingerprint.text.letters import Offsets, code_points, to_letters
from fingerprint.text.variants import fold_points
from storage.records import union_length
from tracker.alignment.align import Aligned

VERBATIM_LETTERS = 40  # minimum letters of a verbatim part of a retelling; names are shorter
VERBATIM_IDENTITY = 0.9  # minimum share of agreeing letters in a verbatim part
MIN_OTHER = 0.08  # minimum share of differing letters in each text; with fewer, no words are replaced
MAX_MOVED = 0.5  # maximum share of differing letters that the other text has nearby
MAX_REPLACED = 0.6  # maximum share of differing letters in runs that replace runs of the same length
RANDOM_GAIN = -0.65  # bits; the mean gain of random edits is below it in 95 of 100 texts, −0.9 on average
SURE = 2.5  # standard errors between a mean gain and this bound

_NEAR = 6  # number of neighbouring runs between which letters may move

_Ints = npt.NDArray[np.int64]
_Extents = Sequence[tuple[int, int]]  # first and last agreeing letter of each verbatim part


@dataclass(frozen=True, slots=True)
class Differences:
    """The differences between the stretches of a page and of a passage.

    Attributes:
        identity: share of the columns with the same characters or sounds.
        verbatim_chars: characters that are taken word for word; all, unless it is a retelling.
        is_retelling: the words differ, and the page's words read naturally.
        is_random: the page's differing characters do not read naturally.
    """

    identity: float
    verbatim_chars: int
    is_retelling: bool = False
    is_random: bool = False


@dataclass(frozen=True)
class _Runs:
    """The letters of a stretch that differ, by the run between two agreeing letters that contains them.

    Attributes:
        page, passage: offsets of agreeing letters in both texts, shape (m,).
        ours, theirs: offsets of differing letters, shapes (p,) and (q,).
        in_ours, in_theirs: number of their run, 0 to m.
    """

    page: Offsets
    passage: Offsets
    ours: Offsets
    theirs: Offsets

    @cached_property
    def in_ours(self) -> _Ints:
        return np.searchsorted(self.page, self.ours)

    @cached_property
    def in_theirs(self) -> _Ints:
        return np.searchsorted(self.passage, self.theirs)

    @cached_property
    def lengths(self) -> tuple[_Ints, _Ints]:
        """Letters of each run in both texts: shapes (m + 1,)."""
        size = len(self.page) + 1
        return np.bincount(self.in_ours, minlength=size), np.bincount(self.in_theirs, minlength=size)


def differences(page: str, passage: str, stretches: Sequence[Aligned], *, below: float) -> Differences | None:
    """Return how a passage's stretches differ from the page; None if too few characters differ.

    Args:
        page: the page in reading order.
        passage: the passage.
        stretches: their alignment.
        below: stretches with at least this share of agreeing columns are copies.
    """
    columns = sum(aligned.columns for aligned in stretches)
    identity = sum(aligned.same_sound for aligned in stretches) / columns
    if identity >= below or any(PINYIN in aligned.span.disguises for aligned in stretches):
        return None
    page_letters, passage_letters = _letter_offsets(page), to_letters(passage).offsets
    runs = [_runs(aligned, page_letters, passage_letters) for aligned in stretches]
    gains = np.concatenate([_touched_gains(stretch, context_gains(page)) for stretch in runs])
    if len(gains) < 2:  # noqa: PLR2004 - a standard error needs two
        return None
    mean, error = float(gains.mean()), max(float(gains.std()), 0.5) / len(gains) ** 0.5
    is_natural = mean - SURE * error > RANDOM_GAIN
    verbatim = [list(_agreeing_extents(stretch)) for stretch in runs]
    return Differences(
        identity=identity,
        verbatim_chars=min(_covered(runs, verbatim, side) for side in ("page", "passage")),
        is_retelling=is_natural and _are_other_words(runs, verbatim, page, passage),
        is_random=mean + SURE * error < RANDOM_GAIN / 2,
    )


def _runs(aligned: Aligned, page_letters: Offsets, passage_letters: Offsets) -> _Runs:
    span = aligned.span
    ours = _within(page_letters, span.page_start, span.page_end)
    theirs = _within(passage_letters, span.passage_start, span.passage_end)
    page, passage = aligned.page_agreeing, aligned.agreeing
    is_inside = (page >= span.page_start) & (page < span.page_end)
    is_inside &= (passage >= span.passage_start) & (passage < span.passage_end)
    page, passage = page[is_inside], passage[is_inside]
    return _Runs(
        page,
        passage,
        np.setdiff1d(ours, page).astype(np.int32),
        np.setdiff1d(theirs, passage).astype(np.int32),
    )


@lru_cache(maxsize=2)  # one page is judged against many passages
def _letter_offsets(page: str) -> Offsets:
    return to_letters(page).offsets


def _within(offsets: Offsets, start: int, end: int) -> Offsets:
    return offsets[np.searchsorted(offsets, start) : np.searchsorted(offsets, end)]


def _touched_gains(runs: _Runs, gains: Bits) -> Bits:
    """Return the gains of the page's differing letters, and of the first letter behind each difference."""
    differs = np.logical_or(*(lengths > 0 for lengths in runs.lengths))
    touched: Bits = gains[np.concatenate([runs.ours, runs.page[differs[:-1]]])]
    return touched


def _are_other_words(runs: Sequence[_Runs], verbatim: Sequence[_Extents], page: str, passage: str) -> bool:
    """Return whether words of the passage are replaced, neither moved nor each by one of its length."""
    agreeing = sum(len(stretch.page) for stretch in runs) - sum(
        last - first + 1 for extents in verbatim for first, last in extents
    )
    ours, theirs = sum(len(stretch.ours) for stretch in runs), sum(len(stretch.theirs) for stretch in runs)
    if min(ours / (ours + agreeing), theirs / (theirs + agreeing)) < MIN_OTHER:
        return False
    replaced = sum(
        int(ours_in[ours_in == theirs_in].sum())
        for ours_in, theirs_in in (stretch.lengths for stretch in runs)
    )
    moved = sum(_moved(stretch, page, passage) for stretch in runs)
    return replaced < MAX_REPLACED * ours and moved < MAX_MOVED * ours


def _moved(runs: _Runs, page: str, passage: str) -> int:
    """Return how many of the page's differing letters are among the passage's differing letters nearby."""
    ours, theirs = fold_points(code_points(page)[runs.ours]), fold_points(code_points(passage)[runs.theirs])
    unused, moved = Counter[tuple[int, int]](), 0
    for letter, run in zip(theirs.tolist(), runs.in_theirs.tolist(), strict=True):
        unused[letter, run] += 1
    for letter, run in zip(ours.tolist(), runs.in_ours.tolist(), strict=True):
        near = next((other for other in range(run - _NEAR, run + _NEAR + 1) if unused[letter, other]), None)
        if near is not None:
            unused[letter, near] -= 1
            moved += 1
    return moved


def _agreeing_extents(runs: _Runs) -> Iterator[tuple[int, int]]:
    """Yield the first and the last agreeing letter of each extent with enough of them (X-drop)."""
    differing = np.maximum(*runs.lengths)[1:-1]
    first = best_last = 0
    score = best = 1 - VERBATIM_IDENTITY
    for number, gap in enumerate([*differing.tolist(), None], start=1):
        score = -1.0 if gap is None else score - VERBATIM_IDENTITY * gap
        if score <= 0:
            if best_last - first + 1 >= VERBATIM_LETTERS:
                yield first, best_last
            first = best_last = number
            score = best = 1 - VERBATIM_IDENTITY
            continue
        score += 1 - VERBATIM_IDENTITY
        if score > best:
            best, best_last = score, number


def _covered(runs: Sequence[_Runs], verbatim: Sequence[_Extents], side: Literal["page", "passage"]) -> int:
    """Return how many characters of one text are taken word for word."""
    return union_length(
        (int(getattr(stretch, side)[first]), int(getattr(stretch, side)[last]) + 1)
        for stretch, extents in zip(runs, verbatim, strict=True)
        for first, last in extents
    )
