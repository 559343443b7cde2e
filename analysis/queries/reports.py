"""Reports: what was found, and which of it is new since the last report."""

from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from analysis.accounts.permissions import Identity
from analysis.queries.cases import get_case
from analysis.reports.building import KNOWN_PROFILES, MAX_TEXTS, build_report
from analysis.reports.earlier import last_report, scope_key
from analysis.reports.records import Report
from storage.collections.stores import Stores
from storage.settings import Settings
from tracker.judgement.profiles import all_profiles


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportQuery:
    """What a report is about; empty: everything.

    Attributes:
        scan: id of a scan, or the beginning of one: only what it saw.
        work: title, address or ``id:3`` of a work.
        site: only its pages.
        case: a work on a site, instead of ``work`` and ``site``.
        since: only what was seen since this time; without a zone it is in that of the settings.
    """

    scan: str | None = None
    work: str | None = None
    site: str | None = None
    case: str | None = None
    since: datetime | None = None


def report_of(
    identity: Identity,
    stores: Stores,
    settings: Settings,
    query: ReportQuery = ReportQuery(),
    *,
    max_texts: int = MAX_TEXTS,
) -> Report:
    """Return what was found, to those who see everything.

    Args:
        identity: asks.
        stores: the database.
        settings: of the installation.
        query: what the report is about.
        max_texts: matches shown with their texts at most.

    Raises:
        NotPermitted: matches are not this one's to read, or only those of some works.
        UnknownId, UnknownRecord: there is no such scan, case or work, or no page of the site is in scope.
        BadSettings: a profile in the settings is wrong.
    """
    _require(identity)
    work, site = query.work, query.site
    if query.case is not None:
        case = get_case(identity, stores, query.case)
        work, site = f"id:{case.work_id}", case.site
    zone = ZoneInfo(settings.tracker.timezone)
    return build_report(
        stores,
        scan_id=None if query.scan is None else stores.scans.resolve(query.scan).id,
        work=work,
        site=site,
        since=_aware(query.since, zone),
        max_texts=max_texts,
        profiles={
            **KNOWN_PROFILES,
            **{profile.id: profile for profile in all_profiles(settings.tracker).values()},
        },
        settings=settings.analysis,
        zone=zone,
    )


def with_new(
    identity: Identity,
    stores: Stores,
    settings: Settings,
    report: Report,
    *,
    form: str,
    since: datetime | None = None,
) -> Report:
    """Return a report that marks what is new.

    Args:
        identity: asks.
        stores: the database.
        settings: of the installation.
        report: of :func:`report_of`.
        form: kind of file: new is what the last report of this form and scope could not have.
        since: new is what was first seen after this time; None: after the last report.

    Raises:
        NotPermitted: see :func:`report_of`.
    """
    _require(identity)
    scope = report.scope
    zone = ZoneInfo(settings.tracker.timezone)
    last = _aware(since, zone) or last_report(
        stores, scope=scope_key(scope), form=form, scan_id=scope.scan_id
    )
    return replace(report, new_since=last)


def _require(identity: Identity) -> None:
    identity.require("matches:read")
    if not identity.sees_everything:
        identity.require("scans:read")


def _aware(moment: datetime | None, zone: ZoneInfo) -> datetime | None:
    """Return a time in the zone that the reader of a report means."""
    return moment if moment is None or moment.tzinfo is not None else moment.replace(tzinfo=zone)
