"""Second stage of a comparison: align a text with the corpus, charge its stretches, remove set phrases.

Passages are fetched ``_BATCH`` at a time, so a page with many candidates needs no more memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tracker.alignment.align import MAX_SPANS, align
from tracker.alignment.budget import budget_of
from tracker.alignment.text import ComparedText
from tracker.comparison.background import merged_background, phrases_in
from tracker.comparison.charging import charge
from tracker.comparison.corpus import Corpus
from tracker.comparison.matching import Candidate, Candidates
from tracker.comparison.passages import MotherPassage
from tracker.comparison.phrases import doubtful_stretches, holders
from tracker.comparison.prior_texts import separate_prior_texts
from tracker.comparison.reading import ReadPage
from tracker.comparison.repeated import without_repeated
from tracker.comparison.rest import MIN_LETTERS
from tracker.comparison.selecting import informative
from tracker.comparison.sharing import depth_of, holdings_of, sharing_of
from tracker.judgement.alignments import PassageAlignment, Sharing

_BATCH = 50  # passages in memory at once, of at most about 50,000 characters each
_REPETITIONS = 20_000  # maximum number of repeated stretches of a page, over all passages
_MAX_ORDINARY_STRETCHES = 500  # an ordinary passage has at most this many stretches


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignments:
    """The stretches that a text shares with the mother corpus.

    Attributes:
        read: the text in reading order.
        alignments: the stretches charged to each work.
        sharing: which extents of the text are common.
        background: stretches of the text that are in background texts.
        taking_part: ids of the passages that influenced the result.
        dropped: candidates that were not aligned, or only in part.
    """

    read: ReadPage
    alignments: Sequence[PassageAlignment]
    sharing: Sharing
    background: Sequence[PassageAlignment]
    taking_part: frozenset[int]
    dropped: int


def align_text(
    read: ReadPage,
    corpus: Corpus,
    *,
    reported: Sequence[PassageAlignment] = (),
    min_letters: int = 0,
) -> Alignments:
    """Align a text with the mother corpus.

    Args:
        read: the text with its candidates.
        corpus: the corpus to compare with.
        reported: matches of the page's other text; stretches that repeat these are left out.
        min_letters: see :func:`tracker.alignment.align.align`.
    """
    if not read.candidates.ranked:
        return _nothing(read)
    page, profiles = read.text, corpus.profiles
    candidates = informative(page, read.candidates, corpus)
    if candidates.dropped > read.candidates.dropped:  # the page has set wording, which agrees with many texts
        min_letters = max(min_letters, MIN_LETTERS)
    aligned, dropped = _align_candidates(page, candidates, corpus, min_letters=min_letters)
    confirmed = without_repeated(page, aligned, reported)
    background = [alignment for alignment in confirmed if not alignment.work.is_owned]
    owned = separate_prior_texts(
        page,
        [confirmed_alignment for confirmed_alignment in confirmed if confirmed_alignment.work.is_owned],
        background,
    )
    sharing = sharing_of(page, owned, profiles)
    alignments = charge(page, owned, sharing, profiles)
    doubtful = doubtful_stretches(alignments, profiles, len(page.letters))
    if elsewhere := holders(page, doubtful, corpus):
        depth = depth_of(page, [*holdings_of(owned), *elsewhere], profiles)
        sharing = replace(sharing, depth=depth)
        if phrases := phrases_in(page, elsewhere):
            alignments = separate_prior_texts(page, alignments, phrases)
            background = merged_background(background, phrases)
    taking_part = {confirmed_alignment.passage.id for confirmed_alignment in aligned} | {
        confirmed_alignment.passage.id for confirmed_alignment in elsewhere
    }
    return Alignments(
        read=read,
        alignments=alignments,
        sharing=sharing,
        background=background,
        taking_part=frozenset(taking_part),
        dropped=dropped,
    )


def _nothing(read: ReadPage) -> Alignments:
    """Return the result of a text that shares nothing, as most texts do."""
    return Alignments(
        read=read,
        alignments=(),
        sharing=Sharing(np.zeros(len(read.text.letters), dtype=np.int32)),
        background=(),
        taking_part=frozenset(),
        dropped=read.candidates.dropped,
    )


def _align_candidates(
    page: ComparedText, candidates: Candidates, corpus: Corpus, *, min_letters: int
) -> tuple[list[PassageAlignment], int]:
    """Align the page with each candidate's text; passages removed in the meantime are skipped.

    Returns:
        The alignments, and how many candidates were not aligned, or only in part.
    """
    alignments, dropped = list[PassageAlignment](), candidates.dropped
    room, budget = _REPETITIONS, budget_of(len(page.letters))
    for candidate, held in _passages_of(candidates, corpus):
        left_out = budget.left_out
        aligned = align(
            page,
            held.text,
            first=candidate.first,
            last=candidate.last,
            max_spans=min(room, MAX_SPANS),
            budget=budget,
            min_letters=min_letters,
        )
        dropped += budget.left_out > left_out
        if aligned:
            room -= len(aligned) if len(aligned) > _MAX_ORDINARY_STRETCHES else 0
            alignments.append(PassageAlignment(held.work, held.passage, aligned, candidate.anchors))
    return alignments, dropped


def _passages_of(candidates: Candidates, corpus: Corpus) -> Iterator[tuple[Candidate, MotherPassage]]:
    """Yield the candidates with their texts, except passages removed or replaced since the look-up."""
    for start in range(0, len(candidates.ranked), _BATCH):
        batch = candidates.ranked[start : start + _BATCH]
        passages = corpus.passages.read(candidate.passage_id for candidate in batch)
        for candidate in batch:
            if (held := passages.get(candidate.passage_id)) is not None:
                yield candidate, held
