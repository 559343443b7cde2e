"""Text written in columns: it is meant to be read down the columns, but the page contains it row by row.

If most lines of a stretch have one length (within each block), each line is a row. Otherwise lines are cut
into rows of the length at which characters below one another are most natural. Rows that are one or two
characters shorter have lost blanks at one end, so both alignments are tried. Blank lines separate blocks;
each block is read down its columns before the next one. Blocks without blank lines between them are separated
where nothing is natural from one row to the next. A line much longer than the rows of its block forms a block
alone.

A layout is accepted if the pairs down its columns are as natural as those of text. Only the pairs from the
foot of one column to the head of the next could show whether columns run from right to left, and these are
too few. So both directions are returned.

Complexity: O(n) in NumPy; for the length of unmarked rows ``MAX_WIDTH`` more steps on ``_SAMPLE`` characters.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from fingerprint.text.naturalness import character_numbers, evidence, pair_kinds
from fingerprint.text.normal import is_blank

MIN_EVIDENCE = 15.0  # nats that the pairs down the columns must give
_MIN_WIDTH, MAX_WIDTH = 2, 200  # characters a row
_MIN_ROWS = 2
_MAX_HEIGHT = 200  # rows of a block, if there are several blocks
_MIN_GAIN = 6.0  # nats by which several blocks are more natural than one
_MIN_REGULAR = 0.6  # share of a stretch's lines with about the same length
_SHORTER = 2  # characters that a row may lack
_MAX_BLOCKS = 2_000  # a text with more blocks is not in columns
_SAMPLE = 4_096

_RULES = np.array([ord(rule) for rule in "|│┃｜"], dtype=np.uint32)
_IDEOGRAPHIC_SPACE = 0x3000
_LINE_FEED = 0x0A

_Ints = npt.NDArray[np.int32]
_Wide = npt.NDArray[np.int64]
_Points = npt.NDArray[np.uint32]
_Numbers = npt.NDArray[np.int32]
_Weights = npt.NDArray[np.float32]
_Grid = npt.NDArray[np.int32]  # shape (rows, width): positions in the stretch, −1 for an empty cell


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The characters of a stretch in rows, without blanks and rules.

    Attributes:
        places: shape (n,): position of each character in the stretch.
        firsts: shape (rows,): the first character of each row; no row is empty.
        lines: shape (rows,): the line number of each row.
    """

    places: _Ints
    firsts: _Wide
    lines: _Wide

    @property
    def lengths(self) -> _Wide:
        """Length of each row: shape (rows,)."""
        return np.diff(self.firsts, append=len(self.places))


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """Blocks of rows, and the height to which the columns of each block are read."""

    grids: list[_Grid]
    heights: list[int]

    def read(self, step: int) -> _Ints:
        """Return the positions down the columns, from left to right; from right to left if ``step`` is −1."""
        places = [_down(grid, height, step) for grid, height in zip(self.grids, self.heights, strict=True)]
        return np.concatenate(places)


def column_orders(points: _Points) -> list[_Ints]:
    """Return the positions of a stretch's characters down its columns, from the right and from the left.

    Args:
        points: shape (n,), the stretch.

    Returns:
        Two orders, or none if the stretch is not written in columns.
    """
    numbers = character_numbers(points)
    best, most = None, MIN_EVIDENCE
    for grids in _arrangements(_lines(points), numbers):
        blocks = [_blocks_of(_evidence_down(numbers, grid)) for grid in grids]
        speaks = sum(gain for _, gain in blocks)
        if speaks > most:
            best, most = _Columns(grids, [height for height, _ in blocks]), speaks
    return [best.read(step) for step in (-1, 1)] if best is not None else []


def _lines(points: _Points) -> _Rows:
    """Return the lines that contain characters, as rows."""
    line = np.cumsum(points == _LINE_FEED)
    is_separator = (is_blank(points) & (points != _IDEOGRAPHIC_SPACE)) | np.isin(points, _RULES)
    places = np.flatnonzero(~is_separator)
    block_lines = line[places]
    is_odd = (np.arange(len(block_lines)) - np.searchsorted(block_lines, block_lines)) % 2 == 1
    is_ideographic = points[places] == _IDEOGRAPHIC_SPACE
    is_spaced = np.bincount(block_lines) > _MIN_ROWS
    is_spaced &= np.bincount(block_lines, weights=is_odd & ~is_ideographic) == 0
    places = places[~(is_odd & is_spaced[block_lines])]
    firsts = np.flatnonzero(np.diff(line[places], prepend=-1))
    return _Rows(places.astype(np.int32), firsts, line[places[firsts]])


def _arrangements(lines: _Rows, numbers: _Numbers) -> Iterator[list[_Grid]]:
    """Yield the possible divisions of the lines into rows, as blocks."""
    lengths = lines.lengths
    if len(lengths) == 0:
        return
    widths = _widths(lines)
    is_regular = (np.abs(lengths - widths) <= _SHORTER) & (widths > 1) & (widths <= MAX_WIDTH)
    if len(lengths) > _MIN_ROWS and is_regular.mean() >= _MIN_REGULAR:
        blocks = _parts(lines, _borders(lines, is_long=lengths > widths + _SHORTER))
        for flush_right in (False, True):
            yield [_grid(block, flush_right=flush_right) for block in blocks]
    elif row_length := _row_length(lines, numbers):
        yield [_grid(_cut(line, row_length)) for line in _parts(lines, np.arange(1, len(lengths)))]


