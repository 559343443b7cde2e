"""Licences in words: their terms, their days, and as JSON has them."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from analysis.i18n import gettext as _
from storage.records import ClaimedDate, SiteLicence, Work, claim


def terms(licence: SiteLicence, zone: ZoneInfo) -> str:
    """Return the terms of a licence as words."""
    first, last = _days(licence, zone)
    parts = [
        _("from {day}").format(day=first) if first else "",
        _("until {day}").format(day=last) if last else "",
        _("with attribution") if licence.attribution else "",
        _("up to {share:.0%} of a passage").format(share=licence.share) if licence.share is not None else "",
    ]
    return _(", ").join(filter(None, parts)) or _("without terms")


def all_terms(licences: Iterable[SiteLicence], zone: ZoneInfo) -> str:
    """Return the terms of several licences of one site as words: a page has to keep those of one."""
    return _("; or ").join(terms(licence, zone) for licence in licences)


def has_ended(licence: SiteLicence, *, now: datetime) -> bool:
    """Return whether the last day of a licence has passed."""
    return licence.until is not None and licence.until <= now


def marked_terms(licence: SiteLicence, zone: ZoneInfo, *, now: datetime) -> str:
    """Return the terms of a licence as words, with a mark when it does not hold now."""
    if has_ended(licence, now=now):
        return _("{terms} (has ended)").format(terms=terms(licence, zone))
    if licence.since is not None and licence.since > now:
        return _("{terms} (has not begun)").format(terms=terms(licence, zone))
    return terms(licence, zone)


def _days(licence: SiteLicence, zone: ZoneInfo) -> tuple[ClaimedDate | None, ClaimedDate | None]:
    """Return the first and the last day of a licence, in the zone that they were given in."""
    own = ZoneInfo(licence.timezone) if licence.timezone else zone
    last = licence.until and licence.until - timedelta(microseconds=1)
    return _day(licence.since, own), _day(last, own)


def _day(moment: datetime | None, zone: ZoneInfo) -> ClaimedDate | None:
    return claim(moment.astimezone(zone), zone=zone) if moment else None


def licence_as_object(work: Work, licence: SiteLicence, zone: ZoneInfo) -> dict[str, object]:
    """Return the object that ``--json`` prints of a licence."""
    first, last = _days(licence, zone)
    return {
        "work_id": work.id,
        "work": work.title,
        "site": licence.site,
        "from": first.iso() if first else None,
        "until": last.iso() if last else None,
        "attribution": licence.attribution,
        "share": licence.share,
    }
