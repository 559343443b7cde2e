"""The facts of a notice, from what is stored about its case."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from analysis.notices.facts import ELSEWHERE, USUAL_ROLE, Infringement, NoticeFacts
from storage.collections.stores import Stores
from storage.records import Addressee, Case, ContactRole, Holder, Match, Notice, NoticeKind
from system.errors import PindnaError, UnknownId

MAX_ADDRESSES = 1000  # of one notice: some hundred pages of paper


class TooManyAddresses(PindnaError):
    """A notice would name more addresses than one may. Data: ``count``, ``limit``."""

    template = (
        "The case has {count} addresses, a notice names at most {limit}. Take the gravest with "
        "--first {limit}, and the rest in a later one."
    )


class NoHolder(PindnaError):
    """A work has no holder, and none was named. Data: ``work``."""

    template = "Nobody is known as the holder of “{work}”. Name one with --holder."


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeRequest:
    """What a person asks for.

    Attributes:
        role: whom it is for; None: whom such a notice usually is for.
        contact: site of the contact, where it is not the case's: of a search engine or a law firm.
        holder: name of the holder; empty: that of the work.
        signer: who signs.
        first: only so many addresses, the gravest; 0: all.
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
    """Return what a notice about a case would say; what is missing is empty.

    Args:
        case: what it is about.
        request: what a person asks for.
        stores: the database.
        name: of the notice.
        reply_days: within how many days a reply is asked for.
        made: its date.

    Raises:
        UnknownId: the work is not stored any more.
        NoHolder: there is nobody in whose name it could be.
        TooManyAddresses: it would name too many.
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
    addressee = _addressee(case, request, stores)
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
    """Return the matches that a notice is about: those that people confirmed."""
    matches = stores.matches.of_case(case.work_id, case.site)
    return [match for match in matches if match.review == "confirmed"]


def _infringements(case: Case, stores: Stores) -> tuple[tuple[Infringement, ...], int]:
    """Return the addresses that are not known to be gone, the most copied first, and how many are gone."""
    by_url: dict[str, list[Match]] = {}
    for match in confirmed_matches(case, stores):
        by_url.setdefault(match.url, []).append(match)
    up = {url: matches for url, matches in by_url.items() if not _is_gone(url, stores)}
    places = [_place(url, matches, stores) for url, matches in up.items()]
    places.sort(key=lambda infringement: (-infringement.copied_chars, infringement.url))
    return tuple(places), len(by_url) - len(up)


def _is_gone(url: str, stores: Stores) -> bool:
    looks = stores.looks.of_url(url)
    return bool(looks) and looks[-1].state == "gone"


def _place(url: str, matches: list[Match], stores: Stores) -> Infringement:
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


def _addressee(case: Case, request: NoticeRequest, stores: Stores) -> Addressee:
    """Return whom a notice is for; without a name where no such contact is known."""
    role = request.role or USUAL_ROLE[request.kind]
    site = request.contact or case.site
    contact = stores.contacts.find(role, site)
    if contact is None and not request.contact and role in ELSEWHERE:
        contacts = list(stores.contacts.listed(role=role, limit=2))
        contact = contacts[0] if len(contacts) == 1 else None  # of several a person says which
    if contact is None:
        return Addressee(role=role, site=site)
    return Addressee(
        role=role, site=contact.site, name=contact.name, address=contact.address, email=contact.email
    )


def earlier_notice(notices: Iterable[Notice], kind: NoticeKind, addressee: Addressee) -> Notice | None:
    """Return the notice that a letter refers to: the last one that was sent, none to the own counsel.

    Args:
        notices: about the case, the newest first.
        kind: of the letter. A reminder is about a notice to its own addressee: to anybody else it would claim
            a demand that was never made.
        addressee: of the letter.
    """
    for notice in notices:
        is_same = (notice.addressee.role, notice.addressee.site) == (addressee.role, addressee.site)
        if notice.sent and notice.kind != "counsel" and (is_same or kind != "reminder"):
            return notice
    return None
