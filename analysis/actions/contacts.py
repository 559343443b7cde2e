"""Change the contacts of sites: the recipients of notices."""

from collections.abc import Mapping
from dataclasses import asdict, replace

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from analysis.notices.spelling import mailbox
from storage.collections.contacts import contact_id
from storage.records import Contact, ContactRole, utc_now
from system.errors import UnknownRecord
from tracker.runtime import Runtime

_UNLOGGED = frozenset(
    {"id", "site", "role", "updated"}
)  # not listed: the subject and the time of the log row already contain these fields


def set_contact(
    identity: Identity, runtime: Runtime, role: ContactRole, site: str, texts: Mapping[str, str]
) -> Contact:
    """Store a contact of a site, and return it after the change.

    Args:
        identity: the user or program that records it.
        runtime: the open services.
        role: role of the contact, such as the operator or the host of the site.
        site: the site; for a search engine or a law firm, the site of that company.
        texts: field of :class:`Contact` → value. Other fields stay unchanged.

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
        identity, runtime, "set-contact", subject, before=_log_fields(before), after=_log_fields(after)
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
