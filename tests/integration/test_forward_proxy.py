"""The forward proxy over real sockets: whom it serves, where it connects to, and how much it lets through."""

import asyncio
import base64
from contextlib import asynccontextmanager, suppress

import pytest

from crawler.download.forwarding.lookup import safe_lookup
from crawler.download.forwarding.proxy import ClientLimits, ForwardProxy
from crawler.download.private_allowlist import RESOLVED_PRIVATE, PrivateAllowlist
from crawler.failures import PrivateAddress

NAMES = {"site.test": "127.0.0.1", "inner.test": "127.0.0.2"}


async def resolve(name):
    if name not in NAMES:
        raise OSError(name)
    return NAMES[name]


class Server:
    """Answers with its body and remembers what it was sent."""

    def __init__(self, answer=b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"):
        self.answer, self.heard, self.connections = answer, [], 0

    async def serve(self, reader, writer):
        self.connections += 1
        try:
            self.heard.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(self.answer)
            await writer.drain()
            with suppress(TimeoutError):
                async with asyncio.timeout(0.3):  # for what ought not to come
                    self.heard[-1] += await reader.read(1000)
        except (asyncio.IncompleteReadError, ConnectionError):  # the proxy hung up
            pass
        finally:
            writer.close()


@asynccontextmanager
async def running_proxy(server=None, *, lookup=None, address="127.0.0.1", max_bytes=100_000, limits=None):
    server = server or Server()
    listening = await asyncio.start_server(server.serve, address, 0)
    port = listening.sockets[0].getsockname()[1]
    private = PrivateAllowlist(source_hosts=frozenset({("site.test", port)}))
    RESOLVED_PRIVATE["site.test"] = "127.0.0.1"  # as the crawl's resolver notes
    proxy = ForwardProxy(
        lookup or safe_lookup(resolve, allowed=private.source_hosts), refuses_peer=private.refuses_peer
    )
    await proxy.start()
    client = proxy.admit("page", max_bytes=max_bytes, limits=limits or ClientLimits())
    try:
        yield proxy, client, server, port
    finally:
        await proxy.close()
        listening.close()
        async with asyncio.timeout(30):
            while len(asyncio.all_tasks()) > 1:  # noqa: ASYNC110 - what was hung up on ends in the next turns
                await asyncio.sleep(0.05)
        await asyncio.sleep(0.05)


async def ask(proxy, head, *, user="page", password=None, more=b""):
    """Return all that the proxy answers, of a tunnel how it is opened."""
    word = base64.b64encode(f"{user}:{proxy.password if password is None else password}".encode()).decode()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(proxy.url.rpartition(":")[2]))
    try:
        writer.write(f"{head}\r\nProxy-Authorization: Basic {word}\r\n\r\n".encode() + more)
        async with asyncio.timeout(30):
            return await (reader.read(10_000) if head.startswith("CONNECT") else reader.read())
    except ConnectionResetError:  # hung up on before all was read
        return b""
    finally:
        writer.close()


def test_plain_http_is_forwarded_for_a_single_exchange():
    async def scene():
        async with running_proxy() as (proxy, client, server, port):
            smuggled = b"GET http://other.test/ HTTP/1.1\r\n\r\n"
            answer = await ask(
                proxy, f"GET http://site.test:{port}/a HTTP/1.1\r\nHost: site.test", more=smuggled
            )
            assert answer == b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"
            assert server.heard == [b"GET /a HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n"]
            assert client.addresses == {("site.test", port): "127.0.0.1"}

    asyncio.run(scene())


def test_tunnel_is_opened_to_the_address_that_was_looked_up():
    async def scene():
        async with running_proxy() as (proxy, _, server, port):
            assert await ask(proxy, f"CONNECT site.test:{port} HTTP/1.1") == (
                b"HTTP/1.1 200 Connection established\r\n\r\n"
            )
            assert server.connections == 1

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("user", "password"), [("page", "guess"), ("other", None), ("", ""), ("page", ""), ("browser", None)]
)
def test_proxy_serves_no_other_client(user, password):
    async def scene():
        async with running_proxy() as (proxy, _, server, port):
            for head in (f"GET http://site.test:{port}/ HTTP/1.1", f"CONNECT site.test:{port} HTTP/1.1"):
                answer = await ask(proxy, head, user=user, password=password)
                assert answer.startswith(b"HTTP/1.1 407 ")
            assert not server.connections

    asyncio.run(scene())


@pytest.mark.parametrize(
    "host", ["127.0.0.2", "inner.test", "2130706434", "0x7f.2", "[::ffff:127.0.0.2]", "[::1]"]
)
def test_inner_addresses_are_hung_up_on_without_a_word(host):
    async def scene():
        async with running_proxy(address="127.0.0.2") as (proxy, client, server, port):
            for head in (f"GET http://{host}:{port}/ HTTP/1.1", f"CONNECT {host}:{port} HTTP/1.1"):
                assert await ask(proxy, head) == b""
            assert not server.connections
            assert set(client.refusals.values()) == {"inner-address"}

    asyncio.run(scene())


def test_peer_address_is_checked_whatever_the_lookup_returned():
    """The last check: even if the lookup is wrong, not a byte is sent."""

    async def wrong(_host, _port):
        return "127.0.0.2"

    async def scene():
        server = Server()
        async with running_proxy(server, lookup=wrong, address="127.0.0.2") as (proxy, client, _, port):
            assert await ask(proxy, f"GET http://site.test:{port}/ HTTP/1.1") == b""
            assert not server.heard
            assert client.refusals == {("site.test", port): "inner-address"}

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 200_000, "too-large"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n", "other"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", "other"),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "other"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 9, "other"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "other"),
    ],
)
def test_answer_is_bounded(answer, reason):
    async def scene():
        async with running_proxy(Server(answer)) as (proxy, client, _, port):
            got = await ask(proxy, f"GET http://site.test:{port}/ HTTP/1.1")
            assert len(got) <= 100_100
            assert client.refusals == {("site.test", port): reason}

    asyncio.run(scene())


def test_client_that_is_dismissed_is_cut_off_and_served_no_more():
    async def scene():
        async with running_proxy() as (proxy, client, _, port):
            proxy_port = int(proxy.url.rpartition(":")[2])
            word = base64.b64encode(f"page:{proxy.password}".encode()).decode()
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy_port)
            head = f"CONNECT site.test:{port} HTTP/1.1\r\nProxy-Authorization: Basic {word}\r\n\r\n"
            writer.write(head.encode())
            await reader.readuntil(b"\r\n\r\n")
            assert len(client.connections) == 1
            proxy.dismiss("page")
            async with asyncio.timeout(30):
                assert await reader.read() == b""
            writer.close()
            assert not client.connections
            assert (await ask(proxy, f"CONNECT site.test:{port} HTTP/1.1")).startswith(b"HTTP/1.1 407 ")

    asyncio.run(scene())


def test_client_has_the_reason_why_a_host_was_not_reached():
    async def refuses(host, _port):
        if host == "inner.test":
            raise PrivateAddress("inner")
        return "127.0.0.1"

    async def scene():
        async with running_proxy(lookup=refuses) as (proxy, client, *_):
            for place in ("no.test:1", "inner.test:80"):
                assert await ask(proxy, f"CONNECT {place} HTTP/1.1") == b""
            assert client.refusals == {("no.test", 1): "refused", ("inner.test", 80): "inner-address"}

    asyncio.run(scene())
