"""Characters of Unicode's private use, which only a font of the page shows. Pure, linear.

Icons are also such characters, but a page has only a few and repeats them. A text has many different ones.
"""

import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

_FIRST, _LAST = 0xE000, 0xF8FF
# Escapes in markup and in strings of scripts. Each begins with letters to which the regex engine can skip.
_ESCAPES = (
    (
        "&#",
        re.compile(
            r"&#(?:[xX]0*(?:[eE][0-9a-fA-F]|[fF][0-8])[0-9a-fA-F]{2}|57[3-9]\d\d|5[89]\d{3}|6[0-3]\d{3})"
        ),
    ),
    ("\\u", re.compile(r"\\u(?:[eE][0-9a-fA-F]|[fF][0-8])[0-9a-fA-F]{2}")),
)
_MIN_DIFFERENT = 60


def private_chars(sources: Iterable[tuple[str, npt.NDArray[np.uint16]]]) -> int:
    """Return the number of private-use characters of a page, if there are as many as in a text, else 0.

    Args:
        sources: the page and the documents in it, each with its wide units.
    """
    count = 0
    different: set[object] = set()
    for source, units in sources:
        private = units[(units >= _FIRST) & (units <= _LAST)]
        if len(private):
            count += len(private)
            different.update(np.unique(private).tolist())
        for beginning, pattern in _ESCAPES:
            if beginning in source:
                escapes = pattern.findall(source)
                count += len(escapes)
                different.update(escapes)
    return count if len(different) >= _MIN_DIFFERENT else 0