def _borders(lines: _Rows, *, is_long: npt.NDArray[np.bool_]) -> _Wide:
    """Return the first line of each block: after blank lines, and before and after long lines.

    If all lines are separated by blank lines, these do not separate blocks.
    """
    return np.flatnonzero(_is_behind_blank(lines) | is_long[1:] | is_long[:-1]) + 1


def _is_behind_blank(lines: _Rows) -> npt.NDArray[np.bool_]:
    """Return which lines, except the first, follow a blank line; none if all do: shape (rows − 1,)."""
    is_behind = np.diff(lines.lines) > 1
    return is_behind & ~is_behind.all()


def _widths(lines: _Rows) -> _Wide:
    """Return the most frequent length in each line's block; that of the whole stretch for small blocks."""
    lengths = lines.lengths
    block = np.concatenate([[0], np.cumsum(_is_behind_blank(lines))])
    pairs, counts = np.unique(block * (lengths.max() + 1) + lengths, return_counts=True)
    blocks, line_lengths = np.divmod(pairs, lengths.max() + 1)
    # Within each block the most frequent length comes last; among equals the shortest.
    order = np.lexsort((-line_lengths, counts, blocks))
    block_widths = line_lengths[order[np.flatnonzero(np.diff(blocks[order], append=-1))]]
    block_widths[np.bincount(block) <= _MIN_ROWS] = np.bincount(lengths).argmax()
    widths: _Wide = block_widths[block]
    return widths


def _parts(lines: _Rows, borders: _Wide) -> list[_Rows]:
    """Split the lines at the borders; return no block if there are too many."""
    if len(borders) > _MAX_BLOCKS:
        return []
    ends = np.append(lines.firsts, len(lines.places))
    return [
        _Rows(lines.places[ends[a] : ends[b]], lines.firsts[a:b] - ends[a], lines.lines[a:b])
        for a, b in pairwise([0, *borders.tolist(), len(lines.firsts)])
    ]


def _cut(line: _Rows, length: int) -> _Rows:
    """Cut the characters of one line into rows of some length."""
    firsts = np.arange(0, len(line.places), length)
    return _Rows(line.places, firsts, np.arange(len(firsts)))


def _grid(rows: _Rows, *, flush_right: bool = False) -> _Grid:
    lengths = rows.lengths
    grid = np.full((len(lengths), int(lengths.max())), -1, dtype=np.int32)
    row = np.repeat(np.arange(len(lengths)), lengths)
    column = np.arange(len(row)) - rows.firsts[row]
    if flush_right:
        column += grid.shape[1] - lengths[row]
    grid[row, column] = rows.places
    return grid


def _row_length(lines: _Rows, numbers: _Numbers) -> int:
    """Return the distance at which characters form the most natural pairs; 0 if there is none."""
    sample = numbers[lines.places[:_SAMPLE]]
    # An unknown character separates the last character of a line from the next line.
    sample = np.insert(sample, lines.firsts[(lines.firsts > 0) & (lines.firsts < len(sample))], 0)
    most = min(MAX_WIDTH, len(sample) // _MIN_ROWS)
    if most < _MIN_WIDTH:
        return 0
    behind = sliding_window_view(np.pad(sample, (0, most)), most + 1)[:, _MIN_WIDTH:]
    # Row by row, so that look-ups in the table stay in the cache.
    speaks = _evidence(sample[:, np.newaxis], behind).sum(axis=0, dtype=np.float64)
    return _MIN_WIDTH + int(speaks.argmax())


def _blocks_of(down: _Weights) -> tuple[int, float]:
    """Return the rows of each block, and the evidence for reading the rows in such blocks.

    Args:
        down: the evidence for each row and the next.
    """
    total, rows = float(down.sum()), len(down) + 1
    heights = range(_MIN_ROWS, min(rows, _MAX_HEIGHT))
    gains = [-float(down[height - 1 :: height].sum()) for height in heights]
    if max(gains, default=0) < _MIN_GAIN:
        return rows, total
    best = int(np.argmax(gains))
    return heights[best], total + gains[best]


def _evidence_down(numbers: _Numbers, grid: _Grid) -> _Weights:
    """Return the evidence of the pairs of each row and the next: shape (rows − 1,)."""
    cell_numbers = np.where(grid < 0, 0, numbers[grid])
    down: _Weights = _evidence(cell_numbers[:-1], cell_numbers[1:]).sum(axis=1)
    return down


def _evidence(first: _Numbers, second: _Numbers) -> _Weights:
    """Return the evidence that pairs are meant to be read together rather than neighbours by accident."""
    return -evidence(pair_kinds(first, second), "neither")


def _down(grid: _Grid, height: int, step: int) -> _Ints:
    """Return the positions down the columns of each block of rows; a single row is read as a line."""
    rows, width = grid.shape
    if rows == 1:
        return grid[grid >= 0]
    blocks = np.full((-(-rows // height) * height, width), -1, dtype=np.int32)
    blocks[:rows] = grid[:, ::step]
    places = blocks.reshape(-1, height, width).transpose(0, 2, 1).ravel()
    return places[places >= 0]
