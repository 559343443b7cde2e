"""Matches that wait for a decision, by site and one by one; and dismissals by reason."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from analysis.accounts.permissions import Identity
from analysis.queries.listing import DEFAULT_LIMIT, Listing, Request
from analysis.queries.matches import get_match
from analysis.queries.scope import only_visible, owners_of, visible_work
from storage.collections.filters import in_review, newest_dismissals, waiting_cases
from storage.collections.stores import Stores
from storage.records import (
    DECISION_STATES,
    UNDECIDED,
    VERDICTS,
    Case,
    Decision,
    Match,
    ReviewLease,
    ReviewState,
    SiteLicence,
    Verdict,
    Work,
)
from system.sites import host_of
from tracker.judgement.licences import may_publish
from tracker.review.versions import review_version

_MOST_SUMMED = 5_000  # maximum number of matches in one decision
MOST_COUNTED = 1_000  # maximum number of matches counted per state
_MOST_WORKS = 200  # maximum number of works shown for a site
_DECIDED: tuple[ReviewState, ...] = DECISION_STATES
_RECENT = 200  # number of recent dismissals whose reasons are proposed


@dataclass(frozen=True, slots=True)
class SiteFinds:
    """The matches on a site.

    Attributes:
        site: the site.
        cases: cases of the site: first cases that wait for a decision, then by gravity.
    """

    site: str
    cases: tuple[Case, ...]

    @property
    def waiting(self) -> int:
        """Number of matches that wait for a decision."""
        return sum(case.waiting for case in self.cases)

    def count(self, review: ReviewState) -> int:
        """Return the number of matches in a state of review."""
        return sum(case.reviews.get(review, 0) for case in self.cases)


def list_sites(
    identity: Identity,
    stores: Stores,
    *,
    holder: str = "",
    work: int | None = None,
    cursor: str = "",
    limit: int = DEFAULT_LIMIT,
) -> Listing[SiteFinds]:
    """Return the sites with matches that wait for a decision, sorted by their gravest such case.

    Args:
        identity: the user or program that asks.
        stores: the database.
        holder: only works of this rights holder.
        work: id of a work: only matches of this work.
        cursor: see :class:`analysis.queries.listing.Request`.
        limit: maximum number of cases to read.

    Raises:
        NotPermitted, BadCursor, BadLimit: the request is not allowed.
        UnknownId: there is no such work, or the user may not see it.
    """
    identity.require("matches:read")
    if work is not None:
        visible_work(identity, stores, work)
    runs = waiting_cases(owners_of(identity, holder), work)
    request = Request(f"review {holder} {work}", cursor, limit)
    batch = stores.lists.cases(runs, after=request.place(runs), limit=limit)
    met = list(only_visible(identity, stores, batch.records, lambda case: case.work_id))
    groups = _by_site(identity, stores, [case.site for case in met], work=work)
    first = {group.site: group.cases[0].id for group in groups.values()}
    visible_groups = (groups[case.site] for case in met if first.get(case.site) == case.id)
    return request.listing(visible_groups, batch.end)


def _by_site(
    identity: Identity, stores: Stores, sites: Sequence[str], *, work: int | None
) -> Mapping[str, SiteFinds]:
    cases = only_visible(identity, stores, stores.cases.on_sites(sites), lambda case: case.work_id)
    by_site: dict[str, list[Case]] = {}
    for case in cases:
        if work in (None, case.work_id) and (case.waiting or any(map(case.reviews.get, _DECIDED))):
            by_site.setdefault(case.site, []).append(case)
    return {
        site: SiteFinds(site, tuple(sorted(finds, key=in_queue)[:_MOST_WORKS]))
        for site, finds in by_site.items()
    }


def in_queue(case: Case) -> tuple[bool, int, int, str]:
    """Return the sort key of a case: waiting cases first, then by gravity, then by copied characters."""
    return not case.waiting, VERDICTS.index(case.verdict), -case.copied_chars, case.id


def count_finds(identity: Identity, stores: Stores) -> dict[ReviewState, int]:
    """Return the number of matches in each state of review. :data:`MOST_COUNTED` means that many or more.

    Raises:
        NotPermitted: the user may not read matches.
    """
    identity.require("matches:read")
    owners = owners_of(identity)
    decided = {
        review: stores.lists.count_up_to("matches", [in_review(owners, review)], most=MOST_COUNTED)[0]
        for review in _DECIDED
    }
    return {"": min(stores.case_figures.waiting(owners)[0], MOST_COUNTED), **decided}


@dataclass(frozen=True, slots=True, kw_only=True)
class Find:
    """A match under review.

    Attributes:
        match: the match.
        version: its version for later decisions; see :func:`tracker.review.versions.review_version`.
        licences: licences of the site for the work that were granted after the match was judged.
        lease: lease of the user who has the match open; None: no user.
    """

    match: Match
    version: str
    licences: tuple[SiteLicence, ...] = ()
    lease: ReviewLease | None = None


def get_find(identity: Identity, stores: Stores, name: str) -> Find:
    """Return a match with the data that a decision needs.

    Raises:
        NotPermitted: the user may not read matches.
        UnknownId: it does not exist, or the user may not see it.
    """
    match = get_match(identity, stores, name)
    work = stores.works.get_many([match.work_id]).get(match.work_id)
    may_decide = "matches:decide" in identity.permissions
    lease = stores.review_leases.held([match.id]).get(match.id) if may_decide else None
    return Find(
        match=match,
        version=review_version(match),
        licences=_unused_licences(match, work),
        lease=lease,
    )


def _unused_licences(match: Match, work: Work | None) -> tuple[SiteLicence, ...]:
    """Return licences that were granted since a match was judged."""
    if work is None or match.licence:
        return ()
    names = match.site, host_of(match.url)
    return tuple(licence for licence in work.permissions if may_publish(licence, *names))


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of review of a match, and the user who has it open; empty: no user."""

    review: ReviewState
    by: str


