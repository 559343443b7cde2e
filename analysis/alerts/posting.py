"""Post to services within limits of time and answer size, even if the receiver misbehaves.

Time-outs of :mod:`requests` apply between two bytes. A receiver that sends endless bytes, or endless
``100 Continue``, is cut off after :data:`DEADLINE_S`. Redirects are not followed.
"""

import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool
from urllib3.exceptions import HTTPError

from analysis.alerts.outcomes import NotDelivered
from analysis.words.i18n import N_
from system.messages import Message

TIMEOUT_S = (5.0, 15.0)  # limits for connecting, and between two bytes of the answer
DEADLINE_S = 30.0  # limit for a whole connection


def post(
    address: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    params: Mapping[str, str] | None = None,
    max_bytes: int = 0,
) -> tuple[int, bytes]:
    """Post a body. Return the status and the first bytes of the answer.

    Args:
        address: http or https.
        body: the body to post.
        headers: request headers.
        params: query parameters.
        max_bytes: limit for the body of the answer; the rest is not read.

    Raises:
        NotDelivered: there was no answer; the error does not contain the address.
    """
    begun = time.monotonic()
    try:
        with requests.Session() as session:
            session.mount("http://", _BoundedAdapter())
            session.mount("https://", _BoundedAdapter())
            with session.post(
                address,
                data=body,
                headers=dict(headers),
                params=params,
                timeout=TIMEOUT_S,
                allow_redirects=False,
                stream=True,
            ) as answer:
                read = next(answer.iter_content(max_bytes), b"") if max_bytes else b""
                return answer.status_code, read
    except (
        requests.RequestException,
        HTTPError,
        ValueError,
    ) as error:  # not the library's message, which may contain the secret address
        is_over = time.monotonic() - begun >= DEADLINE_S
        problem = N_("it did not answer in time") if is_over else _request_problem(error)
        raise NotDelivered(problem=Message(problem)) from None


def _request_problem(error: Exception) -> str:
    """Return why a request failed in pindna's words: the library's message may contain the address."""
    if isinstance(error, requests.exceptions.SSLError):
        return N_("its certificate is not trusted")
    if isinstance(error, requests.Timeout):
        return N_("it did not answer in time")
    if isinstance(error, requests.ConnectionError):
        return N_("it cannot be reached")
    return N_("the address cannot be used")


class _BoundedConnection(HTTPConnection):
    """A connection that is cut at a deadline."""

    def _new_conn(self) -> socket.socket:
        connected = super()._new_conn()
        end = connected.dup()  # a duplicate, because TLS takes over the socket itself
        cutter = threading.Timer(DEADLINE_S, _shut_down, (end,))
        cutter.daemon = True
        cutter.start()
        self._cutter, self._end = cutter, end
        return connected

    def close(self) -> None:
        """Close the connection, and cancel the timer that would cut it."""
        super().close()
        if hasattr(self, "_cutter"):
            self._cutter.cancel()
            self._end.close()


class _BoundedTlsConnection(_BoundedConnection, HTTPSConnection):
    """A TLS connection that is cut at a deadline."""


def _shut_down(end: socket.socket) -> None:
    """Make every read from and write to a connection fail at once."""
    with suppress(OSError), end:
        end.shutdown(socket.SHUT_RDWR)


class _BoundedAdapter(HTTPAdapter):
    """Opens bounded connections to receivers and proxies."""

    def get_connection_with_tls_context(self, *args: object, **kwargs: object) -> HTTPConnectionPool:
        """Return the connection pool of a receiver."""
        pool: HTTPConnectionPool = super().get_connection_with_tls_context(*args, **kwargs)  # type: ignore[arg-type]
        pool.ConnectionCls = _BoundedTlsConnection if pool.scheme == "https" else _BoundedConnection
        return pool
