"""Record the environment of a crawl when it begins, see :mod:`storage.records.capture_sessions`."""

import hashlib
import platform
import socket
import threading
import time
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from dns.exception import DNSException
from dns.resolver import Resolver

from crawler.addresses import literal_address, plain_host
from crawler.versions import versions
from storage.collections.stores import Stores
from storage.records import CaptureSession, ResolvedHost, Source
from system.sites import host_of
from system.urls import host_and_port, ip_and_port

_HOSTS_FILE = Path("/etc/hosts")
_MAX_HOSTS = 20  # maximum number of hosts that are looked up
_LOOKUP_S = 5.0  # maximum seconds for all lookups; names without an answer have no address
_SOCKS_PORT, _DNS_PORT = 1080, 53


def begin_session(
    stores: Stores, source: Source, *, scan_id: str, second_resolver: str = ""
) -> CaptureSession:
    """Record the environment of this process, store it and return it.

    Args:
        stores: the database.
        source: the source that is crawled.
        scan_id: of the scan, or of the round of the takedown watch.
        second_resolver: IP address of a name server that is asked too; empty: none.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    hosts, content = _hosts_of(source), b""
    with suppress(OSError):
        content = _HOSTS_FILE.read_bytes()
    session = CaptureSession(
        id=uuid.uuid4().hex,
        scan_id=scan_id,
        source=source.name,
        at=stores.clock.now(),
        machine=platform.node(),
        system=platform.platform(),
        versions=versions(),
        clock_ahead_s=stores.clock_ahead_s(),
        hosts=resolve_hosts(hosts, second_resolver),
        second_resolver=second_resolver,
        hosts_file_sha256=hashlib.sha256(content).hexdigest() if content else "",
        hosts_file_lines=lines_naming(content.decode("utf-8", "replace"), hosts),
        proxies=tuple(host_and_port(proxy, port=_SOCKS_PORT) for proxy in source.proxies),
        is_rendering=source.render is not False,
    )
    stores.capture_sessions.add(session)
    return session


def _hosts_of(source: Source) -> tuple[str, ...]:
    """Return the names among the hosts of a source's addresses, without ports."""
    hosts = (plain_host(host_of(url).partition(":")[0]) for url in source.addresses)
    return tuple(dict.fromkeys(host for host in hosts if host and literal_address(host) is None))[:_MAX_HOSTS]


def lines_naming(hosts_file: str, hosts: Iterable[str]) -> tuple[str, ...]:
    r"""Return the lines of a hosts file that give one of the hosts an address, without comments.

    >>> lines_naming("127.0.0.1 localhost\n10.0.0.1  a.example b.example # ours", ["b.example"])
    ('10.0.0.1 a.example b.example',)
    """
    names_of_source = set(hosts)
    fields = (line.partition("#")[0].split() for line in hosts_file.splitlines())
    return tuple(
        " ".join(names) for names in fields if names_of_source & {name.lower() for name in names[1:]}
    )


def resolve_hosts(hosts: Iterable[str], second_resolver: str) -> tuple[ResolvedHost, ...]:
    """Return the addresses of hosts, by this machine's resolver and by another one.

    Args:
        hosts: names.
        second_resolver: IP address of the other resolver; empty: none.
    """
    names = list(hosts)
    addresses: dict[tuple[str, str], tuple[str, ...]] = {}
    lookups = [
        threading.Thread(target=_look_up, args=(addresses, name, resolver), daemon=True)
        for name in names
        for resolver in dict.fromkeys(("", second_resolver))
    ]
    for lookup in lookups:
        lookup.start()
    end = time.monotonic() + _LOOKUP_S
    for lookup in lookups:
        lookup.join(max(0.0, end - time.monotonic()))
    return tuple(
        ResolvedHost(
            host=name,
            system=addresses.get((name, ""), ()),
            second=addresses.get((name, second_resolver), ()) if second_resolver else (),
        )
        for name in names
    )


def _look_up(addresses: dict[tuple[str, str], tuple[str, ...]], name: str, resolver: str) -> None:
    """Add the addresses that a resolver gives; nothing if it gives none."""
    with suppress(OSError, UnicodeError, ValueError, DNSException):
        resolved = _by_name_server(name, resolver) if resolver else _by_system(name)
        addresses[name, resolver] = tuple(sorted(set(resolved)))


def _by_system(name: str) -> list[str]:
    return [str(entry[4][0]) for entry in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)]


def _by_name_server(name: str, address: str) -> list[str]:
    """Return the addresses by a name server; ``address`` is its IP address, with or without a port."""
    host, port = ip_and_port(address, port=_DNS_PORT)
    resolver = Resolver(configure=False)
    resolver.nameservers, resolver.port, resolver.lifetime = [host], port, _LOOKUP_S
    return list(resolver.resolve_name(name).addresses())
