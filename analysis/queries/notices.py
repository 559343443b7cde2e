"""Notices about cases, and their states."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace

from analysis.accounts.permissions import Identity
from analysis.notices.facts import ELSEWHERE, FACTS, USUAL_ROLE
from analysis.notices.forms import PlatformForm, list_forms
from analysis.notices.gathering import NothingToList, NoticeRequest
from analysis.queries.cases import get_case
from analysis.queries.listing import DEFAULT_LIMIT, Listing, Request
from analysis.queries.scope import only_all_visible, only_visible, owners_of, require_visible
from analysis.words.known_sites import site_name
from storage.collections.filters import NoticeFilter
from storage.collections.owners import owner_of
from storage.collections.stores import Stores
from storage.records import IDLE_STATES, Case, Notice, NoticeState
from storage.settings.results import NoticeSettings
from system.errors import PindnaError
from system.sites import site_of_host

# the command for a case with several contacts
_CHOOSE_CONTACT = "pindna notice make CASE --to ROLE --contact SITE"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeQuery:
    """Filters of a list of notices: a case (``c7``), a site and a state."""

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
        NotPermitted, BadCursor, BadLimit: the request is not allowed.
        UnknownId: there is no such case, or the user may not see it.
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
    visible = only_all_visible(identity, stores, batch.records, _works_of)
    return request.listing(_shown(identity, visible), batch.end)


def get_notice(identity: Identity, stores: Stores, name: str) -> Notice:
    """Return a notice by its short name (``n3``).

    Raises:
        NotPermitted: the user may not read notices.
        UnknownId: it does not exist, or the user may not see it.
    """
    identity.require("notices:read")
    notice = stores.notices.get(name)
    for work_id in _works_of(notice):
        require_visible(identity, stores, work_id, kind="notice", name=name)
    (shown,) = _shown(identity, [notice])
    return shown


def _works_of(notice: Notice) -> list[int]:
    return [case.work_id for case in notice.cases]


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterScope:
    """The cases of a letter: cases by name, or all confirmed cases on a site."""

    cases: tuple[str, ...] = ()
    site: str = ""


class NoCasesChosen(PindnaError):
    """A letter needs either cases or a site."""

    template = "A letter is about cases or about a site. Name one of them, not both."


def cases_of_letter(
    identity: Identity, stores: Stores, scope: LetterScope, request: NoticeRequest
) -> tuple[Case, ...]:
    """Return the cases of a letter that the user may see, the gravest first.

    Args:
        identity: the user or program that wants to make the letter.
        stores: the database.
        scope: the chosen cases or site. Of a site, the works of the requested holder count; works without a
            holder only if no work of the requested holder is there.
        request: the requested letter.

    Raises:
        NotPermitted: the user may not read cases.
        UnknownId: there is no such case, or the user may not see it.
        NoCasesChosen: neither cases nor a site were chosen, or both.
        NothingToList: the site has no confirmed case.
    """
    if bool(scope.cases) == bool(scope.site.strip()):
        raise NoCasesChosen
    if scope.cases:
        cases = [get_case(identity, stores, name) for name in scope.cases]
        return tuple({case.id: case for case in cases}.values())
    identity.require("cases:read")
    site = site_of_host(site_name(scope.site))
    pursued = (case for case in stores.cases.listed(site=site) if case.state not in IDLE_STATES)
    cases = list(only_visible(identity, stores, pursued, lambda case: case.work_id))
    if request.holder:
        works = stores.works.get_many({case.work_id for case in cases})
        owners = {work_id: owner_of(work.holder) for work_id, work in works.items()}
        of_holder = [case for case in cases if owners.get(case.work_id) == owner_of(request.holder)]
        cases = of_holder or [case for case in cases if owners.get(case.work_id) == ""]
    if not cases:
        raise NothingToList(site=site, waiting="–")
    return tuple(cases)


def forms_of(identity: Identity, settings: NoticeSettings) -> list[PlatformForm]:
    """Return the forms of platforms that notices can fill.

    Raises:
        NotPermitted: the user may not make notices.
        BadForm: a file in the folder of forms does not describe a form.
    """
    identity.require("notices:make")
    return list_forms(settings.forms)


def advice_on(
    identity: Identity, stores: Stores, case: Case, request: NoticeRequest, codes: Iterable[str]
) -> dict[str, str]:
    """Return the commands that supply the missing facts of a notice, by the code of the fact.

    Args:
        identity: the user or program that wants to make the notice.
        stores: the database.
        case: the first case of the notice.
        request: the requested notice.
        codes: codes of the missing facts.

    Raises:
        NotPermitted: the user may not make notices.
    """
    identity.require("notices:make")
    role = request.role or USUAL_ROLE[request.kind]
    work = stores.works.get_many([case.work_id]).get(case.work_id)
    holder = request.holder or (work.holder if work else None) or "NAME"
    elsewhere = "SITE" if role in ELSEWHERE else case.site
    names = {"NAME": holder, "SITE": request.contact or elsewhere, "CASE": case.name, "ROLE": role}
    is_known = stores.holders.find(holder) is not None
    has_choice = role in ELSEWHERE and not request.contact and any(stores.contacts.listed(role=role, limit=1))
    advice = {}
    for code in codes:
        is_open = code == "addressee-name" and has_choice
        words = (_CHOOSE_CONTACT if is_open else FACTS[code].advice).split()
        command = " ".join(shlex.quote(names[word]) if word in names else word for word in words)
        advice[code] = command if is_known else command.replace("holder set", "holder add", 1)
    return advice


def _shown(identity: Identity, notices: Iterable[Notice]) -> Iterable[Notice]:
    """Return notices; for rights holders without the names of analysts and the responses of mail servers."""
    if identity.sees_everything:
        return (replace(notice, token="") for notice in notices)
    hidden = {"token": "", "by": "", "sent_by": "", "because": "", "receipt": "", "problem": ""}
    return (replace(notice, files={}, **hidden) for notice in notices)  # type: ignore[arg-type]
