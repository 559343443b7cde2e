"""A name server on loopback, and this process asking it in place of the machine's."""

import socketserver
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import dns.message
import dns.rcode
import dns.resolver
import dns.rrset

# (name with its last dot, type) → records as zone files write them.
Records = Mapping[tuple[str, str], Sequence[str]]


@contextmanager
def name_server(records: Records) -> Iterator[list[tuple[str, str]]]:
    """Answer with some records, and have all names of this process looked up there; yields what is asked."""
    with served_records(records) as (port, asked), _asking(port):
        yield asked


@contextmanager
def served_records(records: Records) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Answer with some records, including aliases of a name; yields the port, and what is asked."""
    asked: list[tuple[str, str]] = []

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            data, server = self.request
            server.sendto(_answer(data, records, asked), self.client_address)

    with socketserver.ThreadingUDPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield server.server_address[1], asked
        server.shutdown()


def _answer(data: bytes, records: Records, asked: list[tuple[str, str]]) -> bytes:
    query = dns.message.from_wire(data)
    (question,) = query.question
    key = question.name.to_text().lower(), dns.rdatatype.to_text(question.rdtype)
    asked.append(key)
    response = dns.message.make_response(query)
    if key[0] not in {name for name, _ in records}:
        response.set_rcode(dns.rcode.NXDOMAIN)
    if alias := records.get((key[0], "CNAME")):
        response.answer.append(dns.rrset.from_text_list(key[0], 60, "IN", "CNAME", alias))
        key = alias[0], key[1]
    if key in records:
        response.answer.append(dns.rrset.from_text_list(key[0], 60, "IN", key[1], records[key]))
    return response.to_wire()


@contextmanager
def _asking(port: int) -> Iterator[None]:
    """Have dnspython's own look-ups and the system's answered by a server on this machine."""
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers, resolver.port = ["127.0.0.1"], port
    before = dns.resolver.default_resolver
    dns.resolver.default_resolver = resolver
    dns.resolver.override_system_resolver(resolver)
    try:
        yield
    finally:
        dns.resolver.restore_system_resolver()
        dns.resolver.default_resolver = before
