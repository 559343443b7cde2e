"""Find works and sites by the names that users type in filters."""

from analysis.accounts.permissions import Identity
from analysis.words.known_sites import find_site
from storage.collections.stores import Stores
from tracker.corpus.roles import find_owned


def named_work(identity: Identity, stores: Stores, name: str | None) -> int | None:
    """Return the id of an owned work by its title, address or id; None if ``name`` is None.

    Raises:
        NotPermitted: the user may not read works.
        BackgroundText, UnknownRecord, AmbiguousTitle: see :func:`tracker.corpus.roles.find_owned`.
    """
    identity.require("works:read")
    return None if name is None else find_owned(name, stores).book_id


def named_site(identity: Identity, stores: Stores, name: str | None) -> str:
    """Return the host or site of stored pages for a name; empty if ``name`` is None.

    Raises:
        NotPermitted: the user may not read pages.
        UnknownRecord: no page of the site is stored.
    """
    identity.require("pages:read")
    return "" if name is None else find_site(name, stores)
