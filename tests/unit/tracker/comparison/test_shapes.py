"""Pages of hard shapes: results that are right, and time and memory that stay bounded."""

import subprocess
import sys
from random import Random

import pytest
from rapidfuzz.distance import Levenshtein
from support.corpora import corpus_of
from support.sample_novels import CHAPTERS, NOVELS, STRANGER
from support.strategies import story

from deploy.demo import disguises
from tracker.comparison import ComparedText, compare

SENTENCE = "老船工披着蓑衣坐在船头，听见对岸有人唤渡，便把竹篙往石上一点。"


def test_reordered_blocks_are_located_separately(novels):
    text = CHAPTERS["青灯渡"][0]
    cuts = [0, len(text) // 3, 2 * len(text) // 3, len(text)]
    blocks = [(cuts[n], cuts[n + 1]) for n in (2, 1, 0)]
    result = compare(ComparedText("".join(text[a:b] for a, b in blocks)), novels)
    (match,) = result.matches
    assert (result.verdict, result.coverage, match.passage_coverage) == ("copy", 1, 1)
    assert sorted((span.passage_start, span.passage_end) for span in match.spans) == sorted(blocks)


def test_two_chapters_of_three_works_on_a_page_are_matched(novels):
    page = STRANGER.join(text for own in CHAPTERS.values() for text in own[:2])
    result = compare(ComparedText(page), novels)
    assert {(match.work.title, match.passage.ordinal) for match in result.matches} == {
        (name, ordinal) for name in NOVELS for ordinal in (0, 1)
    }
    assert {match.verdict for match in result.matches} == {"copy"}
    for match in result.matches:
        assert match.passage_coverage > 0.995
        start = page.index(match.passage.text)
        assert match.spans[0].page_start == start
        assert match.spans[-1].page_end == start + len(match.passage.text.rstrip())


def test_passage_with_a_long_repeated_chorus_is_matched_completely():
    """Verses of 30 characters between forty choruses of 150: the chorus anchors nothing but leaves no gap."""
    chorus = story(150, 1)
    song = "".join(story(30, number + 2) + chorus for number in range(40))
    result = compare(ComparedText(STRANGER[:400] + song + STRANGER[400:800]), corpus_of({"歌": [song]}))
    (match,) = result.matches
    assert match.passage_coverage == 1
    assert [(span.page_start, span.page_end) for span in match.spans] == [(400, 400 + len(song))]


@pytest.mark.parametrize("works", [1, 40])
def test_sentence_repeated_ten_thousand_times_is_compared_in_bounds(works):
    texts = {f"书{n}": [story(600, n) + SENTENCE + story(600, n + 100)] for n in range(works)}
    result = compare(ComparedText(SENTENCE * 10_000), corpus_of(texts))
    assert result.verdict == ("quote" if works == 1 else "common")
    assert sum(len(match.spans) for match in result.matches) <= 21_000
    if works == 1:
        (match,) = result.matches
        assert result.coverage > 0.95
        assert match.taken_chars == len(SENTENCE)
        assert {span.page_start % len(SENTENCE) for span in match.spans} == {0}


@pytest.mark.parametrize("text", ["", "青", "，", "\u200b", "\U00020000", "a", "青a"])
def test_page_of_nothing_or_next_to_nothing_is_clear(novels, text):
    result = compare(ComparedText(text), novels)
    assert (result.verdict, result.coverage, result.matches, result.chars) == ("clear", 0, (), len(text))


@pytest.mark.parametrize("text", ["的" * 300_000, "哈呀" * 150_000, "的\n" * 100_000])
def test_endless_monotony_is_clear(novels, text):
    assert compare(ComparedText(text), novels).verdict == "clear"


_NOVEL = """
from support.faults.memory import own_memory
from support.corpora import corpus_of
from support.strategies import story
from tracker.comparison import ComparedText, compare
chapters = [story(10_000, n) for n in range(100)]
corpus = corpus_of({"长篇": chapters})
result = compare(ComparedText("".join(reversed(chapters))), corpus)
used = own_memory("VmHWM")
assert result.verdict == "copy" and result.coverage == 1.0, (result.verdict, result.coverage)
assert len(result.matches) == 100 and all(m.passage_coverage == 1 for m in result.matches)
assert result.dropped == 0
print(round(used))
"""


@pytest.mark.long
def test_whole_novel_on_a_page_needs_less_than_a_gigabyte():
    done = subprocess.run(
        [sys.executable, "-c", _NOVEL],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 1000


def test_adverts_are_outside_the_spans(novels):
    text = CHAPTERS["雾港来信"][0]
    advert = "天才一秒记住本站地址，最新章节每日更新，全文字无弹窗。"
    cuts = [text.index("。", place) + 1 for place in (200, 500, 800)]
    page = text[: cuts[0]] + advert + text[cuts[0] : cuts[1]] + advert + text[cuts[1] :]
    (match,) = compare(ComparedText(page), novels).matches
    covered = "".join(page[span.page_start : span.page_end] for span in match.spans)
    assert Levenshtein.distance(covered.replace("\n", ""), text.replace("\n", "")) <= 2
    assert "slogans" in match.disguises
    assert match.char_identity == 1


def test_web_address_in_the_middle_parts_spans(novels):
    text = CHAPTERS["雾港来信"][0]
    page = text[:300] + "https://www.example.com/book/12345.html" + text[300:]
    (match,) = compare(ComparedText(page), novels).matches
    assert "".join(page[span.page_start : span.page_end] for span in match.spans) == text.rstrip()


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_pinyin_that_replaces_characters_is_matched(novels, share):
    """Too many replacements for any letter shingle of the Han characters alone."""
    syllables = {
        "的": "de",
        "了": "le",
        "他": "ta",
        "是": "shi",
        "不": "bu",
        "一": "yi",
        "人": "ren",
        "上": "shang",
    }
    rng, text = Random(3), CHAPTERS["青灯渡"][1]
    common = sorted(set(text) & set(syllables))
    page = "".join(syllables[c] if c in common and rng.random() < share * 2 else c for c in text)
    (match,) = compare(ComparedText(page), novels).matches
    assert match.verdict == "copy"
    assert "pinyin" in match.disguises
    assert match.sound_identity > 0.995
    assert match.char_identity < 1
    assert match.passage_coverage > 0.99


def test_every_character_in_noise_is_still_a_copy(novels):
    page = "".join(f"‘{c}’" if n % 3 == 0 and c.isalpha() else c for n, c in enumerate(CHAPTERS["青灯渡"][1]))
    (match,) = compare(ComparedText(page), novels).matches
    assert (match.verdict, match.char_identity) == ("copy", 1)
    assert "noise" in match.disguises


def test_chapter_with_shuffled_sentences_is_a_copy(novels):
    page = disguises.shuffle_sentences(CHAPTERS["星槎纪事"][0], Random(4))
    (match,) = compare(ComparedText(page), novels).matches
    assert "shuffled" in match.disguises
    assert match.coverage > 0.95
