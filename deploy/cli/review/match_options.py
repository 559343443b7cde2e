"""The options that select matches, and the filter that follows from them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Annotated

import typer

from analysis.accounts.permissions import Identity
from analysis.queries.cases import get_case
from analysis.queries.comparisons import at_least
from analysis.queries.matches import MatchQuery, Order, Review, every_match
from analysis.queries.naming import named_site, named_work
from analysis.words.i18n import gettext as _
from deploy.cli.clock import own_zone
from deploy.cli.dates import parse_day
from fingerprint.text.disguises import Disguise
from storage.records import Match, Verdict
from system.sites import site_of_host
from tracker.runtime import Runtime

WorkOption = Annotated[
    str | None, typer.Option(metavar="WORK", help=_("Limit to this work (title or id:NUMBER)."))
]
Site = Annotated[str | None, typer.Option(metavar="SITE", help=_("Limit to this site."))]
State = Annotated[Review | None, typer.Option(help=_("Only matches in this state of review."))]
VerdictOption = Annotated[Verdict | None, typer.Option(help=_("Only matches with this verdict."))]
DisguiseOption = Annotated[Disguise | None, typer.Option(help=_("Only matches with this disguise."))]
OrderOption = Annotated[
    Order,
    typer.Option(help=_("Order of the list; “-” before a column sorts in descending order.")),
]
MinShare = Annotated[
    float,
    typer.Option(min=0, max=1, help=_("Only matches that copy at least this share of the page, 0 to 1.")),
]
Since = Annotated[
    datetime | None,
    typer.Option(parser=parse_day, metavar="DAY", help=_("Only matches first seen on this day or later.")),
]
Until = Annotated[
    datetime | None,
    typer.Option(parser=parse_day, metavar="DAY", help=_("Only matches first seen on this day or earlier.")),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenMatches:
    """The options of a command that decides about many open matches at once."""

    work: WorkOption = None
    site: Site = None
    case: Annotated[
        str | None, typer.Option(metavar="CASE", help=_("All open matches of this case, such as c7."))
    ] = None
    scan: Annotated[
        str | None, typer.Option(metavar="SCAN", help=_("All open matches that this scan saw first."))
    ] = None
    verdict: VerdictOption = None
    min_share: MinShare = 0

    @property
    def is_about_some(self) -> bool:
        """Return whether the options contain a work, a site, a case or a scan."""
        return any(name is not None for name in (self.work, self.site, self.case, self.scan))

    def select(self, user: Identity, runtime: Runtime) -> Iterator[Match]:
        """Return the open matches that the options select; see :func:`select`."""
        query = MatchQuery(
            review="open", verdict=self.verdict, coverage=at_least(self.min_share), scan=self.scan or ""
        )
        return select(user, runtime, query, work=self.work, site=self.site, case=self.case)


def select(
    user: Identity,
    runtime: Runtime,
    query: MatchQuery,
    *,
    work: str | None,
    site: str | None,
    case: str | None = None,
    limit: int | None = None,
) -> Iterator[Match]:
    """Yield the matches that the options select, the gravest verdict first, then the most copied.

    Matches are read on demand.

    Args:
        user: asks.
        runtime: the open services.
        query: what else they must be like.
        work: by title or id.
        site: or a host of it.
        case: by its short name.
        limit: how many at most; None: all.

    Raises:
        UnknownRecord: there is no such work, site, case or scan.
    """
    stores = runtime.stores
    case_view = None if case is None else get_case(user, stores, case)
    work_id, name = named_work(user, stores, work), named_site(user, stores, site)
    domain = site_of_host(name) if name else ""
    if case_view is not None:
        if work_id not in (None, case_view.work_id) or domain not in ("", case_view.site):
            return iter(())
        work_id, domain = case_view.work_id, case_view.site
    query = replace(query, work=work_id, site=domain, host="" if name == domain else name)
    return every_match(user, stores, query, limit=limit)


def first_of(day: datetime | None, *, later: int = 0) -> datetime | None:
    """Return the beginning of a day in the terminal's time zone, or of the day ``later`` days after it."""
    return None if day is None else (day + timedelta(days=later)).replace(tzinfo=own_zone())
