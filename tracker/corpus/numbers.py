"""Numbers of passages as written by users: ``1-20``, ``3,5,8-10``. Pure."""

import re

from system.errors import PindnaError

_MOST = 200_000  # maximum number of passages of a work
_RANGE = re.compile(r"(\d{1,6})(?:\s*[-–~—至]\s*(\d{1,6}))?")


class BadNumbers(PindnaError):
    """Numbers of passages cannot be parsed.

    Attributes:
        numbers: the numbers as given.
    """

    template = "“{numbers}” is not a list of passages. Write their numbers like 1-20 or 3,5,8-10."


def parse_numbers(text: str) -> list[int]:
    """Return the numbers in a text such as ``1-3,7``.

    >>> parse_numbers("1-3,7")
    [1, 2, 3, 7]

    Raises:
        BadNumbers: it is written otherwise, or has more numbers than a work may have passages.
    """
    numbers: list[int] = []
    for item in re.split(r"[,，、]", text):
        written = _RANGE.fullmatch(item.strip())
        if written is None:
            raise BadNumbers(numbers=text)
        first, last = int(written[1]), int(written[2] or written[1])
        numbers += range(first, min(last + 1, first + _MOST + 1))
        if len(numbers) > _MOST:
            break
    if not 0 < len(numbers) <= _MOST:
        raise BadNumbers(numbers=text)
    return numbers
