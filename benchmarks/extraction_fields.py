"""Accuracy of the titles, authors, dates and next links that pindna extracts from pages."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.extraction import StoredPage, comparable_text
from crawler.extraction import ExtractedPage, extract

FIELDS = ("title", "author", "published", "next_page", "next_chapter")
_NOTHING = "-"
_DAY = len("2026-01-31")


@dataclass(frozen=True, slots=True)
class FieldScore:
    """Number of correct values of a field, among the pages whose value a person checked.

    An address is correct if its last path segment is correct, a date if its day is correct.

    Attributes:
        right: number of correct values.
        judged: number of checked pages.
        unseen_right: number of correct values in the unseen half.
        unseen: number of checked pages in the unseen half.
    """

    field: str
    right: int
    judged: int
    unseen_right: int
    unseen: int


def measure_fields(stored: Sequence[StoredPage]) -> list[FieldScore]:
    """Return the scores of every field that a person checked on some page."""
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
