"""Rights holders, the documents that prove their rights, and whom to write to."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.times import utc_now

# ``authorisation``: somebody may act for the holder; ``identity``: who it is; ``title``: that a work is its.
DocumentKind = Literal["authorisation", "identity", "title"]
DOCUMENT_KINDS: tuple[DocumentKind, ...] = get_args(DocumentKind)

# ``site``: whoever runs it; ``host``: its hosting provider; ``search``: a search engine that leads to it;
# ``counsel``: the holder's own law firm.
ContactRole = Literal["site", "host", "search", "counsel"]
CONTACT_ROLES: tuple[ContactRole, ...] = get_args(ContactRole)


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderDocument:
    """A file that proves something of a holder; its bytes are kept by their SHA-256.

    Attributes:
        name: of the file.
        work_id: the work that a proof of title is for; None: every work of the holder.
    """

    kind: DocumentKind
    name: str
    sha256: str
    bytes: int
    work_id: int | None = None
    added: datetime = field(default_factory=utc_now)

    @property
    def use(self) -> tuple[str, str, int | None]:
        """What tells it from others: one file may prove several things, of several works."""
        return self.kind, self.sha256, self.work_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A rights holder: a person or an organisation.

    Attributes:
        name: as works name it; the key.
        registration: number of the business licence or the identity document.
        contact: who speaks for the holder, with ``position``.
        documents: see :class:`HolderDocument`, in the order in which they were added.
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
    """Whom to write to about a site.

    Attributes:
        id: see :func:`storage.collections.contacts.contact_id`.
        role: what the contact is to the site.
        site: the registered domain; of a search engine or a law firm its own.
        name: of the organisation.
        form: address of a web page that takes complaints.
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
