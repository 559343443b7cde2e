"""Alignment: what of a page is in a passage, stretch by stretch, with identities and disguises.

Exact runs are chained (:mod:`tracker.seeds`), the gaps between them aligned by minimal edit distance on the
letters (rapidfuzz, Hyyrö's bit-parallel Levenshtein), the ends extended while that gains. Columns of the
alignment are then compared twice: letters give the sound identity, characters with traditional and
simplified forms taken as one give the character identity.

Cost is bounded by the seeds and by gaps of at most ``MAX_GAP`` letters, so a whole novel on one page costs
what its runs cost, never the product of two lengths.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from fingerprint.letters import Codes, Letters, code_points, to_letters
from fingerprint.shingle import packed_shingles
from fingerprint.variants import fold_points
from storage.records import Span
from tracker.disguises import disguises_of
from tracker.seeds import MAX_GAP, SEED, Run, chains, exact_runs

MIN_SPAN = 20  # letters: a shorter stretch counts only beside many others of the same passage
MIN_SHORT_SPAN = 10
MIN_SHORT_TOTAL = 100  # letters in all that make short stretches of a passage count …
MIN_DISTINCT_SEEDS = 45  # … when they hold so many different seeds: a repeated slogan does not
MIN_SOUND = 0.6
MIN_SHORT_CHARS = 0.5
_BAD_GAP = 0.35  # a long gap that agrees in less than this share of its columns parts two spans
_BAD_GAP_LETTERS = 20
_EXTENSION = 48  # letters tried beyond each end of a chain

_Bools = npt.NDArray[np.bool_]
_Points = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A text as alignment sees it.

    Attributes:
        text: the original.
        letters: its pinyin initials.
        raw: shape (n,): the code point of each letter's character.
        folded: shape (n,): the same in simplified form.
    """

    text: str
    letters: Letters
    raw: _Points
    folded: _Points

    @property
    def codes(self) -> Codes:
        """The letters' codes."""
        return self.letters.codes


@dataclass(frozen=True, slots=True)
class Aligned:
    """A span with what its identities were computed from.

    Attributes:
        span: offsets into the original texts.
        letters: first and last + 1 letter of the page's side.
        columns: length of the alignment.
        same_sound, same_character: columns that agree.
    """

    span: Span
    letters: tuple[int, int]
    columns: int
    same_sound: int
    same_character: int


def view(text: str) -> View:
    """Return a text as alignment sees it."""
    letters = to_letters(text)
    raw = code_points(text)[letters.offsets]
    return View(text, letters, raw, fold_points(raw))


def align(page: View, passage: View, *, first: int = 0, last: int | None = None) -> list[Aligned]:
    """Return the stretches that a page shares with a passage, in page order.

    Args:
        page: the page.
        passage: the passage.
        first: page letter where candidates' hits begin; what lies a passage's length before is left out.
        last: page letter of the last hit; likewise.
    """
    start = max(0, first - len(passage.letters))
    end = len(page.letters) if last is None else last + len(passage.letters)
    runs = [
        Run(run.page + start, run.passage, run.length)
        for run in exact_runs(page.codes[start:end], passage.codes)
    ]
    found = [
        aligned
        for chain in chains(runs)
        for piece, room in _with_room(list(_split_at_bad_gaps(page, passage, chain)))
        if (aligned := _aligned(page, passage, piece, room)) is not None
    ]
    return sorted(_significant(page, _disjoint(found)), key=lambda each: each.letters)


def _split_at_bad_gaps(page: View, passage: View, chain: Sequence[Run]) -> Iterable[list[Run]]:
    """Part a chain where a long gap does not agree."""
    piece = [chain[0]]
    for before, run in pairwise(chain):
        if _is_bad_gap(page, passage, before, run):
            yield piece
            piece = []
        piece.append(run)
    yield piece


