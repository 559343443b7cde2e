"""What a package for outsiders shows of a work."""

from support.matches import match_with

from analysis.evidence.outward import outward_texts
from analysis.excerpts import side_by_side
from storage.records import Span


def test_of_a_work_only_the_stretches_are_shown():
    passage, page = "前文不给人看" * 5 + "这一段被抄走了" + "后文也不给人看" * 5, "这一段被抄走了"
    span = Span(
        page_start=0, page_end=7, passage_start=30, passage_end=37, char_identity=1.0, sound_identity=1.0
    )
    texts = side_by_side(match_with(spans=(span,)), page, passage)
    assert texts.excerpts[0].passage_before
    (shown,) = outward_texts(texts).excerpts
    assert (shown.passage_before, shown.passage_after, shown.rows) == ("", "", texts.excerpts[0].rows)
    assert outward_texts(None) is None
