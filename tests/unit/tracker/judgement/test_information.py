"""Information: set wording carries little, ordinary prose much, and repeated text nothing."""

from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.learn_information import learn_table
from fingerprint.information import (
    BUCKETS,
    ORDER,
    SLOTS,
    UNKNOWN_BITS,
    background_table,
    bits_a_character,
    information,
    look_up,
    ngram_hashes,
)
from fingerprint.text.letters import code_points
from fingerprint.text.variants import fold
from storage.records import Span
from tracker.alignment.align import Aligned, align
from tracker.alignment.text import ComparedText
from tracker.judgement.information import STRETCH_BITS, copied_bits

FORMULA = "各省、自治区、直辖市人民政府，国务院各部委、各直属机构：现将方案印发给你们，请认真贯彻执行。"
STATUTE = (
    "违反本条例规定，有下列行为之一的，由主管部门责令限期改正；逾期不改正的，处一万元以上十万元以下罚款。"
)
PROSE = "老船夫把缆绳系在石柱上，抬头看见雨脚从对岸的竹林里斜斜地移过来，便把灯笼挂进了舱里。"


@pytest.mark.parametrize("set_wording", [FORMULA, STATUTE])
def test_set_wording_carries_less_than_half_the_information_of_prose(set_wording):
    assert bits_a_character(set_wording) < bits_a_character(PROSE) / 2


def test_text_that_repeats_itself_carries_nothing_more():
    once, twice = information(PROSE).sum(), information(PROSE + PROSE).sum()
    assert twice - once < 0.2 * once


def test_scripts_and_punctuation_make_no_difference():
    traditional = "違反本條例規定，有下列行為之一的"
    assert information(traditional).sum() == information(fold(traditional)).sum()
    assert information("abc 12，。").sum() == 0
    assert information(PROSE).sum() == information(PROSE.replace("，", "").replace("。", "")).sum()


@given(st.text())
def test_any_text_has_bits_for_every_character(text):
    bits = information(text)
    assert bits.shape == (len(text),)
    assert np.isfinite(bits).all()
    assert ((bits >= 0) & (bits <= UNKNOWN_BITS)).all()
    assert bits_a_character(text) >= 0


def test_shipped_table_is_small_and_is_read_once():
    table = background_table()
    assert (table.shape, table.dtype) == ((BUCKETS, SLOTS), np.uint16)
    assert isinstance(table, np.memmap)
    assert table is background_table()
    assert (files("fingerprint") / "information.npy").stat().st_size < 1_000_000


def test_phrase_of_several_texts_is_learned_and_of_a_single_text_is_not():
    shared, single = "缆绳系在石柱上", "青灯照着渡口的雪"
    table = learn_table([f"{shared}一", f"二{shared}", f"三{shared}四", single * 3, "五六七八九十"])
    assert (look_up(ngram_hashes(code_points(shared), ORDER), table) == 0.5).all()
    assert (look_up(ngram_hashes(code_points(single), ORDER), table) == -1).all()
    assert information(shared, table=table).sum() < information(single, table=table).sum() / 1.5


def copy_of(text, page):
    return align(ComparedText(page), ComparedText(text))


def test_copy_has_the_information_of_its_text_minus_the_stretch_cost():
    stretches = copy_of(PROSE, f"题记。{PROSE}")
    assert copied_bits(PROSE, stretches) == pytest.approx(float(information(PROSE).sum()) - STRETCH_BITS)
    assert copied_bits(PROSE, stretches + stretches) == copied_bits(PROSE, stretches)


def test_characters_that_differ_add_no_information():
    changed = PROSE.replace("石柱", "铁环").replace("竹林", "村庄")
    same, differing = copied_bits(PROSE, copy_of(PROSE, PROSE)), copied_bits(PROSE, copy_of(PROSE, changed))
    assert differing < 0.95 * same


def test_homophones_are_copied_too():
    disguised = PROSE.replace("缆", "览").replace("灯", "登")
    assert copied_bits(PROSE, copy_of(PROSE, disguised)) == copied_bits(PROSE, copy_of(PROSE, PROSE))


def test_short_stretch_proves_nothing():
    span = Span(page_start=0, page_end=2, passage_start=0, passage_end=2, char_identity=1, sound_identity=1)
    short = Aligned(span, (0, 2), 2, 2, 2, 2, agreeing=np.array([0, 1], dtype=np.int32))
    assert copied_bits(FORMULA, [short]) == 0
