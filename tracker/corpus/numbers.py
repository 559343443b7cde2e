"""Numbers of passages or ids of works as written by users: ``1-20``, ``3,5,8-10``. Pure."""

import re
from collections.abc import Iterable

from system.errors import PindnaError

_MOST = 200_000  # maximum number of passages of a work
_RANGE = re.compile(r"(\d{1,12})(?:\s*[-–~—至]\s*(\d{1,12}))?")


class BadNumbers(PindnaError):
    """Numbers of passages cannot be parsed.

    Attributes:
        numbers: the numbers as given.
    """

    template = "“{numbers}” is not a list of numbers. Write them like 1-20 or 3,5,8-10."


def parse_numbers(text: str) -> list[int]:
    """Return the numbers in a text such as ``1-3,7``.

    >>> parse_numbers("1-3,7")
    [1, 2, 3, 7]

    Raises:
        BadNumbers: it is written otherwise, or has more numbers than a work may have passages.
    """
    numbers: list[int] = []
    for first, last in parse_ranges(text):
        numbers += range(first, min(last + 1, first + _MOST + 1))
        if len(numbers) > _MOST:
            break
    if not 0 < len(numbers) <= _MOST:
        raise BadNumbers(numbers=text)
    return numbers


def parse_ranges(text: str) -> list[tuple[int, int]]:
    """Return the first and the last number of each range in a text such as ``1-3,7``.

    >>> parse_ranges("1-3,7")
    [(1, 3), (7, 7)]

    Raises:
        BadNumbers: it is written otherwise.
    """
    written = [_RANGE.fullmatch(item.strip()) for item in re.split(r"[,，、]", text)]
    ranges = [(int(match[1]), int(match[2] or match[1])) for match in written if match is not None]
    if len(ranges) < len(written):
        raise BadNumbers(numbers=text)
    return ranges


def format_numbers(numbers: Iterable[int]) -> str:
    """Return numbers as text, ascending, with ranges.

    >>> format_numbers([3, 1, 2, 7])
    '1-3,7'
    """
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ",".join("-".join(map(str, run)) for run in runs)
