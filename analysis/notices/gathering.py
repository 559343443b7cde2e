"""Collect the facts of a notice from the records of its cases."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from analysis.notices.facts import ELSEWHERE, USUAL_ROLE, NoticeFacts, NoticeSubject
from analysis.notices.infringements import infringements_of
from analysis.notices.splitting import most_serious
from storage.collections.owners import owner_of
from storage.collections.stores import Stores
from storage.records import Addressee, Case, ContactRole, Holder, Notice, NoticeKind, NoticeState, Work
from system.errors import PindnaError, UnknownId

MAX_FIRST = 100_000  # maximum number of addresses that a request may choose

# States of a notice that its recipient may have, and may still answer.
_MAY_BE_OUT: frozenset[NoticeState] = frozenset({"sending", "sent", "uncertain"})


class NoHolder(PindnaError):
    """A work has no rights holder, and the request names none.

    Attributes:
        work: title of the work.
    """

    template = "“{work}” has no rights holder. Choose a holder for the notice (--holder)."


class SeveralHolders(PindnaError):
    """The works of a letter have several rights holders.

    Attributes:
        holders: their names.
    """

    template = (
        "The works belong to several rights holders: {holders}. A letter is written in the name of one: "
        "choose one of them, or only cases of one."
    )


class SeveralSites(PindnaError):
    """The cases of a letter are on several sites.

    Attributes:
        sites: the sites.
    """

    template = "The cases are on several sites: {sites}. A letter is about one site: choose cases of one."


class NothingToList(PindnaError):
    """No work on a site belongs in a letter.

    Attributes:
        site: the site.
        waiting: cases that wait for the reply to an earlier letter.
    """

    template = (
        "No confirmed copy on {site} belongs in this letter: none is still up, or all cases wait for the "
        "reply to an earlier letter. Waiting cases: {waiting}."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeRequest:
    """What a user requests.

    Attributes:
        role: role of the recipient; None: the usual one for this kind of notice.
        contact: site of the contact if it differs from the case's site, as for a search engine or a law firm.
        holder: name of the holder; empty: the holder of the work.
        signer: the person who signs.
        first: list only this number of addresses, the most serious first; 0: all.
    """

    kind: NoticeKind = "infringement"
    role: ContactRole | None = None
    contact: str = ""
    holder: str = ""
    signer: str = ""
    first: int = 0


@dataclass(frozen=True, slots=True)
class GatheredFacts:
    """The facts of a letter.

    Attributes:
        facts: the facts, before the letter is split.
        waiting: names of the cases that were left out because they wait for the reply to an earlier letter.
    """

    facts: NoticeFacts
    waiting: tuple[str, ...] = ()


def gather(
    cases: Sequence[Case],
    request: NoticeRequest,
    stores: Stores,
    *,
    reply_days: int,
    made: datetime,
    whole_site: bool = False,
) -> GatheredFacts:
    """Return the facts of a letter about cases of one holder on one site. Missing facts are empty.

    Args:
        cases: the cases, at least one.
        request: the user's request.
        stores: the database.
        reply_days: days within which a reply is requested.
        made: date of the letter.
        whole_site: the user chose the site, not the cases. Works without an address to list are left out,
            and works that wait for the recipient's reply to an earlier letter.

    Raises:
        UnknownId: a work is no longer stored.
        NoHolder: no rights holder is known.
        SeveralHolders, SeveralSites: the cases do not belong in one letter.
        NothingToList: no case of the site is left.
    """
    if len(sites := dict.fromkeys(case.site for case in cases)) > 1:
        raise SeveralSites(sites=tuple(sites))
    addressee = _make_addressee(cases[0].site, request, stores)
    notices = _notices_by_case(cases, stores)
    waiting: tuple[str, ...] = ()
    if whole_site:
        waiting = tuple(
            case.name for case in cases if _awaits_reply(notices[case.number], request.kind, addressee)
        )
    subjects = _subjects(
        [case for case in cases if case.name not in waiting], stores, notices, addressee, kind=request.kind
    )
    if whole_site:
        subjects = [subject for subject in subjects if _is_ready(subject, request.kind)]
        if not subjects:
            raise NothingToList(site=cases[0].site, waiting=waiting or "–")
    holder_name = _holder_of([subject.work for subject in subjects], request)
    facts = NoticeFacts(
        kind=request.kind,
        name="n0",
        made=made,
        subjects=most_serious(subjects, request.first),
        holder=stores.holders.find(holder_name) or Holder(name=holder_name),
        addressee=addressee,
        reply_days=reply_days,
        signer=request.signer,
    )
    return GatheredFacts(facts, waiting)


def _subjects(
    cases: Sequence[Case],
    stores: Stores,
    notices: Mapping[int, list[Notice]],
    to: Addressee,
    *,
    kind: NoticeKind,
) -> list[NoticeSubject]:
    """Return the works of cases with their addresses and earlier notices.

    Raises:
        UnknownId: a work is no longer stored.
    """
    works = stores.works.get_many({case.work_id for case in cases})
    for case in cases:
        if case.work_id not in works:
            raise UnknownId(kind="work", name=case.work_title)
    return [
        _make_subject(case, works[case.work_id], stores, earlier_notice(notices[case.number], kind, to))
        for case in cases
    ]


def _holder_of(works: Collection[Work], request: NoticeRequest) -> str:
    """Return the name of the holder in whose name a letter about works is written.

    Raises:
        NoHolder: a work has no holder, and the request names none.
        SeveralHolders: the works have several holders.
    """
    holders = {owner_of(work.holder): work.holder for work in works if work.holder}
    if len(holders) > 1:
        raise SeveralHolders(holders=tuple(filter(None, holders.values())))
    without = next((work for work in works if not work.holder), None)
    if without is not None and not request.holder:
        raise NoHolder(work=without.title)
    return request.holder or next(iter(holders.values()), None) or ""


def _notices_by_case(cases: Iterable[Case], stores: Stores) -> Mapping[int, list[Notice]]:
    """Return the notices about each case, the newest first."""
    by_case: dict[int, list[Notice]] = {case.number: [] for case in cases}
    for notice in sorted(stores.notices.of_cases(list(by_case)), key=lambda notice: -notice.number):
        for case in notice.cases:
            if case.number in by_case:
                by_case[case.number].append(notice)
    return by_case


def _awaits_reply(notices: Iterable[Notice], kind: NoticeKind, addressee: Addressee) -> bool:
    """Return whether the recipient has, or may have, an earlier letter and still has time to reply."""
    if kind in ("reminder", "counsel"):
        return False
    return any(
        notice.state in _MAY_BE_OUT and notice.kind != "counsel" and _is_to(notice, addressee)
        for notice in notices
    )


def _is_to(notice: Notice, addressee: Addressee) -> bool:
    return (notice.addressee.role, notice.addressee.site) == (addressee.role, addressee.site)


def _is_ready(subject: NoticeSubject, kind: NoticeKind) -> bool:
    return bool(subject.infringements) and (kind != "reminder" or subject.earlier is not None)


def _make_subject(case: Case, work: Work, stores: Stores, earlier: Notice | None) -> NoticeSubject:
    infringements, left_out = infringements_of(case, stores)
    return NoticeSubject(
        case=case, work=work, infringements=infringements, earlier=earlier, left_out=left_out
    )


def _make_addressee(case_site: str, request: NoticeRequest, stores: Stores) -> Addressee:
    """Return the recipient of a notice, without a name if no contact is known."""
    role = request.role or USUAL_ROLE[request.kind]
    site = request.contact or case_site
    contact = stores.contacts.find(role, site)
    if contact is None and not request.contact and role in ELSEWHERE:
        contacts = list(stores.contacts.listed(role=role, limit=2))
        contact = contacts[0] if len(contacts) == 1 else None  # with several contacts, the user chooses
    if contact is None:
        return Addressee(role=role, site=site)
    return Addressee(
        role=role, site=contact.site, name=contact.name, address=contact.address, email=contact.email
    )


def earlier_notice(notices: Iterable[Notice], kind: NoticeKind, addressee: Addressee) -> Notice | None:
    """Return the last sent notice that a letter refers to; never one to the holder's own counsel.

    Args:
        notices: notices about the case, the newest first.
        kind: kind of the letter. A reminder refers only to a notice to the same recipient; otherwise it would
            claim a demand that was never made.
        addressee: recipient of the letter.
    """
    for notice in notices:
        if notice.sent and notice.kind != "counsel" and (kind != "reminder" or _is_to(notice, addressee)):
            return notice
    return None
