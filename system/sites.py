"""The host and the site of an address. Pure.

The *host* is the host name without ``www.``, followed by the port unless it is the default of the scheme. The
pace of requests, logins, and the learnt repeated lines belong to a host. The *site* is the registered domain,
by the list of public suffixes in the package tldextract, including private suffixes. Matches, decisions and
cases belong to a site. For an IP address, for ``localhost`` and for a name without a public suffix, the site
is the host with its port.
"""

from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from tldextract import TLDExtract

DEFAULT_PORTS = {"http": 80, "https": 443}


@cache
def suffix_list() -> "TLDExtract":
    """Return the parser that splits host names by the list of public suffixes."""
    from tldextract import TLDExtract  # noqa: PLC0415 - many commands need no site

    # Never download the list, because that request would bypass the checks of addresses.
    return TLDExtract(suffix_list_urls=(), include_psl_private_domains=True, cache_dir=None)


def host_of(url: str) -> str:
    """Return the host without ``www.``, followed by the port unless it is the default of the scheme.

    >>> host_of("https://www.example.cn:443/1.html"), host_of("http://m.example.cn:8080/")
    ('example.cn', 'm.example.cn:8080')

    Raises:
        ValueError: the port is not a number.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".").removeprefix("www.")
    if ":" in host:
        host = f"[{host}]"
    return host if parts.port in {None, DEFAULT_PORTS.get(parts.scheme)} else f"{host}:{parts.port}"


def site_of(url: str) -> str:
    """Return the site of an address.

    >>> site_of("https://m.book.example.com.cn:8443/1.html"), site_of("http://10.0.0.1:8080/")
    ('example.com.cn', '10.0.0.1:8080')

    Raises:
        ValueError: the port is not a number.
    """
    return site_of_host(host_of(url))


@lru_cache(maxsize=4096)
def site_of_host(host: str) -> str:
    """Return the site of a host from :func:`host_of`; a site is returned unchanged.

    >>> site_of_host("a.github.io"), site_of_host("b.a.github.io:81"), site_of_host("localhost:81")
    ('a.github.io', 'a.github.io', 'localhost:81')
    """
    return registered_domain(host.rpartition("]")[2].partition(":")[0]) or host


@lru_cache(maxsize=4096)
def registered_domain(name: str) -> str:
    """Return the registered domain of a host name; empty for an IP address or a name without a suffix."""
    return str(suffix_list()(name).top_domain_under_public_suffix)


@lru_cache(maxsize=4096)
def registrable_domain(name: str) -> str:
    """Return the domain of a host name that a registrar registered, without private suffixes; else empty.

    >>> registrable_domain("b.a.github.io"), registrable_domain("localhost")
    ('github.io', '')
    """
    return str(suffix_list()(name, include_psl_private_domains=False).top_domain_under_public_suffix)
