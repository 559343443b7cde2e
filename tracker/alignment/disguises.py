"""Disguises of a copy, detected in the columns of its alignment and in the texts around them."""

import re
from collections.abc import Sequence
from itertools import pairwise
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

from fingerprint.text.disguises import (
    EDITED,
    HOMOPHONES,
    NOISE,
    PINYIN,
    SHUFFLED,
    SLOGANS,
    TRADITIONAL,
    Disguise,
)
from fingerprint.text.han import HAN
from fingerprint.text.letters import Codes
from storage.records import Span
from tracker.alignment.bounds import AlignmentBounds
from tracker.alignment.columns import Columns
from tracker.alignment.degrees import Degree
from tracker.alignment.flags import runs_of
from tracker.alignment.homophones import are_disguise
from tracker.alignment.text import ComparedText

_MIN_COLUMNS = 2
_MIN_SHARE = 0.02
_MIN_NOISE_SHARE = 0.03
_MIN_MARKS_SHARE = 0.06  # minimum share of punctuation that is added to a text with as much of it
_MIN_SPANS_TO_SHUFFLE = 3
_MIN_BACKWARD_SHARE = 0.2
_SLOGAN_LETTERS = 5  # a slogan within a stretch: at least this many letters
_MIN_SLOGAN_CHARS = 5  # a slogan between stretches: at least this many characters
_MAX_SLOGAN_CHARS = 80  # a slogan between stretches: at most this many characters
_ADJOINING = 6

# minimum share of letters that are separated from the next letter: three times the share in prose
_MIN_APART = 0.3
_MAX_GAP_CHARS = 3
_MIN_GAPS = 6
_MIN_MOVED = 0.5  # minimum share of an insertion's character pairs that occur nearby in the passage
_NEAR = 400  # letters
_MIN_READ = 0.7  # minimum share of letters that are readings; some characters have several readings

# Chinese punctuation in all widths: noise only if it separates all letters.
_PUNCTUATION = (
    "，。！？、；：“”‘’（）《》—…·,.!?;:\"'()<>`´"
    "．｡､﹑﹐﹒﹔﹕﹖﹗‧・•～〜~－–―─━‐‑／/〈〉〔〕［］｛｝{}「」『』【】﹁﹂﹃﹄〝〞〟＂＇｢｣[]"
)
_NOISE = re.compile(
    rf"[“‘\"'「『【《（(\[<]([{HAN}])[”’\"'」』】》）)\]>]"  # a single character in marks
    rf"|(?<=[{HAN}])[‘’'`´](?=[{HAN}])"
    rf"|[^\w\s{re.escape(_PUNCTUATION)}-]+|_+"
)
_LATIN = re.compile(r"[a-zA-Zāáǎàēéěèīíǐìōóǒòūúǔùǖǘǚǜü]+")
_MARK = re.compile(f"[{re.escape(_PUNCTUATION)}]")
_NO_WORD = re.compile(r"[\W_]+")
_BRACKETED_LATIN = re.compile(
    r"[（(\[【〔［{<《「『“‘\"'_-][a-zA-Zāáǎàēéěèīíǐìōóǒòūúǔùǖǘǚǜüɑ\s'·-]+[）)\]】〕］}>》」』”’\"'_-]"
)

_Bools = npt.NDArray[np.bool_]
_Points = npt.NDArray[np.uint32]


def disguises_of(
    page: ComparedText, passage: ComparedText, columns: Columns, bounds: AlignmentBounds
) -> tuple[Disguise, ...]:
    """Return the disguises of one stretch.

    Args:
        page: the page.
        passage: the passage.
        columns: the stretch; it begins and ends with agreeing columns.
        bounds: what it covers of both texts.
    """
    columns = columns.part(_between_equals(columns.character))
    latin = _latin(page, passage, columns)
    homophones = columns.homophone & ~latin
    inserted = _slogan_columns(page, passage, columns)
    set_apart = _latin_set_apart(page, passage, columns)
    changed = ~columns.character & ~latin & ~inserted & ~set_apart
    variants = columns.degrees == Degree.VARIANT
    enough = max(_MIN_COLUMNS, _MIN_SHARE * len(columns))
    disguises = []
    if homophones.sum() >= enough and are_disguise(page, passage, columns, ~latin):
        disguises.append(HOMOPHONES)
        changed &= ~homophones
        # Swapped homophones include 得 for 的, so only another script is a second disguise.
        variants &= page.folded[columns.page] == passage.folded[columns.passage]
    if variants.sum() >= enough:
        disguises.append(TRADITIONAL)
    if latin.sum() + set_apart.sum() + _added_glosses(page, passage, bounds) >= enough:
        disguises.append(PINYIN)
    if _is_noisy(page, passage, columns, bounds):
        disguises.append(NOISE)
    if inserted.any():
        disguises.append(SLOGANS)
    if changed.sum() >= enough:
        disguises.append(EDITED)
    return tuple(disguises)


