"""Removal of stretches of a page's rest that its article also contains, to report each stretch once. Pure.

Descriptions for search engines, structured data and teasers repeat a page's article. If the article's match
of a passage contains most of a stretch of the rest, the stretch is dropped. Stretches of other works at that
position are dropped too: in the article, the same text was charged to this passage.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tracker.alignment.align import Aligned
from tracker.alignment.cutting import without
from tracker.alignment.text import ComparedText
from tracker.judgement.alignments import PassageAlignment
from tracker.judgement.match import mask

REPEATED = 0.8  # minimum share of a passage's stretch that the article also contains

_Bools = npt.NDArray[np.bool_]


def without_repeated(
    page: ComparedText, alignments: Sequence[PassageAlignment], reported: Sequence[PassageAlignment]
) -> list[PassageAlignment]:
    """Return the alignments without stretches that are already reported; empty ones are dropped.

    Args:
        page: the text that is aligned.
        alignments: its confirmed alignments.
        reported: matches of the page's other text.
    """
    by_passage = {alignment.passage.id: [*alignment.aligned, *alignment.background] for alignment in reported}
    repeated = np.zeros(len(page.text), dtype=bool)
    for alignment in alignments:
        if alignment.passage.id in by_passage:
            _mark_repeated(alignment, by_passage[alignment.passage.id], repeated)
    if not repeated.any():
        return list(alignments)
    remaining = [replace(alignment, aligned=_outside(page, alignment, repeated)) for alignment in alignments]
    return [alignment for alignment in remaining if alignment.aligned]


def _mark_repeated(alignment: PassageAlignment, reported: Sequence[Aligned], repeated: _Bools) -> None:
    """Mark the positions of the text for which the article has most of the passage's text."""
    has = mask((aligned.span for aligned in reported), len(alignment.passage.text), passage=True)
    for aligned in alignment.aligned:
        span = aligned.span
        if has[span.passage_start : span.passage_end].mean() >= REPEATED:
            repeated[span.page_start : span.page_end] = True


def _outside(page: ComparedText, alignment: PassageAlignment, repeated: _Bools) -> list[Aligned]:
    """Return the pieces of a passage's stretches that are not repeated."""
    text = ComparedText(alignment.passage.text)
    return [piece for aligned in alignment.aligned for piece in without(page, text, aligned, repeated)]
