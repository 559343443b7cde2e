"""``/works`` and ``/passages``."""

from typing import Annotated

from fastapi import APIRouter, Query

from analysis.api.models.common import Part, part
from analysis.api.models.works import PassageAnswer, PassageHeadAnswer, Passages, WorkAnswer
from analysis.api.routes.common import Cursor, Id, Limit, Text
from analysis.api.services import Asker, Given
from analysis.queries import works
from analysis.queries.listing import DEFAULT_LIMIT
from storage.records import WorkRole, WorkStatus

router = APIRouter(tags=["works"])


@router.get("/works")
def list_works(
    who: Asker,
    services: Given,
    *,
    title: Text = "",
    holder: Text = "",
    status: WorkStatus | None = None,
    role: WorkRole | None = None,
    cursor: Cursor = "",
    limit: Limit = DEFAULT_LIMIT,
) -> Part[WorkAnswer]:
    """List works by title; `title` is how it begins, in either script."""
    wanted = works.WorksWanted(title=title, holder=holder, status=status, role=role)
    listing = works.list_works(who, services.stores, wanted, cursor=cursor, limit=limit)
    return part(listing, [WorkAnswer.of(work) for work in listing.items])


@router.get("/works/{work_id}")
def get_work(who: Asker, services: Given, work_id: Id) -> WorkAnswer:
    """Show a work."""
    return WorkAnswer.of(works.get_work(who, services.stores, work_id))


@router.get("/works/{work_id}/passages")
def list_passages(
    who: Asker,
    services: Given,
    work_id: Id,
    *,
    first: Annotated[int, Query(ge=0, le=10_000_000, description="number of the first, from 0")] = 0,
    limit: Limit = DEFAULT_LIMIT,
) -> Passages:
    """List the passages of a work in reading order, without their texts."""
    heads, total = works.list_passages(who, services.stores, work_id, first=first, limit=limit)
    return Passages(items=[PassageHeadAnswer.model_validate(head) for head in heads], total=total)


@router.get("/passages/{passage_id}")
def get_passage(who: Asker, services: Given, passage_id: Id) -> PassageAnswer:
    """Show a passage with its text."""
    return PassageAnswer.model_validate(works.get_passage(who, services.stores, passage_id))