def _between_equals(character: _Bools) -> slice:
    """Return the columns from the first to the last equal character, or all columns if none is equal.

    Outside these columns, letters agree by chance and are not homophones.
    """
    equal = np.flatnonzero(character)
    return slice(int(equal[0]), int(equal[-1]) + 1) if len(equal) else slice(None)


def _latin(page: ComparedText, passage: ComparedText, columns: Columns) -> _Bools:
    """Return the columns of Latin letters that replace a character or gloss it."""
    is_latin = (columns.page >= 0) & page.latin[columns.page]
    replaced = is_latin & (columns.passage >= 0) & columns.scores & ~passage.latin[columns.passage]
    added = is_latin & (columns.passage < 0)
    for start, end in runs_of(added):
        first, last = int(columns.page[start]), int(columns.page[end - 1]) + 1
        added[start:end] = _is_reading(page.codes[:last], last - first)
    return np.asarray(replaced | added)


def _latin_set_apart(page: ComparedText, passage: ComparedText, columns: Columns) -> _Bools:
    """Return the columns of missing characters in whose position the page has their pinyin: 青 [deng] 渡.

    Blanks or marks set this pinyin apart, so it is not among the page's letters.
    """
    is_missing = np.asarray(columns.page < 0)
    first, last = columns.page_letters
    if not is_missing.any() or not _LATIN.search(page.text, *_written(page, first, last)):
        return np.zeros_like(is_missing)
    for start, end in runs_of(is_missing):
        before, behind = int(columns.page[start - 1]), int(columns.page[end])
        words = _LATIN.findall(page.text, int(page.ends[before]), int(page.letters.offsets[behind]))
        initials = [_initial_code(word) for word in words]
        is_missing[start:end] = initials == passage.codes[columns.passage[start:end]].tolist()
    return is_missing


def _written(page: ComparedText, first: int, last: int) -> tuple[int, int]:
    """Return the start and the end in the page's text of some of its letters."""
    return int(page.letters.offsets[first]), int(page.ends[last - 1])


def _initial_code(word: str) -> int:
    """Return the code of a pinyin word's initial, 1-26."""
    return ord(normalize("NFD", word)[0].lower()) - ord("a") + 1


def _added_glosses(page: ComparedText, passage: ComparedText, bounds: AlignmentBounds) -> int:
    """Return how many more glossed readings the page has than the passage."""
    ours = np.searchsorted(page.glosses, (bounds.page_start, bounds.page_end))
    theirs = np.searchsorted(passage.glosses, (bounds.passage_start, bounds.passage_end))
    return int(np.diff(ours)[0] - np.diff(theirs)[0])


def _slogan_columns(page: ComparedText, passage: ComparedText, columns: Columns) -> _Bools:
    """Return the columns of insertions that are long enough to be words and do not come from the passage."""
    inserted = columns.passage < 0
    for start, end in runs_of(inserted):
        insertion, position = columns.page[start:end], int(columns.passage[start - 1])
        near = slice(max(0, position - _NEAR), position + _NEAR)
        inserted[start:end] = (
            end - start >= _SLOGAN_LETTERS
            and not page.latin[insertion].all()
            and not _are_moved(page.folded[insertion], passage.folded[near])
        )
    return inserted


def _is_reading(letters: Codes, added: int) -> bool:
    """Return whether the letters at the end are readings of the letters before them."""
    if not 0 < added <= len(letters) // 2:
        return False
    return float((letters[-2 * added : -added] == letters[-added:]).mean()) >= _MIN_READ


