"""Licences: check their terms against a page, grant and revoke them.

A page complies with a licence if it was seen within the term, names title, author or rights holder if
required, and contains no more of a passage than allowed. Of several licences of a site the most favourable
counts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from itertools import compress

import numpy as np
import numpy.typing as npt

from fingerprint.text.variants import fold
from storage.collections.stores import Stores
from storage.records import ClaimedDate, LicenceState, SiteLicence, Work
from system.names import unknown_record

# From the most favourable state to the strictest; the strictest is that no licence applies.
_ORDER: tuple[LicenceState, ...] = (
    "licensed",
    "beyond-licence",
    "no-attribution",
    "expired",
    "not-begun",
    "",
)
_MIN_NAME = 2  # minimum length of a name: a title of one character occurs on every page


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts about a page apart from its text.

    Attributes:
        host: as in its address.
        site: its registered domain, see :mod:`system.sites`.
        bylines: its other text: title, author, the site's name.
        published: the date on the page.
        first_seen, last_seen: our first and last sight of it; None for a text that was never on the web.
        is_imported: others captured it, and claim these times.
    """

    host: str = ""
    site: str = ""
    bylines: tuple[str, ...] = ()
    published: ClaimedDate | None = None
    first_seen: datetime | None = None
    last_seen: datetime | None = None
    is_imported: bool = False


def may_publish(licence: SiteLicence, *names: str) -> bool:
    """Return whether a licence applies to a page's host or site; ``*`` in it matches any characters.

    ``*.example.cn`` applies to ``example.cn`` too, because hosts are stored without ``www.``.
    """
    pattern = licence.site.lower()
    patterns = {pattern, pattern.removeprefix("*.")}
    return any(fnmatchcase(name.lower(), form) for name in names if name for form in patterns)


def licence_state(
    work: Work, facts: Facts, *, text: str, copied: npt.NDArray[np.bool_], share: float, now: datetime
) -> LicenceState:
    """Return the licence state of a match under the site's licences.

    Args:
        work: the work.
        facts: about the page.
        text: the page's text.
        copied: shape (len(text),): its copied characters.
        share: share of the passage that is on the page.
        now: the moment to judge at, for a page that was never seen by a crawl.
    """
    licences = [licence for licence in work.permissions if may_publish(licence, facts.host, facts.site)]
    attributed = any(licence.attribution for licence in licences) and is_attributed(
        work, text=text, unshared="".join(compress(text, ~copied)), bylines=facts.bylines
    )
    at = facts.last_seen or now
    return best(_state(licence, share=share, at=at, attributed=attributed) for licence in licences)


def best(states: Iterable[LicenceState]) -> LicenceState:
    """Return the most favourable of several states; empty for none."""
    return min(states, key=_ORDER.index, default="")


def worst(states: Iterable[LicenceState]) -> LicenceState:
    """Return the state of several matches together: licensed only when all are; empty for none."""
    return max(states, key=_ORDER.index, default="")


def _state(licence: SiteLicence, *, share: float, at: datetime, attributed: bool) -> LicenceState:
    if licence.since is not None and at < licence.since:
        return "not-begun"
    if licence.until is not None and at >= licence.until:
        return "expired"
    if licence.attribution and not attributed:
        return "no-attribution"
    if licence.share is not None and share > licence.share:
        return "beyond-licence"
    return "licensed"


def is_attributed(work: Work, *, text: str, unshared: str, bylines: Iterable[str]) -> bool:
    """Return whether a page names the work's title, author or rights holder, in either script.

    Copied text may contain the author's name as a byline, which counts. A title within copied text does not
    count, because it may be part of the story.

    Args:
        work: the work.
        text: the page's text.
        unshared: the text that is not copied.
        bylines: the page's other text.
    """
    folded_bylines = [fold(byline) for byline in bylines]
    people = _names(work.author, work.holder)
    return _is_named(_names(work.title), [fold(unshared), *folded_bylines]) or _is_named(
        people, [fold(text), *folded_bylines]
    )


def _names(*names: str | None) -> list[str]:
    return [fold(name) for name in names if name and len(name) >= _MIN_NAME]


def _is_named(names: Iterable[str], texts: Sequence[str]) -> bool:
    return any(name in text for text in texts for name in names)


def grant(work: Work, licence: SiteLicence, stores: Stores, *, replace: bool) -> None:
    """Grant a site a licence for a work, in all its editions.

    Stored pages with its text on that site are judged again at once, because a licence changes verdicts.

    Args:
        work: the work, or one edition of it.
        licence: its terms.
        stores: the database.
        replace: remove the site's existing licences; otherwise this one is added to them.
    """

    def granted(edition: Work) -> tuple[list[str], list[SiteLicence]]:
        sites, licences = list(edition.licensed_sites), list(edition.licences)
        if replace:
            sites, licences = _without_site(edition, licence.site)
        return sites, licences if licence in licences else [*licences, licence]

    for edition in stores.works.of_book(work.book_id):
        stores.works.change_licences(edition.id, granted)
    request_verdicts(work, [licence.site], stores)


def request_verdicts(work: Work, sites: Iterable[str], stores: Stores) -> None:
    """Request new verdicts on the stored matches of a book on sites whose licences changed."""
    version = stores.versions.current()
    for site in sites:
        stores.rejudgings.request(work.book_id, site, version=version)


def licences_of(work: Work, site: str) -> list[SiteLicence]:
    """Return the licences of a site for a work.

    Args:
        work: the work.
        site: as in the licence.

    Raises:
        UnknownRecord: it has none; the error lists sites with a licence and a similar name.
    """
    licences = [licence for licence in work.permissions if licence.site == site]
    if not licences:
        granted = sorted(f"{work.title} @ {licence.site}" for licence in work.permissions)
        raise unknown_record(kind="licence", name=f"{work.title} @ {site}", known_names=granted)
    return licences


def revoke(work: Work, site: str, stores: Stores) -> None:
    """Revoke a site's licences, for every edition of the work.

    Raises:
        UnknownRecord: the site has none for the work.
    """
    licences_of(work, site)
    for edition in stores.works.of_book(work.book_id):
        stores.works.change_licences(edition.id, lambda stored: _without_site(stored, site))
    request_verdicts(work, [site], stores)


def mark_licence_changes(stores: Stores, *, until: datetime) -> int:
    """Mark works whose licences began or ended, to judge their pages again; return their number.

    A work is marked before its dates are cleared: after a crash in between it is marked twice.

    Args:
        stores: the database.
        until: the present.
    """
    turned = stores.works.with_licence_changes(until)
    for work_id in turned:
        stores.works.record_licence_change(work_id, until)
    return len(turned)


def _without_site(work: Work, site: str) -> tuple[list[str], list[SiteLicence]]:
    """Return a work's licensed sites and its licences with terms, without those of a site."""
    sites = [licensed_site for licensed_site in work.licensed_sites if licensed_site != site]
    return sites, [licence for licence in work.licences if licence.site != site]
