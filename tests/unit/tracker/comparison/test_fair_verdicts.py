"""What a page and its matches come to: shares of short works, stubs, pieces of many works, common words."""

from datetime import UTC, datetime
from random import Random

import pytest
from support.corpora import corpus_of, untitled
from support.strategies import story

from deploy.demo import disguises
from storage.records import VERDICTS, Decision
from storage.records.times import claim
from tracker.comparison import ComparedText, compare
from tracker.judgement.profiles import EARLIER

STRANGE = "平皮朋票铺派跑怕去前青清求全却先心西学写行象些"
WORKS = [story(900, 300 + number) for number in range(10)]
BEFORE = {"news": EARLIER["news@2"], "novel": EARLIER["novel@2"]}


def strange(length, seed):
    return story(length, seed, alphabet=STRANGE)


def amid(text, length=2000):
    """A text in the middle of a page of another one."""
    return strange(length // 2, 1) + text + strange(length // 2, 2)


def verdict_on(page, corpus):
    return compare(ComparedText(page), corpus).verdict


def news(text):
    return [text], {"kind": "news"}


FLASH = story(120, 50)


@pytest.mark.parametrize(
    ("taken", "expected"),
    [(30, "clear"), (45, "quote"), (80, "quote"), (88, "partial"), (94, "partial"), (98, "copy")],
)
def test_most_of_a_short_flash_is_more_than_a_quotation(taken, expected):
    corpus = corpus_of({"快讯": news(FLASH)})
    assert verdict_on(amid(FLASH[:taken]), corpus) == expected


@pytest.mark.parametrize("start", [0, 190])
def test_half_an_article_in_another_article_is_partial(start):
    article = story(380, 60)
    corpus = corpus_of({"报道": news(article)})
    page = amid(disguises.edit(article[start : start + 190], 0.05, Random(1)))
    assert verdict_on(page, corpus) == "partial"


@pytest.mark.parametrize(
    ("each", "own", "expected"),
    [
        (150, 0, "copy"),
        (150, 2000, "partial"),
        (150, 12_000, "partial"),
        (60, 0, "partial"),
        (60, 3000, "quote"),
        (45, 0, "quote"),
    ],
)
def test_page_pieced_from_ten_works_is_judged_by_all_copied_text(each, own, expected):
    pieces = [strange(own // 10, number) + text[100 : 100 + each] for number, text in enumerate(WORKS)]
    result = compare(ComparedText("\n".join(pieces)), corpus_of(untitled(*([text] for text in WORKS))))
    assert result.verdict == expected
    assert [match.verdict for match in result.matches] == ["quote"] * 10
    assert result.is_joint == (expected != "quote")


def test_licensed_text_is_not_counted_in_a_pieced_page():
    page = "\n".join(text[100:250] for text in WORKS)
    free = corpus_of(untitled(*(([text], {"licensed_sites": ("a.cn",)}) for text in WORKS)))
    assert compare(ComparedText(page), free, site="a.cn").verdict == "licensed"
    assert compare(ComparedText(page), free, site="b.cn").verdict == "copy"
    nine = [([text], {"licensed_sites": ("a.cn",)}) for text in WORKS[1:]]
    most = corpus_of(untitled([WORKS[0]], *nine))
    assert compare(ComparedText(page), most, site="a.cn").verdict == "licensed"


def test_longer_pieces_of_more_works_are_never_milder():
    corpus = corpus_of(untitled(*([text] for text in WORKS)))
    for sizes in ([(10, each) for each in range(20, 200, 12)], [(count, 90) for count in range(11)]):
        ranks = [
            VERDICTS.index(verdict_on(amid("".join(text[:each] for text in WORKS[:count])), corpus))
            for count, each in sizes
        ]
        assert ranks == sorted(ranks, reverse=True)


@pytest.mark.parametrize(("stub", "expected"), [(100, "quote"), (200, "quote"), (300, "partial")])
def test_stub_of_a_chapter_makes_no_copy(stub, expected):
    chapters = [story(2500, 70), story(stub, 71), story(2500, 72)]
    page = amid(chapters[1], 3000)
    assert verdict_on(page, corpus_of({"长篇": chapters})) == expected
    assert verdict_on(chapters[1], corpus_of({"长篇": chapters})) == "copy"
    whole = compare(ComparedText(page), corpus_of({"短篇": [chapters[1]]}))
    assert (whole.verdict, whole.is_joint) == ("copy", False)


def test_short_collection_copied_completely_is_a_copy():
    pieces = [story(90, 80 + number) for number in range(5)]
    corpus = corpus_of({"短诗五首": pieces})
    assert verdict_on(amid("".join(piece + strange(30, 5) for piece in pieces), 4000), corpus) == "copy"
    assert verdict_on(amid(pieces[0], 4000), corpus) == "quote"


CHAPTERS = [story(length, 910 + length) for length in (414, 340, 202)]


@pytest.mark.parametrize("around", [0, 4000])
@pytest.mark.parametrize("rate", [0, 0.1])
def test_every_chapter_of_a_short_work_copied_completely_is_a_copy(around, rate):
    page = disguises.edit("\n".join(CHAPTERS), rate, Random(1))
    result = compare(ComparedText(amid(page, around)), corpus_of({"晚潮": CHAPTERS}))
    assert [match.verdict for match in result.matches] == ["copy"] * 3
    assert (result.verdict, result.is_joint) == ("copy", False)


def test_single_short_chapter_is_no_copy_of_its_work():
    corpus = corpus_of({"晚潮": CHAPTERS})
    verdicts = [verdict_on(amid(chapter, 4000), corpus) for chapter in CHAPTERS]
    assert verdicts == ["partial", "partial", "quote"]


def test_stub_next_to_a_quotation_of_a_long_chapter_is_no_copy():
    chapters = [story(2500, 70), story(150, 71)]
    corpus = corpus_of({"长篇": chapters})
    beside = compare(ComparedText(amid(chapters[1] + strange(50, 3) + chapters[0][:500], 4000)), corpus)
    assert [match.verdict for match in beside.matches] == ["partial", "quote"]
    whole = compare(ComparedText(amid(chapters[1] + strange(50, 3) + chapters[0], 8000)), corpus)
    assert [match.verdict for match in whole.matches] == ["copy", "copy"]


def test_stub_repeated_in_many_chapters_fills_a_work_once():
    note = story(110, 72)
    chapters = [note[:105] + story(5, 950 + n) for n in range(6)] + [story(2500, 70)]
    assert verdict_on(amid(note, 3000), corpus_of({"长篇": chapters})) == "quote"


def test_more_of_the_chapters_of_a_short_work_is_never_milder():
    corpus = corpus_of({"晚潮": CHAPTERS})
    before = [len(VERDICTS)] * 4
    for percent in range(40, 101, 5):
        parts = [CHAPTERS[0], CHAPTERS[1][: 340 * percent // 100], CHAPTERS[2][: 202 * percent // 100]]
        result = compare(ComparedText(amid(strange(40, 4).join(parts), 4000)), corpus)
        verdicts = {match.passage.id: match.verdict for match in result.matches}
        ranks = [VERDICTS.index(verdicts[number]) for number in sorted(verdicts)]
        ranks.append(VERDICTS.index(result.verdict))
        assert all(now <= then for now, then in zip(ranks, before, strict=True))
        before = ranks
    assert before == [VERDICTS.index("copy")] * 4


POEM = story(90, 90)
QUOTING = [[story(600, 100 + n) + POEM + story(600, 200 + n)] for n in range(5)]


@pytest.mark.parametrize(
    ("share", "expected"), [(0.3, "common"), (0.75, "common"), (0.89, "copy"), (1, "copy")]
)
def test_short_work_on_the_page_is_charged_though_many_works_quote_it(share, expected):
    corpus = corpus_of({"诗": [POEM], **{f"书{n}": text for n, text in enumerate(QUOTING)}})
    result = compare(ComparedText(amid(POEM[: round(share * len(POEM))])), corpus)
    assert result.verdict == expected
    charged = [match.work.title for match in result.matches if match.verdict != "common"]
    assert charged == (["诗"] if expected == "copy" else [])


def test_text_quoted_by_many_absent_works_is_common():
    corpus = corpus_of(untitled(*QUOTING))
    assert verdict_on(amid(POEM), corpus) == "common"


def test_notice_after_a_pattern_of_many_is_common():
    """Names and dates differ, the wording does not: the page follows the pattern and copies no work."""
    wording = [story(35, 400 + n) for n in range(3)]

    def notice(number):
        return "".join(part + story(22, 500 + 10 * number + n) for n, part in enumerate(wording))

    corpus = corpus_of({f"公告{n}": news(notice(n)) for n in range(6)})
    page = amid(notice(9), 300)
    assert verdict_on(page, corpus) == "common"


@pytest.mark.parametrize("rate", [0, 0.05, 0.1])
def test_three_hundred_slightly_edited_characters_exceed_a_quotation(rate):
    chapter = story(3000, 600)
    corpus = corpus_of({"长篇": [chapter]})
    for seed in range(10):
        taken = disguises.edit(chapter[200 * seed : 200 * seed + 300], rate, Random(seed))
        assert verdict_on(amid(taken, 3000), corpus) == "partial"


@pytest.mark.parametrize("length", [60, 150, 400])
def test_more_of_a_work_is_never_milder_on_real_pages(length):
    text = story(length, 700)
    corpus = corpus_of({"文": [text]})
    ranks = [
        VERDICTS.index(verdict_on(amid(text[: length * percent // 100]), corpus))
        for percent in range(0, 101, 4)
    ]
    assert ranks == sorted(ranks, reverse=True)
    assert (ranks[0], ranks[-1]) == (VERDICTS.index("clear"), VERDICTS.index("copy"))


def test_works_below_a_quotation_reduce_no_other_work():
    poems = [story(30, 800 + n) for n in range(10)]
    texts = [story(900, 820 + n) for n in range(5)]
    page = amid(
        "".join(poem + strange(20, 7) for poem in poems) + "".join(text[:150] for text in texts), 1150
    )
    corpus = corpus_of(untitled(*([text] for text in (*poems, *texts))))
    result = compare(ComparedText(page), corpus)
    assert (len(result.matches), result.verdict) == (15, "partial")


def test_text_in_two_works_counts_once():
    """An anthology contains a whole older story of another holder."""
    tale = story(150, 830)
    chapter = story(900, 831) + tale + story(900, 832)
    corpus = corpus_of(
        {
            "故事集": (
                [tale, story(900, 833)],
                {"holder": "作者", "published": claim(datetime(2020, 3, 1, tzinfo=UTC))},
            ),
            "选集": ([chapter], {"holder": "出版社", "published": claim(datetime(2026, 3, 1, tzinfo=UTC))}),
        }
    )
    result = compare(ComparedText(amid(chapter[885:1065], 820)), corpus)
    assert [match.copied_chars for match in result.matches] == [180, 150]
    assert result.verdict == "quote"


def test_refrain_repeated_on_a_page_is_counted_once_for_every_work():
    refrains = [story(50, 840 + n) for n in range(2)]
    works = [[story(400, 850 + n) + refrain + story(400, 860 + n)] for n, refrain in enumerate(refrains)]
    page = "".join(strange(50, n) + refrains[n % 2] for n in range(20))
    result = compare(ComparedText(page), corpus_of(untitled(*works)))
    assert (result.verdict, result.coverage > 0.45) == ("quote", True)


def test_dismissed_text_is_not_counted_in_a_pieced_page():
    class Decisions:
        def of_passages(self, shas, *, site):
            return {
                sha: [
                    Decision(
                        id=sha,
                        state="dismissed",
                        site=site,
                        work_id=1,
                        passage_id=1,
                        passage_sha256=sha,
                        start=0,
                        end=900,
                        because="授权转载",
                    )
                ]
                for sha in {"sha1", "sha3"} & set(shas)
            }

    chapters = [story(900, 870 + n) for n in range(4)]
    works = {"甲": chapters[:2], "乙": chapters[2:]}
    page = amid("".join(strange(40, n) + text[:110] for n, text in enumerate(chapters)), 1000)
    assert verdict_on(page, corpus_of(works)) == "partial"
    reviewed = corpus_of(works, decisions=Decisions())
    assert compare(ComparedText(page), reviewed, site="a.cn").verdict == "quote"


@pytest.mark.parametrize(("rate", "expected"), [(0.05, "copy"), (0.4, "common")])
def test_pattern_with_other_characters_in_it_is_no_whole_work(rate, expected):
    """The whole poem is there by its sound, but not by its characters."""
    page = amid(disguises.homophones(POEM, rate, Random(1)))
    corpus = corpus_of({"诗": [POEM], **{f"书{n}": text for n, text in enumerate(QUOTING)}})
    assert verdict_on(page, corpus) == expected
