"""Works and their passages."""

from dataclasses import dataclass, replace

from analysis.accounts.permissions import Identity
from analysis.queries.listing import DEFAULT_LIMIT, MAX_LIMIT, BadLimit, Listing, Request
from analysis.queries.scope import only_visible, owners_of, visible_work
from storage.collections.filters import WorkFilter, WorkOrder
from storage.collections.stores import Stores
from storage.records import FREE, Passage, PassageHead, Work, WorkRole, WorkStatus
from system.errors import UnknownId
from system.names import name_key
from tracker.corpus.naming import find_work
from tracker.corpus.roles import find_owned


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkQuery:
    """Filters of a list of works.

    Attributes:
        title: start of the title, in simplified or traditional characters.
        holder: rights holder; empty: all that the user may see.
        status: status of the works; None: all except removed works.
        role: role of the works; None: any.
        order: by title, or by the number of characters; "-" before the column: descending.
    """

    title: str = ""
    holder: str = ""
    status: WorkStatus | None = None
    role: WorkRole | None = None
    order: WorkOrder = "title"


def list_works(
    identity: Identity,
    stores: Stores,
    query: WorkQuery = WorkQuery(),
    *,
    cursor: str = "",
    limit: int = DEFAULT_LIMIT,
) -> Listing[Work]:
    """Return works.

    Raises:
        NotPermitted, BadCursor, BadLimit: the request is not allowed.
    """
    identity.require("works:read")
    statuses: tuple[WorkStatus, ...] = (query.status,) if query.status else ()
    work_filter = WorkFilter(
        owners=owners_of(identity, query.holder),
        prefix=name_key(query.title),
        statuses=statuses,
        role=query.role,
        order=query.order,
    )
    runs, request = work_filter.runs(), Request(f"works {work_filter}", cursor, limit)
    batch = stores.lists.works(runs, after=request.place(runs), limit=limit)
    visible = (work for work in batch.records if identity.may_see(work.holder or ""))
    return request.listing((_shown(identity, work) for work in visible), batch.end)


def every_work(identity: Identity, stores: Stores, *, role: WorkRole | None = None) -> list[Work]:
    """Return all works sorted by id, or only works of one role. Thousands of works fit in memory.

    Raises:
        NotPermitted: the user may not read works.
    """
    identity.require("works:read")
    return [
        _shown(identity, work)
        for work in stores.works.iter_all()
        if role in {None, work.role} and identity.may_see(work.holder or "")
    ]


def licensed_works(identity: Identity, stores: Stores) -> list[Work]:
    """Return the works for which a site has a licence, sorted by id.

    Raises:
        NotPermitted: the user may not read works.
    """
    identity.require("works:read")
    return [_shown(identity, work) for work in stores.works.licensed() if identity.may_see(work.holder or "")]


def work_called(identity: Identity, stores: Stores, name: str) -> Work:
    """Return a work by its title, address or ``id:3``.

    Raises:
        NotPermitted: the user may not read works.
        UnknownId: it does not exist, or the user may not see it.
        UnknownRecord, BareNumber, WasRemoved, AmbiguousTitle: no work, or several works, have that name.
    """
    identity.require("works:read")
    return get_work(identity, stores, find_work(name, stores).id)


def owned_work_called(identity: Identity, stores: Stores, name: str) -> Work:
    """Return an owned work. For arguments and errors see :func:`work_called`.

    Raises:
        BackgroundText: it is background text.
    """
    identity.require("works:read")
    return get_work(identity, stores, find_owned(name, stores).id)


def passages_of(identity: Identity, stores: Stores, work: Work) -> list[Passage]:
    """Return the passages of a work in reading order, with their texts.

    Raises:
        NotPermitted, UnknownId: see :func:`get_work`.
    """
    ids = get_work(identity, stores, work.id).passage_ids
    return sorted(stores.passages.get_many(ids).values(), key=lambda passage: passage.ordinal)


def get_work(identity: Identity, stores: Stores, work_id: int) -> Work:
    """Return a work.

    Raises:
        NotPermitted: the user may not read works.
        UnknownId: it does not exist, or the user may not see it.
    """
    identity.require("works:read")
    return _shown(identity, visible_work(identity, stores, work_id))


def unjudged_pages(identity: Identity, stores: Stores, work_id: int) -> int:
    """Return how many pages with matches of a work wait for a verdict after a change of its licences.

    Raises:
        NotPermitted, UnknownId: see :func:`get_work`.
    """
    from tracker.scans.rejudging import count_unjudged  # noqa: PLC0415 - imports NumPy, which lists need not

    return count_unjudged(get_work(identity, stores, work_id).book_id, stores)


def get_passage(identity: Identity, stores: Stores, passage_id: int) -> Passage:
    """Return a passage with its text.

    Raises:
        NotPermitted: the user may not read works.
        UnknownId: it does not exist, or the user may not see it.
    """
    identity.require("works:read")
    passage = stores.passages.get_many([passage_id]).get(passage_id)
    if passage is None:
        raise UnknownId(kind="passage", name=str(passage_id))
    visible_work(identity, stores, passage.work_id, kind="passage", name=str(passage_id))
    return passage


def list_passages(
    identity: Identity, stores: Stores, work_id: int, *, first: int = 0, limit: int = DEFAULT_LIMIT
) -> tuple[list[PassageHead], int]:
    """Return passages of a work in reading order without their texts, and the number of all its passages.

    Args:
        identity: the user or program that asks.
        stores: the database.
        work_id: the work.
        first: number of the first passage to return, from 0.
        limit: maximum number.

    Raises:
        NotPermitted, UnknownId, BadLimit: see :func:`get_work`.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise BadLimit(most=MAX_LIMIT)
    ids = get_work(identity, stores, work_id).passage_ids
    page_ids = ids[first : first + limit]
    heads = stores.passages.heads(page_ids)
    return [heads[key] for key in page_ids if key in heads], len(ids)


def titles_of(identity: Identity, stores: Stores, work_ids: list[int]) -> dict[int, str]:
    """Return id → title for the works that the user may see.

    Raises:
        NotPermitted: the user may not read works.
    """
    identity.require("works:read")
    works = stores.works.get_many(work_ids).values()
    return {work.id: work.title for work in only_visible(identity, stores, works, lambda work: work.id)}


def _shown(identity: Identity, work: Work) -> Work:
    """Return a work without its lease; for rights holders also without the path of its file."""
    return replace(work, lease=FREE, origin=work.origin if identity.sees_everything else "")
