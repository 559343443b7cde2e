"""Look up who answers for a site, and change the contacts of sites: the recipients of notices."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from analysis.notices.spelling import mailbox
from analysis.queries.contacts import FIELDS, ROLE_OF, LookupView, get_lookup, note_of
from analysis.reading.untrusted_pages import readers_with, reading_slot
from analysis.sites.looking_up import look_up
from storage.collections.contacts import contact_id
from storage.records import PROPOSAL_KINDS, Contact, ContactRole, Proposal, ProposalKind, utc_now
from system.errors import PindnaError, UnknownRecord
from tracker.runtime import Runtime

_looking_up = threading.BoundedSemaphore(2)  # each reads dozens of pages
_NOTHING: Mapping[str, str] = MappingProxyType({})

_UNLOGGED = frozenset(
    {"id", "site", "role", "updated"}
)  # not listed: the subject and the time of the log row already contain these fields


class SeveralValues(PindnaError):
    """Two proposals to confirm are for the same field of a contact.

    Attributes:
        first, second: their values.
    """

    template = "A contact has only one of “{first}” and “{second}”. Confirm one of them."


class UnclearRole(PindnaError):
    """Proposals to confirm do not describe one contact.

    Attributes:
        value: the value of one of them.
    """

    template = "It is not clear to which contact “{value}” belongs. Choose the role of the contact."


def look_up_site(identity: Identity, runtime: Runtime, site: str) -> LookupView:
    """Look up who answers for a site, store the proposals and return them. No contact changes.

    Args:
        identity: the user or program that requests it.
        runtime: the open services, and the settings with the servers that may be asked.
        site: the site, see :func:`analysis.queries.contacts.contact_site`.

    Raises:
        NotPermitted: the user may not make notices.
        Busy: too many look-ups run.
    """
    identity.require("notices:make")
    stores, settings = runtime.stores, runtime.settings
    readers = readers_with(settings.crawler.reader_megabytes)
    with reading_slot(_looking_up):
        lookup = look_up(site, stores, settings, readers, by=identity.name, at=utc_now())
    stores.site_lookups.save(lookup)
    states: dict[str, object] = {result.step: result.state for result in lookup.results}
    record_action(identity, runtime, "look-up-site", f"site {site}", after=states)
    return get_lookup(identity, stores, site)


@dataclass(frozen=True, slots=True)
class ConfirmedContact:
    """A contact after proposals were confirmed.

    Attributes:
        contact: the contact.
        replaced: field → former value, for the fields that contained another value before.
    """

    contact: Contact
    replaced: Mapping[ProposalKind, str]


def confirm_proposals(
    identity: Identity,
    runtime: Runtime,
    site: str,
    proposals: Sequence[str],
    *,
    role: ContactRole | None = None,
) -> ConfirmedContact:
    """Store proposals of a look-up in a contact of the site, and report the values that they replaced.

    Args:
        identity: the user or program that confirms them; the audit log names it.
        runtime: the open services.
        site: the site.
        proposals: their ids.
        role: role of the contact; None: the one that the proposals describe.

    Raises:
        NotPermitted: the user may not make notices.
        NotLookedUp: the site was never looked up.
        UnknownRecord: there is no such proposal.
        SeveralValues: two of them are for the same field.
        UnclearRole: they describe several contacts, or one that has no role.
    """
    identity.require("notices:make")
    stored = {
        proposal.id: proposal for proposal in get_lookup(identity, runtime.stores, site).lookup.proposals
    }
    for proposal_id in proposals:
        if proposal_id not in stored:
            raise UnknownRecord(kind="proposal", name=proposal_id)
    chosen = [stored[proposal_id] for proposal_id in dict.fromkeys(proposals)]
    role = role or _role_of(chosen)
    before = runtime.stores.contacts.find(role, site)
    texts = _confirmed_texts(chosen, before.note if before else "")
    sources = {f"source of {proposal.kind}": proposal.source for proposal in chosen}
    after = set_contact(identity, runtime, role, site, texts, detail=sources)
    return ConfirmedContact(after, _replaced(before, after))


def _replaced(before: Contact | None, after: Contact) -> dict[ProposalKind, str]:
    """Return the former values of the fields that a change replaced; the note only grows."""
    former = {field: getattr(before, field, "") for field in PROPOSAL_KINDS if field in FIELDS}
    return {field: value for field, value in former.items() if value and value != getattr(after, field)}


def _role_of(proposals: Sequence[Proposal]) -> ContactRole:
    """Return the role of the contact that proposals describe.

    Raises:
        UnclearRole: they describe several, or none.
    """
    role, *other_roles = (ROLE_OF[proposal.subject] for proposal in proposals)
    if role is None or any(other != role for other in other_roles):
        raise UnclearRole(value=proposals[-1].value)
    return role


def _confirmed_texts(proposals: Sequence[Proposal], note: str) -> dict[str, str]:
    """Return the fields of a contact that proposals change.

    Raises:
        SeveralValues: two of them are for the same field.
    """
    texts: dict[str, str] = {}
    lines = [line for line in note.split("; ") if line]
    for proposal in proposals:
        if proposal.kind not in FIELDS:
            lines += [note_of(proposal)] if note_of(proposal) not in lines else []
        elif texts.setdefault(proposal.kind, proposal.value) != proposal.value:
            raise SeveralValues(first=texts[proposal.kind], second=proposal.value)
    return texts | {"note": "; ".join(lines)}


def set_contact(
    identity: Identity,
    runtime: Runtime,
    role: ContactRole,
    site: str,
    texts: Mapping[str, str],
    *,
    detail: Mapping[str, str] = _NOTHING,
) -> Contact:
    """Store a contact of a site, and return it after the change.

    Args:
        identity: the user or program that records it.
        runtime: the open services.
        role: role of the contact, such as the operator or the host of the site.
        site: the site; for a search engine or a law firm, the site of that company.
        texts: field of :class:`Contact` → value. Other fields stay unchanged.
        detail: further data for the audit log.

    Raises:
        NotPermitted: the user may not make notices.
        BadMailbox: the mail address is not valid.
    """
    identity.require("notices:make")
    contacts = runtime.stores.contacts
    before = contacts.find(role, site) or Contact(id=contact_id(role, site), role=role, site=site)
    after = replace(before, **contact_texts(texts), updated=utc_now())  # type: ignore[arg-type]
    contacts.save(after)
    subject = f"contact {after.id}"
    record_action(
        identity,
        runtime,
        "set-contact",
        subject,
        before=_log_fields(before),
        after=_log_fields(after),
        detail=detail,
    )
    return after


def contact_texts(fields: Mapping[str, str]) -> dict[str, str]:
    """Return fields of a contact, each reduced to one line.

    Raises:
        BadMailbox: the mail address is not valid.
    """
    texts = {field: " ".join(text.split()) for field, text in fields.items()}
    return texts | ({"email": mailbox(texts["email"])} if texts.get("email") else {})


def remove_contact(identity: Identity, runtime: Runtime, role: ContactRole, site: str) -> None:
    """Delete a contact. Existing notices keep their recipients.

    Raises:
        NotPermitted: the user may not make notices.
        UnknownRecord: there is no such contact.
    """
    identity.require("notices:make")
    name, contacts = contact_id(role, site), runtime.stores.contacts
    before = contacts.find(role, site)
    if before is None or not contacts.delete(role, site):
        raise UnknownRecord(kind="contact", name=name)
    record_action(identity, runtime, "remove-contact", f"contact {name}", before=_log_fields(before))


def _log_fields(contact: Contact) -> Mapping[str, object]:
    return {name: value for name, value in asdict(contact).items() if name not in _UNLOGGED}
