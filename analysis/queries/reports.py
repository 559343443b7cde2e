"""Build reports, and mark their items that are new since the last report."""

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
    """The scope of a report; without filters it includes everything.

    Attributes:
        scan: id of a scan, or the start of an id: only pages that this scan saw.
        work: title, address or ``id:3`` of a work.
        site: only pages of this site.
        case: name of a case; the report is limited to the work and the site of the case.
        since: only pages seen since this time; without a zone, in the time zone of the settings.
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
    """Return a report. Only users who see the works of all holders may read it.

    Args:
        identity: the user or program that asks.
        stores: the database.
        settings: settings of the installation.
        query: scope of the report.
        max_texts: maximum number of matches with texts.

    Raises:
        NotPermitted: the user may not read all matches.
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
        since=_with_zone(query.since, zone),
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
    """Return a report in which new items are marked.

    Args:
        identity: the user or program that asks.
        stores: the database.
        settings: settings of the installation.
        report: a report from :func:`report_of`.
        form: file format. Items are new if the last report of this format and scope could not contain them.
        since: items first seen after this time are new; None: after the last report.

    Raises:
        NotPermitted: see :func:`report_of`.
    """
    _require(identity)
    scope = report.scope
    zone = ZoneInfo(settings.tracker.timezone)
    last = _with_zone(since, zone) or last_report(
        stores, scope=scope_key(scope), form=form, scan_id=scope.scan_id
    )
    return replace(report, new_since=last)


def _require(identity: Identity) -> None:
    identity.require("matches:read")
    if not identity.sees_everything:
        identity.require("scans:read")


def _with_zone(moment: datetime | None, zone: ZoneInfo) -> datetime | None:
    """Return a time with a zone; a time without a zone is in the given zone."""
    return moment if moment is None or moment.tzinfo is not None else moment.replace(tzinfo=zone)
