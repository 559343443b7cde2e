"""Leads are counted apart from what is licensed or quoted, and the report's first lines say so."""

import pytest
from support.matches import match_with
from support.reports import make_report, rich_report

from analysis.reports.case_counts import CaseCounts, count_cases
from analysis.reports.render_html import render_html
from tracker.judgement.cases import case_of


def test_only_copies_and_partial_copies_are_leads():
    verdicts = ("copy", "partial", "licensed", "quote", "common", "quote", "reworded")
    matches = [
        match_with(id=verdict, verdict=verdict, copied_chars=10**place)
        for place, verdict in enumerate(verdicts)
    ]
    cases = [case_of([match]) for match in matches]
    characters = [case.copied_chars for case in cases]
    assert count_cases(cases) == CaseCounts(
        leads=2,
        reworded=1,
        licensed=1,
        quotes=2,
        common=1,
        lead_chars=characters[0] + characters[1],
        licensed_chars=characters[2],
    )


def test_case_of_a_contained_work_is_not_counted_twice():
    long, short = match_with(id="m1", work_id=1), match_with(id="m2", work_id=2, charged_to=(1,))
    cases = [case_of([long]), case_of([short])]
    counts = count_cases(cases)
    assert (counts.leads, counts.also_contained) == (1, 1)
    assert count_cases(cases[1:]).leads == 1  # a report for its holder counts it
    charged_elsewhere = match_with(id="m3", work_id=2, page_id="q")
    assert count_cases([cases[0], case_of([short, charged_elsewhere])]).leads == 2


def test_first_lines_accuse_no_licensee():
    text = " ".join(render_html(rich_report(), language="en").split())
    besides = "1 licensed case, 1 quotation, 1 case of common text"
    assert f"2 leads to review; also {besides}." in text
    assert "<div><b>2</b><span>leads to review</span></div>" in text
    assert "<div><b>8</b><span>copied characters</span></div>" in text
    assert "<div><b>4</b><span>licensed characters</span></div>" in text


@pytest.mark.parametrize(
    ("verdict", "line"), [("copy", "1 lead to review."), ("licensed", "No leads to review; ")]
)
def test_empty_counts_are_not_named(verdict, line):
    report = rich_report()
    (case, *_) = (case for case in report.cases if case.case.verdict == verdict)
    assert line in render_html(make_report(cases=(case,)), language="en")
