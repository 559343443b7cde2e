"""Each kind of change does what its name says, and the same in every run."""

import hashlib
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein
from support.changed.changes import (
    ADVERTS,
    EDIT_RATES,
    FOREIGN,
    KINDS,
    Surroundings,
    change_traced,
    changed_text,
    copy_into_host,
    edit,
)
from support.changed.corpora import SAMPLES

from deploy.demo.disguises import is_han, sentences
from fingerprint.text.letters import to_letters
from fingerprint.text.variants import fold

NOVELS = sorted((SAMPLES / "novels").glob("*.txt"))
TEXT = NOVELS[0].read_text(encoding="utf-8")[2_000:5_000].rpartition("。")[0] + "。"
POOL = NOVELS[1].read_text(encoding="utf-8")
HOST = NOVELS[2].read_text(encoding="utf-8")[:3_000]
AROUND = Surroundings(pool=POOL, hosts=(HOST,))
SENTENCES = (
    "雨夜渡口青灯如豆，老船工披着蓑衣坐在船头。听见对岸有人唤渡，一声比一声急！他把缆绳绕在木桩上，回头望了一眼江面。"
    "雾从芦苇里漫过来，先没了树，再没了桥。"
)
PINNED_AROUND = Surroundings(
    pool="天地玄黄宇宙洪荒日月盈昃辰宿列张",
    hosts=("三更时分渡船靠岸上来一个背着药箱的年轻郎中衣裳湿透开口便问镇上可还有人醒着",),
)
PINNED = {
    "none": "34a222f65665",
    "edits 5 %": "454340150735",
    "edits 10 %": "d2ee53043c92",
    "edits 20 %": "128c61b09378",
    "edits 30 %": "4a4512924bb8",
    "homophones 30 %": "77bec13174c4",
    "homophones 60 %": "830b97e7f064",
    "traditional": "e1e89bf6e257",
    "words swapped": "4ebccbe597c6",
    "shuffled": "34a222f65665",
    "adverts": "2da6bc4a8adb",
    "copied 60": "00817a11573c",
    "copied 100": "3d46805d84b9",
    "copied 300": "7fee9ce75d8a",
    "copied 60, edited": "0d07a96d7b4c",
    "copied 100, edited": "aeac83f6b628",
    "copied 300, edited": "66956013914e",
}


def ask(kind, *, text=TEXT, document="page", seed=1):
    return changed_text(text, kind, document=document, seed=seed, around=AROUND)


@pytest.mark.parametrize("kind", KINDS)
def test_change_depends_on_its_arguments_alone(kind):
    assert ask(kind) == ask(kind)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("none", "traditional")])
def test_another_seed_and_another_document_change_otherwise(kind):
    assert len({ask(kind), ask(kind, seed=2), ask(kind, document="other")}) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_changes_are_the_same_in_every_process_and_on_every_machine(kind):
    changed = changed_text(SENTENCES, kind, document="d", seed=7, around=PINNED_AROUND)
    assert hashlib.sha256(changed.encode()).hexdigest()[:12] == PINNED[kind]


def test_unknown_kind_is_an_error():
    with pytest.raises(KeyError):
        ask("translated")


def test_kind_none_changes_nothing():
    assert ask("none") == TEXT


@pytest.mark.parametrize("rate", EDIT_RATES)
def test_edits_have_the_rate_that_they_name(rate):
    distance = Levenshtein.distance(TEXT, ask(f"edits {rate} %")) / len(TEXT)
    # Neighbouring edits can cancel out, so the distance may be a little below the rate, never above.
    assert 0.93 * rate / 100 <= distance <= rate / 100 + 1e-9


def test_edits_are_substitutions_insertions_and_deletions_in_equal_parts():
    # A text whose characters never occur in the pool, so that each edit can be recognised.
    text = "ab" * 1_500
    after = edit(text, Random(3), AROUND, rate=0.3).text
    foreign = sum(character not in "ab" for character in after)
    kept = len(after) - foreign
    assert foreign == 600
    assert len(text) - kept == 600  # 300 substituted, 300 deleted
    assert len(after) == len(text)


def test_edits_draw_from_the_pool_and_leave_lines():
    after = edit("ab\n" * 500, Random(3), Surroundings(pool="渡 \n", hosts=()), rate=0.5).text
    assert set(after) <= set("ab\n渡")
    assert after.count("\n") == 500


def test_edits_of_an_empty_text_are_empty():
    assert edit("", Random(1), AROUND, rate=0.3).text == ""


