"""Texts that precede a work: background texts and earlier publications.

*Background texts* have no owner: statutes, official templates, liturgies, classics. Text that a page shares
with a work and with a background text is common, however long it is; only the work's other text counts. An
*earlier publication* belongs to the same holder as the work. Its text is charged to it and not to later
works, so a copy is reported for the text that came first, with its date and licences.

A prior text has precedence only if it explains the page as well as the work does. If more than ``MAX_OWN`` of
the characters agree with the work and not with the prior text, the page follows the work: an adaptation of a
classic belongs to its author. Runs of ``MIN_SPAN`` characters that disagree with the prior text are excluded
from it, even within its stretch.

Complexity: one more alignment for each stretch that overlaps one of a prior text; nothing without prior
texts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from storage.records import Work
from tracker.alignment.align import Aligned
from tracker.alignment.columns import columns_between
from tracker.alignment.cutting import is_repetition, passage_letters, without
from tracker.alignment.flags import runs_of
from tracker.alignment.stretches import MIN_SPAN
from tracker.alignment.text import ComparedText
from tracker.judgement.alignments import PassageAlignment

MAX_OWN = 0.1  # maximum share of a stretch that agrees with the work and not with the prior text

_Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Prior:
    """The extent of a page that is in prior texts; every array has shape (characters of the page,).

    Attributes:
        reach: the character is inside one of their stretches.
        agrees: the character, or its sound, is the same there; characters that are not letters agree.
        same: the letter is the same character.
    """

    reach: _Bools
    agrees: _Bools
    same: _Bools

    @classmethod
    def of(cls, page: ComparedText, alignments: Iterable[PassageAlignment]) -> "_Prior":
        """Return the extent of a page that is in the texts of the alignments."""
        prior = cls(*(np.zeros(len(page.text), dtype=bool) for _ in range(3)))
        for alignment in alignments:
            text = ComparedText(alignment.passage.text)
            for aligned in alignment.aligned:
                extent = slice(aligned.span.page_start, aligned.span.page_end)
                agrees, same = _agreement(page, text, aligned)
                prior.reach[extent] = True
                prior.agrees[extent] |= agrees
                prior.same[extent] |= same
        return prior


def separate_prior_texts(
    page: ComparedText, alignments: Sequence[PassageAlignment], background: Sequence[PassageAlignment]
) -> list[PassageAlignment]:
    """Remove text of prior texts from alignments; alignments that become empty are dropped.

    Text of a background text moves from ``aligned`` to ``background``. Text of an earlier publication of the
    same holder is removed.

    Args:
        page: the page.
        alignments: confirmed alignments of works with an owner, including earlier publications.
        background: confirmed alignments of background texts.
    """
    rests = list(alignments)
    if background:
        prior = _Prior.of(page, background)
        rests = [_without_background(page, alignment, prior) for alignment in rests]
    earlier = [alignment for alignment in rests if alignment.work.role == "earlier"]
    if earlier:
        rests = _without_earlier(page, rests, earlier)
    return [rest for rest in rests if rest.aligned or rest.background]


def _without_background(page: ComparedText, alignment: PassageAlignment, prior: _Prior) -> PassageAlignment:
    """Return an alignment whose background text is moved to ``background``."""
    outside, inside = _split(page, alignment, prior)
    return replace(alignment, aligned=outside, background=[*alignment.background, *inside])


def _without_earlier(
    page: ComparedText, alignments: Sequence[PassageAlignment], earlier: Sequence[PassageAlignment]
) -> list[PassageAlignment]:
    """Return the alignments without text of later works that the same holder published earlier."""
    priors: dict[tuple[int, ...], _Prior] = {}
    rests = []
    for alignment in alignments:
        before = [prior for prior in earlier if _goes_before(prior.work, alignment.work)]
        key = tuple(prior.passage.id for prior in before)
        if key and key not in priors:
            priors[key] = _Prior.of(page, before)
        outside = _split(page, alignment, priors[key])[0] if key else alignment.aligned
        rests.append(replace(alignment, aligned=outside))
    return rests


def _goes_before(earlier: Work, work: Work) -> bool:
    """Return whether an earlier publication belongs to the holder of a work, as far as the data show."""
    if work.role == "earlier" or earlier.book_id == work.book_id:
        return False
    return not (earlier.holder and work.holder and earlier.holder != work.holder)


def _split(
    page: ComparedText, alignment: PassageAlignment, prior: _Prior
) -> tuple[list[Aligned], list[Aligned]]:
    """Split an alignment's stretches into pieces outside and inside prior texts."""
    text = ComparedText(alignment.passage.text)
    outside, inside = list[Aligned](), list[Aligned]()
    for aligned in alignment.aligned:
        extent = slice(aligned.span.page_start, aligned.span.page_end)
        taken = _taken(page, text, aligned, prior) if prior.reach[extent].any() else prior.reach[extent]
        if not taken.any():
            outside.append(aligned)
            continue
        kept = without(page, text, aligned, _on_page(page, extent, taken, elsewhere=False))
        if kept == [aligned]:
            outside.append(aligned)
        elif kept:
            outside += kept
            inside += without(page, text, aligned, _on_page(page, extent, ~taken, elsewhere=True))
        else:  # the remaining piece is too small: add it to the larger part
            (inside if taken.mean() >= 0.5 else outside).append(aligned)  # noqa: PLR2004 - a half
    return outside, inside


def _on_page(page: ComparedText, extent: slice, flags: _Bools, *, elsewhere: bool) -> _Bools:
    """Expand the flags of an extent to the whole page."""
    whole = np.full(len(page.text), elsewhere)
    whole[extent] = flags
    return whole


def _taken(page: ComparedText, text: ComparedText, aligned: Aligned, prior: _Prior) -> _Bools:
    """Return which characters of a stretch on the page belong to prior texts."""
    extent = slice(aligned.span.page_start, aligned.span.page_end)
    _, same = _agreement(page, text, aligned)
    is_same, agrees = same & ~prior.same[extent], prior.agrees[extent]
    taken = np.zeros(len(is_same), dtype=bool)
    for start, end in runs_of(prior.reach[extent]):
        if is_same[start:end].mean() <= MAX_OWN:
            taken[start:end] = _without_long_gaps(agrees[start:end])
    return taken


def _without_long_gaps(agrees: _Bools) -> _Bools:
    """Return the positions that agree, and the gaps between them that are shorter than ``MIN_SPAN``."""
    filled = np.ones_like(agrees)
    for start, end in runs_of(~agrees):
        if end - start >= MIN_SPAN:
            filled[start:end] = False
    return filled


def _agreement(page: ComparedText, text: ComparedText, aligned: Aligned) -> tuple[_Bools, _Bools]:
    """Return which characters of a stretch agree with the passage, and which letters are identical."""
    start, end = aligned.span.page_start, aligned.span.page_end
    columns = columns_between(page, text, _page_letters(page, aligned), passage_letters(text, aligned))
    held = columns.page >= 0
    places = page.letters.offsets[columns.page[held]].astype(np.int64) - start
    agrees = np.ones(end - start, dtype=bool)
    same = np.zeros(end - start, dtype=bool)
    agrees[places], same[places] = columns.sound[held], columns.character[held]
    return agrees, same


def _page_letters(page: ComparedText, aligned: Aligned) -> tuple[int, int]:
    """Return the first and last + 1 letter of a stretch on the page, also of a repetition."""
    first, last = aligned.letters
    if is_repetition(page, aligned):
        length, first = last - first, int(np.searchsorted(page.letters.offsets, aligned.span.page_start))
        last = first + length
    return first, last
