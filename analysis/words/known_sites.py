"""Find sites by the names that users enter: a host, a registered domain, or any address on the site."""

from storage.collections.stores import Stores
from system.names import unknown_record
from system.sites import host_of, site_of_host


def site_name(text: str) -> str:
    """Return the host of any address in the form that pages contain.

    >>> site_name("https://www.Example.cn/book/7/"), site_name("127.0.0.1:8802")
    ('example.cn', '127.0.0.1:8802')
    """
    try:
        return host_of(text if "://" in text else f"http://{text}") or text
    except ValueError:
        return text


def hosts_of(text: str, stores: Stores) -> tuple[str, ...]:
    """Return the hosts of stored pages that belong to a host or site; none if it is unknown."""
    name = site_name(text)
    return tuple(sorted(host for host in stores.pages.hosts() if name in (host, site_of_host(host))))


def find_site(text: str, stores: Stores) -> str:
    """Return the host or site of stored pages with a name.

    Args:
        text: as the user wrote it.
        stores: the database.

    Raises:
        UnknownRecord: no page is stored of it; the error has the hosts and sites that are called alike.
    """
    name = site_name(text)
    if stores.pages.is_host(name):
        return name
    hosts = stores.pages.hosts()
    names = hosts | {site_of_host(host) for host in hosts}
    if name not in names:
        raise unknown_record(kind="site", name=text, known_names=sorted(names))
    return name
