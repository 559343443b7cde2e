"""Homophones: whether they disguise a stretch, and which pairs to show.

A homophone is another character of the same or a near syllable. Ordinary edits produce some homophones by
chance. If an edit replaces a character by a random one of real text, the two are homophones with probability
``CHANCE``. So homophones disguise a stretch only if they are a share of its columns, and if the *different*
pairs that sound alike number at least ``_MIN_PAIRS`` and exceed chance by three standard deviations of a
binomial. A name that was changed a hundred times is one change.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.text.letters import code_points
from fingerprint.text.syllables import Readings, format_reading, readings_of_points
from storage.records import Homophone, HomophoneKind
from tracker.alignment.columns import Columns
from tracker.alignment.degrees import Degree, alike_in_sound
from tracker.alignment.text import ComparedText

CHANCE = 0.033
_DEVIATIONS = 3
_MIN_PAIRS = 3  # different pairs: two pairs may be typing errors
MAX_SHOWN = 20  # pairs of a match

Places = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]

_KINDS: dict[Degree, HomophoneKind] = {
    Degree.SAME_TONE: "same-tone",
    Degree.SYLLABLE: "other-tone",
    Degree.NEAR: "near",
}


class PairOfSounds(NamedTuple):
    """The readings of two characters (on the page, in the passage), and their degree of agreement."""

    syllable: str
    original: str
    degree: Degree


def are_disguise(page: ComparedText, passage: ComparedText, columns: Columns, considered: _Bools) -> bool:
    """Return whether more of the pairs of different characters sound alike than chance explains.

    Args:
        page: the page.
        passage: the passage.
        columns: of a stretch.
        considered: shape (n,): which columns count; those of Latin letters do not.
    """
    put = considered & (columns.page >= 0) & (columns.passage >= 0) & ~columns.character
    pairs = _pair_keys(page.raw[columns.page[put]], passage.raw[columns.passage[put]])
    _, first = np.unique(pairs, return_index=True)
    alike = int(columns.homophone[put][first].sum())
    expected = CHANCE * len(first)
    return alike >= _MIN_PAIRS and alike > expected + _DEVIATIONS * (expected * (1 - CHANCE)) ** 0.5


def no_places() -> Places:
    """Return an empty array of homophone positions: shape (0, 2)."""
    return np.zeros((0, 2), dtype=np.int64)


def places_of(page: ComparedText, passage: ComparedText, columns: Columns) -> Places:
    """Return the character offsets of a stretch's homophones in both texts: shape (k, 2)."""
    chosen = np.flatnonzero(columns.homophone)
    chosen = chosen[~page.latin[columns.page[chosen]] & ~passage.latin[columns.passage[chosen]]]
    ours = page.letters.offsets[columns.page[chosen]]
    theirs = passage.letters.offsets[columns.passage[chosen]]
    return np.stack([ours, theirs], axis=1).astype(np.int64)


def shown_homophones(places: Places, page: str, passage: str) -> tuple[Homophone, ...]:
    """Return the pairs of characters that occur most, in the page's order, each with its syllables.

    Args:
        places: shape (k, 2): offsets into both texts, of homophones.
        page: the page's text.
        passage: the passage's text.
    """
    if len(places) == 0:
        return ()
    places = places[np.argsort(places[:, 0], kind="stable")]
    pairs = _pair_keys(code_points(page)[places[:, 0]], code_points(passage)[places[:, 1]])
    _, first, times = np.unique(pairs, return_index=True, return_counts=True)
    often = np.lexsort((first, -times))[:MAX_SHOWN]
    return tuple(
        _homophone(page, passage, *places[first[pair]].tolist(), times=int(times[pair]))
        for pair in sorted(often.tolist(), key=lambda pair: int(first[pair]))
    )


def _homophone(page: str, passage: str, ours: int, theirs: int, *, times: int) -> Homophone:
    sounds = pair_in_context(page[ours], passage, theirs)
    return Homophone(
        page=ours,
        passage=theirs,
        character=page[ours],
        original=passage[theirs],
        syllable=sounds.syllable,
        original_syllable=sounds.original,
        kind=_KINDS[sounds.degree],
        times=times,
    )


def pair_in_context(character: str, passage: str, position: int) -> PairOfSounds:
    """Return the readings of two characters.

    The passage's reading follows its sentence if that agrees
    better.

    Args:
        character: the page's.
        passage: the passage's text.
        position: offset of the other character in it.
    """
    from tracker.alignment.context import reading_in_context  # noqa: PLC0415 - it takes time and memory

    return read_pair(character, passage[position], in_context=reading_in_context(passage, position))


@lru_cache(maxsize=4096)
def read_pair(character: str, original: str, *, in_context: int = 0) -> PairOfSounds:
    """Return the readings of two characters that agree most.

    Args:
        character: the page's.
        original: the passage's.
        in_context: reading of the passage's character in its sentence, 0 if unknown. It is preferred where it
            agrees with a reading of the other character.
    """
    ours, theirs = readings_of_points(code_points(character + original))
    context = np.array([in_context], dtype=np.uint16)
    sounds = _most_alike(ours, context)
    return sounds if sounds.degree > Degree.OTHER else _most_alike(ours, theirs)


def _most_alike(ours: Readings, theirs: Readings) -> PairOfSounds:
    """Return the two readings that agree most; of equally good pairs, the most common one."""
    every, other = np.repeat(ours, len(theirs)), np.tile(theirs, len(ours))
    degree = alike_in_sound(every[:, np.newaxis], other[:, np.newaxis])
    best = int(degree.argmax())
    return PairOfSounds(
        format_reading(int(every[best])), format_reading(int(other[best])), Degree(int(degree[best]))
    )


def _pair_keys(ours: npt.NDArray[np.uint32], theirs: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint64]:
    return ours.astype(np.uint64) << np.uint64(32) | theirs
