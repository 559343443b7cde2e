"""How many characters a match counts: those of the work, which no disguise makes more."""

import pytest
from pypinyin import lazy_pinyin
from support.corpora import corpus_of
from support.strategies import story

from tracker.comparison import ComparedText, compare

CHAPTER = story(400, 7)
DISGUISED = {
    "twice": CHAPTER + CHAPTER,
    "doubled": "".join(char * 2 for char in CHAPTER),
    "invisible": "\u200b".join(CHAPTER),
    "dots": "·".join(CHAPTER),
    "pinyin": " ".join(lazy_pinyin(CHAPTER)),
}


@pytest.fixture(scope="module")
def corpus():
    return corpus_of({"晚潮": [CHAPTER]})


@pytest.mark.parametrize("disguise", DISGUISED)
def test_repetitions_and_insertions_do_not_count_as_copied(disguise, corpus):
    page = DISGUISED[disguise]
    found = compare(ComparedText(page), corpus)
    (match,) = found.matches
    assert (found.verdict, found.coverage > 0.9) == ("copy", True)
    assert 0.9 * len(CHAPTER) < match.copied_chars <= len(CHAPTER)


def test_verbatim_copy_is_listed_before_half_of_another_work_with_noise():
    other = story(400, 8)
    both = corpus_of({"晚潮": [CHAPTER], "早潮": [other]})
    found = compare(ComparedText(CHAPTER + "，".join(other[:300])), both)
    assert [match.work.title for match in found.matches] == ["晚潮", "早潮"]
