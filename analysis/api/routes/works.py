"""``/works`` and ``/passages``."""

import hashlib
import shutil
import tempfile
from datetime import date
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Query, Request, Response, UploadFile
from fastapi import Path as PathParameter
from pydantic import BaseModel, Field

from analysis.actions import licences as licensing
from analysis.actions import loads as load_actions
from analysis.actions import regrouping
from analysis.actions import works as actions
from analysis.actions.loading import Answer, add_file
from analysis.api.models.common import Part, part
from analysis.api.models.works import (
    LoadAnswer,
    Loaded,
    LoadedWork,
    Loads,
    PassageAnswer,
    PassageHeadAnswer,
    Passages,
    RemovedWorks,
    Unjudged,
    WorkAnswer,
)
from analysis.api.once import Idempotency
from analysis.api.problems import language_of
from analysis.api.routes.common import MAX_ID, Cursor, Id, Limit, Text, example
from analysis.api.services import ApiServices, CallerIdentity
from analysis.queries import loads, works
from analysis.queries.listing import DEFAULT_LIMIT
from analysis.reading.work_files import safe_name
from analysis.words.licence_terms import new_licence
from storage.collections.filters import WorkOrder
from storage.records import WorkRole, WorkStatus
from system.errors import PindnaError
from tracker.corpus.numbers import parse_numbers

router = APIRouter(tags=["works"])
LoadName = Annotated[str, PathParameter(max_length=100, description="`id` of the load, or `last`")]
Site = Annotated[str, PathParameter(max_length=500, description="as the work's licence names it")]
_Line = Annotated[str, Field(max_length=2_000)]


class _Sent(BaseModel):
    """A file with its parameters as the body that belongs to an idempotency key."""

    name: str
    sha256: str
    holder: str
    role: WorkRole | None
    as_one: bool
    separate: bool
    edition_of: int | None
    no_edition: bool
    keys: list[str]


class ConflictingEdition(PindnaError):
    """A request contains both ``edition_of`` and ``no_edition``."""

    code = "edition-and-none"
    template = "Send either edition_of or no_edition, not both."


class OneAndSeparate(PindnaError):
    """A request contains both ``as_one`` and ``separate``."""

    code = "one-and-separate"
    template = "Send either as_one or separate, not both."


class UnknownKeys(PindnaError):
    """A request contains ``key``, but neither ``edition_of`` nor ``no_edition``."""

    code = "keys-of-no-answer"
    template = "If you send key, also send edition_of or no_edition."


class WorkChange(BaseModel):
    """Fields to change in a work. An empty author, holder or day of first publication means unknown."""

    model_config = example(
        {"title": "青灯渡", "holder": "青灯文化", "published": "2021-03-09"}, is_closed=True
    )

    title: _Line | None = None
    author: _Line | None = None
    holder: _Line | None = None
    published: date | Literal[""] | None = None
    role: WorkRole | None = None


class Merging(BaseModel):
    """Works to merge into another work, in this order. An empty title keeps the title of that work."""

    model_config = example({"works": [17, 18], "title": "青灯渡全集"}, is_closed=True)

    works: Annotated[list[Annotated[int, Field(ge=1, le=MAX_ID)]], Field(min_length=1, max_length=100)]
    title: _Line = ""


class Splitting(BaseModel):
    """Passages that become a new work, by number from 1: `1-20` or `3,5,8-10`."""

    model_config = example({"title": "青灯渡续集", "passages": "21-40"}, is_closed=True)

    title: _Line
    passages: Annotated[str, Field(max_length=500)]


class EditionOf(BaseModel):
    """Another edition of the same book; null: the work is a separate book."""

    model_config = example({"of": 16}, is_closed=True)

    of: Annotated[int, Field(ge=1, le=MAX_ID)] | None


class NewLicence(BaseModel):
    """A site's permission to publish a work, with its terms; days are those of `tracker.timezone`."""

    model_config = example(
        {"site": "reader.example", "last": "2027-12-31", "attribution": True}, is_closed=True
    )

    site: str = Field(min_length=1, max_length=500, description="a host, or a pattern as `*.reader.example`")
    first: date | None = Field(default=None, description="first day; null: without beginning")
    last: date | None = Field(default=None, description="last day; null: without end")
    attribution: bool = Field(default=False, description="pages must name title, author or holder")
    share: float | None = Field(
        default=None, gt=0, le=1, description="largest share of a passage on a page; null: all of it"
    )
    replace: bool = Field(default=False, description="earlier licences of the site end")


