"""Each of the harder changes does what its name says, traces its characters, and stays the same."""

from random import Random

import pytest
from rapidfuzz.distance import Levenshtein
from support.changed.changes import FOREIGN, Surroundings, change_traced
from support.changed.components import COMPONENTS
from support.changed.corpora import SAMPLES
from support.changed.hard_changes import (
    HARD_KINDS,
    HOST_CHARS,
    INSIDE,
    INSIDE_CHARS,
    WHOLE_CHARS,
    WORK_CHARS,
    pieced,
)

from deploy.demo.disguises import is_han

NOVELS = sorted((SAMPLES / "novels").glob("*.txt"))
TEXT = NOVELS[0].read_text(encoding="utf-8")[2_000:5_000]
AROUND = Surroundings(pool=NOVELS[1].read_text(encoding="utf-8"), hosts=("别处",))
SHORT = "雨夜渡口青灯如豆，老船工坐在船头。听见对岸有人唤渡！"
UNFAITHFUL = ("noise", "synonyms", "inserted", "components", "pinyin", "alone", "common")


def ask(kind, *, text=TEXT, seed=1):
    return change_traced(text, kind, document="page", seed=seed, around=AROUND, kinds=HARD_KINDS)


@pytest.mark.parametrize("kind", HARD_KINDS)
def test_change_depends_on_its_arguments_only_and_traces_every_character(kind):
    first, again, other = ask(kind), ask(kind), ask(kind, seed=2)
    assert first.text == again.text != other.text
    assert len(first.origins) == len(first.text)
    assert first.origins.max() < len(TEXT)
    if not any(word in kind for word in UNFAITHFUL):
        copied = [(c, TEXT[o]) for c, o in zip(first.text, first.origins, strict=True) if o != FOREIGN]
        assert len(copied) > WHOLE_CHARS * 0.8
        assert all(character == original for character, original in copied)


@pytest.mark.parametrize(
    ("kind", "edits"),
    [("noise 50 %", 0.5), ("inserted 5", 1 / 5), ("dropped 8", 1 / 8), ("60 alone, noise 30 %", 0.3)],
)
def test_as_many_characters_are_edited_as_the_name_says(kind, edits):
    changed = ask(kind)
    origins = changed.origins[changed.origins != FOREIGN]
    original = TEXT[origins.min() : origins.max() + 1]
    assert Levenshtein.distance(original, changed.text) == pytest.approx(edits * len(original), rel=0.2)


def test_synonyms_keep_the_length_and_much_of_the_text():
    changed = ask("synonyms")
    same = sum(TEXT[o] == c for o, c in zip(changed.origins, changed.text, strict=True)) / len(changed.text)
    assert len(changed.text) == min(len(TEXT), WHOLE_CHARS)
    assert 0.5 < same < 0.85


def test_characters_are_split_into_their_two_parts():
    changed = ask("components", text="明日好女子")
    assert sum(piece in changed.text for piece in ("日月", "女子")) >= 1
    assert all(len(parts) == 2 and all(map(is_han, parts)) for parts in COMPONENTS.values())


def test_odd_orders_and_scripts_change_the_text():
    assert ask("doubled", text="青灯\n如豆").text == "青青灯灯\n如如豆豆"
    assert ask("reversed", text=SHORT).text == SHORT[::-1]
    assert (
        ask("reversed sentences", text=SHORT).text == "头船在坐工船老，豆如灯青口渡夜雨。渡唤人有岸对见听！"
    )
    assert ask("pinyin spaced", text="青灯，a豆").text == "qing deng，adou"
    assert ask("pinyin glued", text="青灯，a豆").text == "qingdeng，adou"


def test_blocks_and_words_are_turned_and_common_characters_inserted():
    assert ask("turned 3", text="青灯如豆，船").text == "如灯青船，豆"
    assert ask("words reversed", text="我们今天去学校，很好。").text == "学校去今天我们，好很。"
    inserted = ask("common after 2", text="青灯如豆\n船工")
    assert inserted.text.replace("\n", "")[::3] == "青如船"


def test_passage_with_noise_is_inside_a_longer_text():
    page = ask(INSIDE)
    copied = page.origins[page.origins != FOREIGN]
    assert len(page.text) - len(copied) == HOST_CHARS
    assert copied.max() - copied.min() < INSIDE_CHARS


def test_columns_are_read_downwards_beginning_at_the_right():
    text = "".join(chr(0x4E00 + number) for number in range(300))
    blocks = ask("columns", text=text).text.strip().split("\n\n")
    read = ""
    for block in blocks:
        rows = [row[::-1] for row in block.split("\n")]
        read += "".join(row[at] for at in range(len(rows[0])) for row in rows if at < len(row))
    assert read == text


def test_page_of_many_works_has_the_same_amount_of_every_work():
    texts = [character * 500 for character in "甲乙丙"]
    assert pieced(texts, Random(1)).split("\n") == [character * WORK_CHARS for character in "甲乙丙"]
