"""Server addresses that may contain a password: check them, and show them without it. Pure.

If a password contains ``/``, ``?``, ``#`` or ``@`` without percent-encoding, each parser splits the address
differently, and its error message may quote half the password. So such an address is refused, and no text of
this module quotes any part of an address.
"""

import re
from urllib.parse import urlsplit

from system.messages import N_

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://(?P<authority>[^/?#]*)(?P<rest>.*)", re.IGNORECASE)
_NEXT_NODE = re.compile(r",rediss?://", re.IGNORECASE)  # of a cluster
_USER = re.compile(r"([^@\[\]%]|%[0-9A-Fa-f]{2})*")
_HOSTS = re.compile(r"[\w.\-~:,\[\]%]*")
_UNWRITTEN = re.compile(r"[\x00-\x20\x7f-\x9f]")


def problem_of(address: str) -> str:
    """Return why an address is wrong, or an empty text; the reason quotes no part of the address."""
    match = _ADDRESS.fullmatch(_NEXT_NODE.sub(",", address))
    if match is None or _UNWRITTEN.search(address):
        return N_("it is not an address such as scheme://user:password@host:port")
    user, _, hosts = match["authority"].rpartition("@")
    if "@" in match["rest"] or not _USER.fullmatch(user) or not _HOSTS.fullmatch(hosts):
        return N_(
            "its user name and password must be percent-encoded (@ as %40, / as %2F, ? as %3F, # as %23)"
        )
    return "" if all(map(_has_port, hosts.split(","))) else N_("its port is not a number")


def place_in(address: str, *, port: int) -> str:
    """Return ``host:port`` of a checked address, without its credentials.

    Args:
        address: with or without a scheme.
        port: the default port.
    """
    authority = re.split(r"[/?#]", address.rpartition("://")[2], maxsplit=1)[0]
    try:
        parts = urlsplit(f"//{authority.rpartition('@')[2]}")
        host, number = parts.hostname or "localhost", parts.port or port
    except ValueError:
        return "?"
    return f"{host}:{number}"


def _has_port(host: str) -> bool:
    """Return whether ``host``, ``host:port`` or ``[address]:port`` has no port or a numeric one."""
    return re.fullmatch(r"(\[[^\]]*\]|[^:\[\]]*)(:\d{1,5})?", host) is not None
