"""Results of functions of one text, kept for other pages of the process.

The pages of a site share most of their scripts and style sheets, and searching these takes longer than
comparing their texts. Scripts with data differ on each page; their results are long and are not kept.
"""

import sys
from collections.abc import Callable
from functools import wraps
from operator import itemgetter
from typing import TypeVar

from cachetools import LRUCache

Result = TypeVar("Result", bool, tuple[str, ...])

_MAX_KEPT_BYTES = 4_000_000  # maximum bytes of the texts whose results are kept, per function
_MIN_CHARS, _MAX_CHARS = 100, 200_000  # minimum and maximum characters of a text whose result is kept
_MAX_RESULT_CHARS = 2_000
_RESULT_BYTES = 10_000


def keep_by_text(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """Decorate a pure function of one text so that it keeps its short results for equal texts."""
    kept: LRUCache[str, tuple[Result, int]] = LRUCache(_MAX_KEPT_BYTES, getsizeof=itemgetter(1))

    @wraps(function)
    def with_kept(text: str) -> Result:
        if not _MIN_CHARS <= len(text) <= _MAX_CHARS:
            return function(text)
        entry = kept.get(text)
        if entry is not None:
            return entry[0]
        result = function(text)
        chars = sum(map(len, result)) if isinstance(result, tuple) else 0
        if chars <= _MAX_RESULT_CHARS:
            kept[text] = result, sys.getsizeof(text) + _RESULT_BYTES * bool(chars)
        return result

    return with_kept