@router.get("/works")
def list_works(
    identity: CallerIdentity,
    services: ApiServices,
    *,
    title: Text = "",
    holder: Text = "",
    status: WorkStatus | None = None,
    role: WorkRole | None = None,
    order: WorkOrder = "title",
    cursor: Cursor = "",
    limit: Limit = DEFAULT_LIMIT,
) -> Part[WorkAnswer]:
    """List works sorted by title, or by `chars`; `-` before it sorts in descending order.

    `title` filters by the start of the title, in either script.
    """
    query = works.WorkQuery(title=title, holder=holder, status=status, role=role, order=order)
    listing = works.list_works(identity, services.stores, query, cursor=cursor, limit=limit)
    return part(listing, [WorkAnswer.of(work) for work in listing.items])


@router.post("/works", response_model=Loaded)
def load_works(
    request: Request,
    identity: CallerIdentity,
    services: ApiServices,
    once: Idempotency,
    file: UploadFile,
    *,
    name: Annotated[str, Query(max_length=200, description="with the ending; default: the file's")] = "",
    holder: Text = "",
    role: WorkRole | None = None,
    as_one: Annotated[bool, Query(description="all files of an archive are one work")] = False,
    separate: Annotated[bool, Query(description="each file of an archive is a work")] = False,
    edition_of: Annotated[
        int | None, Query(ge=1, le=MAX_ID, description="new works with its text are editions of that one")
    ] = None,
    no_edition: Annotated[
        bool, Query(description="load new works even if another work has their text already")
    ] = False,
    key: Annotated[
        list[_Line] | None,
        Query(max_length=1_000, description="`key` of what was `alike`: these works alone, like it or not"),
    ] = None,
) -> Response:
    """Load the works of a file or an archive, as `pindna corpus add` does, and have them indexed.

    If a work with the same title or address exists, its new passages are added to it. Without `role` new
    works are `protected`. If another work already has the text of a new work, this is not loaded, but
    reported as `alike` with the id of the other work. Then send the request again with this id as
    `edition_of`, or with `no_edition`. Works with the text of another book than `edition_of` stay `alike`.
    With `key`, only these works of the file are loaded and reported. If files are numbered and nothing shows
    whether they are chapters, each becomes a work, and a `remark` says so.
    """
    identity.require("works:write")
    if as_one and separate:
        raise OneAndSeparate
    answer = _answer(edition_of, key, no_edition=no_edition)
    with tempfile.TemporaryDirectory(prefix="pindna-") as folder:
        path = Path(folder) / safe_name(name or file.filename or "text.txt")
        with path.open("wb") as copy:
            shutil.copyfileobj(file.file, copy)
        with path.open("rb") as sent:
            digest = hashlib.file_digest(sent, "sha256").hexdigest()

        def act() -> Loaded:
            results = add_file(
                identity,
                services.runtime,
                path,
                holder=holder,
                role=role,
                as_one=as_one,
                separate=separate,
                answer=answer,
            )
            texts = language_of(request)
            return Loaded(items=[LoadedWork.of(result, texts) for result in results])

        what = _Sent(
            name=path.name,
            sha256=digest,
            holder=holder,
            role=role,
            as_one=as_one,
            separate=separate,
            edition_of=edition_of,
            no_edition=no_edition,
            keys=sorted(key or ()),
        )
        return once.answer(what, act, status=HTTPStatus.OK)


def _answer(edition_of: int | None, keys: list[str] | None, *, no_edition: bool) -> Answer | None:
    """Return the caller's decision about works with the text of other works; None: no decision."""
    if edition_of is not None and no_edition:
        raise ConflictingEdition
    if edition_of is None and not no_edition:
        if keys:
            raise UnknownKeys
        return None
    return Answer(edition_of=edition_of, keys=frozenset(keys) if keys else None)


@router.get("/works/loads")
def list_loads(identity: CallerIdentity, services: ApiServices, *, limit: Limit = 20) -> Loads:
    """List the last loads: the new works of one upload or one `pindna corpus add`, newest first."""
    return Loads(
        items=[LoadAnswer.of(load) for load in loads.list_loads(identity, services.stores, limit=limit)]
    )


@router.delete("/works/loads/{load}")
def undo_load(identity: CallerIdentity, services: ApiServices, load: LoadName) -> RemovedWorks:
    """Remove the new works of a load; `last` is the last one. They can be restored for some days.

    A work that contains texts of other loads stays, and changes of older works stay.
    """
    removed = load_actions.undo_load(identity, services.runtime, load)
    return RemovedWorks(items=[WorkAnswer.of(work) for work in removed])


@router.get("/works/{work_id}")
def get_work(identity: CallerIdentity, services: ApiServices, work_id: Id) -> WorkAnswer:
    """Show a work."""
    return WorkAnswer.of(works.get_work(identity, services.stores, work_id))


