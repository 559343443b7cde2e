"""Matches, their texts and their decisions."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Literal

from analysis.accounts.permissions import Identity
from analysis.queries.listing import DEFAULT_LIMIT, Listing, Request
from analysis.queries.pages import narrowed_page
from analysis.queries.scope import only_visible, owners_of, require_visible, visible_work
from analysis.words.known_sites import site_name
from fingerprint.text.disguises import Disguise
from storage.collections.filters import Comparisons, MatchFilter, MatchOrder
from storage.collections.stores import Stores
from storage.records import (
    LEADS,
    UNDECIDED,
    VERDICTS,
    Decision,
    Match,
    Page,
    Passage,
    Presence,
    ReviewName,
    ReviewState,
    Verdict,
)
from system.batches import batched
from system.errors import UnknownId
from system.sites import host_of, site_of_host

_AT_ONCE = 2_000  # matches read at once for a whole list
_BATCH = 200  # matches whose presences are looked up at once
_MOMENT = timedelta(milliseconds=1)  # precision of stored times
Review = ReviewName
Order = MatchOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchQuery:
    """Filters and order of a list of counted matches.

    Attributes:
        work: id of the work.
        site: a site, or any address of it.
        host: only matches on this host of the site; empty: all.
        review: state of review. Licensed matches need no review, so they are ``open`` only if ``verdict``
            asks for them.
        verdict: verdict of the matches; None: any.
        leads: only copies and partial copies that no licence covers.
        profile: name of the profile, in any version.
        chars: bounds of the copied characters; see :func:`analysis.queries.comparisons.comparisons`.
        coverage: bounds of the copied share of the page, 0 to 1.
        since, until: period in which the matches were first seen; ``until`` is exclusive.
        scan: id of the scan that first saw the matches.
        disguise: only matches with this disguise; empty: all.
        order: the gravest verdict first, then the most copied characters; or by first sight; or by a column.
    """

    work: int | None = None
    site: str = ""
    host: str = ""
    holder: str = ""
    review: Review | None = None
    verdict: Verdict | None = None
    leads: bool = False
    profile: str = ""
    chars: Comparisons = ()
    coverage: Comparisons = ()
    since: datetime | None = None
    until: datetime | None = None
    scan: str = ""
    disguise: Disguise | Literal[""] = ""
    order: Order = "gravest"


def list_matches(
    identity: Identity,
    stores: Stores,
    query: MatchQuery = MatchQuery(),
    *,
    cursor: str = "",
    limit: int = DEFAULT_LIMIT,
) -> Listing[Match]:
    """Return counted matches.

    Raises:
        NotPermitted, BadCursor, BadLimit: the request is not allowed.
        UnknownId: there is no such work, or the user may not see it.
        UnknownRecord: there is no such scan.
    """
    identity.require("matches:read")
    if query.work is not None:
        visible_work(identity, stores, query.work)
    match_filter = _filter(identity, stores, query)
    runs, request = match_filter.runs(), Request(f"matches {match_filter} {query.host}", cursor, limit)
    batch = stores.lists.matches(runs, after=request.place(runs), limit=limit)
    return request.listing(_shown_of(identity, stores, query, batch.records), batch.end)


def every_match(
    identity: Identity, stores: Stores, query: MatchQuery, *, limit: int | None = None
) -> Iterator[Match]:
    """Yield all matches that :func:`list_matches` returns in pages.

    Many are read at once, because the server may read all matching records for each page.

    Args:
        identity: the user or program that asks.
        stores: the database.
        query: filters of the matches.
        limit: maximum number; None: all.

    Raises:
        NotPermitted, UnknownId, UnknownRecord: see :func:`list_matches`.
    """
    identity.require("matches:read")
    if query.work is not None:
        visible_work(identity, stores, query.work)
    runs, position = _filter(identity, stores, query).runs(), None
    while limit is None or limit > 0:
        at_once = min(limit or _AT_ONCE, _AT_ONCE)
        batch = stores.lists.matches(runs, after=position, limit=at_once)
        matches = list(islice(_shown_of(identity, stores, query, batch.records), limit))
        yield from matches
        limit = None if limit is None else limit - len(matches)
        if (position := batch.end) is None:
            return


def _shown_of(
    identity: Identity, stores: Stores, query: MatchQuery, matches: Iterable[Match]
) -> Iterator[Match]:
    """Yield the matches that the user may see and that are on the requested host."""
    for match in only_visible(identity, stores, matches, lambda match: match.work_id):
        if not query.host or host_of(match.url) == query.host:
            yield shown_match(identity, match)


def _filter(identity: Identity, stores: Stores, query: MatchQuery) -> MatchFilter:
    since, until = query.since, query.until
    if query.scan:
        identity.require("scans:read")
        scan = stores.scans.get(query.scan)
        end = (
            scan.finished + _MOMENT if scan.finished else None
        )  # includes matches that were seen at its last moment
        since = max(filter(None, (since, scan.started)))
        until = min(filter(None, (until, end)), default=None)
    verdicts = (query.verdict,) if query.verdict else LEADS if query.leads else VERDICTS
    reviews: tuple[ReviewState, ...] = ()
    if query.review == "open":
        reviews = ("",)
        if query.verdict is None:
            verdicts = tuple(verdict for verdict in verdicts if verdict in UNDECIDED)
    elif query.review is not None:
        reviews = (query.review,)
    return MatchFilter(
        owners=owners_of(identity, query.holder),
        work_id=query.work,
        site=site_of_host(site_name(query.site)) if query.site else None,
        reviews=reviews,
        verdicts=verdicts,
        profile=query.profile,
        chars=query.chars,
        coverage=query.coverage,
        since=since,
        until=until,
        disguise=query.disguise,
        order=query.order,
    )


def get_match(identity: Identity, stores: Stores, name: str) -> Match:
    """Return a match by its short name (``m12``) or its id; on the command line also by the start of its id.

    Raises:
        NotPermitted: the user may not read matches.
        UnknownId: it does not exist, or the user may not see it.
        AmbiguousId: several ids have this start.
    """
    identity.require("matches:read")
    match = stores.matches.get(name) if identity.is_local else stores.matches.find(name)
    if match is None:
        raise UnknownId(kind="match", name=name)
    require_visible(identity, stores, match.work_id, kind="match", name=name)
    return shown_match(identity, match)


def with_presences(
    identity: Identity, stores: Stores, matches: Iterable[Match]
) -> Iterator[tuple[Match, Presence | None]]:
    """Yield (match, presence of its text) for matches, in batches; None: no crawl has checked the text.

    Raises:
        NotPermitted: the user may not read matches.
    """
    from tracker.judgement.cases import presences_of  # noqa: PLC0415 - it loads NumPy, which lists of cases do not need

    identity.require("matches:read")
    for batch in batched(matches, _BATCH):
        presences = presences_of(batch, stores)
        yield from ((match, presences.get(match.page_id)) for match in batch)


def shown_match(identity: Identity, match: Match) -> Match:
    """Return a match; for rights holders without the notes and the names of analysts."""
    if identity.sees_everything:
        return match
    return replace(
        match,
        because="",
        decided=tuple(replace(decision, because="", by="") for decision in match.decided),
        suppressed=tuple(replace(decision, because="") for decision in match.suppressed),
    )


@dataclass(frozen=True, slots=True)
class MatchTexts:
    """The texts of a match; None for a text that is no longer stored, so that offsets have no meaning."""

    page: Page | None
    passage: Passage | None


def get_texts(identity: Identity, stores: Stores, match: Match) -> MatchTexts:
    """Return the page and the passage of a match from :func:`get_match`.

    Raises:
        NotPermitted, UnknownId: see :func:`get_match`.
    """
    identity.require("matches:read")
    require_visible(identity, stores, match.work_id, kind="match", name=match.name)
    passages = stores.passages.get_many([match.passage_id])
    page = stores.pages.get(match.page_id)
    if page is not None and not identity.sees_everything:
        page = narrowed_page(page, [match])
    return MatchTexts(page, passages.get(match.passage_id))


def matches_of_page(identity: Identity, stores: Stores, page_id: str) -> list[Match]:
    """Return the matches of a page that the user may see, the most copied first.

    Raises:
        NotPermitted: the user may not read matches.
    """
    identity.require("matches:read")
    visible = only_visible(identity, stores, stores.matches.of_page(page_id), lambda match: match.work_id)
    return [shown_match(identity, match) for match in visible]


def decisions_on(identity: Identity, stores: Stores, match: Match) -> list[Decision]:
    """Return the decisions about the stretches of a match.

    Raises:
        NotPermitted: the user may not read decisions.
    """
    identity.require("matches:decide")
    ids = {decided.decision_id for decided in match.decided}
    return [decision for decision in stores.decisions.on_passages([match.passage_id]) if decision.id in ids]


def get_decision(identity: Identity, stores: Stores, decision_id: str) -> Decision:
    """Return a decision by its id.

    Raises:
        NotPermitted: the user may not read decisions.
        UnknownId: there is no such decision.
    """
    identity.require("matches:decide")
    return stores.decisions.get(decision_id)
