"""Texts in another order than the reading order, and the position of each character in the written text."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.changed.components import COMPONENTS
from support.sample_novels import CHAPTERS, STRANGER
from support.strategies import anything

from fingerprint.text import orders as own_orders
from fingerprint.text.orders import MAX_ORDERS, reading_orders
from fingerprint.text.variants import unfold

TEXT = CHAPTERS["青灯渡"][0]
LINES = [line.strip() for line in TEXT.splitlines() if line.strip()]
PLAIN = re.sub(r"\s", "", TEXT)


def twice(text):
    return "".join(character if character.isspace() else character * 2 for character in text)


def in_columns(text, rows, width, *, from_right=True, within="", between="\n", blocks="\n\n"):
    """Return the text down the columns of some rows, with ``width`` columns."""
    parts = []
    for start in range(0, len(text), rows * width):
        block = text[start : start + rows * width]
        lines = [block[row::rows] for row in range(min(rows, len(block)))]
        parts.append(between.join(within.join(line[::-1] if from_right else line) for line in lines))
    return blocks.join(parts)


def in_pieces(text, marks):
    """Each piece between some marks backwards, the marks where they were."""
    return "".join(
        piece if piece[:1] in marks else piece[::-1] for piece in re.split(f"([{marks}]+)", text) if piece
    )


@pytest.mark.parametrize(
    "text", [TEXT, unfold(TEXT), STRANGER, "\n".join(TEXT), "", "的", "a b c", "的" * 99]
)
def test_ordinary_text_has_no_other_order(text):
    assert list(reading_orders(text)) == []


@pytest.mark.parametrize(
    ("page", "expected", "names"),
    [
        (twice(TEXT), TEXT, ("doubled",)),
        (TEXT[::-1], TEXT, ("reversed",)),
        (unfold(TEXT)[::-1], unfold(TEXT), ("reversed",)),
        ("\n".join(line[::-1] for line in LINES), "\n".join(LINES), ("reversed",)),
        (in_pieces(TEXT, "。！？…\n"), TEXT, ("reversed",)),
        (in_pieces(TEXT, "，、；：。！？…\n"), TEXT, ("reversed",)),
        (twice(TEXT[::-1]), TEXT, ("doubled", "reversed")),
        (in_columns(PLAIN, 10, 20), PLAIN, ("columns",)),
        (in_columns(PLAIN, 10, 20, from_right=False), PLAIN, ("columns",)),
        (in_columns(PLAIN, 7, 15), PLAIN, ("columns",)),
        (in_columns(PLAIN, 12, 9, within=" "), PLAIN, ("columns",)),
        (in_columns(PLAIN, 12, 9, within="｜"), PLAIN, ("columns",)),
        (in_columns(PLAIN, 12, 9, within="\u3000"), PLAIN, ("columns",)),
        (in_columns(PLAIN, 8, 20, between="\n\n"), PLAIN, ("columns",)),
        (
            "\n\n".join(
                in_columns(PLAIN[start:end], 12, 40) for start, end in [(0, 420), (420, 744), (744, 960)]
            ),
            PLAIN[:960],
            ("columns",),
        ),
        (in_columns(PLAIN[:960], 8, 20, blocks="\n"), PLAIN[:960], ("columns",)),
        (in_columns(PLAIN[:960], 96, 10, between="", blocks=""), PLAIN[:960], ("columns",)),
    ],
)
def test_reading_order_is_among_the_proposed_orders(page, expected, names):
    result = list(reading_orders(page))
    (order,) = [order for order in result if order.text == expected]
    assert len(result) <= MAX_ORDERS
    assert order.disguises(0, len(expected)) == names
    for character, start, end in zip(order.text, order.starts.tolist(), order.ends.tolist(), strict=True):
        assert set(page[start:end]) == {character}


def test_reversed_paragraph_is_turned_and_the_remaining_text_stays():
    page = "\n".join([LINES[0], LINES[1][::-1], *LINES[2:]])
    texts = {order.text: order for order in reading_orders(page)}
    order = texts["\n".join(LINES)]
    start = len(LINES[0]) + 1
    end = start + len(LINES[1])
    assert order.disguises(start, end) == ("reversed",)
    assert order.written_range(start, end) == (start, end)
    assert order.disguises(0, start - 1) == order.disguises(end + 1, len(page)) == ()
    assert order.written_range(0, start - 1) == (0, start - 1)


def test_all_reversed_sentences_are_restored_in_a_single_pass(monkeypatch):
    """The text is processed once for each way to reverse stretches, however many there are."""
    looks = []
    reversed_orders = own_orders.reversed_orders
    monkeypatch.setattr(
        own_orders, "reversed_orders", lambda *args: looks.append(1) or reversed_orders(*args)
    )
    lines = [line for line in LINES if len(line) > 60] * 8
    result = list(
        reading_orders("\n".join(line[::-1] if number % 2 else line for number, line in enumerate(lines)))
    )
    assert len(looks) == 1
    assert len(result) <= 4
    assert any(order.text == "\n".join(lines) for order in result)


def test_rows_used_by_another_stretch_form_no_stretch():
    """A stretch with nothing but line breaks left does not count."""
    page = in_columns(re.sub(r"\s", "", CHAPTERS["雾港来信"][0]), 2, 180)
    for order in reading_orders(page):
        assert set(order.text) <= set(page)


@pytest.mark.parametrize("between", ["x", "龘", "的"])
def test_noise_between_characters_hides_no_other_order(between):
    result = list(reading_orders(between.join(PLAIN[::-1])))
    assert "noise" in result[0].disguises(0, 100)
    clauses = [clause for clause in re.split("[，。]", PLAIN) if len(clause) > 10 and between not in clause]
    assert max(sum(clause in order.text for clause in clauses) for order in result) > 0.9 * len(clauses)


def test_words_that_double_a_character_are_no_disguise():
    page = "高高兴兴上班去，平平安安回家来，开开心心过每一天，家家户户和和美美，" + LINES[0]
    assert list(reading_orders(page)) == []


@settings(max_examples=60)
@given(st.one_of(anything, st.text(alphabet="的一是在不了有和人这中大为上个国我以要他\n。， ", max_size=400)))
def test_any_text_keeps_its_characters(text):
    for page in (text, twice(text)):
        for order in reading_orders(page):
            assert len(order.text) == len(order.starts) == len(order.ends) == len(order.marks)
            assert len(set(order.starts.tolist())) == len(order.text)
            for character, start, end in zip(
                order.text, order.starts.tolist(), order.ends.tolist(), strict=True
            ):
                assert 0 <= start < end <= len(page)
                assert page[start] == character or character in COMPONENTS
