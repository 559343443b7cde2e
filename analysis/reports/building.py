"""Build reports about scans, matches and unchecked pages.

A report about a scan covers the pages that this scan saw last. A report without a scan covers all stored
pages, or the pages seen since a given time. Each address counts once, by its current version. Building a
report changes nothing. The server counts the pages in scope; pindna reads the matches without texts, and the
texts of the gravest matches only. Time and memory are linear in the number of matches, except for the
server's count.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from types import MappingProxyType

from analysis.reports.case_files import CaseFile, case_files
from analysis.reports.findings import case_reports
from analysis.reports.pictures import Pictures, make_pictures
from analysis.reports.records import CaseReport, Report, ScanReport, Scope
from analysis.reports.render_csv import render_csv
from analysis.reports.render_html import render_html
from analysis.reports.render_json import render_json
from analysis.reports.scope import (
    count_pages,
    find_matches,
    left_addresses,
    page_scope,
    partly_compared,
    unchecked_pages,
)
from analysis.reports.site_summary import summarise_sites
from analysis.words.known_sites import site_name
from storage.collections.stores import Stores
from storage.records import CHINA, LEADS, utc_now
from storage.settings.results import AnalysisSettings
from tracker.corpus.roles import find_owned
from tracker.judgement.profiles import EARLIER, PROFILES, Profile

__all__ = ["Report", "build_report", "render_csv", "render_html", "render_json"]

MAX_TEXTS = 100  # matches shown with texts; each takes about 15 kB of HTML and 20 ms
MAX_FACTS = 500  # matches whose evidence is checked for a table
MAX_URLS = 200  # listed addresses of unchecked pages, over all reasons
MAX_UNREAD_URLS = 50  # listed addresses of compared pages for each reason why content could not be read
MAX_SCANS = 30  # listed scans, the newest first

KNOWN_PROFILES: Mapping[str, Profile] = MappingProxyType(
    {profile.id: profile for profile in (*PROFILES.values(), *EARLIER.values())}
)


def build_report(
    stores: Stores,
    *,
    scan_id: str | None = None,
    since: datetime | None = None,
    work: str | None = None,
    site: str | None = None,
    max_texts: int = MAX_TEXTS,
    profiles: Mapping[str, Profile] = KNOWN_PROFILES,
    settings: AnalysisSettings | None = None,
    zone: tzinfo = CHINA,
) -> Report:
    """Build a report.

    Args:
        stores: the open stores.
        scan_id: only pages that this scan saw last.
        since: only pages seen at or after this time (with a zone).
        work: only matches of this work: its title, its address, or ``id:`` and its id.
        site: only pages of this site.
        max_texts: maximum number of matches with texts; the gravest few of each case come first.
        profiles: id → profile whose thresholds are drawn.
        settings: settings with deadlines and traffic ranks; None: the default settings.
        zone: time zone whose days the timeline counts.

    Raises:
        UnknownRecord: there is no such scan or work, or no page of the site is in scope.
        StorageFailed: MongoDB refused an operation.
    """
    chosen = None if work is None else find_owned(work, stores)
    scope = page_scope(stores, scan_id=scan_id, since=since, site=site)
    reports = _scan_reports(stores, scan_id=scan_id, since=since)
    groups = stores.page_figures.groups(scope)
    findings = find_matches(stores, scope, work_id=None if chosen is None else chosen.book_id)
    cases = case_reports(
        stores, findings.pages, findings.matches, max_texts=max_texts, settings=settings or AnalysisSettings()
    )
    not_checked = unchecked_pages(
        stores, scope, groups, max_urls=MAX_URLS, vanished=_vanished_addresses(cases)
    )
    partly = partly_compared(stores, scope, max_urls=MAX_UNREAD_URLS)
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
        scans_left_out=stores.scans.count(since=since) - len(reports) if scan_id is None else 0,
        superseded=scan_id is not None and stores.scans.newest(1)[0].started > reports[0].scan.started,
        corpus_version=stores.versions.current(),
        works=stores.works.count_owned("indexed"),
        works_waiting=stores.works.count("stored") + stores.works.count("failed"),
        profiles=tuple(sorted({match.profile for match in findings.matches})),
        pages=count_pages(groups, last_texts=findings.last_texts),
        cases=cases,
        not_checked=not_checked,
        not_aligned=partly.aligned,
        not_read=partly.unread,
        partly_read=partly.pages,
        left=left_addresses(reports),
        dismissed=findings.dismissed,
        sites=summarise_sites(groups, [report.case for report in cases], findings.matches),
        pictures=_make_all_pictures(cases, stores, profiles=profiles, zone=zone),
    )


def _scan_reports(stores: Stores, *, scan_id: str | None, since: datetime | None) -> tuple[ScanReport, ...]:
    """Return the scan of a report with its crawls, or the newest scans with theirs."""
    scans = stores.scans.newest(MAX_SCANS, since=since) if scan_id is None else [stores.scans.get(scan_id)]
    return tuple(ScanReport(scan=scan, crawls=tuple(stores.scans.crawls(scan.id))) for scan in scans)


def _make_all_pictures(
    cases: Sequence[CaseReport], stores: Stores, *, profiles: Mapping[str, Profile], zone: tzinfo
) -> Pictures:
    entries = [entry for case in cases for entry in case.matches]
    return make_pictures(
        [report.case for report in cases],
        [entry.match for entry in entries],
        works={report.work.id: report.work for report in cases if report.work is not None},
        presences={entry.match.page_id: entry.presence for entry in entries if entry.presence is not None},
        texts={entry.page.id: entry.page.content_hash for entry in entries if entry.page is not None},
        files=_files_of_cases(cases, stores),
        profiles=profiles,
        zone=zone,
    )


def _files_of_cases(cases: Iterable[CaseReport], stores: Stores) -> Mapping[int, CaseFile]:
    """Return number of the case → its actions, for cases that users acted on."""
    leads = (report.case for report in cases if report.case.verdict in LEADS)
    return case_files((case for case in leads if case.state != "new"), stores)


def _vanished_addresses(cases: Iterable[CaseReport]) -> set[str]:
    """Return the addresses of matches that were gone at the last look."""
    entries = (entry for case in cases for entry in case.matches if entry.presence is not None)
    return {entry.match.url for entry in entries if entry.presence and entry.presence.state == "gone"}
