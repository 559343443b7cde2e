"""The console's pages, one a module: ``build`` shows what stands below the heading."""

from analysis.console import places
from analysis.console.pages import (
    account,
    account_of,
    administration,
    audit,
    case,
    cases,
    check,
    dismissals,
    doctor,
    evidence_log,
    find,
    match,
    pages,
    review,
    scan,
    scans,
    settings,
    source,
    sources,
    statistics,
    today,
    work,
    works,
)
from analysis.console.places import Place
from analysis.console.shell import Builder

# Of two that an address may mean the first is shown.
PAGES: tuple[tuple[Place, Builder], ...] = (
    (places.TODAY, today.build),
    (places.CASES, cases.build),
    (places.CASE, case.build),
    (places.REVIEW, review.build),
    (places.DISMISSALS, dismissals.build),
    (places.FIND, find.build),
    (places.MATCH, match.build),
    (places.WORKS, works.build),
    (places.WORK, work.build),
    (places.SOURCES, sources.build),
    (places.NEW_SOURCE, source.build_new),
    (places.SOURCE, source.build),
    (places.SCANS, scans.build),
    (places.SCAN, scan.build),
    (places.PAGES, pages.build),
    (places.STATISTICS, statistics.build),
    (places.CHECK, check.build),
    (places.ADMINISTRATION, administration.build),
    (places.ACCOUNT_OF, account_of.build),
    (places.AUDIT, audit.build),
    (places.EVIDENCE_LOG, evidence_log.build),
    (places.DOCTOR, doctor.build),
    (places.SETTINGS, settings.build),
    (places.ACCOUNT, account.build),
)
