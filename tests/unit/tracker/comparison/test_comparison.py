"""A text against a mother corpus in memory: verdicts, coverage, licences, common text."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.corpora import corpus_of
from support.sample_novels import CHAPTERS, NOVELS, SAMPLES, STRANGER
from support.strategies import anything, seeds, story

from deploy.demo import disguises
from tracker.comparison import ComparedText, compare
from tracker.comparison.passages import PassageReader
from tracker.corpus.memory import MemoryPassages, MemoryWorks

STRANGE = "平皮朋票铺派跑怕去前青清求全却先心西学写行象些"


def check_sane(text, result):
    """What must hold of every comparison."""
    assert result.chars == len(text)
    assert 0 <= result.coverage <= 1
    assert 0 <= result.copied_chars <= len(text)
    copied = [match.copied_chars for match in result.matches]
    assert copied == sorted(copied, reverse=True)
    for match in result.matches:
        assert match.verdict != "clear"
        assert match.spans
        assert match.longest_span == max(span.page_end - span.page_start for span in match.spans)
        assert 0 < match.copied_chars <= len(text)
        assert 0 < match.coverage <= 1
        assert 0 < match.passage_coverage <= 1
        assert 0 <= match.char_identity <= match.sound_identity <= 1
        for span in match.spans:
            assert 0 <= span.page_start < span.page_end <= len(text)
            assert 0 <= span.passage_start < span.passage_end <= len(match.passage.text)


@pytest.mark.parametrize("name", NOVELS)
def test_verbatim_chapter_is_a_complete_copy(novels, name):
    text = CHAPTERS[name][1]
    result = compare(ComparedText(text), novels)
    check_sane(text, result)
    (match,) = result.matches
    assert (match.work.title, match.passage.text) == (name, text)
    assert (result.verdict, result.coverage, result.copied_chars) == ("copy", 1, len(text))
    assert (match.passage_coverage, match.char_identity, match.sound_identity) == (1, 1, 1)
    assert (match.longest_span, match.disguises, match.profile) == (len(text), (), "novel@6")
    assert all(count > 10 for count in match.anchors.values())
    assert not result.low_confidence


@pytest.mark.parametrize(
    ("disguise", "named"),
    [
        (disguises.traditional, "traditional"),
        (lambda text: disguises.homophones(text, 0.3, Random(2)), "homophones"),
        (lambda text: disguises.edit(text, 0.1, Random(2)), "edited"),
        (lambda text: disguises.shuffle_sentences(text, Random(2)), "shuffled"),
    ],
    ids=["traditional", "homophones", "edited", "shuffled"],
)
@pytest.mark.parametrize("name", NOVELS)
def test_disguised_chapters_are_copies_and_the_disguise_is_named(novels, name, disguise, named):
    text = disguise(CHAPTERS[name][0])
    result = compare(ComparedText(text), novels)
    check_sane(text, result)
    assert result.verdict == "copy"
    assert result.coverage > 0.9
    assert result.matches[0].work.title == name
    assert named in result.matches[0].disguises


def test_text_that_copies_nothing_is_clear(novels):
    for text in (STRANGER, SAMPLES["other-news:1"].text, CHAPTERS["青灯渡"][0][:10]):
        result = compare(ComparedText(text), novels)
        assert (result.verdict, result.coverage, result.copied_chars, result.matches) == ("clear", 0, 0, ())


@pytest.mark.parametrize("text", ["", " \n", "Lorem ipsum", "12345", "，。", "青", "かな", "\ud800"])
def test_page_without_enough_han_is_clear_and_not_to_be_relied_on(novels, text):
    result = compare(ComparedText(text), novels)
    assert (result.verdict, result.chars, result.matches) == ("clear", len(text), ())
    assert result.low_confidence


def test_empty_corpus_has_no_copies():
    assert compare(ComparedText(STRANGER), corpus_of({})).verdict == "clear"


@settings(max_examples=40, deadline=None)
@given(seeds, st.integers(min_value=100, max_value=1500), st.integers(min_value=0, max_value=1500))
def test_coverage_and_copied_characters_are_accurate(novels, seed, length, foreign):
    name, start = NOVELS[seed % 3], seed % 300
    copied = CHAPTERS[name][0][start : start + length].strip()
    page = story(foreign, seed, alphabet=STRANGE) + copied + story(foreign, seed + 1, alphabet=STRANGE)
    result = compare(ComparedText(page), novels)
    check_sane(page, result)
    # A few letters around a copy go on like the original by chance; none of the copy is missed.
    assert len(copied) <= result.copied_chars <= len(copied) + 12
    assert result.coverage == pytest.approx(result.copied_chars / len(page), abs=1e-4)
    assert result.matches[0].work.title == name
    expected = "copy" if result.coverage >= 0.6 and length >= 150 else None
    assert expected in {None, result.verdict}


@settings(max_examples=40, deadline=None)
@given(anything, anything)
def test_copy_is_matched_within_any_text(novels, head, tail):
    page = head + "\n" + CHAPTERS["青灯渡"][0][:400] + "\n" + tail
    result = compare(ComparedText(page), novels)
    check_sane(page, result)
    assert result.copied_chars >= 395


def test_several_passages_of_a_work_count_together(novels):
    """Each is too little of the page for a copy; together they are most of it."""
    pieces = [text[:280] for text in CHAPTERS["青灯渡"]]
    page = "\n".join(pieces) + STRANGER[:300]
    result = compare(ComparedText(page), novels)
    check_sane(page, result)
    assert sorted(match.passage.ordinal for match in result.matches) == [0, 1, 2]
    assert {match.verdict for match in result.matches} == {"partial"}
    assert result.verdict == "copy"
    assert result.coverage > 0.7


@pytest.mark.parametrize(("own", "expected"), [(300, "copy"), (1500, "partial")])
def test_passages_of_several_works_count_together_for_the_page_alone(novels, own, expected):
    page = "\n".join(CHAPTERS[name][0][:280] for name in NOVELS) + STRANGER[:own]
    result = compare(ComparedText(page), novels)
    assert {match.work.title for match in result.matches} == set(NOVELS)
    assert {match.verdict for match in result.matches} == {"partial"}
    assert result.verdict == expected


def test_verdict_of_a_quoted_passage_is_quote(novels):
    page = STRANGER + CHAPTERS["雾港来信"][0][100:180]
    result = compare(ComparedText(page), novels)
    assert result.verdict == "quote"
    assert result.matches[0].work.title == "雾港来信"


def test_licence_covers_its_site_and_no_other():
    corpus = corpus_of({"青灯渡": (CHAPTERS["青灯渡"], {"licensed_sites": ("ok.cn", "ok.cn:8080")})})
    text = CHAPTERS["青灯渡"][0]
    assert [
        compare(ComparedText(text), corpus, site=site).verdict
        for site in ("ok.cn", "ok.cn:8080", "no.cn", "", "ok.cn.no")
    ] == [
        "licensed",
        "licensed",
        "copy",
        "copy",
        "copy",
    ]
    assert compare(ComparedText(text), corpus, site="ok.cn").matches[0].verdict == "licensed"


def test_licence_for_a_work_does_not_cover_another_work():
    works = {
        "青灯渡": (CHAPTERS["青灯渡"], {"licensed_sites": ("ok.cn",)}),
        "雾港来信": CHAPTERS["雾港来信"],
    }
    page = CHAPTERS["青灯渡"][0] + CHAPTERS["雾港来信"][0]
    result = compare(ComparedText(page), corpus_of(works), site="ok.cn")
    verdicts = {match.work.title: match.verdict for match in result.matches}
    assert verdicts == {"青灯渡": "licensed", "雾港来信": "copy"}
    assert result.verdict == "copy"


FORMULA = (
    "本报讯记者从有关部门获悉，为进一步做好防汛抗旱工作，各地各部门要高度重视，切实加强组织领导，落实责任。"
)


@pytest.mark.parametrize(("works", "verdict", "told"), [(4, "common", 4), (5, "common", 5), (3, "quote", 1)])
def test_text_shared_by_four_works_is_common(works, verdict, told):
    """Text shared by three works is charged to one of them: the page copied it from one source."""
    corpus = corpus_of(
        {f"书{number}": [story(400, number) + FORMULA + story(400, number + 50)] for number in range(works)}
    )
    page = STRANGER + FORMULA + STRANGER[::-1]
    result = compare(ComparedText(page), corpus)
    check_sane(page, result)
    assert len(result.matches) == told
    assert {match.verdict for match in result.matches} == {verdict}
    assert result.verdict == verdict
    assert (result.copied_chars > 0) == (verdict != "common")


def test_several_passages_of_a_work_do_not_make_a_text_common():
    corpus = corpus_of(
        {"书": [story(400, number) + FORMULA + story(400, number + 50) for number in range(6)]}
    )
    assert compare(ComparedText(STRANGER + FORMULA), corpus).verdict == "quote"


def test_long_text_that_many_works_share_is_still_theirs():
    shared = CHAPTERS["青灯渡"][0]
    corpus = corpus_of({f"选本{number}": [story(200, number) + shared] for number in range(5)})
    assert compare(ComparedText(shared), corpus).verdict == "copy"


def test_common_text_next_to_a_copy_does_not_hide_it():
    works = {f"书{number}": [story(400, number) + FORMULA + story(400, number + 50)] for number in range(4)}
    works["青灯渡"] = [CHAPTERS["青灯渡"][0] + FORMULA]
    result = compare(ComparedText(CHAPTERS["青灯渡"][0] + FORMULA), corpus_of(works))
    assert result.verdict == "copy"
    assert result.matches[0].work.title == "青灯渡"
    assert {match.verdict for match in result.matches[1:]} == {"common"}


def test_news_has_a_separate_profile():
    text = SAMPLES["news:1"].text
    half = text[: int(len(text) * 0.57)]
    page = half + story(len(text) - len(half), 1, alphabet=STRANGE)
    verdicts = {
        kind: compare(ComparedText(page), corpus_of({"文": ([text + "续" * 400], {"kind": kind})})).verdict
        for kind in ("news", "novel")
    }
    assert verdicts == {"news": "copy", "novel": "partial"}


@pytest.mark.parametrize(("length", "low"), [(299, True), (300, False)])
def test_short_pages_are_judged_with_low_confidence(novels, length, low):
    page = CHAPTERS["青灯渡"][0][:length]
    assert compare(ComparedText(page), novels).low_confidence is low


def test_passage_that_was_removed_since_is_skipped(novels):
    gone = replace(novels, passages=PassageReader(MemoryWorks(), MemoryPassages()))
    assert compare(ComparedText(CHAPTERS["青灯渡"][0]), gone).verdict == "clear"


def test_comparing_twice_gives_the_same(novels):
    page = STRANGER + CHAPTERS["青灯渡"][0][:500] + CHAPTERS["雾港来信"][1][:300]
    assert compare(ComparedText(page), novels) == compare(ComparedText(page), novels)
