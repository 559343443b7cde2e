"""Reports: what was scanned, what was found, and what was not checked.

A report about a scan covers the pages that this scan saw last; a report without a scan covers every stored
page, or those seen since a moment. Building one only reads; its cost is one pass over the scope's pages
(without texts), one query for each page with a finding, and the texts of the gravest matches.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from analysis.excerpts import side_by_side
from analysis.render_csv import render_csv
from analysis.render_html import render_html
from analysis.render_json import render_json
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
from analysis.scope import count_pages, find_matches, find_work, pages_in_scope
from storage.cases import case_id
from storage.records import VERDICTS, Match, Page, Passage, Work, utc_now
from storage.stores import Stores
from tracker.cases import case_of

__all__ = ["Report", "build_report", "render_csv", "render_html", "render_json"]

MAX_TEXTS = 500  # matches shown with their texts: about 10 kB of HTML each
MAX_URLS = 200  # unchecked pages listed by URL, over all reasons
MAX_SCANS = 30
WAITING = "waiting"  # the reason of pages that nobody compared yet


def build_report(
    stores: Stores,
    *,
    scan_id: str | None = None,
    since: datetime | None = None,
    work: str | int | None = None,
    site: str | None = None,
    max_texts: int = MAX_TEXTS,
) -> Report:
    """Build a report.

    Args:
        stores: the open stores.
        scan_id: only pages that this scan saw last.
        since: only pages seen at or after this moment (aware).
        work: only matches of this work: its id, its key or its title.
        site: only pages of this site.
        max_texts: matches shown with their texts at most, the gravest first.

    Raises:
        UnknownRecord: there is no such scan or work, or no page of the site is in scope.
        ServiceDown: MongoDB does not answer.
        StorageFailed: MongoDB refused an operation.
    """
    scans = stores.scans.all() if scan_id is None else [stores.scans.get(scan_id)]
    wanted = None if work is None else find_work(stores, work)
    pages = pages_in_scope(stores, scan_id=scan_id, since=since, site=site)
    matches = find_matches(stores, pages, work_id=None if wanted is None else wanted.id)
    shown = [each for each in scans if since is None or (each.finished or utc_now()) >= since]
    return Report(
        scope=Scope(scan_id=scan_id, since=since, work=wanted.title if wanted else None, site=site),
        generated=utc_now(),
        scans=tuple(
            ScanReport(scan=each, crawls=tuple(stores.scans.crawls(each.id))) for each in shown[:MAX_SCANS]
        ),
        scans_left_out=max(0, len(shown) - MAX_SCANS),
        superseded=scan_id is not None and any(each.started > scans[0].started for each in stores.scans.all()),
        corpus_version=stores.works.corpus_version(),
        works=stores.works.count("indexed"),
        works_waiting=stores.works.count("stored"),
        profiles=tuple(sorted({each.profile for each in matches})),
        pages=count_pages(pages),
        cases=tuple(_case_reports(stores, pages, matches, max_texts=max_texts)),
        not_checked=tuple(_not_checked(pages)),
    )


def _case_reports(
    stores: Stores, pages: dict[str, Page], matches: Iterable[Match], *, max_texts: int
) -> list[CaseReport]:
    """Group matches to cases, the gravest first; texts are read case by case."""
    grouped: dict[str, list[Match]] = defaultdict(list)
    for match in matches:
        grouped[case_id(match.work_id, match.site)].append(match)
    statuses = {case.id: case.status for case in stores.cases.all()}
    works = stores.works.get_many({each[0].work_id for each in grouped.values()})
    cases = sorted((case_of(each) for each in grouped.values()), key=_case_order)
    reports = []
    for case in cases:
        ordered = sorted(grouped[case.id], key=_match_order)
        reports.append(
            CaseReport(
                case=replace(case, status=statuses.get(case.id, case.status)),
                work=works.get(case.work_id),
                matches=tuple(_match_reports(stores, pages, ordered, max_texts=max_texts)),
            )
        )
        max_texts -= len(ordered)
    return reports
