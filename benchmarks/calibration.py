"""Calibration of extraction: F1 against the gold text, in bins of pindna's confidence.

If a list is extracted as a text, its F1 is 0. Each page is extracted twice: unchanged, and without class and
id attributes. The second extraction is harder, so its confidence is lower.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmarks.extraction import StoredPage, score
from crawler.extraction import ExtractedPage, extract
from storage.records import MIN_CONFIDENCE

_BORDERS = (MIN_CONFIDENCE, 0.8, 0.9, 0.95, 0.99)
_TEXTS = frozenset({"article", "chapter", "thread"})
_GOOD = 0.9  # F1


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Pages with a confidence from ``low`` to below ``high``.

    Attributes:
        f1: mean F1.
        good: share of pages with an F1 of .9 or more.
        unseen_pages: number of pages of the unseen half.
        unseen_f1: mean F1 of these pages; None without such pages.
    """

    low: float
    high: float
    pages: int
    f1: float
    good: float
    unseen_pages: int
    unseen_f1: float | None


def calibrate(stored: Sequence[StoredPage]) -> list[ConfidenceBin]:
    """Return the bins that contain pages. Pages with garbled fonts are excluded."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(len(_BORDERS) + 1)]
    for page in stored:
        extracted = extract(page.data, declared=page.declared)
        if extracted.kind in _TEXTS and not page.is_garbled:
            bins[bisect_right(_BORDERS, extracted.confidence)].append(
                (_f1_of_page(page, extracted), page.is_unseen)
            )
    edges = (0.0, *_BORDERS, 1.0)
    return [_make_bin(edges[at], edges[at + 1], scores) for at, scores in enumerate(bins) if scores]


def _f1_of_page(page: StoredPage, extracted: ExtractedPage) -> float:
    return 0.0 if page.gold is None else score(extracted.text, page.gold)[2]


def _make_bin(low: float, high: float, scores: Sequence[tuple[float, bool]]) -> ConfidenceBin:
    f1s = [f1 for f1, _ in scores]
    unseen = [f1 for f1, is_unseen in scores if is_unseen]
    good = sum(f1 >= _GOOD for f1 in f1s) / len(f1s)
    return ConfidenceBin(
        low, high, len(f1s), fmean(f1s), good, len(unseen), fmean(unseen) if unseen else None
    )
