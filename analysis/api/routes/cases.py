"""``/cases``."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, BaseModel, Field

from analysis.actions import cases as actions
from analysis.api.models.cases import CaseAnswer, EventAnswer
from analysis.api.models.common import Part, part
from analysis.api.routes.common import (
    MAX_ID,
    Bounds,
    Cursor,
    Limit,
    Name,
    Reason,
    Since,
    Text,
    Until,
    WorkId,
    example,
)
from analysis.api.services import ApiServices, CallerIdentity, Services
from analysis.queries import cases
from analysis.queries.comparisons import comparisons
from analysis.queries.listing import DEFAULT_LIMIT
from storage.collections.filters import Order
from storage.records import Case, CaseState, Verdict

router = APIRouter(tags=["cases"])
_Words = Annotated[str, Field(max_length=20_000)]
ExpectedVersion = Annotated[
    int | None, Field(alias="seen", ge=0, le=MAX_ID, description="`version` of the case that was looked at")
]


class Move(BaseModel):
    """The new state of a case, and the reason.

    `confirmed` and `dismissed` decide about all its open matches. `notified` records that a notice was sent
    without pindna. `accepted`, `refused` and `unanswered` record the reply of the site. `removed`,
    `partly_removed`, `still_up` and `back` record what a person saw of the copies. `reopened` ends `closed`.
    With `seen`, the `version` that the caller saw, the request is refused if the case changed since then.
    """

    model_config = example({"to": "closed", "because": "settled", "seen": 3})

    to: Literal[CaseState, "reopened"]
    reason: Reason = ""
    expected_version: ExpectedVersion = None


class Note(BaseModel):
    """A note for the history of a case."""

    model_config = example({"text": "the site was written to"})

    text: _Words


class Assignee(BaseModel):
    """The assignee of a case; empty: no assignee."""

    model_config = example({"to": "li", "seen": 3})

    to: Annotated[str, Field(max_length=200)]
    reason: Reason = ""
    expected_version: ExpectedVersion = None


class Deadline(BaseModel):
    """The deadline of a case; null: the deadline follows from the settings."""

    model_config = example({"deadline": "2027-01-01T00:00:00+08:00"})

    deadline: AwareDatetime | None
    reason: Reason = ""
    expected_version: ExpectedVersion = None


@router.get("/cases")
def list_cases(
    identity: CallerIdentity,
    services: ApiServices,
    *,
    work: WorkId = None,
    site: Text = "",
    holder: Text = "",
    state: CaseState | None = None,
    verdict: Verdict | None = None,
    assignee: Annotated[
        str | None, Query(max_length=200, description="empty: cases without an assignee")
    ] = None,
    overdue: bool = False,
    chars: Bounds = "",
    pages: Bounds = "",
    page_share: Bounds = "",
    work_share: Bounds = "",
    since: Since = None,
    until: Until = None,
    order: Order = "gravest",
    cursor: Cursor = "",
    limit: Limit = DEFAULT_LIMIT,
) -> Part[CaseAnswer]:
    """List cases, without closed ones unless `state` requests them. Overdue cases are sorted by state."""
    query = cases.CaseQuery(
        work=work,
        site=site,
        holder=holder,
        state=state,
        verdict=verdict,
        assignee=assignee,
        overdue=overdue,
        chars=comparisons(chars),
        pages=comparisons(pages),
        page_share=comparisons(page_share, is_share=True),
        work_share=comparisons(work_share, is_share=True),
        since=since,
        until=until,
        order=order,
    )
    rules = services.runtime.settings.analysis
    listing = cases.list_cases(identity, services.stores, rules, query, cursor=cursor, limit=limit)
    return part(listing, [CaseAnswer.of(view) for view in listing.items])


@router.get("/cases/{name}")
def get_case(identity: CallerIdentity, services: ApiServices, name: Name) -> CaseAnswer:
    """Show a case."""
    rules = services.runtime.settings.analysis
    return CaseAnswer.of(cases.view_case(identity, services.stores, rules, name))


@router.get("/cases/{name}/events")
def case_history(
    identity: CallerIdentity,
    services: ApiServices,
    name: Name,
    cursor: Cursor = "",
    limit: Limit = DEFAULT_LIMIT,
) -> Part[EventAnswer]:
    """List the events of a case, the newest first."""
    listing = cases.case_history(identity, services.stores, name, cursor=cursor, limit=limit)
    return part(listing, [EventAnswer.model_validate(event) for event in listing.items])


@router.post("/cases/{name}/moves")
def move_case(identity: CallerIdentity, services: ApiServices, name: Name, move: Move) -> CaseAnswer:
    """Move a case to another state."""
    runtime, reason, expected_version = services.runtime, move.reason, move.expected_version
    if move.to == "reopened":
        case = actions.reopen(identity, runtime, name, reason=reason, expected_version=expected_version)
    else:
        case = actions.move(
            identity, runtime, name, to=move.to, reason=reason, expected_version=expected_version
        )
    return _answer(identity, services, case)


@router.post("/cases/{name}/notes")
def note(identity: CallerIdentity, services: ApiServices, name: Name, words: Note) -> CaseAnswer:
    """Add a note to the history of a case. Rights holders do not see it."""
    return _answer(identity, services, actions.note(identity, services.runtime, name, text=words.text))


@router.put("/cases/{name}/assignee")
def assign(identity: CallerIdentity, services: ApiServices, name: Name, person: Assignee) -> CaseAnswer:
    """Assign a case to a user."""
    case = actions.assign(
        identity,
        services.runtime,
        name,
        to=person.to,
        reason=person.reason,
        expected_version=person.expected_version,
    )
    return _answer(identity, services, case)


@router.put("/cases/{name}/deadline")
def set_deadline(identity: CallerIdentity, services: ApiServices, name: Name, until: Deadline) -> CaseAnswer:
    """Set the deadline of a case."""
    case = actions.set_deadline(
        identity,
        services.runtime,
        name,
        deadline=until.deadline,
        reason=until.reason,
        expected_version=until.expected_version,
    )
    return _answer(identity, services, case)


def _answer(identity: CallerIdentity, services: Services, case: Case) -> CaseAnswer:
    rules = services.runtime.settings.analysis
    return CaseAnswer.of(cases.view_case(identity, services.stores, rules, case.name))