def _with_room(pieces: Sequence[list[Run]]) -> Iterable[tuple[list[Run], tuple[int, int]]]:
    """Yield each piece with the page letters that it may grow by at both ends: up to its neighbours."""
    for index, piece in enumerate(pieces):
        before = behind = _EXTENSION
        if index:
            before = piece[0].page - pieces[index - 1][-1].page - pieces[index - 1][-1].length
        if index + 1 < len(pieces):
            behind = pieces[index + 1][0].page - piece[-1].page - piece[-1].length
        yield piece, (min(before, _EXTENSION), min(behind, _EXTENSION))


def _is_bad_gap(page: View, passage: View, before: Run, run: Run) -> bool:
    ours = page.codes[before.page + before.length : run.page]
    theirs = passage.codes[before.passage + before.length : run.passage]
    longer = max(len(ours), len(theirs))
    if longer < _BAD_GAP_LETTERS:
        return False
    return 1 - Levenshtein.distance(ours.tobytes(), theirs.tobytes()) / longer < _BAD_GAP


def _aligned(page: View, passage: View, runs: Sequence[Run], room: tuple[int, int]) -> Aligned | None:
    """Return the alignment along a chain, or None when it is too short or too unlike."""
    ours, theirs = _columns(page, passage, _extended(page, passage, runs, room))
    both = (ours >= 0) & (theirs >= 0)
    sound, character, raw = (np.zeros(len(ours), dtype=bool) for _ in range(3))
    character[both] = page.folded[ours[both]] == passage.folded[theirs[both]]
    # Of a few characters the first reading differs between the scripts; the character is the same still.
    sound[both] = character[both] | (page.codes[ours[both]] == passage.codes[theirs[both]])
    raw[both] = page.raw[ours[both]] == passage.raw[theirs[both]]
    if len(ours) < MIN_SHORT_SPAN or sound.mean() < MIN_SOUND:
        return None
    first, last = int(ours[ours >= 0][0]), int(ours[ours >= 0][-1]) + 1
    there = theirs[theirs >= 0]
    offsets = _offsets(page, passage, (first, last), (int(there[0]), int(there[-1]) + 1))
    stretches = page.text[offsets[0] : offsets[1]], passage.text[offsets[2] : offsets[3]]
    span = Span(
        page_start=offsets[0],
        page_end=offsets[1],
        passage_start=offsets[2],
        passage_end=offsets[3],
        char_identity=round(float(character.mean()), 4),
        sound_identity=round(float(sound.mean()), 4),
        disguises=disguises_of(sound=sound, character=character, raw=raw, stretches=stretches),
    )
    return Aligned(span, (first, last), len(ours), int(sound.sum()), int(character.sum()))


