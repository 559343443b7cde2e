"""Alignment: what of a page is in a passage, stretch by stretch, with identities and disguises.

Exact runs are chained (:mod:`tracker.alignment.seeds`), the columns along each chain cut to the stretches
that agree (:mod:`tracker.alignment.columns`). Syllables, near ones taken as one, give the sound identity of a
stretch, characters with their variant forms taken as one its character identity.

Cost is bounded by the seeds and by gaps of at most ``MAX_GAP`` letters, so a whole novel on one page costs
what its runs cost, never the product of two lengths. What a page repeats is aligned a few times
and then only searched for (:func:`_repetitions`), up to a given number of stretches.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from fingerprint.shingle import packed_shingles
from storage.records import Span
from tracker.alignment.agreement import Agreement
from tracker.alignment.columns import Columns, aligned_stretches
from tracker.alignment.disguises import HOMOPHONES, disguises_of
from tracker.alignment.homophones import Places, no_places, places_of
from tracker.alignment.seeds import SEED, chains, exact_runs, repeats_itself
from tracker.alignment.text import ComparedText

MIN_SPAN = 20  # letters: a shorter stretch counts only with many others of the same passage
MIN_SHORT_SPAN = 10
MIN_SHORT_TOTAL = 100  # letters in all that make short stretches of a passage count …
MIN_DISTINCT_SEEDS = 45  # … when they hold this many different seeds: a repeated slogan does not
MIN_TINY_SPAN = 6  # letters of a sentence that stays as it was; it counts with …
MIN_TINY_TOTAL = 400  # … this many letters of its passage
MIN_TINY_CHARS = 0.99
MIN_SOUND = 0.6
MIN_SHORT_CHARS = 0.5
MAX_SPANS = 10_000  # of one passage that a page repeats
_MIN_HOMOPHONE_SHARE = 0.02
EDGE = 64  # characters looked at beyond a stretch

_Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Aligned:
    """A span with what its identities were computed from.

    Attributes:
        span: offsets into the original texts.
        letters: first and last + 1 letter of the page's side; of a repetition, of the place
            where its stretch was aligned.
        columns: length of the alignment.
        same_sound, same_character: columns that agree.
        same_form: columns whose characters are the very same, in one script.
        homophones: where they stand in both texts, of a stretch that they disguise: shape (k, 2).
    """

    span: Span
    letters: tuple[int, int]
    columns: int
    same_sound: int
    same_character: int
    same_form: int
    homophones: Places = field(default_factory=no_places, compare=False)


def align(
    page: ComparedText,
    passage: ComparedText,
    *,
    first: int = 0,
    last: int | None = None,
    max_spans: int = MAX_SPANS,
) -> list[Aligned]:
    """Return the stretches that a page shares with a passage, in page order.

    Args:
        page: the page.
        passage: the passage.
        first: page letter where candidates' hits begin; what lies a passage's length before is left out.
        last: page letter of the last hit; likewise.
        max_spans: limit on the stretches; repetitions beyond it are left out.
    """
    start = max(0, first - len(passage.letters))
    end = len(page.letters) if last is None else last + len(passage.letters)
    runs = exact_runs(page.seeds, passage.codes, first=start, last=end)
    stretches = [
        trim(columns)
        for chain in chains(runs)
        for columns in aligned_stretches(page, passage, chain)
        if is_alike(columns)
    ]
    alignments = [
        aligned_stretch(page, passage, columns) for columns in _significant(page, _disjoint(stretches))
    ]
    if alignments and repeats_itself(page.seeds):
        alignments += _repetitions(page, alignments, max_spans)
    return sorted(alignments, key=lambda aligned: aligned.span.page_start)


def is_alike(columns: Columns) -> bool:
    """Return whether a stretch is long and alike enough to be looked at further."""
    if len(columns) < MIN_TINY_SPAN or columns.sound.mean() < MIN_SOUND:
        return False
    # Far from every seed, letters that agree by chance make up stretches; characters do not.
    return columns.character.mean() >= MIN_SHORT_CHARS or _has_seed(columns.scores)


def trim(columns: Columns) -> Columns:
    """Cut off letters at the ends that agree by chance, from a stretch that is not full of homophones."""
    if columns.homophone.mean() > _MIN_HOMOPHONE_SHARE or not columns.character.any():
        return columns
    equal = np.flatnonzero(columns.character)
    return columns.part(slice(int(equal[0]), int(equal[-1]) + 1))


def _has_seed(scores: _Bools) -> bool:
    changes = np.flatnonzero(np.diff(np.concatenate([[False], scores, [False]])))
    return int((changes[1::2] - changes[::2]).max(initial=0)) >= SEED


def _disjoint(stretches: Iterable[Columns]) -> list[Columns]:
    """Keep the best alignment of each page stretch: a passage may repeat itself.

    What of a stretch is taken by better ones is cut off its ends; one that is mostly taken goes. Of equally
    good ones the first of the passage stays: what a page repeats was taken once.
    """
    ranked = sorted(
        stretches,
        key=lambda columns: (-int(columns.scores.sum() + columns.character.sum()), columns.passage_letters),
    )
    taken = np.zeros(max((columns.page_letters[1] for columns in ranked), default=0), dtype=bool)
    kept = []
    for columns in ranked:
        free = np.flatnonzero(columns.scores & ~taken[columns.page])
        if len(free) * 2 < len(columns) * MIN_SOUND:
            continue
        rest = columns.part(slice(int(free[0]), int(free[-1]) + 1))
        taken[slice(*rest.page_letters)] = True
        kept.append(rest)
    return kept


def _significant(page: ComparedText, stretches: Sequence[Columns]) -> list[Columns]:
    """Drop stretches that are too short to mean anything, by themselves or together."""
    if not stretches:
        return []
    telling = [columns for columns in stretches if len(columns) >= MIN_SHORT_SPAN]
    total = sum(map(len, telling))
    seeds = [packed_shingles(page.codes[slice(*columns.page_letters)], SEED) for columns in telling]
    many = total >= MIN_SHORT_TOTAL and len(np.unique(np.concatenate(seeds))) >= MIN_DISTINCT_SEEDS

    def counts(columns: Columns) -> bool:
        if len(columns) >= MIN_SPAN:
            return True
        alike = columns.character.mean()
        if len(columns) >= MIN_SHORT_SPAN:
            return many and bool(alike >= MIN_SHORT_CHARS)
        return many and total >= MIN_TINY_TOTAL and bool(alike >= MIN_TINY_CHARS)

    return [columns for columns in stretches if counts(columns)]


def aligned_stretch(
    page: ComparedText, passage: ComparedText, columns: Columns, *, room: tuple[int, int] = (EDGE, EDGE)
) -> Aligned:
    """Return a stretch by its columns.

    Args:
        page: the page.
        passage: the passage.
        columns: of the stretch; the first and the last of them agree.
        room: how many characters of the page before and behind it may still belong to it.
    """
    offsets = _offsets(page, passage, columns, room)
    span = Span(
        page_start=offsets[0],
        page_end=offsets[1],
        passage_start=offsets[2],
        passage_end=offsets[3],
        char_identity=round(float(columns.character.mean()), 4),
        sound_identity=round(float(columns.sound.mean()), 4),
        disguises=disguises_of(page, passage, columns, offsets),
    )
    same_sound, same_character = int(columns.sound.sum()), int(columns.character.sum())
    same_form = int((columns.agreement == Agreement.SAME).sum())
    homophones = places_of(page, passage, columns) if HOMOPHONES in span.disguises else no_places()
    return Aligned(
        span, columns.page_letters, len(columns), same_sound, same_character, same_form, homophones
    )


def _offsets(
    page: ComparedText, passage: ComparedText, columns: Columns, room: tuple[int, int]
) -> tuple[int, int, int, int]:
    """Return the stretches in characters, grown over what stands equal around them: digits, punctuation."""
    start, end = _characters(page, columns.page_letters)
    there, there_end = _characters(passage, columns.passage_letters)
    ahead = page.text[max(0, start - room[0]) : start], passage.text[max(0, there - room[0]) : there]
    head = _common_prefix(ahead[0][::-1], ahead[1][::-1])
    tail = _common_prefix(page.text[end : end + room[1]], passage.text[there_end : there_end + room[1]])
    return start - head, end + tail, there - head, there_end + tail


def _characters(text: ComparedText, letters: tuple[int, int]) -> tuple[int, int]:
    return int(text.letters.offsets[letters[0]]), int(text.ends[letters[1] - 1])


def _common_prefix(left: str, right: str) -> int:
    """Return how many characters two texts begin with alike, white space at the end not counted."""
    same = 0
    for index, (ours, theirs) in enumerate(zip(left, right, strict=False)):
        if ours != theirs:
            break
        if not ours.isspace():
            same = index + 1
    return same


def _repetitions(page: ComparedText, alignments: Sequence[Aligned], max_spans: int) -> list[Aligned]:
    """Return the further places of the page that repeat a stretch, character by character."""
    free = np.ones(len(page.text) + 1, dtype=bool)
    for aligned in alignments:
        free[aligned.span.page_start : aligned.span.page_end] = False
    again: list[Aligned] = []
    for text, aligned in {
        page.text[aligned.span.page_start : aligned.span.page_end]: aligned for aligned in alignments
    }.items():
        places, start = list[int](), page.text.find(text)
        while start >= 0 and len(alignments) + len(again) + len(places) < max_spans:
            if free[start] and free[start + len(text) - 1]:
                free[start : start + len(text)] = False
                places.append(start)
            start = page.text.find(text, start + len(text))
        for place in places:
            span = replace(aligned.span, page_start=place, page_end=place + len(text))
            again.append(replace(aligned, span=span))
    return again
