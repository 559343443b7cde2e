"""Fields of pages, and what pindna's confidence in a text is worth. Only pindna is measured.

Fields are titles, authors, dates and next links. Calibration is F1 against the gold text, by bins of
confidence; a list that is extracted as a text counts with F1 0. Each page is read twice, unchanged and
without class and id attributes; the second reading is harder and fills the lower bins.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmarks.extraction import StoredPage, comparable_text, score
from crawler.extraction import ExtractedPage, extract
from storage.records import MIN_CONFIDENCE

FIELDS = ("title", "author", "published", "next_page", "next_chapter")
_NOTHING = "-"
_DAY = len("2026-01-31")
_BORDERS = (MIN_CONFIDENCE, 0.8, 0.9, 0.95, 0.99)
_TEXTS = frozenset({"article", "chapter", "thread"})
_GOOD = 0.9  # F1


@dataclass(frozen=True, slots=True)
class FieldScore:
    """Number of correct values of a field, of values that a person judged; also for the unseen half.

    An address is correct if its last path segment is, a date if its day is.
    """

    field: str
    right: int
    judged: int
    unseen_right: int
    unseen: int


def measure_fields(stored: Sequence[StoredPage]) -> list[FieldScore]:
    """Return the scores of every field that was judged."""
    judged = [(page, extract(page.data, declared=page.declared)) for page in stored if page.fields]
    return [right for field in FIELDS if (right := _score_field(field, judged)).judged]


def _score_field(field: str, judged: Sequence[tuple[StoredPage, ExtractedPage]]) -> FieldScore:
    answers = [
        (page.is_unseen, _is_correct(field, page.fields[field], extracted))
        for page, extracted in judged
        if field in page.fields
    ]
    unseen = [is_right for is_unseen, is_right in answers if is_unseen]
    return FieldScore(field, sum(is_right for _, is_right in answers), len(answers), sum(unseen), len(unseen))


def _is_correct(field: str, expected: str, extracted: ExtractedPage) -> bool:
    value = extracted.as_dict()[field] or _NOTHING
    if field == "published":
        return str(value)[:_DAY] == expected[:_DAY]
    if field.startswith("next") and _NOTHING not in (value, expected):
        return str(value).rpartition("/")[2] == expected.rpartition("/")[2]
    return comparable_text(str(value)) == comparable_text(expected)


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Pages with a confidence from ``low`` to below ``high``.

    Attributes:
        f1: mean F1.
        good: share of pages with an F1 of .9 or more.
        unseen_pages, unseen_f1: pages and mean F1 of the unseen half; None without such pages.
    """

    low: float
    high: float
    pages: int
    f1: float
    good: float
    unseen_pages: int
    unseen_f1: float | None


def calibrate(stored: Sequence[StoredPage]) -> list[ConfidenceBin]:
    """Return the bins that contain pages; pages with garbled fonts are excluded."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(len(_BORDERS) + 1)]
    for page in stored:
        extracted = extract(page.data, declared=page.declared)
        if extracted.kind in _TEXTS and not page.is_garbled:
            bins[bisect_right(_BORDERS, extracted.confidence)].append(
                (_f1_of_page(page, extracted), page.is_unseen)
            )
    edges = (0.0, *_BORDERS, 1.0)
    return [_confidence_bin(edges[at], edges[at + 1], scores) for at, scores in enumerate(bins) if scores]


def _f1_of_page(page: StoredPage, extracted: ExtractedPage) -> float:
    return 0.0 if page.gold is None else score(extracted.text, page.gold)[2]


def _confidence_bin(low: float, high: float, scores: Sequence[tuple[float, bool]]) -> ConfidenceBin:
    f1s = [f1 for f1, _ in scores]
    unseen = [f1 for f1, is_unseen in scores if is_unseen]
    good = sum(f1 >= _GOOD for f1 in f1s) / len(f1s)
    return ConfidenceBin(
        low, high, len(f1s), fmean(f1s), good, len(unseen), fmean(unseen) if unseen else None
    )