def _columns(
    page: View, passage: View, runs: Sequence[Run]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the page's and the passage's letter in each column; -1 where there is none."""
    ours: list[npt.NDArray[np.int64]] = []
    theirs: list[npt.NDArray[np.int64]] = []
    before: Run | None = None
    for run in runs:
        if before is not None:
            start = before.page + before.length, before.passage + before.length
            for left, right in _gap(page.codes, passage.codes, start, (run.page, run.passage)):
                ours.append(left)
                theirs.append(right)
        ours.append(np.arange(run.page, run.page + run.length))
        theirs.append(np.arange(run.passage, run.passage + run.length))
        before = run
    return np.concatenate(ours), np.concatenate(theirs)


def _gap(
    page: Codes, passage: Codes, start: tuple[int, int], end: tuple[int, int]
) -> Iterable[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Yield the columns between two runs."""
    ours, theirs = page[start[0] : end[0]].tobytes(), passage[start[1] : end[1]].tobytes()
    for step in Levenshtein.opcodes(ours, theirs):
        left = np.arange(step.src_start, step.src_end) + start[0]
        right = np.arange(step.dest_start, step.dest_end) + start[1]
        missing = np.full(max(len(left), len(right)), -1)
        yield (left if len(left) else missing), (right if len(right) else missing)


def _extended(page: View, passage: View, runs: Sequence[Run], room: tuple[int, int]) -> list[Run]:
    """Lengthen a chain at both ends by the runs of the best-scoring extension, as far as there is room."""
    first, last = runs[0], runs[-1]
    ours = page.codes[max(0, first.page - room[0]) : first.page][::-1]
    theirs = passage.codes[max(0, first.passage - _EXTENSION) : first.passage][::-1]
    ahead = [
        Run(first.page - run.page - run.length, first.passage - run.passage - run.length, run.length)
        for run in reversed(_best_extension(ours, theirs))
    ]
    end = last.page + last.length, last.passage + last.length
    behind = [
        Run(end[0] + run.page, end[1] + run.passage, run.length)
        for run in _best_extension(
            page.codes[end[0] : end[0] + room[1]], passage.codes[end[1] : end[1] + _EXTENSION]
        )
    ]
    return [*ahead, *runs, *behind]


def _best_extension(ours: Codes, theirs: Codes) -> list[Run]:
    """Return the equal runs of the prefix pair that scores best: +1 an equal letter, −1 an edit.

    A run at the very end must be at least two letters: one letter agrees by chance too often.
    """
    score, best, runs, kept = 0, 0, list[Run](), 0
    for step in Levenshtein.opcodes(ours.tobytes(), theirs.tobytes()):
        length = max(step.src_end - step.src_start, step.dest_end - step.dest_start)
        if step.tag != "equal":
            score -= length
            continue
        score += length
        runs.append(Run(step.src_start, step.dest_start, length))
        if score > best and (length > 1 or step.src_start == 0):
            best, kept = score, len(runs)
    return runs[:kept]


def _offsets(
    page: View, passage: View, ours: tuple[int, int], theirs: tuple[int, int]
) -> tuple[int, int, int, int]:
    """Return the stretches in characters, grown over what stands equal around them: digits, punctuation."""
    start, end = int(page.letters.offsets[ours[0]]), int(page.letters.offsets[ours[1] - 1]) + 1
    there, there_end = (
        int(passage.letters.offsets[theirs[0]]),
        int(passage.letters.offsets[theirs[1] - 1]) + 1,
    )
    ahead = page.text[max(0, start - MAX_GAP) : start], passage.text[max(0, there - MAX_GAP) : there]
    head = _common_prefix(ahead[0][::-1], ahead[1][::-1])
    tail = _common_prefix(page.text[end : end + MAX_GAP], passage.text[there_end : there_end + MAX_GAP])
    return start - head, end + tail, there - head, there_end + tail


def _common_prefix(left: str, right: str) -> int:
    """Return how many characters two texts begin with alike, white space at the end not counted."""
    same = 0
    for index, (ours, theirs) in enumerate(zip(left, right, strict=False)):
        if ours != theirs:
            break
        if not ours.isspace():
            same = index + 1
    return same


def _disjoint(found: Iterable[Aligned]) -> list[Aligned]:
    """Keep the best alignment of each page stretch: a passage may repeat itself."""
    ranked = sorted(found, key=lambda aligned: -aligned.same_sound)
    taken = np.zeros(max((each.letters[1] for each in ranked), default=0), dtype=bool)
    kept = []
    for each in ranked:
        stretch = taken[slice(*each.letters)]
        if stretch.sum() * 2 < len(stretch):
            stretch[:] = True
            kept.append(each)
    return kept


def _significant(page: View, found: Sequence[Aligned]) -> list[Aligned]:
    """Drop stretches that are too short to mean anything, by themselves or together."""
    if not found:
        return []
    total = sum(each.columns for each in found)
    seeds = [packed_shingles(page.codes[slice(*each.letters)], SEED) for each in found]
    together = total >= MIN_SHORT_TOTAL and len(np.unique(np.concatenate(seeds))) >= MIN_DISTINCT_SEEDS
    return [
        each
        for each in found
        if each.columns >= MIN_SPAN or (together and each.same_character >= MIN_SHORT_CHARS * each.columns)
    ]
