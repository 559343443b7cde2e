"""Whether the texts of several files are chapters or books: judged by their first lines and their length."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from fingerprint.text.han import BOOK_NUMERALS, CHAPTER_LINE
from fingerprint.text.numerals import number_of
from fingerprint.text.variants import fold
from system.errors import PindnaError
from tracker.corpus.chapters import MAX_CHARS
from tracker.corpus.content import Content
from tracker.corpus.forms import Rules, read_content
from tracker.corpus.names import is_outer_part
from tracker.corpus.tree import TextFile

Nature = Literal["books", "chapters", "unknown"]
_SAMPLE_FILES = 20  # number of files that are read to find out what a folder contains
_FEWEST_UNNAMED = 5  # files whose names say nothing: as many must open with chapter headings
_HEAD_CHARS = 400
_HEAD_LINES = 4  # a heading may follow the title and the author
_HEADING = re.compile(
    rf"[\s《]*(?:\S.{{0,30}}[\s》:：]+)?第\s*(?P<number>[{BOOK_NUMERALS}]{{1,9}})\s*[章节回话折]"
)


@dataclass(frozen=True, slots=True)
class Opening:
    """The beginning and the structure of a text.

    Attributes:
        number: of the chapter heading among the first lines; None without one.
        is_book: the text has several chapters, or is longer than a passage.
    """

    number: int | None
    is_book: bool


def content_of(file: TextFile, rules: Rules) -> Content:
    """Return the content of a file.

    Raises:
        PindnaError: why it cannot be used.
    """
    return read_content(file.data(rules.max_bytes), file.path, rules, budget=file.budget)


def are_books(files: Sequence[TextFile], rules: Rules) -> bool:
    """Return whether most files are divided into chapters, or longer than a passage may be."""
    openings = [opening for _, opening in _openings(_sample(files), rules)]
    return 2 * sum(opening.is_book for opening in openings) > len(openings)


def nature_of(files: Sequence[TextFile], rules: Rules) -> Nature:
    """Return what the files of a series are: books, or chapters that open with different numbers."""
    main = [file for file in files if not is_outer_part(file.stem)]
    openings = [opening for _, opening in _openings(_sample(main), rules)]
    if 2 * sum(opening.is_book for opening in openings) > len(openings):
        return "books"
    numbers = [opening.number for opening in openings if opening.number is not None]
    if len(numbers) > 1 and _are_most(len(set(numbers)), len(openings)):
        return "chapters"
    return "unknown"


def in_chapter_order(files: Sequence[TextFile], rules: Rules) -> tuple[TextFile, ...] | None:
    """Return the files in the order of the chapter headings that they open with; None if they do not.

    Every file must open with another number, and the numbers must have no large gaps. The names say nothing,
    so nothing less is enough to join the files.
    """
    if len(files) < _FEWEST_UNNAMED or nature_of(files, rules) != "chapters":
        return None
    numbers = {file: opening.number for file, opening in _openings(files, rules) if not opening.is_book}
    used_numbers = [number for number in numbers.values() if number is not None]
    if len(set(used_numbers)) < len(files) or max(used_numbers) - min(used_numbers) >= 2 * len(used_numbers):
        return None
    return tuple(sorted(files, key=lambda file: numbers[file] or 0))


def _sample(files: Sequence[TextFile]) -> Sequence[TextFile]:
    return files[:: -(-len(files) // _SAMPLE_FILES) or 1]


def _openings(files: Sequence[TextFile], rules: Rules) -> list[tuple[TextFile, Opening]]:
    """Return the openings of the files that can be read."""
    openings: list[tuple[TextFile, Opening]] = []
    for file in files:
        try:
            content = content_of(file, rules)
        except PindnaError:
            continue
        openings.append((file, _opening_of(content)))
    return openings


def _opening_of(content: Content) -> Opening:
    headings = len(content.headings) or len(
        {heading[0].strip() for heading in CHAPTER_LINE.finditer(content.text)}
    )
    lines = (line for line in content.text[:_HEAD_CHARS].splitlines() if line.strip())
    matches = (_HEADING.match(fold(line)) for line in islice(lines, _HEAD_LINES))
    number = next((number_of(fold(match["number"])) for match in matches if match), None)
    return Opening(number, is_book=headings > 1 or len(content.text) > MAX_CHARS)


def _are_most(count: int, total: int) -> bool:
    return 5 * count >= 4 * total
