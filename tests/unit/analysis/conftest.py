"""Reports made by hand, with everything hostile that a page can hold."""

from datetime import UTC, datetime

import pytest

from analysis.excerpts import side_by_side
from analysis.report_records import (
    CaseReport,
    MatchReport,
    NotChecked,
    PageCounts,
    PageFacts,
    Report,
    ScanReport,
    Scope,
)
from storage.records import Crawl, Match, Scan, Span, Work
from tracker.judgement.cases import case_of

NOON = datetime(2025, 3, 1, 4, 0, tzinfo=UTC)  # noon in Shanghai


def make_match(**changes):
    values = {
        "id": "p:1:news",
        "page_id": "p",
        "passage_id": 1,
        "work_id": 7,
        "profile": "news@1",
        "site": "copy.example",
        "url": "https://copy.example/1.html",
        "page_title": "转载",
        "work_title": "青灯渡",
        "passage_title": "第一章",
        "verdict": "copy",
        "coverage": 0.5,
        "passage_coverage": 0.25,
        "copied_chars": 4,
        "longest_span": 4,
        "char_identity": 0.75,
        "sound_identity": 1.0,
        "spans": (
            Span(
                page_start=2,
                page_end=6,
                passage_start=0,
                passage_end=4,
                char_identity=0.75,
                sound_identity=1.0,
            ),
        ),
        "first_seen": NOON,
        "last_seen": NOON,
    }
    return Match(**{**values, **changes})


def make_report(
    *,
    page="前文江水东流后文",
    passage="江水冬流去不回",
    title="转载",
    url="https://copy.example/1.html",
    **changes,
):
    match = make_match(page_title=title, url=url)
    facts = PageFacts(
        id="p",
        url=url,
        source="s",
        kind="article",
        title=title,
        author=None,
        published=None,
        first_seen=NOON,
        last_seen=NOON,
        content_hash="ab" * 32,
        snapshots=("cd" * 32,),
    )
    entry = MatchReport(match=match, page=facts, texts=side_by_side(match, page, passage))
    work = Work(
        id=7,
        key="青灯渡",
        title="青灯渡",
        kind="novel",
        origin="o",
        holder="示例文化",
        added=NOON,
        updated=NOON,
    )
    values = {
        "scope": Scope(scan_id="s1"),
        "generated": NOON,
        "scans": (
            ScanReport(
                scan=Scan(id="s1", trigger="hand", sources=("a", "b"), started=NOON, index_generation="g3"),
                crawls=(
                    Crawl(id="s1:a", scan_id="s1", source="a", state="done", counts={"pages": 3}),
                    Crawl(id="s1:b", scan_id="s1", source="b", state="failed", error="no route <i>"),
                ),
            ),
        ),
        "scans_left_out": 0,
        "superseded": False,
        "corpus_version": 4,
        "works": 1,
        "works_waiting": 0,
        "profiles": ("news@1",),
        "pages": PageCounts(
            total=4,
            states={"fetched": 0, "compared": 1, "failed": 3},
            kinds={"article": 1, "error": 3},
            verdicts={"copy": 1},
            low_confidence=0,
        ),
        "cases": (CaseReport(case=case_of([match]), work=work, matches=(entry,)),),
        "not_checked": (NotChecked(reason="http-404", pages=3, urls=("https://copy.example/gone",)),),
    }
    return Report(**{**values, **changes})


@pytest.fixture
def build():
    return make_report
