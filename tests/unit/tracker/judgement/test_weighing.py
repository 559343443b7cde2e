"""Verdicts by information: set wording is no copy, forms are quotations, and a whole text stays a copy."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.records import VERDICTS
from tracker.judgement.profiles import EARLIER, PROFILES
from tracker.judgement.verdict import Extent, judge, weighed

NEWS = PROFILES["news"]
ORDINARY, OFFICIAL, FORMULA = 6.0, 2.5, 0.6
bits = st.floats(min_value=0, max_value=14)


def extent_of(copied=300, *, page=3000, passage=3000, copied_bits, page_bits=ORDINARY, identity=1.0):
    return Extent(
        page_chars=page,
        copied_chars=copied,
        taken_chars=copied,
        passage_chars=passage,
        copied_bits=copied_bits,
        page_bits=page_bits,
        passage_bits=page_bits,
        char_identity=identity,
    )


def test_same_characters_are_partial_as_prose_and_common_as_formulas():
    assert judge(extent_of(250, copied_bits=ORDINARY), NEWS) == "partial"
    assert judge(extent_of(250, copied_bits=FORMULA), NEWS) == "common"
    assert judge(extent_of(30, copied_bits=FORMULA), NEWS) == "clear"


def test_official_text_copied_whole_is_a_copy():
    whole = extent_of(900, page=900, passage=900, copied_bits=OFFICIAL, page_bits=OFFICIAL)
    assert judge(whole, NEWS) == "copy"


@pytest.mark.parametrize("chars", [60, 200, 900])
def test_text_of_formulas_alone_that_is_copied_whole_is_reported(chars):
    whole = extent_of(chars, page=chars, passage=chars, copied_bits=FORMULA, page_bits=FORMULA)
    assert judge(whole, NEWS) in ("quote", "partial", "copy")


def test_refilled_form_is_a_quotation_at_most():
    filled = extent_of(830, page=880, passage=880, copied_bits=1.7, page_bits=1.8, identity=0.86)
    assert judge(filled, NEWS) == "quote"
    assert judge(dataclasses.replace(filled, char_identity=0.99), NEWS) == "copy"
    assert judge(dataclasses.replace(filled, copied_bits=ORDINARY), NEWS) == "copy"


def test_earlier_versions_count_characters_alone():
    formulas = extent_of(250, copied_bits=FORMULA, identity=0.8)
    assert judge(formulas, EARLIER["news@3"]) == "partial"
    assert weighed(formulas, EARLIER["news@3"]) == formulas


def test_information_that_was_not_measured_counts_fully():
    unmeasured = Extent(page_chars=1000, copied_chars=300, taken_chars=300, passage_chars=900)
    assert judge(unmeasured, NEWS) == judge(unmeasured, EARLIER["news@3"]) == "partial"


@given(copied=st.integers(0, 3000), less=bits, more=bits, page_bits=bits)
def test_more_information_never_gives_a_milder_verdict(copied, less, more, page_bits):
    less, more = sorted((less, more))
    found = [
        judge(extent_of(copied, copied_bits=density, page_bits=page_bits), NEWS) for density in (less, more)
    ]
    order = [verdict for verdict in VERDICTS if verdict != "licensed"]
    assert order.index(found[1]) <= order.index(found[0])


@given(copied=st.integers(0, 3000), copied_bits=bits, page_bits=bits)
def test_shares_of_weighed_extents_are_shares(copied, copied_bits, page_bits):
    in_ordinary_characters = weighed(extent_of(copied, copied_bits=copied_bits, page_bits=page_bits), NEWS)
    assert 0 <= in_ordinary_characters.coverage <= 1
    assert 0 <= in_ordinary_characters.own_share <= 1
    assert in_ordinary_characters.amount <= copied
