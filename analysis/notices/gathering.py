"""Collect the facts of a notice from the records of its case."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from analysis.notices.facts import ELSEWHERE, USUAL_ROLE, Infringement, NoticeFacts
from storage.collections.stores import Stores
from storage.records import Addressee, Case, ContactRole, Holder, Match, Notice, NoticeKind, meaning_of
from system.errors import PindnaError, UnknownId

MAX_ADDRESSES = 1000  # maximum number of addresses in one notice, about a hundred pages of paper


class TooManyAddresses(PindnaError):
    """A notice would list too many addresses.

    Attributes:
        count: addresses of the case.
        limit: addresses that one notice may list.
    """

    template = (
        "The case has {count} addresses, but a notice lists at most {limit}. List the {limit} "
        "most serious ones (--first), and the others in a later notice."
    )


class NoHolder(PindnaError):
    """A work has no rights holder, and the request names none.

    Attributes:
        work: title of the work.
    """

    template = "“{work}” has no rights holder. Choose a holder for the notice (--holder)."


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


def gather(
    case: Case, request: NoticeRequest, stores: Stores, *, name: str, reply_days: int, made: datetime
) -> NoticeFacts:
    """Return the facts of a notice about a case. Missing facts are empty.

    Args:
        case: the case.
        request: the user's request.
        stores: the database.
        name: name of the notice.
        reply_days: days within which a reply is requested.
        made: date of the notice.

    Raises:
        UnknownId: the work is no longer stored.
        NoHolder: no rights holder is known.
        TooManyAddresses: the notice would list too many addresses.
    """
    work = stores.works.get_many([case.work_id]).get(case.work_id)
    if work is None:
        raise UnknownId(kind="work", name=case.work_title)
    holder_name = request.holder or work.holder or ""
    if not holder_name:
        raise NoHolder(work=work.title)
    infringements, left_out = _infringements(case, stores)
    if request.first:
        infringements = infringements[: request.first]
    if len(infringements) > MAX_ADDRESSES:
        raise TooManyAddresses(count=len(infringements), limit=MAX_ADDRESSES)
    addressee = _make_addressee(case, request, stores)
    return NoticeFacts(
        kind=request.kind,
        name=name,
        made=made,
        case=case,
        work=work,
        holder=stores.holders.find(holder_name) or Holder(name=holder_name),
        addressee=addressee,
        infringements=infringements,
        reply_days=reply_days,
        signer=request.signer,
        earlier=earlier_notice(stores.notices.listed(case=case.number), request.kind, addressee),
        left_out=left_out,
    )


def confirmed_matches(case: Case, stores: Stores) -> list[Match]:
    """Return the matches of a case that its notices list."""
    return [match for match in stores.matches.of_case(case.work_id, case.site) if is_listed(match)]


def is_listed(match: Match) -> bool:
    """Return whether a notice lists a match: it is confirmed.

    A notice says that words were copied, so it never lists a retelling, even if an analyst confirmed it.
    """
    return match.review == "confirmed" and meaning_of(match.verdict).is_verbatim


def _infringements(case: Case, stores: Stores) -> tuple[tuple[Infringement, ...], int]:
    """Return the addresses not known to be gone, the most copied first, and the number of gone ones."""
    by_url: dict[str, list[Match]] = {}
    for match in confirmed_matches(case, stores):
        by_url.setdefault(match.url, []).append(match)
    up = {url: matches for url, matches in by_url.items() if not _is_gone(url, stores)}
    places = [_make_infringement(url, matches, stores) for url, matches in up.items()]
    places.sort(key=lambda infringement: (-infringement.copied_chars, infringement.url))
    return tuple(places), len(by_url) - len(up)


def _is_gone(url: str, stores: Stores) -> bool:
    looks = stores.looks.of_url(url)
    return bool(looks) and looks[-1].state == "gone"


def _make_infringement(url: str, matches: list[Match], stores: Stores) -> Infringement:
    matches.sort(key=lambda match: -match.copied_chars)
    gravest = matches[0]
    captures = stores.captures.of_url(url)
    last = max(captures, key=lambda capture: capture.fetched, default=None)
    return Infringement(
        url=url,
        title=gravest.page_title,
        passages=tuple(_distinct(match.passage_title or match.work_title for match in matches)),
        copied_chars=sum(match.copied_chars for match in matches),
        outside_chars=sum(match.copied_chars for match in matches if match.part == "rest"),
        coverage=min(1.0, sum(match.coverage for match in matches if match.part == "article")),
        char_identity=gravest.char_identity,
        first_seen=min(match.first_seen for match in matches),
        matches=tuple(match.name for match in matches),
        fetched=last.fetched if last else None,
        sha256=last.sha256 if last else "",
    )


def _distinct(texts: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(texts)


def _make_addressee(case: Case, request: NoticeRequest, stores: Stores) -> Addressee:
    """Return the recipient of a notice, without a name if no contact is known."""
    role = request.role or USUAL_ROLE[request.kind]
    site = request.contact or case.site
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
        is_same = (notice.addressee.role, notice.addressee.site) == (addressee.role, addressee.site)
        if notice.sent and notice.kind != "counsel" and (is_same or kind != "reminder"):
            return notice
    return None
