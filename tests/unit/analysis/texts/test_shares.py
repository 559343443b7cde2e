"""How much of a text is copied."""

from dataclasses import replace

from support.matches import match_with

from analysis.texts.shares import joint_shares, shares_of
from storage.records import Span


def span(start, end):
    return Span(
        page_start=start,
        page_end=end,
        passage_start=0,
        passage_end=end - start,
        char_identity=1,
        sound_identity=1,
    )


COPY = match_with(work_id=1, work_title="青灯渡", spans=(span(0, 30), span(20, 40)), common=(span(90, 95),))
SECOND = replace(COPY, id="n", spans=(span(40, 50),), common=())
QUOTE = match_with(work_id=2, work_title="雾港来信", verdict="quote", spans=(span(45, 60),))
COMMON = match_with(work_id=3, work_title="谚语", verdict="common", spans=(span(60, 70),))


def test_overlapping_matches_count_once_and_quotes_only_in_the_total():
    shares = shares_of(100, [COPY, SECOND, QUOTE, COMMON])
    assert shares.total == 75
    assert shares.copied == 50
    assert (shares.largest, shares.largest_work) == (50, "青灯渡")
    assert shares.of(shares.total) == 0.75


def test_text_outside_the_article_is_counted_separately():
    hidden = replace(COPY, id="r", part="rest", spans=(span(0, 30), span(10, 60)))
    shares = shares_of(
        100, [SECOND, hidden, replace(hidden, id="c", verdict="common", spans=(span(70, 90),))]
    )
    assert (shares.total, shares.copied, shares.largest, shares.outside) == (10, 10, 10, 60)


def test_empty_page_has_no_shares():
    shares = shares_of(0, [])
    assert (shares.total, shares.copied, shares.largest, shares.largest_work) == (0, 0, 0, "")
    assert shares.of(5) == 0


def test_retelling_is_in_the_total_and_copies_nothing():
    reworded = replace(COPY, verdict="reworded", common=())
    shares = shares_of(100, [reworded, replace(reworded, id="r", part="rest")])
    assert (shares.total, shares.copied, shares.largest, shares.outside) == (40, 0, 0, 0)


def test_shares_of_several_pages_are_those_of_all_their_characters():
    pages = [
        match_with(page_id="a", page_chars=100, work_id=1, work_title="甲", spans=(span(0, 50),)),
        match_with(page_id="b", page_chars=100, work_id=1, work_title="甲", spans=(span(0, 10),)),
        match_with(page_id="b", page_chars=100, work_id=2, work_title="乙", spans=(span(0, 55),)),
    ]
    shares = joint_shares(pages)
    assert (shares.chars, shares.total, shares.copied) == (200, 105, 105)
    assert (shares.largest_work, shares.of(shares.largest)) == ("甲", 0.3)
    assert joint_shares([]).of(0) == 0
