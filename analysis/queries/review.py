"""What waits for a decision: by site, and find by find; and what a reason has dismissed."""

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

_MOST_SUMMED = 5_000  # finds that are decided about at once
MOST_COUNTED = 1_000  # finds in a state
_MOST_WORKS = 200  # of a site that are shown under it
_DECIDED: tuple[ReviewState, ...] = DECISION_STATES
_RECENT = 200  # dismissals whose reasons are proposed


@dataclass(frozen=True, slots=True)
class SiteFinds:
    """What was found on a site.

    Attributes:
        site: the site.
        cases: of its works, those that wait for a decision first, then the gravest first.
    """

    site: str
    cases: tuple[Case, ...]

    @property
    def waiting(self) -> int:
        """How many finds wait for a decision."""
        return sum(case.waiting for case in self.cases)

    def count(self, review: ReviewState) -> int:
        """Return how many finds were decided so."""
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
    """Return the sites with finds that wait for a decision, ordered by their gravest such case.

    Args:
        identity: asks.
        stores: the database.
        holder: only of works of this rights holder.
        work: only of the work of this id.
        cursor: see :class:`analysis.queries.listing.Request`.
        limit: how many cases are looked at at most.

    Raises:
        NotPermitted, BadCursor, BadLimit: what is asked for is not to be had.
        UnknownId: there is no such work, or not for this one.
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
    """Return what cases of a site are sorted by: what waits first, then the gravest, then the most copied."""
    return not case.waiting, VERDICTS.index(case.verdict), -case.copied_chars, case.id


def count_finds(identity: Identity, stores: Stores) -> dict[ReviewState, int]:
    """Return how many finds are in each state of review; :data:`MOST_COUNTED` means that many or more.

    Raises:
        NotPermitted: matches are not this one's to read.
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
        match: as it is.
        version: of what was seen of it, see :func:`tracker.review.versions.review_version`.
        licences: of its site for its work, by which it was not judged yet.
        lease: of the user who has it open; None: no user.
    """

    match: Match
    version: str
    licences: tuple[SiteLicence, ...] = ()
    lease: ReviewLease | None = None


def get_find(identity: Identity, stores: Stores, name: str) -> Find:
    """Return a match with what is to be known to decide about it.

    Raises:
        NotPermitted: matches are not this one's to read.
        UnknownId: there is none, or not for this one.
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
    """The state of a match: its decision, and who has it open; empty: no user."""

    review: ReviewState
    by: str


def standings_of(identity: Identity, stores: Stores, match_ids: Sequence[str]) -> dict[str, Standing]:
    """Return the present state of matches; those that are gone, or may not be seen, are left out.

    Raises:
        NotPermitted: matches are not this one's to read.
    """
    identity.require("matches:read")
    rows = stores.matches.reviews_of(match_ids)
    visible = only_visible(identity, stores, rows.items(), lambda row: row[1][0])
    leases = stores.review_leases.held(match_ids) if "matches:decide" in identity.permissions else {}
    held = {match_id: lease.by for match_id, lease in leases.items()}
    return {match_id: Standing(review, held.get(match_id, "")) for match_id, (_, review) in visible}


@dataclass(frozen=True, slots=True)
class OpenFinds:
    """Finds that wait for a decision, to be decided about at once.

    Attributes:
        by_case: of each case (work, site) the versions of its matches that were seen, by id.
        verdicts: how many there are of each.
        works, sites: how many each title and each site has.
        pages: how many addresses.
        characters: copied, of all together.
        is_all: there are no more.
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
        """How many they are."""
        return sum(map(len, self.by_case.values()))


def open_finds(
    identity: Identity, stores: Stores, *, site: str | None = None, work: int | None = None
) -> OpenFinds:
    """Return what a decision for a whole site, or a whole work, or a work on a site would be about.

    Args:
        identity: asks.
        stores: the database.
        site: only on this one; None: on all.
        work: only of the work of this id; None: of all. One of both must be given.

    Raises:
        NotPermitted: decisions are not this one's.
        UnknownId: there is no such work, or not for this one.
        ValueError: neither site nor work is given.
    """
    identity.require("matches:decide")
    if site is None and work is None:
        raise ValueError("a decision for all sites and all works is not to be had")
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
    """A dismissal, and what it keeps from counting.

    Attributes:
        decision: the dismissal.
        matches: those that it bears on.
    """

    decision: Decision
    matches: tuple[Match, ...]


def list_dismissals(
    identity: Identity, stores: Stores, *, reason: str = "", cursor: str = "", limit: int = DEFAULT_LIMIT
) -> Listing[Dismissal]:
    """Return dismissals, the newest first, with the matches that they bear on.

    Args:
        identity: asks.
        stores: the database.
        reason: only those for this reason; empty: all.
        cursor: see :class:`analysis.queries.listing.Request`.
        limit: how many at most.

    Raises:
        NotPermitted, BadCursor, BadLimit: what is asked for is not to be had.
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
    """Return the reasons of the last dismissals, with how often each was given.

    Raises:
        NotPermitted: decisions are not this one's to read.
    """
    identity.require("matches:decide")
    dismissals = stores.decisions.listed(state="dismissed", limit=_RECENT)
    return Counter(dismissal.because for dismissal in dismissals)
