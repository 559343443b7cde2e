"""Works and sites by the names that people type, as filters take them."""

from analysis.accounts.permissions import Identity
from analysis.words.known_sites import find_site
from storage.collections.stores import Stores
from tracker.corpus.roles import find_owned


def named_work(identity: Identity, stores: Stores, name: str | None) -> int | None:
    """Return the id of an owned work, by title, address, or id; None for None.

    Raises:
        NotPermitted: works are not this one's to read.
        BackgroundText, UnknownRecord, AmbiguousTitle: see :func:`tracker.corpus.roles.find_owned`.
    """
    identity.require("works:read")
    return None if name is None else find_owned(name, stores).book_id


def named_site(identity: Identity, stores: Stores, name: str | None) -> str:
    """Return the host or site of stored pages that a name means; empty for None.

    Raises:
        NotPermitted: pages are not this one's to read.
        UnknownRecord: no page is stored of it.
    """
    identity.require("pages:read")
    return "" if name is None else find_site(name, stores)
