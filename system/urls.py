"""Check server addresses that may contain a password, and display them without it. Pure.

If a password contains ``/``, ``?``, ``#`` or ``@`` without percent-encoding, parsers split the address in
different ways, and their error messages may quote half of the password. So such an address is refused, and no
message of this module quotes any part of an address.
"""

import ipaddress
import re
from urllib.parse import urlsplit

from system.messages import N_

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://(?P<authority>[^/?#]*)(?P<rest>.*)", re.IGNORECASE)
_NEXT_NODE = re.compile(r",rediss?://", re.IGNORECASE)  # between two nodes of a cluster
_USER = re.compile(r"([^@\[\]%]|%[0-9A-Fa-f]{2})*")
_HOSTS = re.compile(r"[\w.\-~:,\[\]%]*")
_CONTROL_CHARACTER = re.compile(r"[\x00-\x20\x7f-\x9f]")


def address_problem(address: str) -> str:
    """Return what is wrong with an address, or an empty text. The result quotes no part of the address."""
    match = _ADDRESS.fullmatch(_NEXT_NODE.sub(",", address))
    if match is None or _CONTROL_CHARACTER.search(address):
        return N_("it is not an address such as scheme://user:password@host:port")
    user, _, hosts = match["authority"].rpartition("@")
    if "@" in match["rest"] or not _USER.fullmatch(user) or not _HOSTS.fullmatch(hosts):
        return N_(
            "its user name and password must be percent-encoded (@ as %40, / as %2F, ? as %3F, # as %23)"
        )
    return "" if all(map(_has_valid_port, hosts.split(","))) else N_("its port is not a number")


def ip_and_port(text: str, *, port: int) -> tuple[str, int]:
    """Return the IP address and the port in ``ADDRESS`` or ``ADDRESS:PORT``.

    >>> ip_and_port("9.9.9.9", port=53), ip_and_port("[::1]:5353", port=53), ip_and_port("::1", port=53)
    (('9.9.9.9', 53), ('::1', 5353), ('::1', 53))

    Args:
        text: an IPv6 address with a port is in brackets.
        port: the default port.

    Raises:
        ValueError: it contains no IP address, or the port is wrong.
    """
    is_bare = text.count(":") > 1 and not text.startswith("[")
    parts = urlsplit(f"//[{text}]" if is_bare else f"//{text}")
    return str(ipaddress.ip_address(parts.hostname or "")), parts.port or port


def host_and_port(address: str, *, port: int) -> str:
    """Return ``host:port`` of a checked address, without its credentials.

    Args:
        address: an address with or without a scheme.
        port: the default port.
    """
    authority = re.split(r"[/?#]", address.rpartition("://")[2], maxsplit=1)[0]
    try:
        parts = urlsplit(f"//{authority.rpartition('@')[2]}")
        host, number = parts.hostname or "localhost", parts.port or port
    except ValueError:
        return "?"
    return f"{host}:{number}"


def _has_valid_port(host: str) -> bool:
    """Return whether ``host``, ``host:port`` or ``[address]:port`` has no port or a numeric port."""
    return re.fullmatch(r"(\[[^\]]*\]|[^:\[\]]*)(:\d{1,5})?", host) is not None
