"""What a package for outsiders shows of a work, and what it leaves out of records."""

from dataclasses import replace

from support.matches import match_with

from analysis.evidence.for_outsiders import redacted_case, redacted_match, redacted_texts, redacted_work
from analysis.texts.excerpts import side_by_side
from storage.records import Removal, SiteLicence, Span, Work, utc_now
from tracker.judgement.cases import case_of


def test_only_the_stretches_of_a_work_are_shown():
    passage, page = "前文不给人看" * 5 + "这一段被抄走了" + "后文也不给人看" * 5, "这一段被抄走了"
    span = Span(
        page_start=0, page_end=7, passage_start=30, passage_end=37, char_identity=1.0, sound_identity=1.0
    )
    texts = side_by_side(match_with(spans=(span,)), page, passage)
    assert texts.excerpts[0].passage_before
    (shown,) = redacted_texts(texts).excerpts
    assert (shown.passage_before, shown.passage_after, shown.rows) == ("", "", texts.excerpts[0].rows)
    assert redacted_texts(None) is None


def test_redacted_records_lose_only_notes_licences_and_plans():
    now = utc_now()
    work = Work(id=1, key="k", title="书", kind="novel", origin="", holder="某社", characters=9)
    kept = replace(
        work,
        origin="/home/li/书.txt",
        rights="仅供内部",
        licensed_sites=("a.cn",),
        licences=(SiteLicence(site="b.cn"),),
        removal=Removal(at=now, key="k"),
    )
    assert redacted_work(kept) == work
    match = match_with(site="a.cn")
    assert redacted_match(replace(match, because="林说", undecided=(0, 9))) == match
    case = replace(case_of([match]), state="closed")
    assert redacted_case(replace(case, assignee="林", deadline=now, reason="和解")) == case