def standings_of(identity: Identity, stores: Stores, match_ids: Sequence[str]) -> dict[str, Standing]:
    """Return the present state of each match, without matches that are gone or that the user may not see.

    Raises:
        NotPermitted: the user may not read matches.
    """
    identity.require("matches:read")
    rows = stores.matches.reviews_of(match_ids)
    visible = only_visible(identity, stores, rows.items(), lambda row: row[1][0])
    leases = stores.review_leases.held(match_ids) if "matches:decide" in identity.permissions else {}
    held = {match_id: lease.by for match_id, lease in leases.items()}
    return {match_id: Standing(review, held.get(match_id, "")) for match_id, (_, review) in visible}


@dataclass(frozen=True, slots=True)
class OpenFinds:
    """Matches that wait for a decision, for one decision about all of them.

    Attributes:
        by_case: (work, site) of each case → id of each match → its version.
        verdicts: number of matches with each verdict.
        works, sites: number of matches of each title and of each site.
        pages: number of addresses.
        characters: number of copied characters in all matches together.
        is_all: whether there are no further matches.
    """

    by_case: Mapping[tuple[int, str], Mapping[str, str]]
    verdicts: Counter[Verdict]
    works: Counter[str]
    sites: Counter[str]
    pages: int
    characters: int
    is_all: bool

    @property
    def count(self) -> int:
        """Number of matches."""
        return sum(map(len, self.by_case.values()))


def open_finds(
    identity: Identity, stores: Stores, *, site: str | None = None, work: int | None = None
) -> OpenFinds:
    """Return the waiting matches of a whole site, of a whole work, or of a work on a site.

    Args:
        identity: the user or program that asks.
        stores: the database.
        site: only matches on this site; None: on all sites.
        work: id of a work: only matches of this work; None: of all works. A site or a work is required.

    Raises:
        NotPermitted: the user may not decide about matches.
        UnknownId: there is no such work, or the user may not see it.
        ValueError: there is neither a site nor a work.
    """
    identity.require("matches:decide")
    if site is None and work is None:
        raise ValueError("a decision about all sites and all works is not allowed")
    if work is not None:
        visible_work(identity, stores, work)
    rows = stores.matches.listed(work_id=work, site=site, review="", verdicts=UNDECIDED)
    matches = list(islice(rows, _MOST_SUMMED + 1))
    visible = list(only_visible(identity, stores, matches[:_MOST_SUMMED], lambda match: match.work_id))
    by_case: dict[tuple[int, str], dict[str, str]] = {}
    for match in visible:
        by_case.setdefault((match.work_id, match.site), {})[match.id] = review_version(match)
    return OpenFinds(
        by_case=by_case,
        verdicts=Counter(match.verdict for match in visible),
        works=Counter(match.work_title for match in visible),
        sites=Counter(match.site for match in visible),
        pages=len({match.url for match in visible}),
        characters=sum(match.copied_chars for match in visible),
        is_all=len(matches) <= _MOST_SUMMED,
    )


@dataclass(frozen=True, slots=True)
class Dismissal:
    """A dismissal, and the matches that it affects.

    Attributes:
        decision: the dismissal.
        matches: the matches with the dismissed stretch.
    """

    decision: Decision
    matches: tuple[Match, ...]


def list_dismissals(
    identity: Identity, stores: Stores, *, reason: str = "", cursor: str = "", limit: int = DEFAULT_LIMIT
) -> Listing[Dismissal]:
    """Return dismissals with the matches that they affect, the newest first.

    Args:
        identity: the user or program that asks.
        stores: the database.
        reason: only dismissals for this reason; empty: all.
        cursor: see :class:`analysis.queries.listing.Request`.
        limit: maximum number.

    Raises:
        NotPermitted, BadCursor, BadLimit: the request is not allowed.
    """
    identity.require("matches:decide")
    runs = newest_dismissals(reason)
    request = Request(f"dismissals {reason}", cursor, limit)
    batch = stores.lists.decisions(runs, after=request.place(runs), limit=limit)
    by_decision: dict[str, list[Match]] = {}
    for match in stores.matches.of_decisions([decision.id for decision in batch.records]):
        for decided in match.decided:
            by_decision.setdefault(decided.decision_id, []).append(match)
    dismissals = (
        Dismissal(
            decision, tuple(sorted(by_decision.get(decision.id, ()), key=lambda match: -match.copied_chars))
        )
        for decision in batch.records
    )
    return request.listing(dismissals, batch.end)


def recent_reasons(identity: Identity, stores: Stores) -> Counter[str]:
    """Return the reasons of the last dismissals, with their numbers.

    Raises:
        NotPermitted: the user may not read decisions.
    """
    identity.require("matches:decide")
    dismissals = stores.decisions.listed(state="dismissed", limit=_RECENT)
    return Counter(dismissal.because for dismissal in dismissals)
