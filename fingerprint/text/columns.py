"""Text written in columns: what is read downwards, column by column, stands row by row on the page.

A row is a line, if the lines of the stretch are of one length; a stretch without line breaks, or whose lines
are longer than the rows, is cut into rows of the length at which characters below one another are most
natural. Rows that are a character or two shorter have lost blanks at one of their ends, so they are tried
flush with either. Blank lines part blocks, each of which is read down its columns before the next begins;
blocks that stand one below the other without them are told by the rows between which nothing is natural.

A layout is accepted when the pairs down its columns are as natural as those of text. Whether the columns go
from right to left or from left to right only the pairs from the foot of one to the head of the next could
tell, which are too few: both are given.

Complexity: O(n) in NumPy for lines; for the length of unmarked rows O(w) more on ``_SAMPLE`` characters, with
w lengths tried.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
import numpy.typing as npt

from fingerprint.text.naturalness import character_numbers, evidence, pair_kinds

MIN_EVIDENCE = 15.0  # nats for the pairs down the columns being those of text
_MIN_ROWS = 2
_MIN_GAIN = 6.0  # nats by which a block in bands is more natural
_MIN_REGULAR = 0.6  # share of a stretch's lines that have one length, or nearly
_SHORTER = 2  # characters
MAX_WIDTH = 200  # characters a row
_SAMPLE = 4_096

_Ints = npt.NDArray[np.int32]
_Points = npt.NDArray[np.uint32]
_Numbers = npt.NDArray[np.int32]
_Weights = npt.NDArray[np.float32]
_Grid = npt.NDArray[np.int32]  # shape (rows, width): places in the text, −1 where there is none

_SEPARATORS = np.array([0x09, 0x20, 0xA0, 0x7C, 0x2502, 0x2503, 0xFF5C], dtype=np.uint32)  # blanks and rules
_IDEOGRAPHIC_SPACE = 0x3000
_LINE_FEED = 0x0A


def columns_read(points: _Points) -> list[_Ints]:
    """Return the places of a stretch's characters down its columns, the first on the right and on the left.

    Args:
        points: shape (n,), the stretch.

    Returns:
        Two orders, or none if the stretch is not written in columns.
    """
    numbers = character_numbers(points)
    rows = _rows(points)
    best, most = None, MIN_EVIDENCE
    for blocks in _layouts(rows, numbers):
        bands = [band for grid in blocks for band in _bands(numbers, grid)]
        speaks = sum(float(_evidence_down(numbers, band).sum()) for band in bands)
        if speaks > most:
            best, most = bands, speaks
    if best is None:
        return []
    return [_down(best, step) for step in (-1, 1)]


def _rows(points: _Points) -> list[_Ints]:
    """Return the places of each line's characters, without blanks or rules between them."""
    places = np.arange(len(points), dtype=np.int32)
    lines = np.split(places, np.flatnonzero(points == _LINE_FEED))
    return [_cells(line, points) for line in lines]


def _cells(line: _Ints, points: _Points) -> _Ints:
    line = line[(points[line] != _LINE_FEED) & ~np.isin(points[line], _SEPARATORS)]
    spaced = len(line) > _MIN_ROWS and (points[line[1::2]] == _IDEOGRAPHIC_SPACE).all()
    return line[::2] if spaced else line


def _layouts(rows: Sequence[_Ints], numbers: _Numbers) -> Iterator[list[_Grid]]:
    """Yield the ways in which lines may be rows."""
    lengths = np.array([len(row) for row in rows if len(row)])
    if len(lengths) == 0:
        return
    width = int(np.bincount(lengths).argmax())
    regular = np.abs(lengths - width) <= _SHORTER
    if width > 1 and len(lengths) > _MIN_ROWS and regular.mean() >= _MIN_REGULAR:
        blocks = list(_blocks(rows))
        for flush_right in (False, True):
            yield [_grid(block, flush_right=flush_right) for block in blocks]
        return
    if row_length := _row_length(rows, numbers):
        yield [
            _grid(np.split(row, range(row_length, len(row), row_length)), flush_right=False)
            for row in rows
            if len(row)
        ]


def _blocks(rows: Sequence[_Ints]) -> Iterator[list[_Ints]]:
    """Yield the rows between blank lines; where every row stands by itself, all of them."""
    blocks = [list(block) for filled, block in groupby(rows, key=lambda row: len(row) > 0) if filled]
    if all(len(block) < _MIN_ROWS for block in blocks):
        blocks = [[row for block in blocks for row in block]]
    yield from blocks


def _grid(rows: Sequence[_Ints], *, flush_right: bool) -> _Grid:
    grid = np.full((len(rows), max(map(len, rows))), -1, dtype=np.int32)
    for number, row in enumerate(rows):
        grid[number, grid.shape[1] - len(row) if flush_right else 0 :][: len(row)] = row
    return grid


def _row_length(rows: Sequence[_Ints], numbers: _Numbers) -> int:
    """Return the distance at which characters are most natural behind one another; 0 if there is none."""
    gap = np.full(1, -1, dtype=np.int32)
    places = np.concatenate([part for row in rows if len(row) for part in (row, gap)])[:_SAMPLE]
    sample = np.where(places < 0, 0, numbers[places])
    widths = range(2, min(MAX_WIDTH, len(sample) // _MIN_ROWS) + 1)
    speaks = [float(_speaks(sample[:-width], sample[width:]).sum()) for width in widths]
    return widths[int(np.argmax(speaks))] if speaks else 0


def _bands(numbers: _Numbers, grid: _Grid) -> list[_Grid]:
    """Return the bands of equal height that a block consists of, one below the other: mostly itself.

    Across their borders the pairs are no more natural than by accident.
    """
    down = _evidence_down(numbers, grid)
    heights = range(_MIN_ROWS, len(grid))
    gains = [-float(down[height - 1 :: height].sum()) for height in heights]
    if not gains or max(gains) < _MIN_GAIN:
        return [grid]
    height = heights[int(np.argmax(gains))]
    return np.split(grid, range(height, len(grid), height))


def _evidence_down(numbers: _Numbers, grid: _Grid) -> _Weights:
    """Return how much the pairs of each row and the next speak for being read: shape (rows − 1,)."""
    own = np.where(grid < 0, 0, numbers[grid])
    down: _Weights = _speaks(own[:-1], own[1:]).sum(axis=1)
    return down


def _speaks(first: _Numbers, second: _Numbers) -> _Weights:
    """Return how much pairs speak for being read rather than standing together by accident."""
    return -evidence(pair_kinds(first, second), "neither")


def _down(blocks: Sequence[_Grid], step: int) -> _Ints:
    places = np.concatenate([grid[:, ::step].T.ravel() for grid in blocks])
    return places[places >= 0]
