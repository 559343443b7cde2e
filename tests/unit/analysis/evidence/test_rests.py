"""Matches in the rest of a page are computed again from the rest that a package contains."""

from dataclasses import replace

from support.sample_novels import CHAPTERS, STRANGER

from analysis.evidence.changes import changes_between
from analysis.evidence.custom_rules import _changed_results
from analysis.evidence.documents import json_of, record_of
from analysis.evidence.rejudging import JudgementInputs, judge_again, judgement_differences
from analysis.evidence.rereading import ReadingInputs, ReadingPart, reading_differences
from storage.records import Page, PassageHead, RestPiece, Work
from tracker.judgement.profiles import PROFILES

PASSAGE = CHAPTERS["青灯渡"][0]
TEXTS = {1: PASSAGE}
LATER = ("rest", "rest_pieces", "rest_hash", "unread", "rest_verdict", "is_doubtful")  # fields of a page
INPUTS = JudgementInputs(
    profiles=PROFILES,
    works=(Work(id=1, key="k", title="青灯渡", kind="novel", origin="", passage_ids=(1,), status="indexed"),),
    passages=(PassageHead(id=1, work_id=1, ordinal=0, title="一", sha256="0" * 64),),
)


def page_with(*, text=STRANGER, rest=PASSAGE, path="body > div.a"):
    piece = RestPiece(start=0, end=len(rest), reason="hidden", place=path)
    return Page(
        id="p",
        url="http://site.cn/1",
        host="site.cn",
        source="s",
        kind="article",
        text=text,
        rest=rest,
        rest_pieces=(piece,) if rest else (),
        unread={"frames": 2},
    )


def judged(page):
    return [replace(match, number=number) for number, match in enumerate(judge_again(page, INPUTS, TEXTS), 1)]


def test_match_in_the_rest_is_reproduced():
    page = page_with()
    (match,) = judged(page)
    assert (match.part, match.verdict, match.found_in) == ("rest", "copy", page.rest_pieces)
    assert judgement_differences(match, judged(page)) == []


def test_match_in_another_rest_differs():
    (match,) = judged(page_with())
    assert judgement_differences(match, judged(page_with(rest=""))) == ["match: m1 → –"]
    (line,) = judgement_differences(match, judged(page_with(path="body > p")))
    assert line.startswith("found_in: −(0 ")


def test_matches_of_the_same_passage_are_distinguished_by_their_texts():
    page = page_with(text=PASSAGE[:600], rest=PASSAGE[600:])
    matches = judged(page)
    assert [match.part for match in matches] == ["rest", "article"]
    assert [line for match in matches for line in judgement_differences(match, judged(page))] == []
    assert list(_changed_results(matches, judged(page))) == []
    assert len(list(_changed_results(matches, judged(replace(page, rest=""))))) == 1


def test_different_reading_of_the_rest_is_reported():
    page = page_with(rest="首页\n书架")
    assert reading_differences(page, page) == []
    assert reading_differences(page, replace(page, rest="首页\n书城")) == ["rest:2: “书架” → “书城”"]
    assert reading_differences(page, replace(page, rest_pieces=())) == ["rest_pieces: 1 → 0"]


def test_page_of_an_earlier_version_has_no_rest_to_compare():
    page = page_with(rest="")
    assert reading_differences(page, page_with()) == []


def test_page_is_serialised_with_its_pieces_and_unread_content():
    page = page_with()
    assert record_of(Page, json_of(page)) == page


def test_records_of_an_earlier_version_open():
    row = {name: value for name, value in json_of(page_with()).items() if name not in LATER}
    page = record_of(Page, row)
    assert (page.rest, page.rest_pieces, page.unread) == ("", (), {})
    response = record_of(ReadingPart, {"url": "u", "sha256": "0", "declared": None, "is_rendered": True})
    assert response.content_type == ""
    assert record_of(ReadingInputs, {"parts": [json_of(response)]}).parts == (response,)


def test_versions_are_listed_without_their_texts():
    (row,) = changes_between([page_with()])
    assert (row["text"], row["rest"], row["rest_pieces"], row["unread"]) == ("", "", [], {"frames": 2})
