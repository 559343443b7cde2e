"""Alignment: find the stretches that a page shares with a passage.

Exact runs are chained (:mod:`tracker.alignment.seeds`). The columns along each chain are cut to stretches
that agree (:mod:`tracker.alignment.columns`), and overlapping stretches are made disjoint
(:mod:`tracker.alignment.stretches`). The sound identity of a stretch compares syllables and counts near ones
as equal. The character identity compares characters and counts variant forms as equal.

The number of seeds and gaps of at most ``MAX_GAP`` letters bound the cost: the cost of a whole novel on one
page grows with its runs, not with the product of both lengths. A repeated stretch is aligned a few times;
further repetitions are only searched for (:func:`_repetitions`), up to a limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import filterfalse, islice

import numpy as np

from fingerprint.text.disguises import HOMOPHONES
from fingerprint.text.letters import Offsets
from storage.records import Span
from tracker.alignment.bounds import AlignmentBounds, all_bounds
from tracker.alignment.budget import Budget, budget_of
from tracker.alignment.columns import Columns, aligned_stretches
from tracker.alignment.degrees import Degree
from tracker.alignment.disguises import disguises_of
from tracker.alignment.homophones import Places, no_places, places_of
from tracker.alignment.seeds import SeedRun, chains, exact_runs, repeats_itself, significant_runs
from tracker.alignment.stretches import disjoint, is_alike, may_count, significant, trim
from tracker.alignment.text import ComparedText

MAX_SPANS = 10_000  # maximum number of stretches per passage
_TOGETHER = 512  # chains aligned at once


def _no_offsets() -> Offsets:
    return np.empty(0, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Aligned:
    """A span, with the counts from which its identities are computed.

    Attributes:
        span: offsets into the original texts.
        letters: first and last + 1 letter of the page's side; for a repetition, of the position where its
            stretch was aligned.
        columns: length of the alignment.
        same_sound, same_character: columns that agree.
        same_form: columns with identical characters, in one script.
        homophones: their offsets in both texts if they disguise the stretch: shape (k, 2).
        agreeing: offsets of the passage's characters that the page has, by character or sound: shape (m,).
        page_agreeing: offsets of these characters on the page, one for each: shape (m,).
    """

    span: Span
    letters: tuple[int, int]
    columns: int
    same_sound: int
    same_character: int
    same_form: int
    homophones: Places = field(default_factory=no_places, compare=False)
    agreeing: Offsets = field(default_factory=_no_offsets, compare=False)
    page_agreeing: Offsets = field(default_factory=_no_offsets, compare=False)


def align(
    page: ComparedText,
    passage: ComparedText,
    *,
    first: int = 0,
    last: int | None = None,
    max_spans: int = MAX_SPANS,
    budget: Budget | None = None,
    min_letters: int = 0,
) -> list[Aligned]:
    """Return the stretches that a page shares with a passage, in page order.

    Args:
        page: the page.
        passage: the passage.
        first: page letter of the first hit; text more than a passage's length before it is ignored.
        last: page letter of the last hit; text more than a passage's length behind it is ignored.
        max_spans: limit on the stretches; further repetitions are dropped.
        budget: remaining budget of the page, which this call reduces; None: the budget for a page of this
            length.
        min_letters: chains with fewer equal letters in their runs count as chance.
    """
    budget = budget or budget_of(len(page.letters))
    start = max(0, first - len(passage.letters))
    end = len(page.letters) if last is None else last + len(passage.letters)
    runs = exact_runs(page.seeds, passage.codes, first=start, last=end, budget=budget)
    runs = significant_runs(runs, page.folded, passage.folded)
    stretches = _stretches(page, passage, runs, budget, min_letters=min_letters)
    if not may_count(stretches):
        return []
    chosen = sorted(significant(page, disjoint(stretches)), key=lambda columns: columns.page_letters)
    alignments = [
        aligned_stretch(page, passage, columns, bounds)
        for columns, bounds in zip(chosen, all_bounds(page, passage, chosen), strict=True)
    ]
    if alignments and repeats_itself(page.seeds):
        alignments += _repetitions(page, alignments, max_spans)
    return sorted(alignments, key=lambda aligned: aligned.span.page_start)


def _stretches(
    page: ComparedText, passage: ComparedText, runs: list[SeedRun], budget: Budget, *, min_letters: int
) -> list[Columns]:
    """Return the stretches along each chain, except chains that lie within longer stretches.

    Chains of equal length are all aligned, because the first of several positions in the passage must be
    found. Only the best chain is aligned first: if the page is a copy, this chain already covers most other
    chains. Then chains are aligned in growing groups of up to ``_TOGETHER``.
    """
    kept = []
    covered = np.zeros(len(page.letters), dtype=np.int32)  # length of the longest stretch at each letter

    def is_covered(chain: Sequence[SeedRun]) -> bool:
        letters = chain[-1].page + chain[-1].length - chain[0].page
        return all((covered[run.page : run.page + run.length] > letters).all() for run in chain)

    strong_chains = (chain for chain in chains(runs) if sum(run.length for run in chain) >= min_letters)
    remaining, together, aligned = filterfalse(is_covered, strong_chains), 1, 0
    while batch := list(islice(remaining, min(together, budget.room - aligned))):
        aligned += len(batch)
        for chain, stretches in zip(batch, aligned_stretches(page, passage, batch), strict=True):
            if is_covered(chain):
                continue
            for stretch in map(trim, filter(is_alike, stretches)):
                extent = slice(*stretch.page_letters)
                covered[extent] = np.maximum(covered[extent], len(stretch))
                kept.append(stretch)
        together = min(8 * together, _TOGETHER)
    budget.take_chains(aligned, left_out=sum(1 for _ in remaining))
    return kept


def aligned_stretch(
    page: ComparedText, passage: ComparedText, columns: Columns, bounds: AlignmentBounds
) -> Aligned:
    """Return the stretch that consists of the given columns.

    Args:
        page: the page.
        passage: the passage.
        columns: of the stretch; the first and the last of them agree.
        bounds: of the stretch in both texts.
    """
    span = Span(
        page_start=bounds.page_start,
        page_end=bounds.page_end,
        passage_start=bounds.passage_start,
        passage_end=bounds.passage_end,
        char_identity=round(float(columns.character.mean()), 4),
        sound_identity=round(float(columns.sound.mean()), 4),
        disguises=disguises_of(page, passage, columns, bounds),
    )
    same_sound, same_character = int(columns.sound.sum()), int(columns.character.sum())
    same_form = int((columns.degrees == Degree.SAME).sum())
    homophones = places_of(page, passage, columns) if HOMOPHONES in span.disguises else no_places()
    return Aligned(
        span,
        columns.page_letters,
        len(columns),
        same_sound,
        same_character,
        same_form,
        homophones,
        passage.letters.offsets[columns.passage[columns.sound]],
        page.letters.offsets[columns.page[columns.sound]],
    )


def _repetitions(page: ComparedText, alignments: Sequence[Aligned], max_spans: int) -> list[Aligned]:
    """Return further extents of the page that repeat a stretch, character by character."""
    free = np.ones(len(page.text) + 1, dtype=bool)
    for aligned in alignments:
        free[aligned.span.page_start : aligned.span.page_end] = False
    again: list[Aligned] = []
    for text, aligned in {
        page.text[aligned.span.page_start : aligned.span.page_end]: aligned for aligned in alignments
    }.items():
        places, start = list[int](), page.text.find(text)
        while start >= 0 and len(alignments) + len(again) + len(places) < max_spans:
            if free[start : start + len(text)].all():
                free[start : start + len(text)] = False
                places.append(start)
            start = page.text.find(text, start + len(text))
        for extent in places:
            span = replace(aligned.span, page_start=extent, page_end=extent + len(text))
            moved = aligned.page_agreeing + np.int32(extent - aligned.span.page_start)
            again.append(replace(aligned, span=span, page_agreeing=moved))
    return again
