"""How a copy was disguised, read off the columns of its alignment and off the texts around them."""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from fingerprint.text.han import HAN
from storage.records import Span
from tracker.alignment.agreement import Agreement
from tracker.alignment.columns import Columns
from tracker.alignment.homophones import are_disguise
from tracker.alignment.text import ComparedText

HOMOPHONES = "homophones"
TRADITIONAL = "traditional"
PINYIN = "pinyin"
NOISE = "noise"
SLOGANS = "slogans"
EDITED = "edited"
SHUFFLED = "shuffled"

_MIN_COLUMNS = 2
_MIN_SHARE = 0.02
_MIN_NOISE_SHARE = 0.03
_MIN_SPANS_TO_SHUFFLE = 3
_MIN_BACKWARD_SHARE = 0.2
_SLOGAN_LETTERS = 5  # an insertion of this many letters within a stretch …
_SLOGAN_CHARS = (
    5,
    80,
)  # … or of so many characters between stretches that adjoin in the passage
_ADJOINING = 6

_NOISE = re.compile(
    rf"[“‘\"'「『【《（(\[<]([{HAN}])[”’\"'」』】》）)\]>]"  # one character in marks of its own
    rf"|(?<=[{HAN}])[‘’'`´](?=[{HAN}])"
    r"|[^\w\s，。！？、；：“”‘’（）《》—…·,.!?;:\"'()\[\]「」『』【】<>`´-]+|_+"
)

_Bools = npt.NDArray[np.bool_]


def disguises_of(
    page: ComparedText, passage: ComparedText, columns: Columns, offsets: tuple[int, int, int, int]
) -> tuple[str, ...]:
    """Return the disguises of one stretch.

    Args:
        page: the page.
        passage: the passage.
        columns: the stretch; it begins and ends with agreeing columns.
        offsets: its first and last + 1 character in the page and in the passage.
    """
    columns = columns.part(_between_equals(columns.character))
    latin = _latin(page, passage, columns)
    homophones = columns.homophone & ~latin
    inserted = _slogan_columns(columns)
    changed = ~columns.character & ~latin & ~inserted
    variants = columns.agreement == Agreement.VARIANT
    enough = max(_MIN_COLUMNS, _MIN_SHARE * len(columns))
    disguises = []
    if homophones.sum() >= enough and are_disguise(page, passage, columns, ~latin):
        disguises.append(HOMOPHONES)
    if variants.sum() >= enough:
        disguises.append(TRADITIONAL)
    if latin.sum() >= enough:
        disguises.append(PINYIN)
    if _is_noisy(page.text[offsets[0] : offsets[1]], passage.text[offsets[2] : offsets[3]]):
        disguises.append(NOISE)
    if inserted.any():
        disguises.append(SLOGANS)
    if changed.sum() - homophones.sum() >= enough:
        disguises.append(EDITED)
    return tuple(disguises)


def _between_equals(character: _Bools) -> slice:
    """Return the columns from the first to the last equal character, or all if none is equal.

    Beyond them letters agree by chance, and are no homophones.
    """
    equal = np.flatnonzero(character)
    return slice(int(equal[0]), int(equal[-1]) + 1) if len(equal) else slice(None)


def _latin(page: ComparedText, passage: ComparedText, columns: Columns) -> _Bools:
    """Return the columns in which Latin letters on the page stand for a character of the same sound."""
    both = (columns.page >= 0) & (columns.passage >= 0) & columns.scores
    return np.asarray(both & page.latin[columns.page] & ~passage.latin[columns.passage])


def _slogan_columns(columns: Columns) -> _Bools:
    """Return the columns of insertions that are long enough to be words of somebody else."""
    inserted = columns.passage < 0
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inserted, [False]])))
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        if end - start < _SLOGAN_LETTERS:
            inserted[start:end] = False
    return inserted


def order_disguises(spans: Sequence[Span]) -> tuple[str, ...]:
    """Return ``shuffled`` when enough of a match's spans, in page order, go back in the passage.

    And ``slogans`` when two that adjoin in the passage stand a few words apart on the page.
    """
    ordered = sorted(spans, key=lambda span: span.page_start)
    steps = list(pairwise(ordered))
    backward = sum(later.passage_start < earlier.passage_start for earlier, later in steps)
    disguises = []
    if len(ordered) >= _MIN_SPANS_TO_SHUFFLE and backward >= max(2, _MIN_BACKWARD_SHARE * len(ordered)):
        disguises.append(SHUFFLED)
    if any(_is_interrupted(earlier, later) for earlier, later in steps):
        disguises.append(SLOGANS)
    return tuple(disguises)


def _is_interrupted(earlier: Span, later: Span) -> bool:
    shortest, longest = _SLOGAN_CHARS
    between = later.page_start - earlier.page_end
    return shortest <= between <= longest and abs(later.passage_start - earlier.passage_end) <= _ADJOINING


def _is_noisy(page: str, passage: str) -> bool:
    return _noise(page) - _noise(passage) > _MIN_NOISE_SHARE * len(page)


def _noise(text: str) -> int:
    """Count characters that are no text: symbols, invisible ones, marks about single characters."""
    return sum(len(match[0]) - len(match[1] or "") for match in _NOISE.finditer(text))
