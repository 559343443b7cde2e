"""Retellings: the same content in other, natural words is ``reworded``; changed copies stay copies."""

from dataclasses import replace
from random import Random

import pytest
from support.corpora import corpus_of
from support.retold import BEEF, CHICKEN, CLASSICAL, MODERN, OTHER
from support.sample_novels import CHAPTERS

from storage.records import TAKEN
from tracker.comparison import ComparedText, compare
from tracker.judgement.profiles import EARLIER

NOVEL_CHAPTER = CHAPTERS["青灯渡"][0]
SYNONYMS = {"百姓": "民众", "害怕": "畏惧", "赏赐": "奖给", "授任": "担任", "城中": "城内", "郡中": "郡内"}


def compared(page, *texts, profiles=None):
    corpus = corpus_of({f"作品{number}": [text] for number, text in enumerate(texts)})
    return compare(ComparedText(page), corpus if profiles is None else replace(corpus, profiles=profiles))


def with_noise(text, *, share, seed):
    """Substitute, insert and delete characters at random places; what comes in is from the text."""
    rng, characters = Random(seed), list(text)
    for number, place in enumerate(rng.sample(range(len(text)), round(share * len(text)))):
        new = rng.choice(text)
        characters[place] = (new, characters[place] + new, "")[number % 3]
    return "".join(characters)


@pytest.mark.parametrize(
    ("work", "page"),
    [(CLASSICAL, MODERN), (CLASSICAL, OTHER), (MODERN, OTHER), (OTHER, MODERN)],
    ids=["classical-modern", "classical-other", "modern-other", "other-modern"],
)
def test_translation_of_the_same_text_is_reworded(work, page):
    result = compared(page, work)
    (match,) = result.matches
    assert (result.verdict, match.verdict, match.counts) == ("reworded", "reworded", True)
    assert 0.5 < match.extent.word_identity < 0.7
    assert match.extent.verbatim_chars == 0
    assert match.information_bits == round(match.extent.copied_bits * match.copied_chars) > 1000


def test_two_recipes_with_the_set_lines_of_recipes_are_no_copies():
    assert compared(BEEF, CHICKEN).verdict == compared(CHICKEN, BEEF).verdict == "reworded"


def test_versions_before_the_fifth_call_a_translation_a_copy():
    earlier = {"news": EARLIER["news@4"], "novel": EARLIER["novel@4"]}
    assert compared(MODERN, CLASSICAL, profiles=earlier).verdict == "copy"


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("text", [CLASSICAL, MODERN, OTHER], ids=["classical", "modern", "other"])
def test_copy_with_random_edits_stays_a_copy(text, share):
    verdicts = {compared(with_noise(text, share=share, seed=seed), text).verdict for seed in range(3)}
    assert verdicts == {"copy"}


def test_copy_with_moved_omitted_or_replaced_words_stays_a_copy():
    pairs = [MODERN[place : place + 4] for place in range(0, len(MODERN), 4)]
    swapped = "".join(pair[2:] + pair[:2] if number % 2 else pair for number, pair in enumerate(pairs))
    shorter = "".join(character for number, character in enumerate(MODERN) if number % 5)
    replaced = MODERN
    for word, other in SYNONYMS.items():
        replaced = replaced.replace(word, other)
    assert [compared(page, MODERN).verdict for page in (swapped, shorter, replaced)] == ["copy"] * 3


def test_what_a_retelling_takes_word_for_word_is_judged_alone():
    middle = len(MODERN) // 2
    for chars, verdict in ((30, "reworded"), (300, "partial")):
        page = MODERN[:middle] + NOVEL_CHAPTER[:chars] + MODERN[middle:]
        work = CLASSICAL[: len(CLASSICAL) // 2] + NOVEL_CHAPTER[:chars] + CLASSICAL[len(CLASSICAL) // 2 :]
        assert compared(page, work).verdict == verdict


def test_page_of_two_retellings_is_no_copy_of_both_together():
    assert compared(MODERN, CLASSICAL, OTHER).verdict == "reworded"


def test_retelling_hides_no_quotation_from_the_exit_status():
    result = compared(MODERN + NOVEL_CHAPTER[:60], CLASSICAL, NOVEL_CHAPTER)
    assert result.verdict == "reworded"
    assert result.verdicts == {"reworded", "quote"}
    assert not result.verdicts.isdisjoint(TAKEN)
    assert compared(MODERN, CLASSICAL).verdicts.isdisjoint(TAKEN)
    assert compared(NOVEL_CHAPTER, NOVEL_CHAPTER).verdicts == {"copy"}
