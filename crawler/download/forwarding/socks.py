"""SOCKS proxies: parses their addresses and connects through them. python-socks does the handshake.

A proxy always receives a checked IP address, never a name: a name that the proxy resolves could lead into its
own network. So ``socks5h`` and ``socks4a`` are refused.

RFC 1928 (SOCKS 5), RFC 1929 (user name and password).
"""

import asyncio
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit

from python_socks import ProxyError, ProxyType
from python_socks.async_.asyncio import Proxy

from crawler.download.forwarding.connectors import Connector, StreamPair
from crawler.download.forwarding.http1 import MAX_HEADER_BYTES
from crawler.failures import ProxyDeniesLogin, ProxyFailed
from system.messages import N_

_KINDS = {"socks5": ProxyType.SOCKS5, "socks4": ProxyType.SOCKS4}
_MAX_LETTERS = 255  # maximum length of name and password, which is one byte in RFC 1929
_REFUSED_BY_SITE = 5  # reply code of RFC 1928, 6: the proxy works, but the site refuses
_PASSWORD = "authentication"  # noqa: S105 - in each message of python-socks about a rejected login


@dataclass(frozen=True, slots=True)
class SocksProxy:
    """One proxy; its ``repr`` contains no secret.

    Attributes:
        kind: ``socks5`` or ``socks4``.
        user: user name, or the user id of SOCKS 4; empty without.
        password: empty without.
    """

    kind: str
    host: str
    port: int
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    @property
    def redacted_url(self) -> str:
        """The address without secrets, for messages."""
        return f"{self.kind}://{self.host}:{self.port}"


def is_socks(url: str) -> bool:
    """Return whether a proxy's address has a SOCKS scheme."""
    return url.lower().startswith("socks")


def socks_proxy(url: str) -> SocksProxy:
    """Parse ``socks5://user:password@host:port``; user and password may be percent-encoded.

    Raises:
        ValueError: the address is invalid; the message gives the reason without secrets.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError(N_("write a SOCKS proxy as socks5://host:port")) from None
    if parts.scheme in {"socks5h", "socks4a"}:
        raise ValueError(N_("the crawler resolves names itself; write socks5://host:port"))
    if parts.scheme not in _KINDS or not parts.hostname or not port or parts.path.strip("/"):
        raise ValueError(N_("write a SOCKS proxy as socks5://host:port"))
    user, password = _parse_credentials(parts)
    return SocksProxy(parts.scheme, parts.hostname, port, user, password)


def _parse_credentials(parts: SplitResult) -> tuple[str, str]:
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if any(not value.isascii() or len(value) > _MAX_LETTERS for value in (user, password)):
        raise ValueError(N_("user name and password of a SOCKS proxy have at most 255 ASCII letters"))
    if parts.scheme == "socks5" and bool(user) != bool(password):
        raise ValueError(N_("a SOCKS proxy needs both a user name and a password, or neither"))
    return user, password


def socks_connector(proxy: SocksProxy) -> Connector:
    """Return a connector through a proxy.

    It raises ``ProxyDeniesLogin`` if the proxy rejects our login, ``ProxyFailed`` if it does not work, and
    ``ConnectionRefusedError`` if it works and the site refuses.
    """

    async def connect(address: str, port: int) -> StreamPair:
        if proxy.kind == "socks4" and ":" in address:
            raise ProxyFailed(f"{proxy.redacted_url}: no IPv6 in SOCKS 4")
        client = Proxy(
            _KINDS[proxy.kind], proxy.host, proxy.port, proxy.user or None, proxy.password or None, rdns=False
        )
        try:
            # no time limit here, because the forward proxy has a shorter one
            connection = await client.connect(address, port)
        except ProxyError as error:
            raise _failure_of(error, proxy) from error
        except (OSError, ValueError) as error:
            raise ProxyFailed(proxy.redacted_url) from error
        return await asyncio.open_connection(sock=connection, limit=MAX_HEADER_BYTES)

    return connect


def _failure_of(error: ProxyError, proxy: SocksProxy) -> Exception:
    """Return the exception for an error of the proxy."""
    if _PASSWORD in str(error).lower():
        return ProxyDeniesLogin(proxy.redacted_url)
    if proxy.kind == "socks5" and error.error_code == _REFUSED_BY_SITE:
        return ConnectionRefusedError("the site refused")
    return ProxyFailed(proxy.redacted_url)
