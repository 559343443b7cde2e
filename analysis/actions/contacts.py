"""Whom to write to about a site, as people say it."""

from collections.abc import Mapping
from dataclasses import asdict, replace

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from analysis.notices.spelling import mailbox
from storage.collections.contacts import contact_id
from storage.records import Contact, ContactRole, utc_now
from system.errors import UnknownRecord
from tracker.runtime import Runtime

_UNLOGGED = frozenset({"id", "site", "role", "updated"})  # they are in the subject and the time of the row


def set_contact(
    identity: Identity, runtime: Runtime, role: ContactRole, site: str, texts: Mapping[str, str]
) -> Contact:
    """Say whom to write to about a site; returns the contact as it is then.

    Args:
        identity: says so.
        runtime: the open services.
        role: what the contact is to the site.
        site: the site; of a search engine or a law firm its own.
        texts: by fields of :class:`Contact`; what is not named stays.

    Raises:
        NotPermitted: letters are not this one's to make.
        BadMailbox: the mail address is not valid.
    """
    identity.require("notices:make")
    contacts = runtime.stores.contacts
    before = contacts.find(role, site) or Contact(id=contact_id(role, site), role=role, site=site)
    after = replace(before, **contact_texts(texts), updated=utc_now())  # type: ignore[arg-type]
    contacts.save(after)
    subject = f"contact {after.id}"
    note_act(identity, runtime, "set-contact", subject, before=_log_fields(before), after=_log_fields(after))
    return after


def contact_texts(fields: Mapping[str, str]) -> dict[str, str]:
    """Return fields of a contact, each in one line.

    Raises:
        BadMailbox: the mail address is none.
    """
    texts = {field: " ".join(text.split()) for field, text in fields.items()}
    return texts | ({"email": mailbox(texts["email"])} if texts.get("email") else {})


def remove_contact(identity: Identity, runtime: Runtime, role: ContactRole, site: str) -> None:
    """Forget a contact; notices that were made keep theirs.

    Raises:
        NotPermitted: letters are not this one's to make.
        UnknownRecord: there is none.
    """
    identity.require("notices:make")
    name, contacts = contact_id(role, site), runtime.stores.contacts
    before = contacts.find(role, site)
    if before is None or not contacts.delete(role, site):
        raise UnknownRecord(kind="contact", name=name)
    note_act(identity, runtime, "remove-contact", f"contact {name}", before=_log_fields(before))


def _log_fields(contact: Contact) -> Mapping[str, object]:
    return {name: value for name, value in asdict(contact).items() if name not in _UNLOGGED}
