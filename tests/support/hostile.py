"""A web site that means harm, on loopback, and a crawl of it.

It sends :mod:`support.hostile_answers`. A canary listens on inner addresses beside it: whoever connects there
has escaped.
"""

import asyncio
import json
import os
import subprocess
import sys
import threading
import uuid
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from support.hostile_answers import answer, cases, page
from support.wrong_servers import free_port

from storage.collections.stores import open_stores
from storage.records import Scan, utc_now
from storage.servers.redis_client import open_redis
from storage.settings import StorageSettings

ROOT = Path(__file__).parents[2]
LITERALS = [
    "127.0.0.2", "127.2", "127.0.2", "2130706434", "0x7f000002", "0x7F.0.0.2", "0177.0.0.2", "017700000002",
    "127.0.0.2.", "１２７.０.０.２", "127。0。0。2",
    "user:secret@127.0.0.2", "[::1]", "[0:0:0:0:0:0:0:1]", "[::]",
    "[::ffff:127.0.0.2]", "[::ffff:7f00:2]", "[::127.0.0.2]", "[64:ff9b::127.0.0.2]", "[64:ff9b:1::7f00:2]",
    "[::ffff:0:127.0.0.2]", "[2002:7f00:2::]", "[2001:0:7f00:2::]", "[fe80::1]", "[fc00::1]",
    "[fd00:ec2::254]",
    "[ff02::1]", "[fec0::1]", "[2001:db8::1]", "0.0.0.0", "0",  # noqa: S104 - asked for, not bound to
    "10.0.0.1", "172.16.0.1", "192.168.0.1",
    "169.254.169.254", "100.64.0.1", "100.100.100.200", "198.18.0.1", "192.0.2.1", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "a.localhost", "b.LocalHost.", "inner.test", "INNER.test.",
]  # fmt: skip

# Spellings of addresses that no test server has to listen on, in a resolver's file instead of DNS.
NAMES = {"inner.test": ["127.0.0.2"], "rebind.test": ["127.0.0.1", "127.0.0.2"]}

# What stands for a name server: the standard library's look-up with a few names of our own.
RESOLVER = """
import atexit, collections, json, os, re, socket
known = {name: collections.deque(each) for name, each in json.loads(os.environ["TEST_NAMES"]).items()}
original = socket.gethostbyname
def look_up(name):
    found = known.get(name.lower().rstrip("."))
    if found is None:
        return original(name)
    return found.popleft() if len(found) > 1 else found[0]
socket.gethostbyname = look_up
def tell():
    with open(os.environ["TEST_MEMORY"], "w") as file:
        file.write(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
atexit.register(tell)
"""


def with_names(folder, names):
    """Return the variables with which processes know some names; ``folder`` is theirs alone.

    Args:
        names: host → addresses, one after the other.
    """
    (folder / "sitecustomize.py").write_text(RESOLVER, encoding="utf-8")
    path = f"{folder}:{ROOT}"
    return {"PYTHONPATH": path, "TEST_NAMES": json.dumps(names), "TEST_MEMORY": str(folder / "memory")}


class HostileSite:
    """The site and its canary, in a thread with an event loop of its own."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.escapes = []
        self.asked = []
        self.port = free_port()
        self.cases = cases(f"127.0.0.2:{self.port}", self.port)
        self.servers = self._run(self._open())

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def close(self):
        self._run(self._close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def _run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(60)

    async def _open(self):
        site = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        canaries = [await asyncio.start_server(self._canary, "127.0.0.2", self.port)]
        with suppress(OSError):  # a machine may have no IPv6
            canaries.append(await asyncio.start_server(self._canary, "::1", self.port))
        return [site, *canaries]

    async def _close(self):
        for server in self.servers:
            server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # connections that were hung up on are closed in the next turn

    async def _canary(self, reader, writer):
        try:
            self.escapes.append((writer.get_extra_info("sockname"), await reader.read(200)))
        finally:
            writer.transport.abort()

    async def _serve(self, reader, writer):
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                request = await reader.readuntil(b"\r\n\r\n")
                path = request.split(b" ", 2)[1].decode("latin-1").lstrip("/")
                self.asked.append((path, request))
                await self.send(path, writer)
        except asyncio.CancelledError:  # the site is closed
            writer.transport.abort()
            raise
        writer.close()

    async def send(self, path, writer):
        case = self.cases.get(path.partition("?")[0])
        if path.startswith("good"):
            await answer(page(f"<p>{path}</p>"))(writer)
        else:
            await (case.send if case else answer(b"", 404))(writer)


@contextmanager
def hostile_site():
    site = HostileSite()
    try:
        yield site
    finally:
        site.close()


@contextmanager
def fresh_stores(services):
    """Stores of a database of their own, for a crawl that a whole module looks at; dropped afterwards."""
    storage = StorageSettings(
        mongo_url=services.mongo_url, mongo_database=f"test_{uuid.uuid4().hex}", redis_url=services.redis_url
    )
    stores = open_stores(storage)
    try:
        with closing(open_redis(storage)) as client:
            client.flushdb()  # frontiers of an earlier crawl go by the source's name
        stores.ensure_schema()
        yield stores
    finally:
        stores.database.client.drop_database(stores.database.name)
        stores.close()


def crawl_hostile(site, source, stores, services, folder, *, names, timeout_s, **env):
    """Crawl a source of hostile addresses, with small limits and a resolver that knows some names more.

    Args:
        folder: the crawl's working folder; its peak memory is left there in ``memory``.
        names: host → addresses, one after the other.
        timeout_s: of a download.
        env: variables beside the usual ones.
    """
    known = with_names(folder, names)
    stores.sources.save(source)
    stores.scans.open(Scan(id="s", trigger="hand", sources=(source.name,), started=utc_now()))
    environment = {
        **os.environ,
        **known,
        "MALLOC_ARENA_MAX": "2",  # else the peak depends on how many threads took memory at once
        "PINDNA_STORAGE__MONGO_URL": services.mongo_url,
        "PINDNA_STORAGE__MONGO_DATABASE": stores.database.name,
        "PINDNA_STORAGE__REDIS_URL": services.redis_url,
        "PINDNA_CRAWLER__ALLOW_INNER": '["127.0.0.1", "rebind.test"]',
        "PINDNA_CRAWLER__DELAY_S": "0",
        "PINDNA_CRAWLER__MAX_RESPONSE_BYTES": "1000000",
        "PINDNA_CRAWLER__MAX_WAIT_S": "2",
        "PINDNA_CRAWLER__RETRIES": "0",
        "PINDNA_CRAWLER__TIMEOUT_S": str(timeout_s),
        "http_proxy": f"http://127.0.0.2:{site.port}",
        **env,
    }
    command = [sys.executable, "-m", "crawler", "--source", source.name, "--scan", "s"]
    return subprocess.run(
        [*command, "--crawl", f"s:{source.name}"],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
