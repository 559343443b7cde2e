"""Notices: what was written about cases, and what became of it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from analysis.accounts.permissions import Identity
from analysis.queries.cases import get_case
from analysis.queries.listing import DEFAULT_LIMIT, Listing, Request
from analysis.queries.scope import only_visible, owners_of, require_visible
from analysis.words.known_sites import site_name
from storage.collections.filters import NoticeFilter
from storage.collections.stores import Stores
from storage.records import Notice, NoticeState
from system.sites import site_of_host


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeQuery:
    """Which notices: about a case (``c7``), about a site, in a state."""

    case: str = ""
    site: str = ""
    state: NoticeState | None = None


def list_notices(
    identity: Identity,
    stores: Stores,
    query: NoticeQuery = NoticeQuery(),
    *,
    cursor: str = "",
    limit: int = DEFAULT_LIMIT,
) -> Listing[Notice]:
    """Return notices, the newest first.

    Raises:
        NotPermitted, BadCursor, BadLimit: what is asked for is not to be had.
        UnknownId: there is no such case, or not for this one.
    """
    identity.require("notices:read")
    notice_filter = NoticeFilter(
        owners=owners_of(identity),
        case=get_case(identity, stores, query.case).number if query.case else None,
        site=site_of_host(site_name(query.site)) if query.site else None,
        states=(query.state,) if query.state else (),
    )
    runs, request = notice_filter.runs(), Request(f"notices {notice_filter}", cursor, limit)
    batch = stores.lists.notices(runs, after=request.place(runs), limit=limit)
    visible = only_visible(identity, stores, batch.records, lambda notice: notice.work_id)
    return request.listing(_shown(identity, visible), batch.end)


def get_notice(identity: Identity, stores: Stores, name: str) -> Notice:
    """Return a notice by its short name (``n3``).

    Raises:
        NotPermitted: notices are not this one's to read.
        UnknownId: there is none, or not for this one.
    """
    identity.require("notices:read")
    notice = stores.notices.get(name)
    require_visible(identity, stores, notice.work_id, kind="notice", name=name)
    (shown,) = _shown(identity, [notice])
    return shown


def _shown(identity: Identity, notices: Iterable[Notice]) -> Iterable[Notice]:
    """Return notices; for holders without the names of analysts and what servers said."""
    if identity.sees_everything:
        return (replace(notice, token="") for notice in notices)
    hidden = {"token": "", "by": "", "sent_by": "", "because": "", "receipt": "", "problem": ""}
    return (replace(notice, files={}, **hidden) for notice in notices)  # type: ignore[arg-type]