def _are_moved(words: _Points, near: _Points) -> bool:
    """Return whether most character pairs of an insertion occur nearby, so it was moved and not added."""
    pairs, near_pairs = _pairs(words), _pairs(near)
    return len(pairs) > 0 and float(np.isin(pairs, near_pairs).mean()) >= _MIN_MOVED


def _pairs(points: _Points) -> npt.NDArray[np.uint64]:
    wide = points.astype(np.uint64)
    return (wide[:-1] << np.uint64(32)) | wide[1:]


def order_disguises(spans: Sequence[Span], page: str, passage: str) -> tuple[Disguise, ...]:
    """Return the disguises that the order of a match's spans shows.

    ``shuffled``: enough spans, in page order, go back in the passage. ``slogans``: two spans that are
    adjacent in the passage are a few words apart on the page, and these words do not come from the passage.

    Args:
        spans: of the match.
        page: the text that they are of.
        passage: the passage's text.
    """
    ordered = sorted(spans, key=lambda span: span.page_start)
    steps = list(pairwise(ordered))
    original = ComparedText(passage)  # folded once, and only if a few words are between
    backward = sum(later.passage_start < earlier.passage_start for earlier, later in steps)
    disguises = []
    if len(ordered) >= _MIN_SPANS_TO_SHUFFLE and backward >= max(2, _MIN_BACKWARD_SHARE * len(ordered)):
        disguises.append(SHUFFLED)
    if any(
        _is_interrupted(earlier, later) and _is_slogan(page[earlier.page_end : later.page_start], original)
        for earlier, later in steps
    ):
        disguises.append(SLOGANS)
    return tuple(disguises)


def _is_slogan(between: str, passage: ComparedText) -> bool:
    """Return whether a text has words that are not in the passage and are not Latin readings in brackets."""
    words = _NO_WORD.sub("", _BRACKETED_LATIN.sub("", between))
    if len(words) < _SLOGAN_LETTERS:
        return False
    return not _are_moved(ComparedText(words).folded, passage.folded)


def _is_interrupted(earlier: Span, later: Span) -> bool:
    between = later.page_start - earlier.page_end
    apart_in_passage = abs(later.passage_start - earlier.passage_end)
    return _MIN_SLOGAN_CHARS <= between <= _MAX_SLOGAN_CHARS and apart_in_passage <= _ADJOINING


def _is_noisy(page: ComparedText, passage: ComparedText, columns: Columns, bounds: AlignmentBounds) -> bool:
    """Return whether the page contains marks that are not text, or characters between all letters."""
    ours = page.text[bounds.page_start : bounds.page_end]
    theirs = passage.text[bounds.passage_start : bounds.passage_end]
    if _noise(ours) - _noise(theirs) > _MIN_NOISE_SHARE * len(ours):
        return True
    marks, original_marks = _count_marks(ours), _count_marks(theirs)
    is_punctuated = original_marks >= _MIN_MARKS_SHARE * len(theirs)
    if is_punctuated and marks - original_marks > _MIN_MARKS_SHARE * len(ours):
        return True
    apart = _apart(page, columns.page_letters) - _apart(passage, columns.passage_letters)
    return apart >= _MIN_APART


def _noise(text: str) -> int:
    """Count characters that are not text: symbols, invisible ones, and marks around single characters."""
    return sum(len(match[0]) - len(match[1] or "") for match in _NOISE.finditer(text))


def _count_marks(text: str) -> int:
    """Count the punctuation of a text, without marks around pinyin."""
    return len(_MARK.findall(_BRACKETED_LATIN.sub("", text)))


def _apart(text: ComparedText, letters: tuple[int, int]) -> float:
    """Return the share of letters that are followed by one to three other characters.

    Spaces between pinyin syllables do not count.
    """
    first, last = letters
    gaps = text.letters.offsets[first + 1 : last] - text.ends[first : last - 1]
    spelt = text.latin[first + 1 : last] & text.latin[first : last - 1]
    apart = int(((gaps > 0) & (gaps <= _MAX_GAP_CHARS) & ~spelt).sum())
    return apart / len(gaps) if apart >= _MIN_GAPS else 0.0
