"""Reports, summaries and cases over the real document store."""

import json
from datetime import timedelta

import pytest
from support.compared import mark_compared
from support.standing import reopen_all

from analysis.cases.actions import assign, set_deadline
from analysis.cases.moves import move
from analysis.cases.views import views
from analysis.reports.building import build_report, render_csv, render_html, render_json
from analysis.reports.case_files import case_files
from analysis.reports.statistics import scan_summary
from storage.collections.cases import case_id
from storage.collections.matches import match_id
from storage.collections.pages import page_id
from storage.records import Match, Page, Passage, Scan, Span, Watch, Work, utc_now
from storage.settings.results import AnalysisSettings, CaseSettings
from system.errors import UnknownRecord
from tracker.judgement.cases import refresh_cases

pytestmark = pytest.mark.services

TEXT = "渡口的灯在雨里亮了一夜，没有人来。问津把船拴在桩上，听见江心传来一声锣。"
COPY = TEXT.replace("渡口", "杜口")


@pytest.fixture
def world(stores):
    """Two works; a scan of two sites: a copy in two versions, another, a quotation, a clear and three failed
    pages."""
    stores.works.new_ids("corpus_version", 2)
    for number, title in ((1, "青灯渡"), (2, "<b>雾港</b>")):
        stores.works.save(
            Work(id=number, key=f"key {title}", title=title, kind="novel", origin="o", status="indexed")
        )
        stores.passages.save_many(
            [Passage(id=number * 10, work_id=number, ordinal=0, title="第一章", text=TEXT, sha256="0")]
        )
    scan = Scan(id="scan-1", trigger="hand", sources=("one",), started=utc_now() - timedelta(hours=1))
    stores.scans.open(scan)
    add_page(stores, "http://one.example/a", "one.example", COPY, work=1, verdict="copy")
    add_page(stores, "http://one.example/a", "one.example", COPY + "改版", work=1, verdict="copy")
    add_page(stores, "http://one.example/d", "one.example", COPY + "又一页", work=1, verdict="copy")
    add_page(stores, "http://two.example/b", "two.example", TEXT, work=2, verdict="quote")
    add_page(
        stores, "http://two.example/c", "two.example", "与作品无关的一页文字。", work=None, verdict="clear"
    )
    for number in range(3):
        add_failure(stores, f"http://one.example/gone{number}", "http-404" if number else "blocked")
    refresh_cases(stores, [(1, "one.example"), (2, "two.example"), (2, "two.example")])
    return stores


def add_page(stores, url, site, text, *, work, verdict, scan_id="scan-1"):
    stored_id = page_id(url, text)
    page = Page(
        id=stored_id,
        url=url,
        host=site,
        source="one",
        kind="article",
        text=text,
        content_hash=text,
        scan_id=scan_id,
    )
    stores.pages.see_many([page])
    if work is not None:
        stores.matches.replace_for_pages({stored_id: [match_of(page, work=work, verdict=verdict)]})
    mark_compared(stores, stored_id, corpus_version=2, verdict=verdict, coverage=0.5, low_confidence=True)
    stores.pages.settle([url], compared=[stored_id])
    return stored_id


def match_of(page, *, work, verdict):
    return Match(
        id=match_id(page.id, work * 10, "novel@1"),
        page_id=page.id,
        passage_id=work * 10,
        work_id=work,
        profile="novel@1",
        site=page.site,
        url=page.url,
        page_title="",
        work_title={1: "青灯渡", 2: "<b>雾港</b>"}[work],
        passage_title="第一章",
        verdict=verdict,
        coverage=1,
        passage_coverage=0.5,
        copied_chars=20,
        longest_span=20,
        char_identity=0.95,
        sound_identity=1,
        spans=(
            Span(
                page_start=0,
                page_end=20,
                passage_start=0,
                passage_end=20,
                char_identity=0.95,
                sound_identity=1,
            ),
        ),
    )


def add_failure(stores, url, reason):
    stores.pages.see_many(
        [
            Page(
                id=page_id(url, ""),
                url=url,
                host="one.example",
                source="one",
                kind="error",
                state="failed",
                reason=reason,
                scan_id="scan-1",
            )
        ]
    )


def test_report_of_a_scan_lists_matches_and_unchecked_pages(world):
    report = build_report(world, scan_id="scan-1")
    assert [(case.case.id, case.case.verdict, len(case.matches)) for case in report.cases] == [
        ("1@one.example", "copy", 2),
        ("2@two.example", "quote", 1),
    ]
    assert report.cases[0].case.copied_chars == 20
    assert report.gravest == "copy"
    assert report.pages.states == {"fetched": 0, "compared": 4, "failed": 3}
    assert report.pages.verdicts == {"copy": 2, "quote": 1, "clear": 1}
    assert [(group.reason, group.pages) for group in report.not_checked] == [("http-404", 2), ("blocked", 1)]
    assert [crawl.source for crawl in report.open_crawls] == ["one"]
    assert report.corpus_version == 2
    older = {entry.page.url: entry.page.older_versions for entry in report.matches}
    assert older == {"http://one.example/a": 1, "http://one.example/d": 0, "http://two.example/b": 0}
    runs = [run for row in report.matches[0].texts.excerpts[0].rows for run in row]
    assert (runs[0].kind, runs[0].page, runs[0].passage) == ("homophone", "杜", "渡")


