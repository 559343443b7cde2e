"""Which matches a command is about: filters, and the matches that meet them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Annotated, Literal

import typer

from analysis.words.i18n import gettext as _
from analysis.words.known_sites import find_site
from deploy.cli.clock import own_zone
from deploy.cli.dates import parse_day
from storage.records import VERDICTS, Match, ReviewState, Scan, Verdict
from system.sites import host_of, site_of_host
from tracker.corpus.roles import find_owned
from tracker.runtime import Runtime

WorkOption = Annotated[
    str | None, typer.Option(metavar="WORK", help=_("Only this work (title or id:NUMBER)."))
]
Site = Annotated[str | None, typer.Option(metavar="SITE", help=_("Only this site."))]
ReviewOption = Literal["open", "confirmed", "dismissed", "doubtful"]
_REVIEWS: Mapping[ReviewOption, ReviewState] = {
    "open": "",
    "confirmed": "confirmed",
    "dismissed": "dismissed",
    "doubtful": "doubtful",
}
State = Annotated[ReviewOption | None, typer.Option(help=_("Only matches in this state of review."))]
VerdictOption = Annotated[Verdict | None, typer.Option(help=_("Only matches with this verdict."))]
MinShare = Annotated[
    float,
    typer.Option(min=0, max=1, help=_("Only where at least this share of the page is copied, 0 to 1.")),
]
Since = Annotated[
    datetime | None,
    typer.Option(parser=parse_day, metavar="DAY", help=_("Only what was first seen on this day or later.")),
]
Until = Annotated[
    datetime | None,
    typer.Option(parser=parse_day, metavar="DAY", help=_("Only what was first seen on this day or earlier.")),
]


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """What matches must be like; None, and a share of 0, is no condition.

    Attributes:
        work: by title or id.
        site: or a host of it.
        case: by its short name.
        state: of review; a licensed match needs none, so it is ``open`` only where ``verdict`` asks for it.
        verdict: theirs.
        min_share: share of the page that they cover at least.
        since, until: first and last day of their first sight, without a zone.
        scan: by its id; only what it was the first to see.
    """

    work: str | None = None
    site: str | None = None
    case: str | None = None
    state: ReviewOption | None = None
    verdict: Verdict | None = None
    min_share: float = 0
    since: datetime | None = None
    until: datetime | None = None
    scan: str | None = None

    @property
    def is_about_some(self) -> bool:
        """Return whether a work, a site, a case or a scan is named."""
        return any(name is not None for name in (self.work, self.site, self.case, self.scan))

    def admits(self, match: Match, zone: tzinfo) -> bool:
        """Return whether a match of the right work and site is like that."""
        day = match.first_seen.astimezone(zone).replace(tzinfo=None)
        return (
            self._admits_state(match)
            and self.verdict in (None, match.verdict)
            and match.coverage >= self.min_share
            and (self.since is None or day >= self.since)
            and (self.until is None or day < self.until + timedelta(days=1))
        )

    def _admits_state(self, match: Match) -> bool:
        """Return whether the state of review is the wanted one; a licensed match is open only if named so."""
        if self.state == "open" and match.verdict == "licensed" and self.verdict != "licensed":
            return False
        return self.state in (None, match.review or "open")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenMatches:
    """The options of a command that decides about many open matches at once."""

    work: WorkOption = None
    site: Site = None
    case: Annotated[
        str | None, typer.Option(metavar="CASE", help=_("All open ones of this case, such as c7."))
    ] = None
    scan: Annotated[
        str | None, typer.Option(metavar="SCAN", help=_("All open ones that this scan was the first to see."))
    ] = None
    verdict: VerdictOption = None
    min_share: MinShare = 0

    def filter(self) -> MatchFilter:
        """Return the filter that they make."""
        return MatchFilter(
            self.work, self.site, self.case, "open", self.verdict, self.min_share, scan=self.scan
        )


def select(wanted: MatchFilter, runtime: Runtime) -> Iterator[Match]:
    """Yield the matches that meet a filter, the gravest verdict first, then the most copied.

    They are read as they are wanted.

    Args:
        wanted: what they must be like.
        runtime: the stores.

    Raises:
        UnknownRecord: there is no such work, site, case or scan.
        ServiceDown: MongoDB does not answer.
    """
    stores, zone = runtime.stores, own_zone()
    case = None if wanted.case is None else stores.cases.get(wanted.case)
    work_id = None if wanted.work is None else find_owned(wanted.work, stores).book_id
    name = None if wanted.site is None else find_site(wanted.site, stores)
    site = None if name is None else site_of_host(name)
    if case is not None:
        if work_id not in (None, case.work_id) or site not in (None, case.site):
            return
        work_id, site = case.work_id, case.site
    matches = stores.matches.listed(
        work_id=work_id,
        site=site,
        review=_REVIEWS[wanted.state] if wanted.state else None,
        verdicts=VERDICTS if wanted.verdict is None else (wanted.verdict,),
    )
    scan = None if wanted.scan is None else stores.scans.get(wanted.scan)
    for match in matches:
        if scan is not None and not _was_first(scan, match):
            continue
        if name in (None, match.site, host_of(match.url)) and wanted.admits(match, zone):
            yield match


def _was_first(scan: Scan, match: Match) -> bool:
    """Return whether a match was first seen while a scan ran."""
    return scan.started <= match.first_seen and (scan.finished is None or match.first_seen <= scan.finished)
