"""The two texts of a page: the graver verdict is the page's, and is doubtful when it is of the rest alone."""

from itertools import product

import pytest
from support.matches import match_with

from storage.records import VERDICTS, Page, PageResult, Span
from tracker.judgement.parts import PartVerdicts
from tracker.judgement.verdict import OUTSIDE_QUOTE_CHARS, milder_outside
from tracker.review.applying import judged


def match_in(part, verdict, **fields):
    return match_with(id=f"{part}{verdict}", part=part, verdict=verdict, **fields)


def spans_of(chars, *, start=0):
    return (
        Span(
            page_start=start,
            page_end=start + chars,
            passage_start=0,
            passage_end=chars,
            char_identity=1.0,
            sound_identity=1.0,
        ),
    )


def page_with(**fields):
    return Page(id="p", url="u", host="h", source="s", kind="article", text="字" * 100, **fields)


@pytest.mark.parametrize(("article", "rest"), list(product(VERDICTS, VERDICTS)))
def test_page_has_the_graver_verdict(article, rest):
    verdicts = PartVerdicts.of([match_in("article", article), match_in("rest", rest)])
    assert (verdicts.article, verdicts.rest) == (article, rest)
    assert verdicts.page == min(article, rest, key=VERDICTS.index)
    assert verdicts.is_doubtful == (verdicts.page != article)


def test_no_match_is_clear_and_certain():
    assert PartVerdicts.of([]) == PartVerdicts("clear", "clear")
    assert not PartVerdicts.of([]).is_doubtful


@pytest.mark.parametrize("verdict", VERDICTS)
def test_few_characters_outside_an_article_are_a_quotation_at_most(verdict):
    least = "quote" if verdict in ("copy", "partial") else verdict
    assert milder_outside(verdict, OUTSIDE_QUOTE_CHARS - 1) == least
    assert milder_outside(verdict, OUTSIDE_QUOTE_CHARS) == verdict


def test_dismissing_matches_of_the_rest_leaves_the_article():
    page = page_with(verdict="copy", rest_verdict="copy", is_doubtful=True, copied_chars=30, coverage=0.3)
    article = match_in("article", "quote", spans=spans_of(30))
    rest = match_in("rest", "copy", spans=spans_of(90), review="dismissed")
    now = judged(page, [article, rest], length=100)
    assert (now.verdict, now.rest_verdict, now.is_doubtful) == ("quote", "clear", False)
    assert (now.coverage, now.copied_chars) == (0.3, 30)


def test_joint_verdict_of_the_article_ends_with_its_last_match():
    """Several quotations in the article were a partial copy together, without the rest."""
    page = page_with(verdict="partial", rest_verdict="quote", copied_chars=60, coverage=0.6)
    first = match_in("article", "quote", spans=spans_of(30))
    second = match_in("article", "quote", spans=spans_of(30, start=40))
    rest = match_in("rest", "quote", spans=spans_of(50))
    gone = match_in("article", "quote", spans=spans_of(30, start=40), review="dismissed")
    assert judged(page, [first, second, rest], length=100) is page
    left = judged(page, [first, gone, rest], length=100)
    assert (left.verdict, left.rest_verdict, left.is_doubtful) == ("partial", "quote", False)
    none = judged(
        left, [match_in("article", "quote", spans=spans_of(30), review="dismissed"), gone, rest], length=100
    )
    assert (none.verdict, none.rest_verdict, none.is_doubtful) == ("quote", "quote", True)


def test_result_without_a_rest_stays_without():
    result = PageResult(verdict="copy", coverage=0.3, copied_chars=30, low_confidence=False, unaligned=0)
    now = judged(result, [match_in("article", "copy", spans=spans_of(30), review="dismissed")], length=100)
    assert (now.verdict, now.rest_verdict, now.is_doubtful) == ("clear", None, False)
