"""Reads the characters of a screenshot whose text was shown in the code font.

Independent of the document: what is read was painted, and its order is that of the screen. A character whose
frame is cut off, covered or faint is not read.
"""

from dataclasses import dataclass

import numpy as np
from support.differential.font import COLUMNS, FRAME, FRAME_WIDTH, ROWS, inner_box

MIN_CONTRAST = 40  # of 255, between ink and ground
MIN_SIDE, MAX_SIDE = 14, 400  # pixels of a frame
_MIN_GROUND = 0.015  # of the pixels: a colour that covers less is no ground
_MAX_GROUNDS = 4


@dataclass(frozen=True, slots=True)
class Sign:
    """A character on a screen: the number of its code and its box in pixels."""

    number: int
    x: float
    y: float
    side: float


def _grounds(image: np.ndarray) -> list[np.ndarray]:
    """Return the colours that cover most of an image (height, width, 3)."""
    sample = image[::7, ::7].reshape(-1, 3).astype(np.uint32) >> 2
    keys, counts = np.unique(sample[:, 0] << 16 | sample[:, 1] << 8 | sample[:, 2], return_counts=True)
    order = [index for index in np.argsort(-counts) if counts[index] >= _MIN_GROUND * len(sample)]
    colours = [np.array([keys[i] >> 16, keys[i] >> 8 & 255, keys[i] & 255], dtype=int) * 4 + 2 for i in order]
    chosen: list[np.ndarray] = []
    for colour in colours:
        if all(np.abs(colour - other).max() >= MIN_CONTRAST for other in chosen):
            chosen.append(colour)
    return chosen[:_MAX_GROUNDS]


def _contrast(planes: list[np.ndarray], ground: np.ndarray) -> np.ndarray:
    """Return how far each pixel is from a colour, of 255, in the plane where it is farthest."""
    pairs = [(plane, np.uint8(min(value, 255))) for plane, value in zip(planes, ground, strict=True)]
    distances = [np.maximum(plane, value) - np.minimum(plane, value) for plane, value in pairs]
    return np.maximum(np.maximum(distances[0], distances[1]), distances[2])


