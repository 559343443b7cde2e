"""How a copy was disguised, read off the columns of its alignment."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from storage.records import Span

HOMOPHONES = "homophones"
TRADITIONAL = "traditional"
NOISE = "noise"
EDITED = "edited"
SHUFFLED = "shuffled"

_MIN_COLUMNS = 2
_MIN_SHARE = 0.02
# Random substitution leaves about one pinyin initial in fifteen as it was; deliberate homophones far more.
_MIN_HOMOPHONE_SHARE_OF_CHANGES = 0.25
_MIN_NOISE_SHARE = 0.03
_MIN_SPANS_TO_SHUFFLE = 3
_MIN_BACKWARD_SHARE = 0.2

_Bools = npt.NDArray[np.bool_]


def disguises_of(
    *, sound: _Bools, character: _Bools, raw: _Bools, stretches: tuple[str, str]
) -> tuple[str, ...]:
    """Return the disguises of one stretch.

    Args:
        sound: columns whose letters agree, shape (n,).
        character: columns whose folded characters agree.
        raw: columns whose original characters agree.
        stretches: the page's and the passage's text.
    """
    sound, character, raw = (each[_between_equals(character)] for each in (sound, character, raw))
    homophones = int((sound & ~character).sum())
    changed = int((~character).sum())
    variants = int((character & ~raw).sum())
    enough = max(_MIN_COLUMNS, _MIN_SHARE * len(sound))
    found = []
    if homophones >= enough and homophones >= _MIN_HOMOPHONE_SHARE_OF_CHANGES * changed:
        found.append(HOMOPHONES)
    if variants >= enough:
        found.append(TRADITIONAL)
    if _noise(stretches[0]) - _noise(stretches[1]) > _MIN_NOISE_SHARE * len(stretches[0]):
        found.append(NOISE)
    if changed - homophones >= enough:
        found.append(EDITED)
    return tuple(found)


def _between_equals(character: _Bools) -> slice:
    """Return the columns from the first to the last equal character, or all if none is equal.

    Beyond them an alignment runs on while letters agree by chance, which is nobody's homophone.
    """
    equal = np.flatnonzero(character)
    return slice(int(equal[0]), int(equal[-1]) + 1) if len(equal) else slice(None)


def order_disguises(spans: Sequence[Span]) -> tuple[str, ...]:
    """Return ``shuffled`` when enough of a match's spans, in page order, go back in the passage."""
    if len(spans) < _MIN_SPANS_TO_SHUFFLE:
        return ()
    starts = [span.passage_start for span in sorted(spans, key=lambda span: span.page_start)]
    backward = sum(later < earlier for earlier, later in pairwise(starts))
    return (SHUFFLED,) if backward >= max(2, _MIN_BACKWARD_SHARE * len(starts)) else ()


def _noise(text: str) -> int:
    """Count characters that are neither words nor ordinary spacing: inserted symbols and invisible ones."""
    ordinary = "，。！？、；：“”‘’（）《》—…·,.!?;:\"'()-　 \n\r\t"
    return sum(not (each.isalnum() or each in ordinary) for each in text)
