"""The order in which placed boxes are read."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.download.browser.reading_order import PlacedLine, in_reading_order, kernel_of, turned
from crawler.download.browser.snapshot import Rect


def placed(*rects, line=None):
    return [
        PlacedLine(number, number, kernel_of(rect), rect.height if line is None else line)
        for number, rect in enumerate(rects)
    ]


def line(x, y, width=100, height=20):
    return Rect(x, y, width, height)


def test_rows_are_read_downwards_and_in_writing_direction():
    boxes = placed(line(110, 30), line(0, 0), line(0, 30), line(110, 0))
    assert in_reading_order(boxes) == [1, 3, 2, 0]


def test_tightly_set_lines_are_rows():
    assert in_reading_order(placed(line(0, 16), line(0, 0), line(0, 32))) == [1, 0, 2]


def test_container_next_to_lines_is_not_mixed_with_them():
    tall = PlacedLine(0, 0, Rect(300, 0, 80, 90), 0)
    lines = [PlacedLine(n, n, kernel_of(line(0, 30 * (n - 1))), 20) for n in (1, 2, 3)]
    assert in_reading_order([tall, *lines]) == [1, 2, 3, 0]


def test_columns_of_individually_placed_lines_are_read_in_turn():
    rows = [(line(0, 30 * n, 300), line(360, 30 * n, 300)) for n in range(4)]
    boxes = placed(*itertools.chain(*rows))
    assert in_reading_order(boxes) == [0, 2, 4, 6, 1, 3, 5, 7]


@pytest.mark.parametrize(("rows", "width"), [(2, 300), (4, 60)])
def test_few_rows_and_narrow_cells_are_no_columns(rows, width):
    boxes = placed(
        *itertools.chain(*[(line(0, 30 * n, width), line(360, 30 * n, width)) for n in range(rows)])
    )
    assert in_reading_order(boxes) == list(range(2 * rows))


def test_letters_that_overlap_are_read_by_their_middles():
    assert in_reading_order(placed(line(14, 0, 20), line(0, 0, 20), line(28, 0, 20))) == [1, 0, 2]


def test_containers_that_overlap_keep_the_order_of_the_document():
    assert in_reading_order(placed(Rect(0, 20, 100, 100), Rect(0, 0, 100, 100), line=0)) == [0, 1]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("vertical-rl", Rect(10, -25, 30, 20)),
        ("vertical-lr", Rect(10, 5, 30, 20)),
        ("horizontal-tb", Rect(5, 10, 20, 30)),
    ],
)
def test_boxes_are_rotated_for_vertical_writing(mode, expected):
    assert turned(Rect(5, 10, 20, 30), mode) == expected


@given(
    st.lists(
        st.builds(Rect, *[st.floats(-1e4, 1e4)] * 2, *[st.floats(0, 1e3)] * 2),
        max_size=40,
    )
)
def test_every_box_is_read_once(rects):
    assert sorted(in_reading_order(placed(*rects))) == list(range(len(rects)))


@given(st.integers(1, 6), st.integers(1, 6), st.randoms())
def test_grid_is_read_the_same_whatever_its_document_order(rows, columns, random):
    cells = [line(30 * x, 30 * y, 20) for y in range(rows) for x in range(columns)]
    shuffled = random.sample(cells, len(cells))
    assert [shuffled[n] for n in in_reading_order(placed(*shuffled))] == cells


def test_long_column_takes_no_quadratic_time():
    boxes = placed(*(line(0, 30 * n) for n in reversed(range(50_000))))
    assert in_reading_order(boxes) == list(reversed(range(50_000)))
