"""Blocks turned round and characters inserted at equal distances are undone, wherever they are in a text."""

import re
from random import Random

import pytest
from support.sample_novels import CHAPTERS, STRANGER

from fingerprint.text.orders import MAX_ORDERS, reading_orders

TEXT = CHAPTERS["青灯渡"][0][:1500]
_HAN = re.compile("[\u3400-\u9fff]+")
COMMON = "的一是不了在人有我他这个们中来上大为"


def blocks(text, length):
    return [text[start : start + length] for start in range(0, len(text), length)]


def turned(text, length):
    return "".join(block[::-1] for block in blocks(text, length))


def rotated(text, length):
    return "".join(block[1:] + block[:1] for block in blocks(text, length))


def in_clauses(text, change, length):
    return _HAN.sub(lambda clause: change(clause[0], length), text)


def inserted(text, every):
    chance = Random(1)
    return "".join(block + chance.choice(COMMON) for block in blocks(text, every))


def han(text):
    return "".join(_HAN.findall(text))


def agreeing(text, expected):
    """Return the share of Han characters that are at the same offset in both texts."""
    return sum(map(str.__eq__, han(text), han(expected))) / len(han(expected))


def in_sentences(text, change, length):
    return re.sub("[^。！？\n]+", lambda sentence: change(sentence[0], length), text)


def in_lines(text, change, length):
    return "\n".join(change(line, length) for line in text.split("\n"))


@pytest.mark.parametrize(
    ("change", "length"), [*((turned, length) for length in (2, 3, 4, 5, 6, 8)), (rotated, 3)]
)
@pytest.mark.parametrize("start", [0, 1])
def test_turned_blocks_are_turned_back(change, length, start):
    orders = list(reading_orders(TEXT[:start] + change(TEXT[start:], length)))
    assert len(orders) <= MAX_ORDERS
    assert agreeing(orders[0].text, TEXT) > 0.99
    assert orders[0].disguises(0, len(TEXT)) == ("reversed",)


@pytest.mark.parametrize("length", [2, 4])
def test_blocks_may_restart_with_every_clause(length):
    (order, *_) = reading_orders(in_clauses(TEXT, turned, length))
    assert agreeing(order.text, TEXT) > 0.97


@pytest.mark.parametrize("within", [in_sentences, in_lines])
@pytest.mark.parametrize("length", [2, 3, 5])
def test_blocks_may_restart_with_every_sentence_or_line(within, length):
    orders = [order.text for order in reading_orders(within(TEXT, turned, length))]
    assert agreeing(orders[0], TEXT) > 0.97


def test_two_characters_after_every_third_are_removed():
    chance = Random(1)
    page = "".join(block + "".join(chance.choices(COMMON, k=2)) for block in blocks(TEXT, 3))
    (order, *_) = reading_orders(page)
    assert agreeing(order.text, TEXT) > 0.97


@pytest.mark.parametrize("every", [1, 2, 3])
def test_common_characters_at_equal_distances_are_removed(every):
    page = inserted(TEXT, every)
    (order, *_) = reading_orders(page)
    assert agreeing(order.text, TEXT) > 0.99
    assert order.disguises(0, len(order.text)) == ("noise",)
    assert page[slice(*order.written_range(0, every))] == page[: every + 1]


def test_turned_passage_inside_ordinary_text_is_read():
    page = STRANGER[:600] + turned(TEXT[:400], 2) + STRANGER[600:1000]
    (order, *_) = reading_orders(page)
    assert agreeing(order.text, STRANGER[:600] + TEXT[:400] + STRANGER[600:1000]) > 0.95


@pytest.mark.parametrize(
    "text", ["", "的", "中国" * 4, "一二三四五六七八九十" * 60, "\n" * 300, "，中" * 200]
)
def test_odd_texts_have_no_regular_reading(text):
    assert all(len(order.text) <= len(text) for order in reading_orders(text))
