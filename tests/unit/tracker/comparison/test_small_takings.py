"""Little from many places, the same thing many times, and texts that are short altogether."""

from random import Random

import pytest
from support.corpora import corpus_of, untitled
from support.strategies import story

from deploy.demo.samples import load_samples
from fingerprint.text.letters import to_letters
from tracker.comparison import ComparedText, compare
from tracker.indexing.params import SHORT_LETTERS

SAMPLES = load_samples()
CHAPTER = SAMPLES["青灯渡:1"].text
STRANGER = SAMPLES["竹坞旧事:1"].text
STRANGE = "平皮朋票铺派跑怕去前青清求全却先心西学写行象些"
REFRAIN = "天边的月亮照着故乡的河远行的人何时才能回到家"
POEM = "江上孤舟载酒行，两岸青山送客程。一夜风来花落尽，半帘残月听潮声。天明"


def strange(length, seed):
    return story(length, seed, alphabet=STRANGE)


def patchwork(passages, length, between=60):
    """A page of one stretch of each passage, with foreign text in between."""
    pieces = [strange(between, number) + text[100 : 100 + length] for number, text in enumerate(passages)]
    return "".join(pieces) + strange(between, 99)


SIXTY = [story(400, 500 + number) for number in range(60)]


@pytest.mark.parametrize(
    ("between", "site", "expected", "alone"),
    [(60, "", "partial", "quote"), (4, "", "copy", "quote"), (60, "ok.cn", "licensed", "licensed")],
)
def test_sixty_stretches_too_short_to_count_alone_are_judged_together(between, site, expected, alone):
    corpus = corpus_of(untitled((SIXTY, {"licensed_sites": ("ok.cn",)})))
    result = compare(ComparedText(patchwork(SIXTY, 38, between)), corpus, site=site)
    assert result.verdict == expected
    assert len(result.matches) > 50
    assert all(30 <= match.copied_chars < 50 for match in result.matches)
    assert {match.verdict for match in result.matches} == {alone}
    assert result.copied_chars > 50 * 38


def test_single_small_stretch_is_clear():
    result = compare(
        ComparedText(strange(300, 1) + SIXTY[0][100:136] + strange(300, 2)), corpus_of(untitled(SIXTY))
    )
    assert (result.verdict, result.matches, result.copied_chars) == ("clear", (), 0)


def test_stretches_of_sixty_works_are_not_judged_together():
    corpus = corpus_of(untitled(*([text] for text in SIXTY)))
    result = compare(ComparedText(patchwork(SIXTY, 36)), corpus)
    assert (result.verdict, result.matches) == ("clear", ())


@pytest.mark.parametrize(
    "passage",
    [
        story(300, 1) + REFRAIN + story(300, 2),
        "".join(story(40, number) + "\n" + REFRAIN + "\n" for number in range(8)),
        "".join(story(40, number) + "\n" + REFRAIN + "\n" for number in range(40)),
    ],
    ids=["once", "a song", "a litany"],
)
def test_page_that_repeats_a_refrain_is_no_copy(passage):
    page = (REFRAIN + "\n") * 4000
    result = compare(ComparedText(page), corpus_of(untitled([passage])))
    assert result.verdict in {"clear", "quote"}
    assert {match.verdict for match in result.matches} <= {"quote"}


def test_rarely_repeated_refrain_of_a_page_is_still_counted_once():
    """The refrain is rare enough to anchor: most of the page is copied, and yet it is 22 characters."""
    page = "".join(REFRAIN + strange(6, number) for number in range(12))
    result = compare(ComparedText(page), corpus_of(untitled([story(300, 1) + REFRAIN + story(300, 2)])))
    assert result.coverage > 0.6
    assert result.verdict == "quote"


def test_refrain_hides_no_copy():
    page = (REFRAIN + "\n") * 300 + CHAPTER + (REFRAIN + "\n") * 300
    result = compare(ComparedText(page), corpus_of(untitled([CHAPTER + REFRAIN])))
    assert result.verdict == "copy"
    assert result.matches[0].passage_coverage > 0.95


def excerpts(length, count):
    """Random stretches of a chapter with so many letters."""
    letters, rng = to_letters(CHAPTER), Random(length)
    for _ in range(count):
        start = rng.randrange(len(letters) - length)
        yield CHAPTER[letters.offsets[start] : letters.offsets[start + length - 1] + 1]


@pytest.fixture(scope="module")
def chapters():
    return corpus_of(untitled([CHAPTER, SAMPLES["青灯渡:2"].text], [SAMPLES["雾港来信:1"].text]))


@pytest.mark.parametrize("length", [30, 35, 50, 99, 100, 120])
def test_every_excerpt_that_fills_a_page_is_matched(chapters, length):
    for text in excerpts(length, 150):
        result = compare(ComparedText(text), chapters)
        assert result.matches, text
        assert result.matches[0].passage.text == CHAPTER
        assert result.verdict == ("quote" if len(text) < 40 else "copy"), text
        assert result.low_confidence


def test_most_excerpts_of_twenty_five_letters_are_matched(chapters):
    results = [compare(ComparedText(text), chapters) for text in excerpts(25, 300)]
    found = [result for result in results if result.matches and result.matches[0].passage.text == CHAPTER]
    assert len(found) > 0.9 * len(results)
    assert {each.verdict for each in found} <= {"quote", "copy"}


def test_short_pages_that_copy_nothing_stay_clear(chapters):
    letters, rng = to_letters(STRANGER), Random(1)
    for _ in range(150):
        start = rng.randrange(len(letters) - 60)
        text = STRANGER[letters.offsets[start] : letters.offsets[start + rng.randrange(20, 60)]]
        assert compare(ComparedText(text), chapters).matches == ()


@pytest.mark.parametrize("length", [20, 25, 30])
def test_poem_matches_itself(length):
    letters = to_letters(POEM)
    poem = POEM[: letters.offsets[length - 1] + 1]
    assert len(to_letters(poem)) == length < SHORT_LETTERS
    result = compare(ComparedText(poem), corpus_of(untitled([CHAPTER], [poem])))
    (match,) = result.matches
    assert (match.passage.text, match.passage_coverage, result.coverage) == (poem, 1, 1)
    assert result.verdict == "quote"


def test_poem_on_a_page_with_a_title_is_matched():
    result = compare(ComparedText("无题\n" + POEM + "\n佚名"), corpus_of(untitled([CHAPTER], [POEM])))
    assert [match.passage.text for match in result.matches] == [POEM]


def test_passage_that_its_work_no_longer_names_is_never_matched():
    corpus = corpus_of(untitled([CHAPTER, SAMPLES["青灯渡:2"].text]))
    assert compare(ComparedText(CHAPTER), corpus).verdict == "copy"
    corpus = corpus_of(untitled(([CHAPTER, SAMPLES["青灯渡:2"].text], {"passage_ids": (2,)})))
    assert compare(ComparedText(CHAPTER), corpus).matches == ()
    assert compare(ComparedText(SAMPLES["青灯渡:2"].text), corpus).verdict == "copy"
