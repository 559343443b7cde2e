"""Canonical URLs, and the check for private addresses. Pure.

Links on foreign pages must not lead the crawler to its own machine, network or cloud. An address is private
if ``special_addresses.toml`` lists it (IANA's registries and the clouds' addresses), or if it is the name
localhost. Every spelling that a resolver understands counts: decimal, hexadecimal, octal, shortened,
full-width, and IPv6 forms that contain an IPv4 address. :func:`is_private` makes the decision.

No address is longer than :data:`MAX_ADDRESS_CHARS`. Each relative link repeats the address of its page, so a
long address would fill memory and database thousands of times.
"""

import ipaddress
import re
import socket
import tomllib
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Any, TypeAlias
from urllib.parse import urljoin, urlsplit, urlunsplit

from w3lib.url import canonicalize_url

from system.sites import DEFAULT_PORTS

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

MAX_ADDRESS_CHARS = 2_000  # common limit of browsers and servers
_MAX_ESCAPED_CHARS = 12  # maximum characters into which one character may be escaped
_USERINFO = re.compile(r"(?<=://)[^/?#]*@")  # a page must not choose our user name
_OTHER_SCHEME = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]{1,30}:(?!\d)", re.IGNORECASE)
_SESSION = re.compile(
    r"^(?:php|asp|aspx|j|cf)?_?sess(?:ion)?_?(?:id)?$|^s?sid$|^jsessionid$|^phpsessid$|^cf(?:id|token)$|^zenid$",
    re.IGNORECASE,
)
_TRACKING = re.compile(
    r"^(?:utm_\w+|spm|scm|_trans_|scene|from|wxfrom|cre|share\w*|fbclid|gclid|msclkid|yclid|bd_vid|timestamp|_t|nonce"
    r"|chksm|srcid|nsukey|isappinstalled|ivk_sa|hm(?:sr|pl|cu|kw|ci)|sudaref|tracker_u)$",
    re.IGNORECASE,
)
# may be the id of a story or the offset of a list, so it is kept
_MAY_BE_ID = re.compile(r"(?:sid|from)=\d{1,6}$", re.IGNORECASE)
_PATH_SESSION = re.compile(r";(?:jsessionid|sid|phpsessid)=[^/?#]*|/\(S\([^/)]*\)\)", re.IGNORECASE)
_LOOPBACK = ipaddress.IPv4Address("127.0.0.1")


class LongAddress(ValueError):
    """An address is longer than :data:`MAX_ADDRESS_CHARS`."""


def join_url(base: str, target: str) -> str:
    """Return a target as an absolute URL; empty for an invalid one, such as with a bracket in its host."""
    try:
        url = urljoin(base, target.strip())
        urlsplit(url)  # without a base, urljoin checks nothing
    except ValueError:
        return ""
    return url


def absolute_url(base: str, target: str) -> str:
    """Return a target as an absolute address without fragment, user name and password.

    Args:
        base: the address that the target is relative to.
        target: as in the page, sitemap or feed; surrounding white space is ignored.

    Raises:
        LongAddress: the address is too long to be requested or stored.
        ValueError: the target is not an http(s) address.
    """
    target = target.strip().partition("#")[0]
    if _OTHER_SCHEME.match(target):
        raise ValueError("no http(s) address")
    if len(target) > MAX_ADDRESS_CHARS or (len(base) > MAX_ADDRESS_CHARS and not is_web(target)):
        raise LongAddress("too long")
    absolute = join_url(base, target)
    if not _names_a_host(absolute):
        raise ValueError("no http(s) address")
    absolute = _USERINFO.sub("", absolute)
    if (
        len(absolute) > MAX_ADDRESS_CHARS // _MAX_ESCAPED_CHARS
        and len(canonical(absolute)) > MAX_ADDRESS_CHARS
    ):
        raise LongAddress("too long")
    return absolute


