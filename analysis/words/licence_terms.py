"""Licences in words and in JSON: days and terms."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from analysis.words.i18n import N_, Translator
from analysis.words.site_patterns import site_pattern
from storage.records import ClaimedDate, SiteLicence, Work, claim
from system.errors import PindnaError

_FROM = N_("from {day}")
_UNTIL = N_("until {day}")
_ATTRIBUTION = N_("with attribution")
_SHARE = N_("up to {share:.0%} of a passage")
_AND, _OR = N_(", "), N_("; or ")
_WITHOUT = N_("without terms")
_ENDED = N_("{terms} (has ended)")
_NOT_BEGUN = N_("{terms} (has not begun)")


class BadTerm(PindnaError):
    """A licence ends before it begins."""

    template = "The licence ends before it begins. Give it a first day that is not after its last one."


def new_licence(
    site: str,
    zone: ZoneInfo,
    *,
    first: date | None = None,
    last: date | None = None,
    attribution: bool = False,
    share: float | None = None,
) -> SiteLicence:
    """Return a licence with these terms.

    Args:
        site: a host, or a pattern of hosts.
        zone: in which its days are.
        first: its first day; None: it holds at all times before ``last``.
        last: its last day; None: it does not end.
        attribution: pages must name title, author or rights holder.
        share: largest share of a passage on one page, 0 to 1; None: all of it.

    Raises:
        BadSite, PartOfSite: ``site`` is none.
        BadTerm: it ends before it begins.
    """
    if first and last and first > last:
        raise BadTerm
    return SiteLicence(
        site=site_pattern(site),
        since=_midnight(first, zone) if first else None,
        until=_midnight(last + timedelta(days=1), zone) if last else None,
        attribution=attribution,
        share=share,
        timezone=zone.key if first or last else "",
    )


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


def terms(licence: SiteLicence, zone: ZoneInfo, texts: Translator) -> str:
    """Return the terms of a licence in words."""
    first, last = _days(licence, zone)
    share = licence.share
    parts = [
        texts.gettext(_FROM).format(day=first) if first else "",
        texts.gettext(_UNTIL).format(day=last) if last else "",
        texts.gettext(_ATTRIBUTION) if licence.attribution else "",
        texts.gettext(_SHARE).format(share=share) if share is not None else "",
    ]
    return texts.gettext(_AND).join(filter(None, parts)) or texts.gettext(_WITHOUT)


def all_terms(licences: Iterable[SiteLicence], zone: ZoneInfo, texts: Translator) -> str:
    """Return the terms of a site's licences in words; a page must comply with one of them."""
    return texts.gettext(_OR).join(terms(licence, zone, texts) for licence in licences)


def has_ended(licence: SiteLicence, *, now: datetime) -> bool:
    """Return whether the last day of a licence has passed."""
    return licence.until is not None and licence.until <= now


def marked_terms(licence: SiteLicence, zone: ZoneInfo, texts: Translator, *, now: datetime) -> str:
    """Return the terms of a licence in words, with a mark if it does not apply now."""
    if has_ended(licence, now=now):
        return texts.gettext(_ENDED).format(terms=terms(licence, zone, texts))
    if licence.since is not None and licence.since > now:
        return texts.gettext(_NOT_BEGUN).format(terms=terms(licence, zone, texts))
    return terms(licence, zone, texts)


def _days(licence: SiteLicence, zone: ZoneInfo) -> tuple[ClaimedDate | None, ClaimedDate | None]:
    """Return the first and the last day of a licence, in the zone in which a user entered them."""
    licence_zone = ZoneInfo(licence.timezone) if licence.timezone else zone
    last = licence.until and licence.until - timedelta(microseconds=1)
    return _day(licence.since, licence_zone), _day(last, licence_zone)


def _day(moment: datetime | None, zone: ZoneInfo) -> ClaimedDate | None:
    return claim(moment.astimezone(zone), zone=zone) if moment else None


def licence_as_object(work: Work, licence: SiteLicence, zone: ZoneInfo) -> dict[str, object]:
    """Return a licence as ``--json`` prints it."""
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
