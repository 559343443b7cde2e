"""Clauses whose words are in reverse order are read in order; all other clauses stay."""

import re

import numpy as np
import pytest
from support.sample_novels import CHAPTERS, STRANGER

from fingerprint.text.clauses import reversed_clauses
from fingerprint.text.letters import code_points, to_letters
from fingerprint.text.orders import reading_orders

TEXT = CHAPTERS["青灯渡"][0][:1500]
_HAN = re.compile("[\u3400-\u9fff]+")


def words_reversed(text):
    """Return a text with the words of each clause in reverse order; a word has two characters here."""

    def reverse(clause):
        words = [clause[0][start : start + 2] for start in range(0, len(clause[0]), 2)]
        return "".join(words[::-1])

    return _HAN.sub(reverse, text)


def read(text):
    points = code_points(text)
    result = reversed_clauses(points, to_letters(text).offsets)
    return None if result is None else "".join(text[at] for at in result[0])


@pytest.mark.parametrize("text", [TEXT, STRANGER, *CHAPTERS["青灯渡"][1:3], "", "的", "了我，" * 3])
def test_ordinary_clauses_stay(text):
    assert read(text) is None


def test_words_of_reversed_clauses_are_in_order():
    sentences = "我今天去学校，那里开花很漂亮。他们回家以后，就看电视。只有这个学生，也不会说话。" * 3
    words = (
        "我 今天 去 学校，那里 开花 很 漂亮。他们 回家 以后，就 看 电视。只有 这个 学生，也 不会 说话。" * 3
    )
    page = re.sub("[\u3400-\u9fff ]+", lambda clause: "".join(clause[0].split()[::-1]), words)
    assert page[:7] == "学校去今天我，"
    assert read(page) == sentences


def test_most_clauses_of_a_novel_are_read_again():
    page = words_reversed(TEXT)
    result = read(page)
    windows = {TEXT[start : start + 6] for start in range(len(TEXT))}
    shared = [sum(text[at : at + 6] in windows for at in range(len(text))) for text in (page, result)]
    assert shared[1] > 3 * shared[0]


def test_positions_are_a_permutation_and_clauses_keep_their_characters():
    page = words_reversed(TEXT)
    positions, is_moved = reversed_clauses(code_points(page), to_letters(page).offsets)
    assert sorted(positions.tolist()) == list(range(len(page)))
    assert (positions[~is_moved] == np.flatnonzero(~is_moved)).all()
    for clause in _HAN.finditer(page):
        inside = positions[clause.start() : clause.end()]
        assert (inside >= clause.start()).all()
        assert (inside < clause.end()).all()


def test_text_that_is_wholly_backwards_is_not_read_by_clauses():
    orders = [order.text for order in reading_orders(TEXT[::-1])]
    assert read(TEXT[::-1]) not in orders