@pytest.mark.parametrize(("kind", "rate"), [("homophones 30 %", 0.3), ("homophones 60 %", 0.6)])
def test_homophones_keep_every_initial_and_swap_the_share_that_they_name(kind, rate):
    after = ask(kind)
    assert str(to_letters(after)) == str(to_letters(TEXT))
    assert len(after) == len(TEXT)
    swapped = sum(ours != theirs for ours, theirs in zip(TEXT, after, strict=True))
    assert swapped == pytest.approx(rate * sum(map(is_han, TEXT)), abs=1)


def test_traditional_characters_fold_back():
    after = ask("traditional")
    assert after != TEXT
    assert fold(after) == fold(TEXT)


def test_swapped_words_keep_characters_and_punctuation():
    after = ask("words swapped")
    assert sorted(after) == sorted(TEXT)
    moved = sum(ours != theirs for ours, theirs in zip(TEXT, after, strict=True))
    assert 0.15 < moved / len(TEXT) < 0.35
    assert all(
        not is_han(theirs)
        for ours, theirs in zip(TEXT, after, strict=True)
        if not is_han(ours)
    )  # fmt: skip


def test_shuffled_text_has_its_sentences_whole():
    after = ask("shuffled")

    def of(text):
        return [sentence for line in text.split("\n") for sentence in sentences(line)]

    assert sorted(after) == sorted(TEXT)
    assert all(sentence in after for sentence in of(TEXT))
    following = set(pairwise(of(TEXT)))
    assert sum(pair in following for pair in pairwise(of(after))) < len(following) / 5


def test_adverts_are_inserted_and_nothing_is_removed():
    after = ask("adverts")
    inserted = [advert for advert in ADVERTS for _ in range(after.count(advert))]
    assert len(inserted) >= 5
    for advert in ADVERTS:
        after = after.replace(advert, "")
    assert after == TEXT


def test_text_without_sentences_has_no_adverts():
    assert ask("adverts", text="") == ""


@pytest.mark.parametrize("chars", [60, 100, 300])
def test_copied_stretch_is_in_the_other_text(chars):
    after = ask(f"copied {chars}")
    assert len(after) == len(HOST) + chars
    starts = (start for start in range(len(TEXT) - chars + 1) if TEXT[start : start + chars] in after)
    start = next(starts)
    assert after.replace(TEXT[start : start + chars], "", 1) == HOST


def test_edited_stretch_is_mostly_kept():
    after = ask("copied 300, edited")
    added = len(after) - len(HOST)
    assert 290 <= added <= 310
    assert not any(TEXT[start : start + 300] in after for start in range(len(TEXT) - 299))
    assert any(TEXT[start : start + 20] in after for start in range(len(TEXT) - 19))


def test_text_shorter_than_the_stretch_is_copied_whole():
    assert "青灯渡" in copy_into_host("青灯渡", Random(1), AROUND, chars=300).text


def truth(kind):
    return change_traced(TEXT, kind, document="page", seed=1, around=AROUND)


@pytest.mark.parametrize("kind", KINDS)
def test_every_character_has_an_origin_and_the_text_is_the_same(kind):
    changed = truth(kind)
    assert changed.text == ask(kind)
    assert len(changed.origins) == len(changed.text)
    assert set(changed.origins.tolist()) <= {FOREIGN, *range(len(TEXT))}


@pytest.mark.parametrize("kind", ["none", "words swapped", "shuffled", "adverts", "copied 60", "copied 300"])
def test_copied_characters_equal_those_at_their_origin(kind):
    changed = truth(kind)
    copied = changed.origins != FOREIGN
    assert copied.any()
    assert all(
        character == TEXT[origin]
        for character, origin in zip(changed.text, changed.origins.tolist(), strict=True)
        if origin != FOREIGN
    )


@pytest.mark.parametrize(
    ("kind", "copied_chars"), [("copied 60", 60), ("copied 100", 100), ("adverts", None)]
)
def test_foreign_characters_have_no_origin(kind, copied_chars):
    changed = truth(kind)
    copied = changed.origins[changed.origins != FOREIGN]
    assert sorted(copied.tolist()) == list(range(copied.min(), copied.min() + (copied_chars or len(TEXT))))


def test_edits_keep_the_origin_of_the_character_that_they_change():
    changed = truth("edits 30 %")
    assert (np.diff(changed.origins) >= 0).all()
    equal = sum(
        TEXT[origin] == character for character, origin in zip(changed.text, changed.origins, strict=True)
    )
    assert equal / len(TEXT) == pytest.approx(0.8, abs=0.01)  # a third of the edits are insertions
