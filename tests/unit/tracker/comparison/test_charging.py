"""Each stretch of a page is charged to the work that it fits best, and to others only beyond that."""

from dataclasses import replace
from datetime import datetime
from random import Random

import pytest
from support.corpora import corpus_of
from support.strategies import story

from deploy.demo import disguises
from storage.records.times import claim
from tracker.comparison import ComparedText, compare
from tracker.judgement.contained import MAX_CONTAINED
from tracker.judgement.profiles import EARLIER, PROFILES

PHRASES = [story(90, 900 + n) for n in range(3)]  # official wording, 270 characters of it
DAY, LATER = (claim(datetime(year, 3, 1)) for year in (2026, 2027))  # noqa: DTZ001 - local time


def article(number, *phrases, length=900):
    """An article of its own with phrases in it."""
    own = story(length, number)
    pieces = [own[n * length // 4 : (n + 1) * length // 4] for n in range(4)]
    return "".join(piece + phrase for piece, phrase in zip(pieces, [*phrases, ""] * 4, strict=False))


def news(text, **fields):
    return [text], {"kind": "news", "holder": "某社", **fields}


def accused(page, works, **fields):
    """The works that a page is charged with, and their verdicts."""
    result = compare(ComparedText(page), corpus_of(works), **fields)
    return {match.work.title: match.verdict for match in result.matches if match.verdict != "common"}


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: disguises.edit(text, 0.1, Random(1)),
        lambda text: disguises.homophones(text, 0.3, Random(1)),
        lambda text: text[: len(text) // 2],
        lambda text: story(600, 77) + text + story(600, 78),
    ],
    ids=["as it is", "edited", "homophones", "half of it", "amid other text"],
)
def test_copied_article_accuses_no_article_with_the_same_official_wording(change):
    works = {name: news(article(n, *PHRASES)) for n, name in enumerate("甲乙丙")}
    assert list(accused(change(article(0, *PHRASES)), works)) == ["甲"]


def test_shared_wording_is_charged_to_a_work_of_three_but_of_four_to_none():
    page = story(1500, 70) + PHRASES[0] + story(1500, 71)
    works = {name: news(article(n, *PHRASES)) for n, name in enumerate("甲乙丙丁")}
    three = {name: works[name] for name in "甲乙丙"}
    assert accused(page, three) == {"甲": "quote"}
    assert accused(page, works) == {}


def test_page_made_of_two_articles_is_charged_to_both():
    texts = {"甲": article(1), "乙": article(2)}
    page = texts["甲"][:450] + texts["乙"][450:]
    result = compare(ComparedText(page), corpus_of({name: news(text) for name, text in texts.items()}))
    assert {match.work.title: match.copied_chars for match in result.matches} == {"甲": 450, "乙": 450}
    assert {match.verdict for match in result.matches} == {"partial"}
    assert result.verdict == "copy"  # nothing on it is its own


def test_third_article_that_shares_text_with_both_halves_is_not_accused():
    first, second = article(1, *PHRASES), article(2)
    third = story(300, 3) + PHRASES[0] + story(300, 4) + second[500:600] + story(300, 5)
    page = first[: len(first) // 2] + second[450:]
    works = {"甲": news(first), "乙": news(second), "丙": news(third)}
    assert set(accused(page, works)) == {"甲", "乙"}


def test_text_beyond_the_best_work_is_charged_to_the_next():
    shared = story(200, 50)
    best = story(900, 1) + shared
    other = shared + story(600, 2)
    page = best + other[200:500] + story(300, 3)
    result = compare(ComparedText(page), corpus_of({"甲": news(best), "乙": news(other)}))
    beyond = next(match for match in result.matches if match.work.title == "乙")
    (span,) = beyond.spans
    assert (span.page_start, span.page_end) == (len(best), len(best) + 300)
    assert (span.passage_start, span.passage_end) == (200, 500)
    assert (beyond.copied_chars, beyond.verdict) == (300, "partial")
    assert (span.char_identity, span.sound_identity, span.disguises) == (1, 1, ())


def test_best_fitting_edition_is_charged():
    book = [story(1200, n) for n in range(3)]
    revised = [disguises.edit(text, 0.04, Random(n)) for n, text in enumerate(book)]
    works = {"镜花缘": book, "镜花缘校注本": revised}
    assert accused(book[1], works) == {"镜花缘": "copy"}
    assert accused(revised[1], works) == {"镜花缘校注本": "copy"}
    third = disguises.edit(book[1], 0.1, Random(9))
    assert accused(third, works) == {"镜花缘": "copy"}


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("names", ["简繁", "繁简"])
def test_quotation_is_charged_to_the_edition_in_its_script(names, linked):
    """80 characters of the simplified edition were reported as disguised text of the traditional edition."""
    simplified = story(1200, 1)
    texts = {"简": simplified, "繁": disguises.traditional(simplified)}
    first, second = names
    fields = {"edition_of": 1} if linked else {}
    works = {first: [texts[first]], second: ([texts[second], story(50, 8)], fields)}
    for script, text in texts.items():
        page = story(900, 70) + text[400:480] + story(900, 71)
        (match,) = compare(ComparedText(page), corpus_of(works)).matches
        assert (match.work.title, match.disguises) == (script, ())


def test_text_of_only_a_single_linked_edition_is_judged_with_the_book():
    first, second = [story(900, 1)], [story(700, 2)]
    page = first[0][:300] + second[0][:300] + story(450, 3)
    apart = compare(ComparedText(page), corpus_of({"初版": first, "增订版": second}))
    linked = compare(ComparedText(page), corpus_of({"初版": first, "增订版": (second, {"edition_of": 1})}))
    assert [match.work.title for match in linked.matches] == ["初版", "增订版"]
    assert (apart.verdict, linked.verdict, linked.coverage) == ("partial", "partial", apart.coverage)


def test_older_of_two_equal_texts_is_charged():
    text = article(1)
    works = {"转载": news(text, published=LATER), "原文": news(text, published=DAY)}
    assert accused(text, works) == {"原文": "copy"}
    assert accused(text, {name: news(text) for name in "甲乙"}) == {"甲": "copy"}


def test_quotation_is_charged_to_the_article_that_was_copied():
    original = article(1)
    quoted = original[300:520]
    quoting = story(500, 2) + quoted + story(500, 3)
    works = {"原文": news(original), "引文": news(quoting)}
    assert accused(original, works) == {"原文": "copy"}
    assert accused(quoting, works) == {"引文": "copy"}


def test_complete_short_article_precedes_the_same_amount_of_a_long_article():
    short = story(120, 1)
    long = short[:50] + story(800, 2) + short[60:] + story(800, 3) + story(70, 4) + story(900, 5)
    page = story(800, 6) + short + story(400, 7) + story(70, 4) + story(400, 8)
    assert accused(page, {"长": news(long), "短": news(short)})["短"] == "copy"


@pytest.mark.parametrize(
    ("about", "expected"),
    [
        ({"holder": "作者"}, {"选集": "copy", "故事": "copy"}),
        ({"holder": "出版社"}, {"选集": "copy"}),
        ({"holder": None}, {"选集": "copy", "故事": "copy"}),
        ({"holder": "作者", "published": LATER}, {"选集": "copy", "故事": "copy"}),
    ],
    ids=["another holder", "the same holder", "holder unknown", "a later reprint"],
)
def test_story_in_a_copied_anthology_is_charged_to_its_holder(about, expected):
    tale = story(900, 1)
    chapter = story(400, 2) + tale + story(400, 3)
    works = {
        "故事": ([tale], {"published": DAY, **about}),
        "选集": ([story(700, 4), chapter], {"holder": "出版社", "published": DAY}),
    }
    assert accused(chapter, works) == expected


SHORT = story(500, 1)
LONG = story(300, 2) + SHORT + story(300, 3)


def contained(page, works):
    """The works that a page also contains, with the share of their passage on it."""
    matches = compare(ComparedText(page), corpus_of(works)).matches
    return {match.work.title: match.passage_coverage for match in matches if match.also_contained}


@pytest.mark.parametrize(
    ("short", "expected"),
    [
        (SHORT, {"短": 1.0}),
        (SHORT + story(300, 4), {"短": pytest.approx(0.625, abs=0.01)}),
        (SHORT + story(400, 4), {}),
        (story(60, 5) + disguises.edit(SHORT, 0.4, Random(1)), {}),
    ],
    ids=["whole", "62 % of it", "56 % of it", "only alike"],
)
def test_page_also_contains_works_of_which_it_has_sixty_percent(short, expected):
    works = {"长": news(LONG), "短": news(short, holder="乙社")}
    assert contained(LONG, works) == expected
    assert contained(LONG, {**works, "短": news(short)}) == {}  # its holder sees the find already


@pytest.mark.parametrize("fields", [{"holder": "乙社"}, {"holder": "丙社", "role": "earlier"}])
def test_small_piece_charged_to_the_same_holder_hides_no_contained_work(fields):
    short = story(900, 1)
    long = story(300, 2) + short[150:800] + story(300, 3)
    other = story(400, 4) + short[:150] + story(300, 5)
    works = {"长": news(long, holder="甲社"), "旁": news(other, **fields), "短": news(short, holder="乙社")}
    assert contained(long + other, works) == {"短": pytest.approx(800 / 900, abs=0.01)}


def test_also_contained_work_adds_nothing_to_the_figures_of_the_page():
    alone = compare(ComparedText(LONG), corpus_of({"长": news(LONG)}))
    both = compare(ComparedText(LONG), corpus_of({"长": news(LONG), "短": news(SHORT, holder="乙社")}))
    assert [(match.work.title, match.verdict, match.charged_to) for match in both.matches] == [
        ("长", "copy", ()),
        ("短", "copy", (1,)),
    ]
    assert (both.verdict, both.coverage, both.copied_chars, both.is_joint) == (
        (alone.verdict, alone.coverage, alone.copied_chars, alone.is_joint)
    )


def test_noisy_copy_also_contains_the_shorter_work():
    works = {"长": news(LONG), "短": news(SHORT, holder="乙社")}
    assert set(contained(disguises.edit(LONG, 0.3, Random(2)), works)) == {"短"}


def test_profile_of_version_5_lists_no_contained_work():
    before = {kind: EARLIER[f"{kind}@5"] for kind in PROFILES}
    corpus = corpus_of({"长": news(LONG), "短": news(SHORT, holder="乙社")})
    (match,) = compare(ComparedText(LONG), replace(corpus, profiles=before)).matches
    assert match.work.title == "长"


def test_at_most_ten_contained_works_are_listed():
    works = {f"短{n}": news(SHORT[: 480 + n], holder=f"社{n}") for n in range(11)}
    assert len(contained(LONG, {"长": news(LONG), **works})) == MAX_CONTAINED


def test_pieces_of_many_chapters_belong_to_their_novel():
    chapters = [story(800, n) for n in range(6)]
    page = "".join(text[:300] for text in chapters)
    reader = "".join(text[:120] for text in chapters) + story(2000, 99)  # a book that quotes each of them
    result = compare(ComparedText(page), corpus_of({"长篇": chapters, "读本": [reader]}))
    assert {match.work.title for match in result.matches} == {"长篇"}
    assert (result.verdict, result.coverage, len(result.matches)) == ("copy", 1, 6)


def test_charges_do_not_depend_on_the_order_of_works():
    texts = {name: article(n, *PHRASES[: n % 3]) for n, name in enumerate("甲乙丙丁戊")}
    page = texts["乙"][:500] + texts["丁"] + texts["戊"][600:]
    names, outcomes = list(texts), set()
    for seed in range(4):
        Random(seed).shuffle(names)
        works = {name: news(texts[name]) for name in names}
        outcomes.add(tuple(sorted(accused(page, works).items())))
    assert outcomes == {(("丁", "copy"), ("乙", "partial"), ("戊", "partial"))}


def test_licence_of_the_copied_work_accuses_no_work_with_shared_words():
    works = {
        "甲": news(article(1, *PHRASES), licensed_sites=("a.cn",)),
        "乙": news(article(2, *PHRASES)),
    }
    assert accused(article(1, *PHRASES), works, site="a.cn") == {"甲": "licensed"}