def test_all_forms_agree(world):
    report = build_report(world)
    assert len(json.loads(render_json(report))["cases"]) == 2
    assert render_csv(report).count("\r\n") == 4
    document = render_html(report, language="zh")
    assert document.count('<details class="match') == 3
    assert "&lt;b&gt;雾港&lt;/b&gt;" in document
    assert "<b>雾港" not in document


def test_report_can_cover_a_single_work_or_site(world):
    for name in ("id:2", "<b>雾港</b>"):
        assert [case.case.work_id for case in build_report(world, work=name).cases] == [2]
    report = build_report(world, site="two.example")
    assert [case.case.site for case in report.cases] == ["two.example"]
    assert report.pages.total == 2


@pytest.mark.parametrize(
    "wrong", [{"scan_id": "none"}, {"work": "无名"}, {"work": "id:99"}, {"site": "misspelt.example"}]
)
def test_report_of_an_unknown_scope_is_an_error(world, wrong):
    with pytest.raises(UnknownRecord):
        build_report(world, **wrong)


def test_since_omits_pages_not_visited_later(world):
    assert build_report(world, since=utc_now() - timedelta(minutes=5)).pages.total == 7
    later = build_report(world, since=utc_now() + timedelta(minutes=5))
    assert (later.pages.total, later.cases) == (0, ())


def test_pages_that_wait_are_not_checked(world):
    reopen_all(world, corpus_version=3, scan_id="scan-1")
    report = build_report(world, scan_id="scan-1")
    assert report.not_checked[0].reason == "waiting"
    assert report.not_checked[0].pages == 4
    assert len(report.matches) == 3


def test_only_the_gravest_matches_are_shown_with_texts(world):
    report = build_report(world, max_texts=1)
    assert [match.no_text for match in report.matches] == ["", "limit", "limit"]


def test_removed_or_shortened_passage_is_reported(world):
    world.passages.delete_many([20])
    world.passages.save_many([Passage(id=10, work_id=1, ordinal=0, title="第一章", text="短", sha256="1")])
    assert [match.no_text for match in build_report(world).matches] == ["changed", "changed", "gone"]


def test_later_scan_is_mentioned(world):
    assert not build_report(world, scan_id="scan-1").superseded
    world.scans.open(Scan(id="scan-2", trigger="schedule", sources=(), started=utc_now()))
    assert build_report(world, scan_id="scan-1").superseded
    assert [report.scan.id for report in build_report(world).scans] == ["scan-2", "scan-1"]


def test_empty_database_makes_a_report_that_promises_nothing(stores):
    report = build_report(stores)
    assert report.gravest is None
    assert "does not show whether there are copies" in render_html(report, language="en")


def test_summary_of_a_scan_counts_the_same(world):
    summary = scan_summary(world, "scan-1")
    assert (summary.pages, summary.compared, summary.waiting) == (7, 4, 0)
    assert summary.not_compared == {"http-404": 2, "blocked": 1}
    assert list(summary.verdicts.items()) == [("copy", 2), ("quote", 1), ("clear", 1)]
    assert (summary.matches, summary.cases, summary.copied_chars, summary.low_confidence) == (3, 2, 40, 4)
    assert summary.duration_s is None
    assert [(source.name, source.state) for source in summary.sources] == [("one", "due")]


def test_report_shows_assignee_deadline_and_history_of_a_case(world):
    now = utc_now()
    mine, other = sorted(world.cases.listed(), key=lambda case: case.site)
    mine = assign(mine, world, to="林", by="me", at=now)
    mine = set_deadline(mine, world, deadline=now - timedelta(days=1), by="me", at=now)
    move(mine, world, to="confirmed", by="me", at=now)
    watch = Watch(id="w", url="http://one.example/a", source="one", page_id="p", since=now, due=now)
    world.watches.enrol(watch, mine.number)
    first, second = sorted(build_report(world).cases, key=lambda case: case.case.site)
    assert (first.case.assignee, first.case.state) == ("林", "confirmed")
    called_for = views(world.cases.listed(), world, AnalysisSettings(), now=now)
    assert {(view.case.number, view.priority.points) for view in called_for} == {
        (case.case.number, case.priority) for case in (first, second)
    }
    assert first.priority > 0
    days = AnalysisSettings().cases.notice_days  # the deadline was of the state before
    assert (first.case.deadline, first.is_overdue) == (first.case.since + timedelta(days=days), False)
    late = AnalysisSettings(cases=CaseSettings(decision_days=0, notice_days=0))
    assert {case.case.deadline for case in build_report(world, settings=late).cases} == {None}
    file = case_files([mine, other], world)[mine.number]
    assert [event.kind for event in file.events][-3:] == ["assigned", "deadline", "confirmed"]
    assert [own.id for own in file.watches] == ["w"]


def test_cases_follow_their_matches(world):
    before = {case.id: case for case in world.cases.listed()}
    assert before["1@one.example"].pages == 2
    assert refresh_cases(world, [(1, "one.example"), (9, "nowhere.example")]) == 1
    assert {case.id: case for case in world.cases.listed()} == before
    for match in world.matches.of_case(1, "one.example"):
        world.matches.replace_for_pages({match.page_id: []})
    assert refresh_cases(world, [(1, "one.example")]) == 0
    assert {case.id: case.state for case in world.cases.listed()} == {
        case_id(2, "two.example"): "new",
        case_id(1, "one.example"): "closed",
    }
