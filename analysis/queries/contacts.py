"""Contacts: the recipients of notices at sites, hosts, search engines and law firms; look-ups of sites."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from analysis.accounts.permissions import Identity
from analysis.words.site_patterns import host_name
from storage.collections.stores import Stores
from storage.records import Contact, ContactRole, Proposal, ProposalKind, ProposalSubject, SiteLookup
from system.errors import UnknownRecord
from system.sites import site_of_host

# The role of a contact that a proposal describes. A registrar receives no notices by itself.
ROLE_OF: Mapping[ProposalSubject, ContactRole | None] = MappingProxyType(
    {"site": "site", "host": "host", "registrar": None}
)
# Kinds of proposals that are fields of a contact; the others become lines of its note.
FIELDS: frozenset[ProposalKind] = frozenset({"name", "email", "phone", "form", "address"})
_BARE: Mapping[ProposalKind, str] = MappingProxyType({"icp": "", "police": "", "qq": "QQ "})


class NotLookedUp(UnknownRecord):
    """A site was never looked up.

    Attributes:
        site: the site.
    """

    template = "{site} was not looked up yet. Look it up first."


@dataclass(frozen=True, slots=True)
class LookupView:
    """A look-up of a site, with the contacts that are stored for the site now."""

    lookup: SiteLookup
    contacts: tuple[Contact, ...]

    def role_of(self, proposal: Proposal) -> ContactRole | None:
        """Return the role of the contact that contains a proposal; None if no one confirmed it."""
        return next((contact.role for contact in self.contacts if contains(contact, proposal)), None)


def contact_site(text: str) -> str:
    """Return the site of a contact, from what a user wrote.

    Raises:
        BadSite, PartOfSite: it is not a site.
    """
    return site_of_host(host_name(text))


def list_contacts(
    identity: Identity, stores: Stores, *, site: str | None = None, limit: int | None = None
) -> Iterator[Contact]:
    """Return contacts sorted by site and role.

    Args:
        identity: the user or program that asks.
        stores: the database.
        site: only contacts of this site; None: of all sites.
        limit: maximum number; None: all.

    Raises:
        NotPermitted: the user may not read letters.
    """
    identity.require("notices:read")
    return stores.contacts.listed(site=site, limit=limit or 0)


def find_lookup(identity: Identity, stores: Stores, site: str) -> LookupView | None:
    """Return the last look-up of a site; None if it was never looked up.

    Raises:
        NotPermitted: the user may not make notices.
    """
    identity.require("notices:make")
    lookup = stores.site_lookups.find(site)
    return None if lookup is None else LookupView(lookup, tuple(stores.contacts.listed(site=site)))


def get_lookup(identity: Identity, stores: Stores, site: str) -> LookupView:
    """Return the last look-up of a site.

    Raises:
        NotPermitted: the user may not make notices.
        NotLookedUp: it was never looked up.
    """
    view = find_lookup(identity, stores, site)
    if view is None:
        raise NotLookedUp(site=site)
    return view


def note_of(proposal: Proposal) -> str:
    """Return a proposal as a line of a contact's note."""
    return _BARE.get(proposal.kind, f"{proposal.kind}: ") + proposal.value


def contains(contact: Contact, proposal: Proposal) -> bool:
    """Return whether a contact contains a proposal."""
    if proposal.kind in FIELDS:
        return bool(getattr(contact, proposal.kind) == proposal.value)
    return note_of(proposal) in contact.note.split("; ")
