"""Latin letters that stand for Han characters: syllables as in “ta的shou”, initials as in “zf”, whole texts.

A run of Latin letters that touches a Han character is read as pinyin syllables, each worth its first letter;
a run of up to ``MAX_INITIALS`` letters that cannot be read so, as initials. Runs apart from Han characters
are read where they are pinyin by themselves: nearly all letters around them make up syllables, and there are
enough of these. Tone marks, combining ones too, and full-width letters are taken for plain ones; tone digits
are skipped.

Glued syllables are parted into the fewest that make them up, which finds 99.5 % of the true borders in prose.
Words of other languages may be read too where they touch Han characters: as both texts are read alike, they
meet themselves, and where only one has them they are an insertion of a few letters.

Syllables that stand beside the very characters that they are the readings of, as in 清qīng明míng, say how to
read these, and are no letters of the text.

Complexity: O(n).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np
import numpy.typing as npt

from fingerprint.text.han import FIRST_SUPPLEMENTARY, HAN_POINTS
from fingerprint.text.letters import code_points, to_letters
from fingerprint.text.syllables import COMBINING, MARKED, SPELLINGS, plain_letters

MAX_INITIALS = 4
MAX_RUN = 60_000  # letters: some 20,000 characters without a blank or a mark; a longer run is not read
MIN_SYLLABLES = 8  # in a row make pinyin that touches no Han character, …
MIN_READ = 0.8  # … when this share of the Latin letters around is syllables
_WINDOW = 8  # runs looked at to each side
_MAX_KNOWN = 64  # letters of a run whose syllables are kept
_MIN_GLOSSES = 6
_FAR = 2
_MIN_GLOSSED = 0.5  # share of the syllables between Han characters; by chance it is one in ten

_LATIN = re.compile(rf"[A-Za-zＡ-Ｚａ-ｚ{MARKED}][A-Za-zＡ-Ｚａ-ｚ{MARKED}{COMBINING}]*")
# What all syllables have in common, to refuse other words at once: nothing is tried twice.
_SHAPE = re.compile("(?:(?:[zcs]h|[b-df-hj-np-tw-z])?+[aeiouv]{1,3}+(?:ng?|r)?+)++")
_MAX_SYLLABLE = max(map(len, SPELLINGS))

_Ints = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]
_Points = npt.NDArray[np.uint32]
_Pieces = tuple[tuple[int, str], ...]  # length and letter of each


@dataclass(frozen=True, slots=True)
class LatinLetter:
    """One Latin stretch that may stand for a character: ``text[start:end]``, worth ``letter`` (a-z)."""

    start: int
    end: int
    letter: str


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """The runs of Latin letters of a text; every array has shape (n,).

    Attributes:
        points: the text's code points.
        pieces: of each run, its syllables; none where none make it up.
    """

    points: _Points
    starts: _Ints
    ends: _Ints
    pieces: Sequence[_Pieces]

    @property
    def touches(self) -> _Bools:
        """Which stand right before or behind a Han character."""
        is_han = np.concatenate([_is_han(self.points), [False]])  # for what is beyond either end
        return np.asarray(is_han[self.starts - 1] | is_han[self.ends])


def latin_letters(text: str) -> Iterator[LatinLetter]:
    """Yield the stretches of a text that may stand for characters, in order."""
    runs = _runs(text)
    is_read = (runs.touches | _stands_alone(runs)) & ~_is_gloss(text, runs)
    for number in np.flatnonzero(is_read).tolist():
        at, end = int(runs.starts[number]), int(runs.ends[number])
        for length, letter in runs.pieces[number] or _initials(text[at:end]):
            yield LatinLetter(at, at + length, letter)
            at += length


def glosses(text: str) -> _Ints:
    """Return where the runs begin that say how the characters beside them are read: shape (n,), ascending.

    >>> glosses("清(qīng)明(míng)时(shí)节(jié)雨(yǔ)纷(fēn)纷(fēn)").tolist()
    [2, 9, 16, 22, 28, 33, 39]
    """
    runs = _runs(text)
    return runs.starts[_is_gloss(text, runs)]


def _runs(text: str) -> _Runs:
    spans = [run.span() for run in _LATIN.finditer(text)]
    starts, ends = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    return _Runs(code_points(text), starts, ends, [_syllables(text[start:end]) for start, end in spans])


def _is_han(points: _Points) -> _Bools:
    inside = (points >= HAN_POINTS.start) & (points < HAN_POINTS.stop)
    return np.asarray(inside | (points >= ord(FIRST_SUPPLEMENTARY)))


def _syllables(run: str) -> _Pieces:
    """Return length and letter of each syllable, the fewest that make up the run; nothing if none do."""
    if len(run) > MAX_RUN:
        return ()
    return _known_syllables(run) if len(run) <= _MAX_KNOWN else _parted(run)


@lru_cache(maxsize=4096)
def _known_syllables(run: str) -> _Pieces:
    """Return the syllables of a short run, which other pages have too; long ones would fill memory."""
    return _parted(run)


def _parted(run: str) -> _Pieces:
    letters, starts = plain_letters(run)
    if not _SHAPE.fullmatch(letters):
        return ()
    fewest, steps = [0.0], [0]
    for end in range(1, len(letters) + 1):
        options = [
            (fewest[end - length] + 1, length)
            for length in range(1, min(_MAX_SYLLABLE, end) + 1)
            if letters[end - length : end] in SPELLINGS
        ]
        count, step = min(options, default=(inf, 0))
        fewest.append(count)
        steps.append(step)
    if fewest[-1] == inf:
        return ()
    pieces, end = list[tuple[int, str]](), len(letters)
    while end:
        start = end - steps[end]
        pieces.append((starts[end] - starts[start], letters[start]))
        end = start
    return tuple(reversed(pieces))


def _initials(run: str) -> _Pieces:
    letters, _ = plain_letters(run)
    short = len(letters) == len(run) <= MAX_INITIALS and letters.isascii()
    return tuple((1, letter) for letter in letters) if short else ()


def _stands_alone(runs: _Runs) -> _Bools:
    """Return which runs stand in pinyin by itself: many in a row, without Han characters between them."""
    counts = np.array([len(own) for own in runs.pieces], dtype=np.int64)
    if counts.sum() < MIN_SYLLABLES:
        return np.zeros(len(counts), dtype=bool)
    stretch = np.searchsorted(np.flatnonzero(_is_han(runs.points)), runs.starts)
    number = np.arange(len(counts))
    first = np.maximum(np.searchsorted(stretch, stretch), number - _WINDOW)
    last = np.minimum(np.searchsorted(stretch, stretch, side="right"), number + _WINDOW + 1)
    lengths = runs.ends - runs.starts
    read = _sums(np.where(counts > 0, lengths, 0), first, last)
    enough = (_sums(counts, first, last) >= MIN_SYLLABLES) & (read >= MIN_READ * _sums(lengths, first, last))
    return np.asarray(enough & (counts > 0))


def _sums(counts: _Ints, first: _Ints, last: _Ints) -> _Ints:
    sums = np.concatenate([[0], np.cumsum(counts)])
    between: _Ints = sums[last] - sums[first]
    return between


def _is_gloss(text: str, runs: _Runs) -> _Bools:
    """Return which runs say how the characters before them are read, or those behind them.

    There may be a bracket between.
    """
    is_gloss = np.zeros(len(runs.pieces), dtype=bool)
    counts = np.array([len(own) for own in runs.pieces], dtype=np.int64)
    if np.count_nonzero(counts) < _MIN_GLOSSES:
        return is_gloss
    letters = to_letters(text)
    codes = letters.codes.tobytes()
    places = np.concatenate([[-_FAR], letters.offsets, [letters.length + _FAR]])
    behind = np.searchsorted(letters.offsets, runs.starts)
    own = [bytes(ord(letter) - ord("a") + 1 for _, letter in pieces) for pieces in runs.pieces]
    for distances, firsts in (
        (runs.starts - places[behind] - 1, behind - counts),
        (places[behind + 1] - runs.ends, behind),
    ):
        near = np.flatnonzero((distances <= 1) & (counts > 0) & (firsts >= 0))
        is_glossed = np.array(
            [own[run] == codes[firsts[run] : firsts[run] + counts[run]] for run in near.tolist()], dtype=bool
        )
        if is_glossed.sum() >= max(_MIN_GLOSSES, _MIN_GLOSSED * len(is_glossed)):
            is_gloss[near[is_glossed]] = True
            break
    return is_gloss
