"""DNA drawn: columns are windows, and homophones change nothing in them."""

from urllib.parse import unquote
from xml.etree import ElementTree as ET

import numpy as np

from analysis.texts.dna_strips import COLUMNS, picture_of, strip_of, strips_of
from deploy.demo.samples import SAMPLES
from fingerprint.dna import DnaParams, dna_windows
from fingerprint.text.letters import to_letters

TEXT = (SAMPLES / "novels" / "青灯渡.txt").read_text("utf-8")
PIECE = "雨夜渡口青灯如豆，老船工披着蓑衣坐在船头，听见对岸有人唤渡。"


def test_digits_of_a_column_are_those_of_the_fingerprint():
    strip = strip_of(PIECE)
    codes, params = to_letters(PIECE).codes, DnaParams()
    places = [params.levels ** (19 - row) for row in range(20)]
    numbers = [sum(int(d) * p for d, p in zip(column, places, strict=True)) for column in strip.digits]
    assert numbers == [int(number) for number in dna_windows(codes, params)]


def test_homophones_agree_in_every_window_and_another_text_in_none():
    first, second = strips_of(PIECE, PIECE.replace("渡", "度"))
    assert first.agreeing == second.agreeing == len(first.agrees) > 0
    assert np.array_equal(first.digits, second.digits)
    first, second = strips_of(PIECE, TEXT[2_000:2_100])
    assert first.agreeing == second.agreeing == 0


def test_long_text_is_drawn_as_a_bounded_picture_of_paths_only():
    strip = strip_of(TEXT * 20)
    assert strip.digits.shape == (COLUMNS, 20)
    address = picture_of(strip)
    assert len(address) < 300_000
    kind, _, drawing = address.partition(",")
    assert kind == "data:image/svg+xml"
    tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(unquote(drawing)).iter()}  # noqa: S314
    assert tags == {"svg", "path"}


def test_text_without_a_window_has_no_column():
    assert strip_of("渡口").digits.shape == (0, 20)
    assert picture_of(strip_of("")).startswith("data:image/svg+xml,")
