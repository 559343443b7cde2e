"""Read the answers of RDAP servers; parts of another shape than RFC 9083 describes are ignored. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from analysis.notices.spelling import BadMailbox, mailbox
from analysis.sites.proposing import Fact
from analysis.sites.rdap import mappings, strings
from storage.records import ProposalSubject

_MAX_ENTITIES = 60
_MAX_DEPTH = 3
_PROPERTY_MEMBERS = 4
_MAX_VALUE_CHARS = 200
_REDACTED = re.compile(r"redacted|privacy|not disclosed|withheld|data protected|隐私|已隐藏", re.IGNORECASE)
_TEL = re.compile(r"[+\d][\d ().x;=-]{5,30}")


@dataclass(frozen=True, slots=True)
class _Entity:
    roles: frozenset[str]
    name: str
    emails: tuple[str, ...]
    phones: tuple[str, ...]


def facts_of_domain(answer: object) -> list[Fact]:
    """Return registrar and its abuse contact, registrant, name servers, and the day of registration."""
    if not isinstance(answer, dict):
        return []
    facts: list[Fact] = []
    for entity in _entities(answer):
        if "registrar" in entity.roles and entity.name:
            facts.append(Fact("registrar", "registrar", entity.name, f"registrar: {entity.name}"))
        if "abuse" in entity.roles:
            facts += _reachable("registrar", entity)
        if "registrant" in entity.roles:
            facts += [*_named("site", entity), *_reachable("site", entity)]
    for server in islice(mappings(answer.get("nameservers")), _MAX_ENTITIES):
        if name := _text(server.get("ldhName")).lower().rstrip("."):
            facts.append(Fact("site", "name-server", name, f"nameserver: {name}"))
    for event in islice(mappings(answer.get("events")), _MAX_ENTITIES):
        if event.get("eventAction") == "registration" and (moment := _text(event.get("eventDate"))):
            day = moment.partition("T")[0]
            facts.append(Fact("site", "registered", day, f"registration: {moment}"))
    return list(dict.fromkeys(facts))


def facts_of_network(answer: object) -> list[Fact]:
    """Return the network of an IP address, its country, its holder and its abuse contact."""
    if not isinstance(answer, dict):
        return []
    facts: list[Fact] = []
    begin, end = _text(answer.get("startAddress")), _text(answer.get("endAddress"))
    if name := _text(answer.get("name")) or _text(answer.get("handle")):
        facts.append(Fact("host", "network", name, f"{name} {begin} – {end}" if begin else name))
    if country := _text(answer.get("country")):
        facts.append(Fact("host", "country", country.upper(), f"country: {country}"))
    entities = list(_entities(answer))
    for entity in entities:
        if entity.roles & {"registrant", "administrative"} and entity.name:
            facts += _named("host", entity)
        if "abuse" in entity.roles:
            facts += _reachable("host", entity)
    return list(dict.fromkeys(facts))


def _named(subject: ProposalSubject, entity: _Entity) -> Iterator[Fact]:
    if entity.name and not _REDACTED.search(entity.name):
        yield Fact(subject, "name", entity.name, f"{_roles(entity)}: {entity.name}")


def _reachable(subject: ProposalSubject, entity: _Entity) -> Iterator[Fact]:
    """Yield the mail addresses and telephone numbers of an entity."""
    words = f"{_roles(entity)}: {entity.name}".rstrip(": ")
    for email in entity.emails:
        yield Fact(subject, "email", email, f"{words} <{email}>")
    for phone in entity.phones:
        yield Fact(subject, "phone", phone, f"{words} {phone}")


def _roles(entity: _Entity) -> str:
    return ", ".join(sorted(entity.roles)) or "entity"


def _entities(answer: Mapping[str, object]) -> Iterator[_Entity]:
    """Yield the entities of an answer with those inside them, up to a limit."""
    yield from islice(_nested(answer, _MAX_DEPTH), _MAX_ENTITIES)


def _nested(holder: Mapping[str, object], depth: int) -> Iterator[_Entity]:
    for entity in mappings(holder.get("entities")) if depth else ():
        roles = frozenset(role.lower()[:40] for role in strings(entity.get("roles")))
        card = list(_card(entity.get("vcardArray")))
        emails = tuple(filter(None, (_mail_address(value) for kind, value in card if kind == "email")))
        phones = tuple(filter(None, (_phone(value) for kind, value in card if kind == "tel")))
        names = {kind: value for kind, value in reversed(card) if kind in {"fn", "org"}}
        name = names.get("org") or names.get("fn") or _text(entity.get("handle"))
        yield _Entity(roles, name, emails[:3], phones[:3])
        yield from _nested(entity, depth - 1)


def _card(value: object) -> Iterator[tuple[str, str]]:
    """Yield name and text of the properties of a jCard: ``["vcard", [[name, options, type, value], …]]``."""
    properties = value[1] if isinstance(value, list) and len(value) > 1 else None
    for item in properties[:_MAX_ENTITIES] if isinstance(properties, list) else ():
        if (
            isinstance(item, list)
            and len(item) > len(("name", "parameters", "type"))
            and isinstance(item[0], str)
        ):
            text = item[3][0] if isinstance(item[3], list) and item[3] else item[3]
            yield item[0].lower(), _text(text)


def _text(value: object) -> str:
    return " ".join(value[:_MAX_VALUE_CHARS].split()) if isinstance(value, str) else ""


def _mail_address(text: str) -> str:
    try:
        return mailbox(text.removeprefix("mailto:"))
    except BadMailbox:
        return ""


def _phone(text: str) -> str:
    number = text.removeprefix("tel:")
    return number if _TEL.fullmatch(number) else ""
