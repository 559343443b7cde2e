"""Reports: what was scanned, what was found, and what was not checked.

A report about a scan covers the pages that this scan saw last; a report without a scan covers every stored
page, or those seen since a moment. Each address counts once, by its current version. Building a report only
reads; its cost is one pass over the scope's pages (without texts), one query for each page with a finding,
and the texts of the gravest matches.
"""

from collections.abc import Iterable
from datetime import datetime

from analysis.findings import case_reports
from analysis.known_sites import site_name
from analysis.render_csv import render_csv
from analysis.render_html import render_html
from analysis.render_json import render_json
from analysis.report_records import CaseReport, Report, ScanReport, Scope
from analysis.scope import (
    count_pages,
    find_dismissed,
    find_matches,
    left_addresses,
    not_aligned,
    pages_in_scope,
    texts_in_scope,
    texts_looked_for,
    unchecked_pages,
)
from analysis.site_summary import summarise_sites
from storage.collections.stores import Stores
from storage.records import Scan, utc_now
from tracker.corpus.roles import find_owned

__all__ = ["Report", "build_report", "render_csv", "render_html", "render_json"]

MAX_TEXTS = 500  # matches shown with their texts: about 15 kB of HTML each
MAX_URLS = 200  # unchecked pages named by their URLs, over all reasons
MAX_SCANS = 30  # scans listed, the newest first


def build_report(
    stores: Stores,
    *,
    scan_id: str | None = None,
    since: datetime | None = None,
    work: str | None = None,
    site: str | None = None,
    max_texts: int = MAX_TEXTS,
) -> Report:
    """Build a report.

    Args:
        stores: the open stores.
        scan_id: only pages that this scan saw last.
        since: only pages seen at or after this moment (aware).
        work: only matches of this work: its title, its address or ``id:`` and its id.
        site: only pages of this site.
        max_texts: matches shown with their texts at most, the gravest first.

    Raises:
        UnknownRecord: there is no such scan or work, or no page of the site is in scope.
        ServiceDown: MongoDB does not answer.
        StorageFailed: MongoDB refused an operation.
    """
    every_scan = stores.scans.all()
    scans = _scans_in_scope(every_scan, since=since) if scan_id is None else [stores.scans.get(scan_id)]
    chosen = None if work is None else find_owned(work, stores)
    pages = pages_in_scope(stores, scan_id=scan_id, since=since, site=site)
    texts = texts_in_scope(stores, pages)
    last_texts = len(texts.keys() - pages.keys())
    if scan_id is not None:
        texts |= texts_looked_for(stores, pages, scan_id=scan_id, site=site)
    matches = find_matches(stores, texts, work_id=None if chosen is None else chosen.book_id)
    reports = tuple(
        ScanReport(scan=scan, crawls=tuple(stores.scans.crawls(scan.id))) for scan in scans[:MAX_SCANS]
    )
    cases = case_reports(stores, texts, matches, max_texts=max_texts)
    return Report(
        scope=Scope(
            scan_id=scan_id,
            since=since,
            work=chosen.title if chosen else None,
            work_id=chosen.id if chosen else None,
            site=site_name(site) if site else None,
        ),
        generated=utc_now(),
        scans=reports,
        scans_left_out=max(0, len(scans) - MAX_SCANS),
        superseded=scan_id is not None and any(scan.started > scans[0].started for scan in every_scan),
        corpus_version=stores.versions.current(),
        works=stores.works.count_owned("indexed"),
        works_waiting=stores.works.count("stored") + stores.works.count("failed"),
        profiles=tuple(sorted({match.profile for match in matches})),
        pages=count_pages(pages.values(), last_texts=last_texts),
        cases=cases,
        not_checked=unchecked_pages(pages.values(), max_urls=MAX_URLS, vanished=_vanished(cases)),
        not_aligned=not_aligned(pages.values()),
        left=left_addresses(reports),
        dismissed=find_dismissed(stores, texts, work_id=None if chosen is None else chosen.book_id),
        sites=summarise_sites(pages.values(), [report.case for report in cases], matches),
    )


def _vanished(cases: Iterable[CaseReport]) -> set[str]:
    """Return the addresses of matches that were looked at and found gone."""
    entries = (entry for case in cases for entry in case.matches if entry.presence is not None)
    return {entry.match.url for entry in entries if entry.presence and entry.presence.state == "gone"}


def _scans_in_scope(scans: Iterable[Scan], *, since: datetime | None) -> list[Scan]:
    """Return the scans that were still running at ``since`` or began later, the newest first."""
    return [scan for scan in scans if since is None or scan.finished is None or scan.finished >= since]
