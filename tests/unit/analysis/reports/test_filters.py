"""Filters of the HTML report: each choice hides what lacks its class; strangers write no rules."""

from dataclasses import replace

import pytest

from analysis.reports.filters import MAX_CHOICES, Filter, Filters
from analysis.reports.render_html import render_html


def with_matches(report, *matches):
    """The report's only case with other matches."""
    (case,) = report.cases
    entry = case.matches[0]
    entries = tuple(replace(entry, match=match) for match in matches)
    return replace(report, cases=(replace(case, matches=entries),))


@pytest.fixture
def mixed(flagged_report):
    """A case of a confirmed copy and an open quotation; another copy was dismissed."""
    match = flagged_report.cases[0].matches[0].match
    return with_matches(flagged_report, match, replace(match, id="q", verdict="quote", review=""))


def test_filter_offers_only_occurring_values(mixed):
    filters = Filters(mixed)
    assert list(filters.verdict.choices) == ["copy", "quote"]
    assert list(filters.review.choices) == ["open", "confirmed", "dismissed"]
    assert filters.work.choices == {"7": "青灯渡"}
    assert filters.site.choices == {"copy.example": "copy.example"}


def test_case_has_the_classes_of_all_its_matches(mixed):
    filters = Filters(mixed)
    assert filters.case_classes(mixed.cases[0]).split() == [
        *("entry", "verdict-0", "verdict-1", "review-1", "review-0", "work-0", "site-0")
    ]
    assert filters.match_classes(mixed.cases[0].matches[1].match) == "entry verdict-1 review-0 work-0 site-0"


def test_choice_hides_the_entries_that_lack_its_class():
    rules = Filter("verdict", {"copy": "copy", "quote": "quote"}).rules
    assert rules.splitlines() == [
        "body:has(#by-verdict :nth-child(2):checked) .entry:not(.verdict-0) { display: none; }",
        "body:has(#by-verdict :nth-child(3):checked) .entry:not(.verdict-1) { display: none; }",
    ]


def test_foreign_text_writes_no_style_rules(mixed):
    hostile = "} body { display: none } </style><script>"
    match = replace(mixed.cases[0].matches[0].match, site=hostile, work_title=hostile, work_id=8)
    report = with_matches(mixed, match, mixed.cases[0].matches[1].match)
    style = render_html(report, language="en").partition("<style>")[2].partition("</style>")[0]
    assert "body { display" not in style
    assert ".site-1" in style


def test_choices_are_bounded(mixed):
    match = mixed.cases[0].matches[0].match
    many = with_matches(mixed, *(replace(match, site=f"s{n}.example") for n in range(MAX_CHOICES + 5)))
    filters = Filters(many)
    assert len(filters.site.choices) == MAX_CHOICES
    last = many.cases[0].matches[-1].match
    assert "site-" not in filters.match_classes(replace(last, site="zz.example"))


def test_new_matches_are_marked_and_can_be_filtered(mixed):
    first_seen = mixed.cases[0].matches[0].match.first_seen
    later = replace(mixed, new_since=first_seen)
    assert "new" not in Filters(later).case_classes(later.cases[0]).split()
    assert "Nothing new." in render_html(later, language="en")
    earlier = replace(mixed, new_since=first_seen.replace(year=2024))
    assert "new" in Filters(earlier).case_classes(earlier.cases[0]).split()
    page = render_html(earlier, language="en")
    assert 'id="only-new"' in page
    assert "2 new matches" in page
    assert 'id="only-new"' not in render_html(mixed, language="en")
