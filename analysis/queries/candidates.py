"""Candidates for sources, and what a source of a candidate would crawl."""

from collections.abc import Mapping

from analysis.accounts.permissions import Identity
from analysis.discovery.accepting import protected_titles, source_of
from analysis.queries.listing import DEFAULT_LIMIT, Listing, Request
from storage.collections.candidates import candidates_in
from storage.collections.stores import Stores
from storage.records import Candidate, CandidateState, Source, SourceKind


def list_candidates(
    identity: Identity,
    stores: Stores,
    *,
    state: CandidateState = "open",
    cursor: str = "",
    limit: int = DEFAULT_LIMIT,
) -> Listing[Candidate]:
    """Return candidates in a state: those that name most works first, then by site.

    Raises:
        NotPermitted, BadCursor, BadLimit: the request is not allowed.
    """
    identity.require("sources:read")
    runs = candidates_in(state)
    request = Request(f"candidates {state}", cursor, limit)
    batch = stores.lists.candidates(runs, after=request.place(runs), limit=limit)
    return request.listing(batch.records, batch.end)


def get_candidate(identity: Identity, stores: Stores, site: str) -> Candidate:
    """Return the candidate of a site.

    Raises:
        NotPermitted: the user may not read sources.
        UnknownRecord: no imported file names the site.
    """
    identity.require("sources:read")
    return stores.candidates.get(site)


def planned_source(
    identity: Identity, stores: Stores, site: str, *, kind: SourceKind | None = None
) -> Source:
    """Return the source that a candidate would become now; None as kind: the one that suits it.

    Raises:
        NotPermitted: the user may not read sources.
        UnknownRecord: no imported file names the site.
        BadSource, KindWithoutSearch: the candidate cannot become such a source.
    """
    candidate = get_candidate(identity, stores, site)
    return source_of(candidate, kind=kind, titles=protected_titles(stores) if candidate.search else ())


def count_candidates(identity: Identity, stores: Stores) -> Mapping[CandidateState, int]:
    """Return the number of candidates in each state.

    Raises:
        NotPermitted: the user may not read sources.
    """
    identity.require("sources:read")
    return stores.candidates.counts()
