"""Rights holders, the documents that prove their rights, and contacts."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.times import utc_now

# Kinds of documents. ``authorisation``: who may act for the holder; ``identity``: who the holder is;
# ``title``: that the holder owns a work.
DocumentKind = Literal["authorisation", "identity", "title"]
DOCUMENT_KINDS: tuple[DocumentKind, ...] = get_args(DocumentKind)

# Roles of contacts. ``site``: the site's operator; ``host``: its hosting provider; ``search``: a search
# engine that lists the site; ``counsel``: the holder's own law firm.
ContactRole = Literal["site", "host", "search", "counsel"]
CONTACT_ROLES: tuple[ContactRole, ...] = get_args(ContactRole)


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderDocument:
    """A document about a holder; its bytes are stored by their SHA-256.

    Attributes:
        name: file name.
        work_id: the work of a proof of title; None: every work of the holder.
    """

    kind: DocumentKind
    name: str
    sha256: str
    bytes: int
    work_id: int | None = None
    added: datetime = field(default_factory=utc_now)

    @property
    def use(self) -> tuple[str, str, int | None]:
        """The key of the document, because one file may prove several rights to several works."""
        return self.kind, self.sha256, self.work_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A rights holder: a person or an organisation.

    Attributes:
        name: the key, as in works.
        registration: number of the business licence or the identity document.
        contact: the contact person, with ``position``.
        documents: see :class:`HolderDocument`, in the order of addition.
    """

    name: str
    address: str = ""
    contact: str = ""
    position: str = ""
    phone: str = ""
    email: str = ""
    registration: str = ""
    documents: tuple[HolderDocument, ...] = ()
    added: datetime = field(default_factory=utc_now)
    updated: datetime = field(default_factory=utc_now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """An addressee for complaints about a site.

    Attributes:
        id: see :func:`storage.collections.contacts.contact_id`.
        role: the relation of the contact to the site.
        site: the registered domain of the site; for a search engine or a law firm, its own domain.
        name: of the organisation or person.
        form: address of a complaint form.
    """

    id: str
    role: ContactRole
    site: str
    name: str = ""
    address: str = ""
    phone: str = ""
    email: str = ""
    form: str = ""
    note: str = ""
    updated: datetime = field(default_factory=utc_now)
