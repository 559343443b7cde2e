"""Latin letters that replace Han characters: syllables as in “ta的shou”, initials as in “zf”, whole texts.

A run of Latin letters next to a Han character is read as pinyin syllables, each worth its first letter. If
that fails, a run of up to ``MAX_INITIALS`` letters is read as initials. Runs that touch no Han character are
read only in pinyin text: nearly all letters around them are syllables, and there are enough of these. Tone
marks, also combining ones, and full-width letters count as plain letters; tone digits are skipped.

Joined syllables are split into as few as possible, which finds 99.5 % of the true borders in prose. Words of
other languages next to Han characters may be read too. Both texts are read in the same way, so such words
still match. If only one text contains such a word, it is an insertion of a few letters.

Syllables that gloss the characters next to them, as in 清qīng明míng, are not letters of the text.

Complexity: O(n).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np
import numpy.typing as npt

from fingerprint.text.han import FIRST_SUPPLEMENTARY, HAN_POINTS
from fingerprint.text.letters import Codes, Letters, code_points
from fingerprint.text.syllables import COMBINING, MARKED, SPELLINGS, plain_letters
from system.patterns import re

MAX_INITIALS = 4
MAX_RUN = 60_000  # letters: some 20,000 characters without a blank or a mark; a longer run is not read
MIN_SYLLABLES = 8  # minimum number of syllables in a row, if no Han character is next to them
MIN_READ = 0.8  # minimum share of the surrounding Latin letters that are syllables
_WINDOW = 8  # number of neighbouring runs that are checked on each side
_MAX_KNOWN = 64  # maximum letters of a run whose syllables are cached
_MIN_GLOSSES = 6
_FAR = 2
_MIN_GLOSSED = 0.5  # minimum share of syllables that gloss a Han character; by chance it is one in ten

_LETTER = rf"A-Za-zＡ-Ｚａ-ｚ{MARKED}"
_LATIN = re.compile(rf"[{_LETTER}][{_LETTER}{COMBINING}]*")
_MARK = re.compile(rf"[{COMBINING}]")
# A pattern that every syllable matches. It rejects other words at once, without backtracking.
_SHAPE = re.compile("(?:(?:[zcs]h|[b-df-hj-np-tw-z])?+[aeiouv]{1,3}+(?:ng?|r)?+)++")
_MAX_SYLLABLE = max(map(len, SPELLINGS))

_Ints = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]
_Points = npt.NDArray[np.uint32]
_Pieces = tuple[tuple[int, ...], bytes]  # the length of each piece, and the codes of the letters
_NO_PIECES: _Pieces = (), b""


def _table_of_letters() -> _Bools:
    """Return which code points are Latin letters; the last entry serves all code points beyond the table."""
    table = np.zeros(0xFF5C, dtype=bool)
    table[[point for point in range(len(table)) if _LATIN.match(chr(point))]] = True
    return table


_IS_LETTER = _table_of_letters()


@dataclass(frozen=True, slots=True, eq=False)
class LatinLetters:
    """The Latin stretches of a text that may be read as characters, in order; every array has shape (n,).

    Attributes:
        starts, ends: of each stretch in the text.
        codes: the letter values of the stretches, 1-26 for a-z.
    """

    starts: _Ints
    ends: _Ints
    codes: Codes

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """The runs of Latin letters of a text; every array has shape (n,).

    Attributes:
        points: the text's code points.
        texts: the letters of each run.
        pieces: the syllables of each run; empty if it is not made of syllables.
        counts: the number of syllables of each run.
    """

    points: _Points
    starts: _Ints
    ends: _Ints
    texts: Sequence[str]
    pieces: Sequence[_Pieces]
    counts: _Ints

    @property
    def touches(self) -> _Bools:
        """Which runs are next to a Han character."""
        before = _is_han(self.points.take(self.starts - 1)) & (self.starts > 0)
        behind = _is_han(self.points.take(self.ends, mode="clip")) & (self.ends < len(self.points))
        return np.asarray(before | behind)


def latin_count(text: str) -> int:
    """Return how many Latin letters there are in a text.

    >>> latin_count("青灯渡口"), latin_count("青deng渡k")
    (0, 5)
    """
    return sum(map(len, _LATIN.findall(text)))


def latin_letters(text: str, han: Letters) -> LatinLetters:
    """Return the Latin stretches of a text that may be read as characters.

    Args:
        text: any text.
        han: its letters, those of its Han characters.
    """
    runs = _runs(text)
    if not len(runs.starts):
        return LatinLetters(runs.starts, runs.ends, np.empty(0, dtype=np.uint8))
    is_read = (runs.touches | _is_all_pinyin(runs)) & ~_is_gloss(runs, han)
    chosen = np.flatnonzero(is_read)
    pieces = [runs.pieces[run] if runs.counts[run] else _initials(runs.texts[run]) for run in chosen.tolist()]
    lengths = np.array(
        [length for lengths_of_piece, _ in pieces for length in lengths_of_piece], dtype=np.int64
    )
    firsts = np.repeat(runs.starts[chosen], [len(lengths_of_piece) for lengths_of_piece, _ in pieces])
    return _behind_one_another(firsts, lengths, b"".join(codes for _, codes in pieces))


def _behind_one_another(firsts: _Ints, lengths: _Ints, codes: bytes) -> LatinLetters:
    """Return stretches of the given lengths; stretches of one run follow each other.

    Args:
        firsts: where the run of each begins, shape (n,).
        lengths: of each, shape (n,).
        codes: of the letters, n of them.
    """
    ends = np.cumsum(lengths)
    starts = ends - lengths
    is_first = np.diff(firsts, prepend=-1) > 0
    offsets = firsts - np.repeat(starts[is_first], np.diff(np.flatnonzero(is_first), append=len(firsts)))
    return LatinLetters(starts + offsets, ends + offsets, np.frombuffer(codes, dtype=np.uint8))


def glosses(text: str, han: Letters) -> _Ints:
    """Return the starts of the runs that gloss the characters next to them: shape (n,), ascending.

    Args:
        text: any text.
        han: the letters of its Han characters.

    >>> from fingerprint.text.letters import to_letters
    >>> text = "清(qīng)明(míng)时(shí)节(jié)雨(yǔ)纷(fēn)纷(fēn)"
    >>> glosses(text, to_letters(text)).tolist()
    [2, 9, 16, 22, 28, 33, 39]
    """
    runs = _runs(text)
    return runs.starts[_is_gloss(runs, han)]


def _runs(text: str) -> _Runs:
    points = code_points(text)
    texts, starts, ends = _spans(text, points)
    syllables = {run: _syllables(run) for run in dict.fromkeys(texts)}
    pieces = [syllables[run] for run in texts]
    counts = np.fromiter((len(codes) for _, codes in pieces), dtype=np.int64, count=len(pieces))
    return _Runs(points, starts, ends, texts, pieces, counts)


def _spans(text: str, points: _Points) -> tuple[list[str], _Ints, _Ints]:
    """Return the runs of Latin letters, with the start and end of each."""
    if _MARK.search(text):
        spans = [run.span() for run in _LATIN.finditer(text)]
        starts, ends = np.array(spans, dtype=np.int64).reshape(-1, 2).T
        return [text[start:end] for start, end in spans], starts, ends
    is_letter = np.zeros(len(points) + 2, dtype=bool)
    is_letter[1:-1] = _IS_LETTER.take(points, mode="clip")
    starts, ends = np.flatnonzero(is_letter[1:] != is_letter[:-1]).reshape(-1, 2).T
    return _LATIN.findall(text) if len(starts) else [], starts, ends


def _is_han(points: _Points) -> _Bools:
    inside = (points >= HAN_POINTS.start) & (points < HAN_POINTS.stop)
    return np.asarray(inside | (points >= ord(FIRST_SUPPLEMENTARY)))


def _syllables(run: str) -> _Pieces:
    """Return length and letter of each syllable, in the shortest split of the run; empty if there is none."""
    if len(run) > MAX_RUN:
        return _NO_PIECES
    return _known_syllables(run) if len(run) <= _MAX_KNOWN else _split(run)


@lru_cache(maxsize=4096)
def _known_syllables(run: str) -> _Pieces:
    """Return the syllables of a short run from a cache; long runs would fill the memory."""
    return _split(run)


def _split(run: str) -> _Pieces:
    letters, starts = plain_letters(run)
    if not _SHAPE.fullmatch(letters):
        return _NO_PIECES
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
        return _NO_PIECES
    pieces, end = list[tuple[int, str]](), len(letters)
    while end:
        start = end - steps[end]
        pieces.append((starts[end] - starts[start], letters[start]))
        end = start
    return _worth(reversed(pieces))


def _initials(run: str) -> _Pieces:
    return _known_initials(run) if len(run) <= MAX_INITIALS else _NO_PIECES


@lru_cache(maxsize=4096)
def _known_initials(run: str) -> _Pieces:
    """Return the initials of a short run from a cache: menus repeat their words."""
    letters, _ = plain_letters(run)
    return _worth((1, letter) for letter in letters) if len(letters) == len(run) else _NO_PIECES


def _worth(pieces: Iterable[tuple[int, str]]) -> _Pieces:
    """Return pieces as lengths and codes; empty if a letter is not a plain Latin letter."""
    lengths, letters = zip(*pieces, strict=True)
    if not all("a" <= letter <= "z" for letter in letters):
        return _NO_PIECES
    return lengths, bytes(ord(letter) - ord("a") + 1 for letter in letters)


def _is_all_pinyin(runs: _Runs) -> _Bools:
    """Return which runs are in pinyin text: many syllables in a row without Han characters between them."""
    counts = runs.counts
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


def _is_gloss(runs: _Runs, han: Letters) -> _Bools:
    """Return which runs gloss the characters before or behind them; a bracket may be between."""
    counts = runs.counts
    is_gloss = np.zeros(len(counts), dtype=bool)
    if np.count_nonzero(counts) < _MIN_GLOSSES:
        return is_gloss
    codes = han.codes.tobytes()
    places = np.concatenate([[-_FAR], han.offsets, [han.length + _FAR]])
    behind = np.searchsorted(han.offsets, runs.starts)
    for distances, firsts in (
        (runs.starts - places[behind] - 1, behind - counts),
        (places[behind + 1] - runs.ends, behind),
    ):
        near = np.flatnonzero((distances <= 1) & (counts > 0) & (firsts >= 0))
        is_glossed = np.array(
            [
                runs.pieces[run][1] == codes[first : first + count]
                for run, first, count in zip(
                    near.tolist(), firsts[near].tolist(), counts[near].tolist(), strict=True
                )
            ],
            dtype=bool,
        )
        if is_glossed.sum() >= max(_MIN_GLOSSES, _MIN_GLOSSED * len(is_glossed)):
            is_gloss[near[is_glossed]] = True
            break
    return is_gloss
