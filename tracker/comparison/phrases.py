"""Set phrases: works of the whole corpus that contain a short stretch of a page.

A candidate needs several hits on one diagonal. Works that share only a phrase with a page are not candidates,
so the phrase would seem to belong to one work. If only short stretches support a work, all their windows are
looked up again. A window counts for each work that contains the same characters (of either script).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fingerprint.mixing import mix64
from fingerprint.shingle import packed_shingles
from fingerprint.text.letters import code_points, text_of
from fingerprint.text.variants import fold_points
from storage.records import Passage, Work, WorkKind
from tracker.alignment.text import ComparedText
from tracker.comparison.corpus import Corpus
from tracker.comparison.passages import MotherPassage
from tracker.judgement.alignments import PassageAlignment
from tracker.judgement.profiles import Profile

_WINDOW_LETTERS = 9  # shorter windows occur in too many texts to be evidence
_WINDOWS = 500  # maximum number of windows that are looked up for one page
_PASSAGES = 64  # maximum number of passages that are read for one page, those with most windows first

_Stretch = tuple[int, int]


def doubtful_stretches(
    alignments: Sequence[PassageAlignment], profiles: Mapping[WorkKind, Profile], letters: int
) -> list[_Stretch]:
    """Return the stretches of works that are supported by short stretches only.

    Args:
        alignments: what alignment confirmed.
        profiles: by the kind of work.
        letters: of the page.

    Returns:
        First and last + 1 letter of each; none of works that are ``clear`` in any case.
    """
    works: dict[int, list[PassageAlignment]] = {}
    for alignment in alignments:
        if alignment.aligned:
            works.setdefault(alignment.work.id, []).append(alignment)
    return [
        aligned.letters
        for alignments_of_work in works.values()
        if _rests_on_phrases(alignments_of_work, profiles[alignments_of_work[0].work.kind], letters)
        for alignment in alignments_of_work
        for aligned in alignment.aligned
    ]


def _rests_on_phrases(alignments: Sequence[PassageAlignment], profile: Profile, letters: int) -> bool:
    columns = [aligned.columns for alignment in alignments for aligned in alignment.aligned]
    shortest = min(len(alignment.passage.text) for alignment in alignments)
    min_columns = min(
        profile.quote_chars,
        profile.phrase_coverage * letters,
        profile.phrase_passage_coverage * shortest,
    )
    return max(columns) < profile.common_chars and sum(columns) >= min_columns


@dataclass(frozen=True, slots=True)
class PhraseHolding:
    """A passage that contains letters of the page, first and last + 1."""

    work: Work
    passage: Passage
    letters: _Stretch


def holders(page: ComparedText, stretches: Sequence[_Stretch], corpus: Corpus) -> list[PhraseHolding]:
    """Return the passages that contain a window of the stretches, with one entry for each window.

    Args:
        page: the page.
        stretches: first and last + 1 letter of each.
        corpus: the corpus to search. For very frequent windows, only some passages are read.

    Raises:
        IndexUnusable: the index was dropped.
    """
    size, stored = _WINDOW_LETTERS, corpus.params.shingle
    inside = [np.arange(first, last - size + 1) for first, last in stretches if last - first >= size]
    if not inside:
        return []
    starts = np.unique(np.concatenate(inside))[:_WINDOWS]
    hashes = mix64(packed_shingles(page.codes, stored.size)[starts])
    hits = corpus.index.lookup({stored.params_id: hashes})[stored.params_id]
    passages = _most_hit(hits.passages, corpus)
    texts = {passage_id: _characters(held.text) for passage_id, held in passages.items()}
    windows = [text_of(page.folded[start : start + size]) for start in starts.tolist()]
    pairs = sorted(set(zip(hits.queries.tolist(), hits.passages.tolist(), strict=True)))
    return [
        PhraseHolding(
            passages[passage_id].work,
            passages[passage_id].passage,
            (int(starts[query]), int(starts[query]) + size),
        )
        for query, passage_id in pairs
        if passage_id in texts and windows[query] in texts[passage_id]
    ]


def _most_hit(ids: npt.NDArray[np.uint32], corpus: Corpus) -> Mapping[int, MotherPassage]:
    """Return the passages that have the most hits."""
    distinct, counts = np.unique(ids, return_counts=True)
    order = np.lexsort((distinct, -counts))[:_PASSAGES]
    return corpus.passages.read(distinct[order].tolist())


def _characters(text: ComparedText) -> str:
    """Return the characters behind a passage's letters, in simplified form."""
    return text_of(fold_points(code_points(text.text)[text.han.offsets]))
