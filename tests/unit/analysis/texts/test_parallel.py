"""A page beside works: nothing of a text is lost or shown twice, and what is shown is bounded and visible."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.matches import match_with

from analysis.texts.marking import MarkedRun
from analysis.texts.parallel import (
    ENDS,
    MAX_SHOWN,
    MAX_STRETCHES,
    MORE,
    ROOM,
    ComparedPassage,
    Parallel,
    ParallelStretch,
    TooMuchShown,
    compared_passage,
    fits,
    parts_of,
    pieces,
)
from storage.records import Span, SuppressedSpan

SENTENCE = "渡口的灯在雨里亮了一夜，没有人来。"
HOSTILE = "<script>alert(1)</script>{{7*7}}\u202eabc\u200b"


def span(a, b, c, d, **fields):
    return Span(
        page_start=a, page_end=b, passage_start=c, passage_end=d, char_identity=1, sound_identity=1, **fields
    )


def other(text, *spans, name="m1"):
    stretches = tuple(ParallelStretch(span=span) for span in spans)
    return ComparedPassage(
        name=name, work_id=1, title="青灯渡", verdict="copy", text=text, stretches=stretches
    )


def shown(parts):
    """Return all characters of some parts, and how many are left out."""
    text = ""
    for shown_part in parts:
        if "runs" in shown_part:
            text += "".join("".join(run[1]) for run in shown_part["runs"])
        else:
            text += shown_part["head"] + shown_part["tail"]
    return text, sum(shown_part["left"] for shown_part in parts)


bounds = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda pair: tuple(sorted(pair))), max_size=8
)


@given(bounds)
def test_ranges_join_to_the_text_and_every_stretch_has_a_range(stretches):
    parts, places = parts_of(60, stretches)
    assert [index for text_range in parts for index in range(text_range.start, text_range.end)] == list(
        range(60)
    )
    assert all(text_range.start < text_range.end for text_range in parts)
    for (start, end), index in zip(stretches, places, strict=True):
        if start < end:
            assert parts[index].start <= start < parts[index].end
            assert parts[index].stretch is not None


def test_paragraph_that_the_page_has_twice_is_shown_once_in_the_work():
    page = SENTENCE + "甲" * 40 + SENTENCE
    size = len(SENTENCE)
    parallel = Parallel(page, [other(SENTENCE, span(0, size, 0, size), span(size + 40, len(page), 0, size))])
    page_parts, (passage,) = parallel.content()
    assert shown(page_parts) == (page, 0)
    assert shown(passage) == (SENTENCE, 0)
    first, second = parallel.stretches()
    assert (first["page"], second["page"]) == (0, 2)
    assert first["passage"] == second["passage"] == 0


def test_stretches_of_two_works_are_in_separate_sections():
    page = SENTENCE * 2
    size = len(SENTENCE)
    two_works = [
        other(SENTENCE, span(0, size, 0, size)),
        other("序" + SENTENCE, span(size, 2 * size, 1, 1 + size)),
    ]
    parallel = Parallel(page, two_works)
    _, passages = parallel.content()
    assert [shown(passage)[0] for passage in passages] == [SENTENCE, "序" + SENTENCE]
    assert [
        (stretch["other"], stretch["number"], stretch["section"], stretch["passage"])
        for stretch in parallel.stretches()
    ] == [
        (0, 1, 0, 0),
        (1, 1, 1, 1),
    ]


def test_long_texts_are_shown_partially_and_completed_on_demand():
    text = SENTENCE * 2_000
    gap = "甲" * 1_000_000
    parallel = Parallel(gap + text, [other(text, span(len(gap), len(gap) + len(text), 0, len(text)))])
    page, (passage,) = parallel.content()
    assert len(shown(page)[0]) <= ROOM + 2 * ENDS
    assert sum(map(sum, [[len(shown(page)[0])], [shown(page)[1]]])) == len(gap) + len(text)
    before = len(shown(passage)[0])
    parallel.open_stretch(0)
    parallel.open_gap(-1, 0)
    page, (passage,) = parallel.content()
    assert len(shown(passage)[0]) == before + MORE
    assert len(page[0]["head"]) == ENDS + MORE


def test_no_more_is_shown_than_a_browser_can_hold():
    parallel = Parallel("甲" * 2_000_000, [other("乙")])
    for _ in range(MAX_SHOWN // MORE + 1):
        parallel.open_gap(-1, 0)
    with pytest.raises(TooMuchShown):
        parallel.open_gap(-1, 0)


@pytest.mark.parametrize("gap", [(-2, 0), (1, 0), (0, 9), (-1, -1)])
def test_invalid_browser_request_is_refused(gap):
    parallel = Parallel("甲", [other("乙")])
    with pytest.raises(IndexError):
        parallel.open_gap(*gap)
    with pytest.raises(IndexError):
        parallel.open_stretch(0)


def test_hidden_characters_are_shown_and_everything_is_a_plain_value():
    page = HOSTILE + SENTENCE
    parallel = Parallel(page, [other(HOSTILE + SENTENCE, span(0, len(page), 0, len(page)))])
    as_json = json.dumps([parallel.content(), parallel.stretches()], ensure_ascii=False)
    assert "[U+202E]" in as_json
    assert "[U+200B]" in as_json
    assert "\u202e" not in as_json
    assert "<script>alert(1)</script>{{7*7}}" in as_json  # as text, which the browser interpolates


def test_homophones_have_a_syllable_for_every_character():
    run = MarkedRun(
        kind="homophone",
        page="清登",
        passage="青灯",
        page_syllables=("qīng", "dēng"),
        passage_syllables=("qīng", "dēng"),
    )
    assert list(pieces([run], "page")) == [["homophone", ["清", "登"], ["qīng", "dēng"]]]
    assert list(pieces([run], "passage", skip=1)) == [["homophone", ["灯"], ["dēng"]]]


def test_longest_of_very_many_stretches_are_kept_and_the_rest_counted():
    spans = tuple(span(10 * at, 10 * at + 1 + at % 7, at, at + 1) for at in range(MAX_STRETCHES + 50))
    kept = compared_passage(match_with(spans=spans), "m1", "青灯渡", "文")
    assert (len(kept.stretches), kept.more) == (MAX_STRETCHES, 50)
    assert min(stretch.chars for stretch in kept.stretches) >= 2


def test_excluded_stretches_are_shown_as_excluded():
    match = match_with(
        spans=(span(0, 4, 0, 4),),
        common=(span(4, 6, 4, 6),),
        suppressed=(SuppressedSpan(span=span(6, 8, 6, 8), dismissal_id="d", because="引文"),),
    )
    kept = compared_passage(match, "m1", "青灯渡", "渡口的灯在雨里亮")
    assert [stretch.standing for stretch in kept.stretches] == ["counted", "common", "dismissed"]
    assert kept.stretches[2].reason == "引文"
    assert fits("渡口的灯在雨里亮", kept)
    assert not fits("渡口", kept)