def canonical(url: str) -> str:
    """Return the spelling under which a page is stored: sorted query, no fragment.

    GBK-escaped queries stay unchanged. A text that is not an address stays too, except lone surrogates.
    """
    try:
        return canonicalize_url(url, keep_fragments=False)
    except ValueError:
        return url.encode("utf-8", "replace").decode()


def without_tracking(url: str) -> str:
    """Return an address without session and tracking parameters.

    >>> without_tracking("http://a.cn/1.html;jsessionid=7F?spm=a1.2&id=5&utm_source=rss")
    'http://a.cn/1.html?id=5'
    """
    try:
        parts = urlsplit(_PATH_SESSION.sub("", url))
    except ValueError:
        return url
    if not parts.query:
        return urlunsplit(parts)
    pairs = parts.query.split("&")
    kept = [pair for pair in pairs if not _is_tracking(pair)]
    return urlunsplit(parts._replace(query="&".join(kept)))


def _is_tracking(pair: str) -> bool:
    name = pair.partition("=")[0]
    is_named = _SESSION.match(name) is not None or _TRACKING.match(name) is not None
    return is_named and not _MAY_BE_ID.match(pair)


def is_web(url: str) -> bool:
    """Return whether a URL is http or https, names a host and is not too long."""
    return len(url) <= MAX_ADDRESS_CHARS and _names_a_host(url)


def _names_a_host(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in DEFAULT_PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def is_private_host(host: str) -> bool:
    """Return whether a literal host is a private address; False for names that need a resolver."""
    address = literal_address(host)
    return address is not None and is_private(address)


def plain_host(host: str) -> str:
    """Normalize width and case of a host; remove brackets, a final dot and an IPv6 zone."""
    narrow = unicodedata.normalize("NFKC", host).replace(
        "\u3002", "."
    )  # IDNA treats an ideographic full stop as a dot too
    return narrow.strip("[]").partition("%")[0].rstrip(".").lower()


def literal_address(host: str) -> Address | None:
    """Return the IP address that a host spells out; None for a name that must be looked up."""
    plain = plain_host(host)
    if plain == "localhost" or plain.endswith(".localhost"):
        return _LOOPBACK
    try:
        return ipaddress.ip_address(plain)
    except ValueError:
        return _loose_ipv4(plain)


def is_private(address: Address) -> bool:
    """Return whether an address belongs to our machine, network or cloud, not to a site on the internet."""
    plain = _embedded_ipv4(address)
    at = bisect_right(_STARTS[plain.version], int(plain)) - 1
    return at >= 0 and int(plain) <= _ENDS[plain.version][at]


def is_private_peer(host: str) -> bool:
    """Return whether the peer of a connection is a private address, or not an IP address."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return True
    return is_private(address)


def _loose_ipv4(host: str) -> Address | None:
    """Read ``2130706433``, ``0x7f.1`` and ``127.1`` as the C library does."""
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except (OSError, UnicodeEncodeError):
        return None


def _embedded_ipv4(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 address contains, else the address itself."""
    if any(address in network for network in _IPV4_CARRIERS):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _registries() -> list[dict[str, Any]]:
    text = files("crawler").joinpath("special_addresses.toml").read_text(encoding="utf-8")
    registries: list[dict[str, Any]] = tomllib.loads(text)["registry"]
    return registries


def _networks_of(key: str) -> Iterator[Network]:
    return (ipaddress.ip_network(block) for registry in _registries() for block in registry.get(key, ()))


def _merge_blocks(version: int) -> list[Network]:
    """Return the blocks of an IP version, sorted and merged."""
    blocks: Iterable[Any] = (block for block in _networks_of("blocks") if block.version == version)
    return list(ipaddress.collapse_addresses(blocks))


_IPV4_CARRIERS = tuple(_networks_of("carrying"))
_BLOCKS = {version: _merge_blocks(version) for version in (4, 6)}
_STARTS = {version: [int(block[0]) for block in blocks] for version, blocks in _BLOCKS.items()}
_ENDS = {version: [int(block[-1]) for block in blocks] for version, blocks in _BLOCKS.items()}