def _runs(mask: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return row, start and end of every run of ink."""
    padded = np.zeros((mask.shape[0], mask.shape[1] + 2), dtype=bool)
    padded[:, 1:-1] = mask
    edges = np.flatnonzero(padded.ravel()[1:] != padded.ravel()[:-1])
    rows, starts = np.divmod(edges[::2], padded.shape[1])
    return rows, starts, edges[1::2] % padded.shape[1]


def _neighbours(rows: np.ndarray, starts: np.ndarray, ends: np.ndarray, width: int) -> np.ndarray:
    """Return pairs of runs of adjacent rows that touch, corners excepted."""
    stride = width + 2
    first = np.searchsorted(rows * stride + ends, (rows + 1) * stride + starts, side="right")
    last = np.searchsorted(rows * stride + starts, (rows + 1) * stride + ends, side="left")
    counts = np.maximum(last - first, 0)
    upper = np.repeat(np.arange(len(rows)), counts)
    shift = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.stack([upper, np.repeat(first, counts) + shift])


def _labels(count: int, pairs: np.ndarray) -> np.ndarray:
    """Return for each run the least run that it is joined with."""
    labels = np.arange(count)
    while True:
        least = np.minimum(labels[pairs[0]], labels[pairs[1]])
        joined = labels.copy()
        np.minimum.at(joined, labels[pairs[0]], least)
        np.minimum.at(joined, labels[pairs[1]], least)
        joined = joined[joined]
        if (joined == labels).all():
            return labels
        labels = joined


def _boxes(mask: np.ndarray) -> np.ndarray:
    """Return the boxes (left, top, right, bottom) of joined ink that is about square."""
    rows, starts, ends = _runs(mask)
    if not len(rows):
        return np.zeros((0, 4))
    labels = _labels(len(rows), _neighbours(rows, starts, ends, mask.shape[1]))
    names, index = np.unique(labels, return_inverse=True)
    big = np.iinfo(int).max
    boxes = np.array([[big, big, 0, 0]]).repeat(len(names), axis=0)
    np.minimum.at(boxes[:, 0], index, starts)
    np.minimum.at(boxes[:, 1], index, rows)
    np.maximum.at(boxes[:, 2], index, ends)
    np.maximum.at(boxes[:, 3], index, rows + 1)
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    square = (width >= MIN_SIDE) & (width <= MAX_SIDE) & (height >= 0.7 * width) & (height <= 1.4 * width)
    return boxes[square].astype(float)


def _points(boxes: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of pixels at places (x, y from above, in [0, 1]) of boxes."""
    x = boxes[:, :1] + places[:, 0] * (boxes[:, 2:3] - boxes[:, :1])
    y = boxes[:, 1:2] + places[:, 1] * (boxes[:, 3:4] - boxes[:, 1:2])
    return y.astype(int), x.astype(int)


def _in_frame(values: list[tuple[float, float]]) -> np.ndarray:
    """Return places in units of the font as places in the frame."""
    left, bottom, right, top = FRAME
    return np.array([((x - left) / (right - left), (top - y) / (top - bottom)) for x, y in values])


def _ring() -> np.ndarray:
    left, bottom, right, top = FRAME
    half = FRAME_WIDTH / 2
    steps = np.linspace(0.03, 0.97, 9)
    xs, ys = left + steps * (right - left), bottom + steps * (top - bottom)
    sides = [(x, y) for x in xs for y in (bottom + half, top - half)]
    return _in_frame(sides + [(x, y) for y in ys for x in (left + half, right - half)])


def _gap() -> np.ndarray:
    """Return places between the frame and the modules, which are never inked."""
    left, bottom, right, top = FRAME
    inset = FRAME_WIDTH + 32
    middle = (left + right) / 2, (bottom + top) / 2
    corners = [(x, y) for x in (left + inset, right - inset) for y in (bottom + inset, top - inset)]
    sides = [(middle[0], y) for y in (bottom + inset, top - inset)]
    return _in_frame(corners + sides + [(x, middle[1]) for x in (left + inset, right - inset)])


def _modules() -> np.ndarray:
    x0, y0, x1, y1 = inner_box()
    width, height = (x1 - x0) / COLUMNS, (y1 - y0) / ROWS
    places = [divmod(index, COLUMNS) for index in range(COLUMNS * ROWS)]
    return _in_frame([(x0 + (column + 0.5) * width, y1 - (row + 0.5) * height) for row, column in places])


_RING, _GAP, _MODULES = _ring(), _gap(), _modules()


def _signs_on(contrast: np.ndarray) -> list[Sign]:
    boxes = _boxes(contrast >= MIN_CONTRAST)
    if not len(boxes):
        return []
    ring = contrast[_points(boxes, _RING)]
    half = np.median(ring, axis=1)[:, None] / 2  # edges are smoothed: what is less than half inked is ground
    is_framed = (ring >= half).mean(axis=1) >= 0.7
    is_framed &= (contrast[_points(boxes, _GAP)] >= half).mean(axis=1) <= 0.5
    boxes, half = boxes[is_framed], half[is_framed]
    bits = contrast[_points(boxes, _MODULES)] >= half
    values, checks = bits[:, :10], bits[:, 10:]
    fits = (values[:, ::2].sum(axis=1) % 2 == 0) == checks[:, 0]
    fits &= (values[:, 1::2].sum(axis=1) % 2 == 0) == checks[:, 1]
    numbers = (values * (1 << np.arange(10))).sum(axis=1)
    return [
        Sign(int(number), float(box[0] + box[2]) / 2, float(box[1] + box[3]) / 2, float(box[2] - box[0]))
        for number, box in zip(numbers[fits], boxes[fits], strict=True)
    ]


def read_signs(image: np.ndarray) -> list[Sign]:
    """Return the signs of an image (height, width, 3 colours of 8 bits), each place once."""
    found: dict[tuple[int, int], Sign] = {}
    planes = [np.ascontiguousarray(image[:, :, plane]) for plane in range(3)]
    for ground in _grounds(image):
        for sign in _signs_on(_contrast(planes, ground)):
            found.setdefault((round(sign.x / 4), round(sign.y / 4)), sign)
    return list(found.values())


def _chained(signs: list[Sign], *, along: str, across: str) -> list[list[Sign]]:
    """Return signs in lines: signs at one height (or in one column) from first to last."""
    if not signs:
        return []
    ordered = sorted(signs, key=lambda sign: getattr(sign, across))
    lines: list[list[Sign]] = [[ordered[0]]]
    for sign in ordered[1:]:
        line = lines[-1]
        middle = sum(getattr(other, across) for other in line[-8:]) / len(line[-8:])
        if getattr(sign, across) - middle <= 0.45 * min(sign.side, line[-1].side):
            line.append(sign)
        else:
            lines.append([sign])
    return [sorted(line, key=lambda sign: getattr(sign, along)) for line in lines]


def reading_orders(signs: list[Sign]) -> list[list[Sign]]:
    """Return the orders in which signs may be read: in lines, in columns from the right, from the left."""
    lines = _chained(signs, along="x", across="y")
    columns = [column for column in _chained(signs, along="y", across="x") if len(column) > 1]
    return [
        [sign for line in lines for sign in line],
        [sign for column in reversed(columns) for sign in column],
        [sign for column in columns for sign in column],
    ]
