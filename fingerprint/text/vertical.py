"""Read text that is written in columns: its characters follow one another downwards, but are stored by rows.

If most lines of each block have the same length, each line is a row. Otherwise the lines are cut into rows of
equal length. The chosen length makes the pairs of vertically adjacent characters most natural. Rows that are
one or two characters shorter have lost blanks at one end, so both alignments are tried. Blank lines separate
blocks, and each block is read down its columns before the next block. If there are no blank lines, blocks are
separated where the pairs of one row and the next are not natural. A line that is much longer than the rows of
its block forms a block alone.

A layout is accepted if the vertical pairs are as natural as the pairs of ordinary text. Columns may run from
right to left or from left to right. Only the pairs from the foot of one column to the head of the next could
show this, and they are too few. So both directions are returned.

Complexity: O(n) in NumPy. To find the length of rows, up to ``_SAMPLE`` characters are compared with the
``MAX_WIDTH`` characters after each of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from fingerprint.text.naturalness import character_numbers, direction_evidence, pair_kinds
from fingerprint.text.normal import is_blank

MIN_EVIDENCE = 15.0  # minimum evidence of the vertical pairs, in nats
_MIN_WIDTH, MAX_WIDTH = 2, 200  # characters per row
_MIN_ROWS = 2
_MAX_HEIGHT = 200  # maximum rows of a block, if there are several blocks
_MIN_GAIN = 6.0  # nats by which several blocks must be more natural than one
_MIN_REGULAR = 0.6  # minimum share of lines that have about the same length
_SHORTER = 2  # maximum number of characters that a row may lack
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
    """The characters of a stretch in rows, without blanks and vertical lines.

    Attributes:
        positions: shape (n,): position of each character in the stretch.
        firsts: shape (rows,): the index of the first character of each row; no row is empty.
        lines: shape (rows,): the line number of each row.
    """

    positions: _Ints
    firsts: _Wide
    lines: _Wide

    @property
    def lengths(self) -> _Wide:
        """Length of each row: shape (rows,)."""
        return np.diff(self.firsts, append=len(self.positions))


@dataclass(frozen=True, slots=True, eq=False)
class _ColumnLayout:
    """Grids of characters, each read in blocks of some height.

    Attributes:
        grids: the characters.
        heights: for each grid, the number of rows of its blocks. Each block is read down its columns.
    """

    grids: list[_Grid]
    heights: list[int]

    def reading_positions(self, step: int) -> _Ints:
        """Return the positions down the columns, from left to right (``step`` 1) or right to left (−1)."""
        positions = [
            _column_positions(grid, height, step)
            for grid, height in zip(self.grids, self.heights, strict=True)
        ]
        return np.concatenate(positions)


def column_orders(points: _Points) -> list[_Ints]:
    """Return the two orders of a stretch that is written in columns, as positions of its characters.

    Args:
        points: shape (n,), the code points of the stretch.

    Returns:
        The order with columns from right to left, and the order with columns from left to right. Empty if the
        stretch is not written in columns.
    """
    numbers = character_numbers(points)
    best, max_evidence = None, MIN_EVIDENCE
    for grids in _possible_layouts(_split_lines(points), numbers):
        blocks = [_best_block_height(_vertical_evidence(numbers, grid)) for grid in grids]
        evidence = sum(gain for _, gain in blocks)
        if evidence > max_evidence:
            best, max_evidence = _ColumnLayout(grids, [height for height, _ in blocks]), evidence
    return [best.reading_positions(step) for step in (-1, 1)] if best is not None else []


def _split_lines(points: _Points) -> _Rows:
    """Return the lines that contain characters, one row for each."""
    line = np.cumsum(points == _LINE_FEED)
    is_separator = (is_blank(points) & (points != _IDEOGRAPHIC_SPACE)) | np.isin(points, _RULES)
    positions = np.flatnonzero(~is_separator)
    block_lines = line[positions]
    is_odd = (np.arange(len(block_lines)) - np.searchsorted(block_lines, block_lines)) % 2 == 1
    is_ideographic = points[positions] == _IDEOGRAPHIC_SPACE
    is_spaced = np.bincount(block_lines) > _MIN_ROWS
    is_spaced &= np.bincount(block_lines, weights=is_odd & ~is_ideographic) == 0
    positions = positions[~(is_odd & is_spaced[block_lines])]
    firsts = np.flatnonzero(np.diff(line[positions], prepend=-1))
    return _Rows(positions.astype(np.int32), firsts, line[positions[firsts]])


def _possible_layouts(lines: _Rows, numbers: _Numbers) -> Iterator[list[_Grid]]:
    """Yield the possible divisions of the lines into rows, each as one grid per block."""
    lengths = lines.lengths
    if len(lengths) == 0:
        return
    widths = _typical_lengths(lines)
    is_regular = (np.abs(lengths - widths) <= _SHORTER) & (widths > 1) & (widths <= MAX_WIDTH)
    if len(lengths) > _MIN_ROWS and is_regular.mean() >= _MIN_REGULAR:
        blocks = _split_at(lines, _block_starts(lines, is_long=lengths > widths + _SHORTER))
        for flush_right in (False, True):
            yield [_make_grid(block, flush_right=flush_right) for block in blocks]
    elif row_length := _guess_row_length(lines, numbers):
        yield [
            _make_grid(_cut_into_rows(line, row_length))
            for line in _split_at(lines, np.arange(1, len(lengths)))
        ]


def _block_starts(lines: _Rows, *, is_long: npt.NDArray[np.bool_]) -> _Wide:
    """Return the index of the first line of each block but the first.

    A block starts after a blank line, at a long line, and after a long line. If blank lines separate all
    lines, they do not separate blocks.
    """
    return np.flatnonzero(_follows_blank_line(lines) | is_long[1:] | is_long[:-1]) + 1


def _follows_blank_line(lines: _Rows) -> npt.NDArray[np.bool_]:
    """Return for each line but the first whether it follows a blank line: shape (rows − 1,).

    All values are False if every line follows a blank line.
    """
    follows_blank = np.diff(lines.lines) > 1
    return follows_blank & ~follows_blank.all()


def _typical_lengths(lines: _Rows) -> _Wide:
    """Return for each line the most frequent length of a line in its block: shape (rows,).

    Lines of small blocks get the most frequent length of the whole stretch.
    """
    lengths = lines.lengths
    block = np.concatenate([[0], np.cumsum(_follows_blank_line(lines))])
    pairs, counts = np.unique(block * (lengths.max() + 1) + lengths, return_counts=True)
    blocks, line_lengths = np.divmod(pairs, lengths.max() + 1)
    # Sort so that the most frequent length of each block comes last; of equally frequent ones the shortest.
    order = np.lexsort((-line_lengths, counts, blocks))
    block_widths = line_lengths[order[np.flatnonzero(np.diff(blocks[order], append=-1))]]
    block_widths[np.bincount(block) <= _MIN_ROWS] = np.bincount(lengths).argmax()
    widths: _Wide = block_widths[block]
    return widths


def _split_at(lines: _Rows, block_starts: _Wide) -> list[_Rows]:
    """Return the blocks that start at the given lines; none if there are too many."""
    if len(block_starts) > _MAX_BLOCKS:
        return []
    ends = np.append(lines.firsts, len(lines.positions))
    return [
        _Rows(lines.positions[ends[a] : ends[b]], lines.firsts[a:b] - ends[a], lines.lines[a:b])
        for a, b in pairwise([0, *block_starts.tolist(), len(lines.firsts)])
    ]


def _cut_into_rows(line: _Rows, length: int) -> _Rows:
    """Cut the characters of one line into rows of the given length."""
    firsts = np.arange(0, len(line.positions), length)
    return _Rows(line.positions, firsts, np.arange(len(firsts)))


def _make_grid(rows: _Rows, *, flush_right: bool = False) -> _Grid:
    """Return the rows as a grid; shorter rows are aligned left or right."""
    lengths = rows.lengths
    grid = np.full((len(lengths), int(lengths.max())), -1, dtype=np.int32)
    row = np.repeat(np.arange(len(lengths)), lengths)
    column = np.arange(len(row)) - rows.firsts[row]
    if flush_right:
        column += grid.shape[1] - lengths[row]
    grid[row, column] = rows.positions
    return grid


def _guess_row_length(lines: _Rows, numbers: _Numbers) -> int:
    """Return the distance at which characters form the most natural pairs; 0 for too short a text."""
    sample = numbers[lines.positions[:_SAMPLE]]
    # Insert an unknown character between lines, so that they form no pairs.
    sample = np.insert(sample, lines.firsts[(lines.firsts > 0) & (lines.firsts < len(sample))], 0)
    max_length = min(MAX_WIDTH, len(sample) // _MIN_ROWS)
    if max_length < _MIN_WIDTH:
        return 0
    followers = sliding_window_view(np.pad(sample, (0, max_length)), max_length + 1)[:, _MIN_WIDTH:]
    # Each row has all followers of one character, so look-ups in the table stay in the processor's cache.
    evidence = _adjacency_evidence(sample[:, np.newaxis], followers).sum(axis=0, dtype=np.float64)
    return _MIN_WIDTH + int(evidence.argmax())


def _best_block_height(row_evidence: _Weights) -> tuple[int, float]:
    """Return the best number of rows per block, and the evidence for reading the rows in such blocks.

    Args:
        row_evidence: shape (rows − 1,): the evidence of the vertical pairs of each row and the next.
    """
    total, rows = float(row_evidence.sum()), len(row_evidence) + 1
    heights = range(_MIN_ROWS, min(rows, _MAX_HEIGHT))
    gains = [-float(row_evidence[height - 1 :: height].sum()) for height in heights]
    if max(gains, default=0) < _MIN_GAIN:
        return rows, total
    best = int(np.argmax(gains))
    return heights[best], total + gains[best]


def _vertical_evidence(numbers: _Numbers, grid: _Grid) -> _Weights:
    """Return the evidence of the vertical pairs of each row and the next: shape (rows − 1,)."""
    cell_numbers = np.where(grid < 0, 0, numbers[grid])
    row_evidence: _Weights = _adjacency_evidence(cell_numbers[:-1], cell_numbers[1:]).sum(axis=1)
    return row_evidence


def _adjacency_evidence(first: _Numbers, second: _Numbers) -> _Weights:
    """Return the evidence that the two characters of each pair follow each other in natural text."""
    return -direction_evidence(pair_kinds(first, second), "neither")


def _column_positions(grid: _Grid, height: int, step: int) -> _Ints:
    """Return the positions down the columns of each block of rows; a single row is read as a line."""
    rows, width = grid.shape
    if rows == 1:
        return grid[grid >= 0]
    blocks = np.full((-(-rows // height) * height, width), -1, dtype=np.int32)
    blocks[:rows] = grid[:, ::step]
    positions = blocks.reshape(-1, height, width).transpose(0, 2, 1).ravel()
    return positions[positions >= 0]
