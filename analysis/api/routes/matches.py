"""``/matches`` and ``/dismissals``."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from analysis.actions import review as actions
from analysis.api.models.common import Part, part
from analysis.api.models.matches import DismissalAnswer, MatchAnswer, MatchWithSpans
from analysis.api.routes.common import (
    MAX_ID,
    Bounds,
    Cursor,
    Limit,
    Name,
    Since,
    Text,
    Until,
    WorkId,
    example,
)
from analysis.api.services import ApiServices, CallerIdentity
from analysis.queries import matches, review
from analysis.queries.comparisons import comparisons
from analysis.queries.listing import DEFAULT_LIMIT
from fingerprint.text.disguises import Disguise
from storage.collections.filters import MatchOrder
from storage.records import DecisionState, Verdict

router = APIRouter(tags=["matches"])


_Offset = Annotated[int, Field(ge=0, le=MAX_ID)]


class Decision(BaseModel):
    """A decision about a match. A dismissal needs a reason, and a doubtful match needs a note.

    With `seen`, the `version` that the caller saw, the request is refused if the match changed since then.
    With `stretches` of its passage, as in `spans`, the decision is only about these stretches.
    """

    model_config = example({"state": "dismissed", "because": "a quotation with its author named"})

    state: DecisionState
    reason: str = Field(default="", alias="because", max_length=5_000)
    expected_version: str = Field(default="", alias="seen", max_length=100)
    stretches: list[tuple[_Offset, _Offset]] | None = Field(default=None, min_length=1, max_length=1_000)


@router.get("/matches")
def list_matches(
    identity: CallerIdentity,
    services: ApiServices,
    *,
    work: WorkId = None,
    site: Text = "",
    holder: Text = "",
    review: matches.Review | None = None,
    verdict: Verdict | None = None,
    profile: Annotated[str, Query(max_length=100)] = "",
    chars: Bounds = "",
    coverage: Bounds = "",
    since: Since = None,
    until: Until = None,
    scan: Text = "",
    disguise: Disguise | None = None,
    order: MatchOrder = "gravest",
    cursor: Cursor = "",
    limit: Limit = DEFAULT_LIMIT,
) -> Part[MatchAnswer]:
    """List counted matches, sorted by gravity and then by copied characters; or by another `order`.

    `-` before the name of a column sorts in descending order.
    """
    query = matches.MatchQuery(
        work=work,
        site=site,
        holder=holder,
        review=review,
        verdict=verdict,
        profile=profile,
        chars=comparisons(chars),
        coverage=comparisons(coverage, is_share=True),
        since=since,
        until=until,
        scan=scan,
        disguise=disguise or "",
        order=order,
    )
    listing = matches.list_matches(identity, services.stores, query, cursor=cursor, limit=limit)
    return part(listing, [MatchAnswer.of(match) for match in listing.items])


@router.get("/matches/{name}")
def get_match(identity: CallerIdentity, services: ApiServices, name: Name) -> MatchWithSpans:
    """Show a match with its stretches and the decisions about them."""
    return MatchWithSpans.of(matches.get_match(identity, services.stores, name))


@router.put("/matches/{name}/decision")
def decide(identity: CallerIdentity, services: ApiServices, name: Name, decision: Decision) -> MatchAnswer:
    """Decide that a match is an infringement, that it is none, or that it is doubtful."""
    match, _ = actions.decide_match(
        identity,
        services.runtime,
        name,
        state=decision.state,
        reason=decision.reason,
        expected_version=decision.expected_version,
        marked=decision.stretches,
    )
    return MatchAnswer.of(match)


@router.delete("/matches/{name}/decision")
def reopen(
    identity: CallerIdentity,
    services: ApiServices,
    name: Name,
    reason: Annotated[str, Query(alias="because", max_length=500)] = "",
    expected_version: Annotated[str, Query(alias="seen", max_length=500)] = "",
) -> MatchAnswer:
    """Withdraw the decisions about a match. They stay in its history."""
    return MatchAnswer.of(
        actions.reopen_match(
            identity, services.runtime, name, reason=reason, expected_version=expected_version
        )
    )


@router.get("/dismissals")
def list_dismissals(
    identity: CallerIdentity,
    services: ApiServices,
    reason: Annotated[
        str, Query(alias="because", max_length=5_000, description="only for this reason; empty: all")
    ] = "",
    cursor: Cursor = "",
    limit: Limit = DEFAULT_LIMIT,
) -> Part[DismissalAnswer]:
    """List dismissals with the matches that they affect, the newest first."""
    listing = review.list_dismissals(identity, services.stores, reason=reason, cursor=cursor, limit=limit)
    return part(listing, [DismissalAnswer.of(dismissal) for dismissal in listing.items])


@router.delete("/dismissals/{name}", status_code=HTTPStatus.NO_CONTENT)
def take_back_dismissal(identity: CallerIdentity, services: ApiServices, name: Name) -> None:
    """Withdraw a dismissal, so that its stretch counts again in every match on the site."""
    actions.take_back_dismissal(identity, services.runtime, name)
