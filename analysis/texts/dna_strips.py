"""Draw DNA as a picture: the frequencies of pinyin initials, window by window. Pure.

Each column is a window of letters, each row one of the twenty initials in alphabetical order. A fuller colour
means a higher digit in the fingerprint. The line below marks the windows that the other text also contains.
By these windows the index finds a text, even if the characters differ.
"""

from dataclasses import dataclass
from itertools import groupby
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from fingerprint.dna import DnaParams, dna_windows, window_digits
from fingerprint.mixing import Hashes
from fingerprint.text.letters import to_letters

COLUMNS = 180
_MARK_ROWS = 2  # rows below the initials: a gap, and the line of common windows
_PARAMS = DnaParams()
_COLOUR, _MARK = "#2f7fc4", "#1f9d57"


@dataclass(frozen=True, slots=True)
class Strip:
    """Windows of a text.

    Attributes:
        digits: shape (columns, 20), ``uint8``.
        agrees: shape (columns,): the other text also contains the window; all False without another text.
        levels: digits go from 0 to ``levels`` - 1.
    """

    digits: npt.NDArray[np.uint8]
    agrees: npt.NDArray[np.bool_]
    levels: int

    @property
    def agreeing(self) -> int:
        """Number of common windows."""
        return int(self.agrees.sum())


def strip_of(text: str, params: DnaParams = _PARAMS) -> Strip:
    """Return windows at equal distances over a whole text; none if it is too short."""
    codes = to_letters(text).codes
    count = max(0, len(codes) - params.size + 1)
    starts = np.linspace(0, count - 1, min(count, COLUMNS)).astype(np.int64)
    return Strip(window_digits(codes, params, starts), np.zeros(len(starts), dtype=bool), params.levels)


def strips_of(first: str, second: str, params: DnaParams = _PARAMS) -> tuple[Strip, Strip]:
    """Return the first windows of two stretches, and which ones the other stretch also contains."""
    codes = to_letters(first).codes, to_letters(second).codes
    numbers = dna_windows(codes[0], params), dna_windows(codes[1], params)

    def strip(side: int) -> Strip:
        starts = np.arange(min(COLUMNS, len(numbers[side])))
        agrees = _contained_in(numbers[side][: len(starts)], numbers[1 - side])
        return Strip(window_digits(codes[side], params, starts), agrees, params.levels)

    return strip(0), strip(1)


def _contained_in(numbers: Hashes, other_numbers: Hashes) -> npt.NDArray[np.bool_]:
    return np.isin(numbers, other_numbers)


def picture_of(strip: Strip) -> str:
    """Return a strip as the address of an image, ``data:image/svg+xml,…``."""
    columns, rows = strip.digits.shape
    height = rows + (_MARK_ROWS if strip.agrees.any() else 0)
    paths = "".join(_path(strip, level) for level in range(1, strip.levels))
    marks = _runs(strip.agrees, rows + 1)
    line = f'<path fill="{_MARK}" d="{marks}"/>' if marks else ""
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {max(1, columns)} {height}" '
        f'preserveAspectRatio="none" shape-rendering="crispEdges">{paths}{line}</svg>'
    )
    return f"data:image/svg+xml,{quote(drawing, safe='')}"


def _path(strip: Strip, level: int) -> str:
    rows = (_runs(strip.digits[:, row] == level, row) for row in range(strip.digits.shape[1]))
    drawn = "".join(rows)
    share = level / (strip.levels - 1)
    return f'<path fill="{_COLOUR}" fill-opacity="{share:.2f}" d="{drawn}"/>' if drawn else ""


def _runs(is_there: npt.NDArray[np.bool_], row: int) -> str:
    """Return the outlines of runs of columns in a row."""
    drawn, at = [], 0
    for value, group in groupby(is_there.tolist()):
        length = len(list(group))
        if value:
            drawn.append(f"M{at} {row}h{length}v1h-{length}z")
        at += length
    return "".join(drawn)
