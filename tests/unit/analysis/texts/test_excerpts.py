import pytest
from support.matches import match_with

from analysis.texts.excerpts import side_by_side
from storage.records import Span

SENTENCE = "渡口的灯在雨里亮了一夜，没有人来。"


def match_of(*spans):
    return match_with(
        spans=tuple(
            Span(page_start=a, page_end=b, passage_start=c, passage_end=d, char_identity=1, sound_identity=1)
            for a, b, c, d in spans
        ),
    )


def shown_text(excerpt, side):
    return "".join(getattr(run, side) for row in excerpt.rows for run in row)


def test_span_is_shown_with_its_surroundings_on_both_sides():
    page, passage = "甲" * 50 + SENTENCE + "乙" * 50, "丙" * 10 + SENTENCE + "丁"
    size = len(SENTENCE)
    (excerpt,) = side_by_side(match_of((50, 50 + size, 10, 10 + size)), page, passage).excerpts
    assert (excerpt.page_before, excerpt.page_after) == ("甲" * 30, "乙" * 30)
    assert (excerpt.passage_before, excerpt.passage_after) == ("丙" * 10, "丁")
    assert shown_text(excerpt, "page") == shown_text(excerpt, "passage") == SENTENCE
    assert excerpt.left_out == 0


def test_rows_end_with_sentences_and_join_to_the_span():
    text = (SENTENCE + "\n\n“" + SENTENCE + "”\n") * 30
    (excerpt,) = side_by_side(match_of((0, len(text), 0, len(text))), text, text).excerpts
    assert shown_text(excerpt, "page") == text
    assert len(excerpt.rows) > 3
    for row in excerpt.rows[:-1]:
        assert row[-1].page.endswith(("。\n\n", "”\n"))


def test_quoted_word_does_not_end_a_row():
    text = "一块刻着“账”，一块刻着“医”，" * 40
    (excerpt,) = side_by_side(match_of((0, len(text), 0, len(text))), text, text).excerpts
    assert len(excerpt.rows) == 1


@pytest.mark.parametrize("disguise", ["reversed", "columns"])
def test_stretch_in_another_order_is_shown_without_marks(disguise):
    span = Span(
        page_start=0,
        page_end=len(SENTENCE),
        passage_start=0,
        passage_end=len(SENTENCE),
        char_identity=1,
        sound_identity=1,
        disguises=("homophones", disguise),
    )
    texts = side_by_side(match_with(spans=(span,)), SENTENCE[::-1], SENTENCE, limit=10)
    (excerpt,) = texts.excerpts
    ((run,),) = excerpt.rows
    assert (run.kind, run.page, run.passage) == ("reordered", SENTENCE[::-1][:10], SENTENCE[:10])
    assert excerpt.left_out == len(SENTENCE) - 10


def test_text_beyond_the_limit_is_counted_and_not_aligned():
    text = SENTENCE * 200
    spans = match_of((0, 1000, 0, 1000), (1000, 2500, 1000, 2500), (2500, 2600, 2500, 2600))
    texts = side_by_side(spans, text, text, limit=1200)
    assert [len(shown_text(excerpt, "page")) for excerpt in texts.excerpts] == [1000, 200]
    assert texts.excerpts[1].left_out == 1300
    assert texts.excerpts[1].page_after == ""
    assert (texts.left_out_spans, texts.left_out_chars) == (1, 100)


def test_spans_come_in_the_order_of_the_page():
    text = SENTENCE * 4
    texts = side_by_side(match_of((40, 50, 0, 10), (0, 10, 40, 50)), text, text)
    assert [excerpt.span.page_start for excerpt in texts.excerpts] == [0, 40]


@pytest.mark.parametrize("span", [(0, 99, 0, 5), (0, 5, 90, 99)])
def test_texts_that_are_too_short_for_the_spans_are_not_shown(span):
    assert side_by_side(match_of(span), SENTENCE, SENTENCE) is None


def whole(text, other=None):
    """The only excerpt of a text that is one span, against itself or another."""
    other = text if other is None else other
    (excerpt,) = side_by_side(match_of((0, len(text), 0, len(other))), text, other).excerpts
    return excerpt


def test_row_ends_with_the_first_sentence_from_160_characters_on():
    twenty = "江水东流去不回山川日月人来往风雨夜渡口。"
    rows = whole(twenty * 25).rows
    assert [sum(len(run) for run in row) for row in rows] == [160, 160, 160, 20]
    rows = whole((twenty * 7 + "江水东流去不回山川日月人来往风雨夜渡。") * 2).rows
    assert [sum(len(run) for run in row) for row in rows] == [159 + 20, 159 - 20]


def test_row_does_not_end_with_a_change():
    kept, changed = "江水东流去不回山川日月人来往风雨夜渡口灯" * 8, "甲。"
    rows = whole(kept + changed + kept, kept + "乙！" + kept).rows
    assert [[run.kind for run in row] for row in rows] == [["equal", "replaced", "equal"]]


def test_two_thousand_characters_of_a_match_are_shown():
    text = "渡" * 2100
    texts = side_by_side(match_of((0, 1999, 0, 1999), (1999, 2100, 1999, 2100)), text, text)
    assert [len(shown_text(excerpt, "page")) for excerpt in texts.excerpts] == [1999, 1]
    assert (texts.excerpts[1].left_out, texts.left_out_spans) == (100, 0)
    texts = side_by_side(match_of((0, 2000, 0, 2000), (2000, 2100, 2000, 2100)), text, text)
    assert [len(shown_text(excerpt, "page")) for excerpt in texts.excerpts] == [2000]
    assert (texts.left_out_spans, texts.left_out_chars) == (1, 100)


def test_longer_side_counts_towards_the_limit():
    page, passage = "江水东流" + "去", "江水东流" + "甲乙丙丁戊己庚辛" + "去"
    texts = side_by_side(match_of((0, 5, 0, 13)), page + "尾", passage + "尾", limit=8)
    (excerpt,) = texts.excerpts
    assert (shown_text(excerpt, "page"), shown_text(excerpt, "passage")) == ("江水东流", "江水东流甲乙丙丁")
    assert excerpt.left_out == 1
    assert (excerpt.page_after, excerpt.passage_after) == ("", "")


def test_following_text_is_shown_only_after_both_complete_sides():
    texts = side_by_side(match_of((0, 4, 0, 6)), "江水东流尾", "江水东流甲乙尾", limit=5)
    (excerpt,) = texts.excerpts
    assert excerpt.left_out == 0
    assert (excerpt.page_after, excerpt.passage_after) == ("", "")
    assert whole("江水东流").page_after == ""


def test_span_that_ends_with_its_text_is_shown():
    text = SENTENCE
    assert side_by_side(match_of((0, len(text), 0, len(text))), text, text) is not None
    assert side_by_side(match_of((0, len(text), 0, len(text))), text[:-1], text) is None
    assert side_by_side(match_of((0, len(text), 0, len(text))), text, text[:-1]) is None