@router.patch("/works/{work_id}")
def change_work(
    identity: CallerIdentity, services: ApiServices, work_id: Id, change: WorkChange
) -> WorkAnswer:
    """Change fields of a work. Fields that the body does not contain stay unchanged."""
    return WorkAnswer.of(actions.describe_work(identity, services.runtime, work_id, **change.model_dump()))


@router.delete("/works/{work_id}")
def remove_work(identity: CallerIdentity, services: ApiServices, work_id: Id) -> WorkAnswer:
    """Remove a work with its matches and cases. It can be restored for some days."""
    return WorkAnswer.of(actions.remove(identity, services.runtime, work_id))


@router.post("/works/{work_id}/restoration")
def restore_work(identity: CallerIdentity, services: ApiServices, work_id: Id) -> WorkAnswer:
    """Restore a removed work with its records, and have it indexed."""
    return WorkAnswer.of(actions.restore(identity, services.runtime, work_id))


@router.post("/works/{work_id}/merging", response_model=WorkAnswer)
def merge_works(
    identity: CallerIdentity, services: ApiServices, work_id: Id, once: Idempotency, body: Merging
) -> Response:
    """Merge other works into a work, after its passages. The other works are deleted; their matches move."""
    identity.require("works:write")

    def act() -> WorkAnswer:
        ids = [work_id, *body.works]
        return WorkAnswer.of(regrouping.merge(identity, services.runtime, ids, title=body.title))

    return once.answer(body, act, status=HTTPStatus.OK)


@router.post("/works/{work_id}/splitting", status_code=HTTPStatus.CREATED, response_model=WorkAnswer)
def split_work(
    identity: CallerIdentity, services: ApiServices, work_id: Id, once: Idempotency, body: Splitting
) -> Response:
    """Move passages of a work with their matches to a new work, and return the new work."""
    identity.require("works:write")

    def act() -> WorkAnswer:
        numbers = parse_numbers(body.passages)
        new = regrouping.split(identity, services.runtime, work_id, title=body.title, numbers=numbers)
        return WorkAnswer.of(new)

    return once.answer(body, act)


@router.put("/works/{work_id}/edition")
def set_edition(identity: CallerIdentity, services: ApiServices, work_id: Id, body: EditionOf) -> WorkAnswer:
    """Make a work an edition of another work's book, or a separate book."""
    return WorkAnswer.of(regrouping.set_edition(identity, services.runtime, work_id, of=body.of))


@router.post("/works/{work_id}/licences", status_code=HTTPStatus.CREATED, response_model=WorkAnswer)
def grant_licence(
    identity: CallerIdentity, services: ApiServices, work_id: Id, once: Idempotency, body: NewLicence
) -> Response:
    """Grant a site a licence for a work. Its stored matches on that site are judged again at once."""
    identity.require("works:write")

    def act() -> WorkAnswer:
        zone = ZoneInfo(services.runtime.settings.tracker.timezone)
        licence = new_licence(
            body.site,
            zone,
            first=body.first,
            last=body.last,
            attribution=body.attribution,
            share=body.share,
        )
        work = licensing.grant_licence(identity, services.runtime, work_id, licence, replace=body.replace)
        return WorkAnswer.of(work)

    return once.answer(body, act)


@router.delete("/works/{work_id}/licences/{site}")
def revoke_licence(identity: CallerIdentity, services: ApiServices, work_id: Id, site: Site) -> WorkAnswer:
    """Revoke the licences of a site for a work. Its stored matches there are judged again at once."""
    return WorkAnswer.of(licensing.revoke_licence(identity, services.runtime, work_id, site))


@router.get("/works/{work_id}/unjudged")
def unjudged_pages(identity: CallerIdentity, services: ApiServices, work_id: Id) -> Unjudged:
    """Count the pages that still wait for a verdict after a change of the work's licences."""
    return Unjudged(pages=works.unjudged_pages(identity, services.stores, work_id))


@router.get("/works/{work_id}/passages")
def list_passages(
    identity: CallerIdentity,
    services: ApiServices,
    work_id: Id,
    *,
    first: Annotated[int, Query(ge=0, le=10_000_000, description="number of the first, from 0")] = 0,
    limit: Limit = DEFAULT_LIMIT,
) -> Passages:
    """List the passages of a work in reading order, without their texts."""
    heads, total = works.list_passages(identity, services.stores, work_id, first=first, limit=limit)
    return Passages(items=[PassageHeadAnswer.model_validate(head) for head in heads], total=total)


@router.get("/passages/{passage_id}")
def get_passage(identity: CallerIdentity, services: ApiServices, passage_id: Id) -> PassageAnswer:
    """Show a passage with its text."""
    return PassageAnswer.model_validate(works.get_passage(identity, services.stores, passage_id))
