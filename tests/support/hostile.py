"""A web site that means harm, on loopback: raw sockets, so that it can break every rule of HTTP.

``CASES`` are its paths: each with what it sends and the reasons under which a crawl may file it; ``TEXT``
means that the page is read. A canary listens on inner addresses beside it: whoever connects there has
escaped.
"""

import asyncio
import gzip
import io
import json
import os
import socket
import subprocess
import sys
import threading
import uuid
import zlib
from collections.abc import Awaitable, Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import brotli
from backports import zstd

from storage.collections.stores import open_stores
from storage.records import Scan, utc_now
from storage.settings import StorageSettings

ROOT = Path(__file__).parents[2]
TEXT = "text"
STORY = "".join(
    f"<p>第{number}天，候鸟从北方的湿地启程，沿着河谷一路向南，"
    "护林员在瞭望塔上记下它们经过的时间和数目，傍晚又把本子收进抽屉。</p>"
    for number in range(1, 9)
)
HEAD = "<html><head><title>候鸟</title></head>"
GOOD = f"{HEAD}<body><article><h1>候鸟</h1>{STORY}</article></body></html>".encode()
_ZEROS = b"\0" * (1 << 20)
Send = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Case:
    """What a path answers, and how that may end."""

    send: Send
    reasons: tuple[str, ...]


def head(status=200, **fields):
    names = {
        "Content-Type": "text/html; charset=utf-8",
        **{k.replace("_", "-"): v for k, v in fields.items()},
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in names.items())
    return f"HTTP/1.1 {status} X\r\n{lines}".encode()


def answer(body=GOOD, status=200, **fields):
    fields = {"Content_Length": len(body), "Connection": "close", **fields}

    async def send(writer):
        writer.write(head(status, **fields) + b"\r\n" + body)
        await writer.drain()

    return send


def raw(data):
    async def send(writer):
        writer.write(data)
        await writer.drain()

    return send


def forever(first, chunk, pause_s=0.0):
    """Send without end, until the other side hangs up."""

    async def send(writer):
        writer.write(first)
        while True:
            writer.write(chunk)
            await writer.drain()
            await asyncio.sleep(pause_s)

    return send


async def hang(_):
    await asyncio.sleep(3600)


def redirect(target, status=302):
    return answer(b"", status, Location=target)


def packed(encoding, data):
    return answer(data, Content_Encoding=encoding)


def gzip_bomb(megabytes=300, layers=1):
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=0) as file:
        for _ in range(megabytes):
            file.write(_ZEROS)
    data = out.getvalue()
    for _ in range(layers - 1):
        data = gzip.compress(data)
    return data


def deflate_bomb():
    pack = zlib.compressobj(9)
    return b"".join(pack.compress(_ZEROS) for _ in range(300)) + pack.flush()


def brotli_bomb():
    pack = brotli.Compressor(quality=5)
    return b"".join(pack.process(_ZEROS) for _ in range(300)) + pack.finish()


def zstd_bomb():
    pack = zstd.ZstdCompressor()
    return b"".join(pack.compress(_ZEROS) for _ in range(300)) + pack.flush()


def page(body, top=""):
    head = f"<html><head><title>候鸟</title>{top}</head>"
    return f"{head}<body><article><h1>候鸟</h1>{STORY}{body}</article></body></html>".encode()


def chunked(data):
    return head(Transfer_Encoding="chunked") + b"\r\n" + data


LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE html ['
    '<!ENTITY a "哈哈哈哈哈哈哈哈哈哈">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + f"]><html><body><article><h1>笑</h1><p>&j;</p>{STORY}</article></body></html>"
).encode()


def cases(inner, port):
    """Return path → case.

    Args:
        inner: ``host:port`` of the canary.
        port: of the site itself.
    """
    own = f"http://127.0.0.1:{port}"
    inside = ("inner-address",)
    refused = ("inner-address", "other: ignored", "http-302")
    any_failure = (
        *("timeout", "too-large", "too-slow", "too-much-memory", "hostile", "redirects", "other"),
        *("empty", "list", "incomplete"),
    )
    return {
        # redirects inside
        "to-literal": Case(redirect(f"http://{inner}/"), inside),
        "to-literal-301": Case(redirect(f"http://{inner}/", 301), inside),
        "to-literal-303": Case(redirect(f"http://{inner}/", 303), inside),
        "to-literal-307": Case(redirect(f"http://{inner}/", 307), inside),
        "to-literal-308": Case(redirect(f"http://{inner}/", 308), inside),
        "to-metadata": Case(redirect("http://169.254.169.254/latest/meta-data/"), inside),
        "to-scheme-relative": Case(redirect(f"//{inner}/"), inside),
        "to-userinfo": Case(redirect(f"http://127.0.0.1@{inner}/"), inside),
        "to-decimal": Case(redirect(f"http://2130706434:{port}/"), inside),
        "to-name": Case(redirect(f"http://inner.test:{port}/"), inside),
        "to-ipv6": Case(redirect(f"http://[::1]:{port}/"), inside),
        "to-mapped": Case(redirect(f"http://[::ffff:127.0.0.2]:{port}/"), inside),
        "to-chain": Case(redirect(f"{own}/to-literal"), inside),
        "to-file": Case(redirect("file:///etc/passwd"), refused),
        "to-ftp": Case(redirect(f"ftp://{inner}/"), refused),
        "to-data": Case(redirect("data:text/html,<p>x</p>"), refused),
        "to-gopher": Case(redirect(f"gopher://{inner}/1"), refused),
        "to-javascript": Case(redirect("javascript:alert(1)"), (*refused, "other")),
        "to-backslash": Case(
            redirect(f"http:\\\\{inner}\\"), (*refused, "http-404", "other", "dns", "redirects")
        ),
        "meta-refresh": Case(
            answer(page("", f'<meta http-equiv="refresh" content="0;url=http://{inner}/">')), (TEXT,)
        ),
        "next-page-inside": Case(
            answer(page(f'<a href="http://{inner}/2.html">下一页</a>')), (TEXT, "incomplete")
        ),
        # loops and chains
        "loop-self": Case(redirect("/loop-self"), ("redirects",)),
        "loop-two-a": Case(redirect("/loop-two-b"), ("redirects",)),
        "loop-two-b": Case(redirect("/loop-two-a"), ("redirects",)),
        "loop-growing": Case(redirect("/loop-growing?again=1"), ("redirects",)),
        "meta-loop": Case(
            answer(page("", '<meta http-equiv="refresh" content="0;url=/meta-loop">')), (TEXT,)
        ),
        # bombs
        "bomb-gzip": Case(packed("gzip", gzip_bomb()), ("too-large",)),
        "bomb-x-gzip": Case(packed("x-gzip", gzip_bomb()), ("too-large",)),
        "bomb-deflate": Case(packed("deflate", deflate_bomb()), ("too-large",)),
        "bomb-brotli": Case(packed("br", brotli_bomb()), ("too-large",)),
        "bomb-zstd": Case(packed("zstd", zstd_bomb()), ("too-large",)),
        "bomb-two-layers": Case(packed("gzip, gzip", gzip_bomb(layers=2)), ("too-large",)),
        "bomb-many-layers": Case(packed(", ".join(["gzip"] * 50), gzip_bomb(1)), ("hostile",)),
        "bomb-laughs": Case(answer(LAUGHS, Content_Type="application/xhtml+xml"), (TEXT, *any_failure)),
        # bodies
        "endless-body": Case(forever(head() + b"\r\n", b"x" * 65536), ("too-large",)),
        "endless-chunks": Case(forever(chunked(b""), b"10000\r\n" + b"x" * 65536 + b"\r\n"), ("too-large",)),
        "says-ten-gigabytes": Case(raw(head(Content_Length=10**10) + b"\r\nx"), ("too-large",)),
        "says-more-than-it-sends": Case(
            raw(head(Content_Length=5000, Connection="close") + b"\r\nx"), ("other",)
        ),
        "dripping-body": Case(forever(head(Content_Length=100000) + b"\r\n", b"x", 0.3), ("timeout",)),
        "dripping-chunks": Case(forever(chunked(b""), b"1\r\nx\r\n", 0.3), ("timeout",)),
        "dripping-headers": Case(forever(b"HTTP/1.1 200 OK\r\nX: ", b"x", 0.3), ("timeout",)),
        "endless-headers": Case(
            forever(b"HTTP/1.1 200 OK\r\n", b"X-Flood: " + b"y" * 999 + b"\r\n"), ("other",)
        ),
        "endless-header-line": Case(forever(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 65536), ("other", "timeout")),
        "endless-folded-header": Case(forever(b"HTTP/1.1 200 OK\r\nX: y\r\n", b" more\r\n" * 99), ("other",)),
        "endless-continue": Case(forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), ("other", "timeout")),
        "huge-chunk-size": Case(raw(chunked(b"f" * 40 + b"\r\nx")), ("other", "timeout", "too-large")),
        "bad-chunk-size": Case(raw(chunked(b"zz\r\nx\r\n0\r\n\r\n")), ("other", "timeout")),
        "negative-length": Case(raw(head(Content_Length=-5) + b"\r\nx"), ("other", "timeout", "empty")),
        "two-lengths": Case(
            raw(head(Content_Length=5) + b"Content-Length: 9\r\n\r\nxxxxx"), ("other", "timeout", "empty")
        ),
        "corrupt-gzip": Case(packed("gzip", b"\x1f\x8b\x08\0" + b"\xff" * 400), ("other", "empty")),
        "lying-gzip": Case(packed("gzip", GOOD), ("other", "empty")),
        "never-answers": Case(hang, ("timeout",)),
        "hangs-up": Case(raw(b""), ("other",)),
        "no-http": Case(raw(b"SSH-2.0-OpenSSH_9.9\r\n" * 3), ("other", "timeout")),
        "status-0": Case(raw(b"HTTP/1.1 0 Odd\r\n\r\n"), ("other", "http-0", "timeout", "empty")),
        "status-99999": Case(
            raw(b"HTTP/1.1 99999 Odd\r\nConnection: close\r\n\r\nx"), ("other", "http-99999", "timeout")
        ),
        # cookies, headers, names
        "cookie-flood": Case(
            raw(
                head(Content_Length=len(GOOD))
                + b"".join(b"Set-Cookie: c%d=%s\r\n" % (n, b"v" * 20) for n in range(200))
                + b"\r\n"
                + GOOD
            ),
            (TEXT,),
        ),
        "header-injection": Case(
            raw(head(Content_Length=len(GOOD)) + b"X-Evil: a\rWARC/1.0\rb\r\n\r\n" + GOOD), (TEXT,)
        ),
        "no-colon-header": Case(raw(head(Content_Length=len(GOOD)) + b"nonsense\r\n\r\n" + GOOD), (TEXT,)),
        "name/..%2f..%2f..%2fetc%2fpasswd": Case(answer(), (TEXT,)),
        "name/%00.html": Case(answer(), (TEXT,)),
        "name/%0d%0aX-Injected:%20yes": Case(answer(), (TEXT,)),
        "name/" + "long" * 450: Case(answer(), (TEXT,)),
        # mis-declared and monstrous pages
        "declared-png": Case(answer(Content_Type="image/png"), (TEXT,)),
        "declared-latin": Case(answer(Content_Type="text/html; charset=iso-8859-1"), (TEXT,)),
        "declared-nonsense": Case(answer(Content_Type="text/html; charset=no-such"), (TEXT,)),
        "really-png": Case(answer(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40), ("empty",)),
        "nested-deeply": Case(answer(b"<div>" * 60_000 + GOOD), (TEXT, *any_failure)),
        "many-attributes": Case(
            answer(b"<p " + b" ".join(b"a%d=1" % n for n in range(60_000)) + b">" + GOOD),
            (TEXT, *any_failure),
        ),
        "many-links": Case(
            answer(b"".join(b"<a href=/l%d>%d</a>" % (n, n) for n in range(20_000))), any_failure
        ),
        "one-long-line": Case(answer(b"<p>" + "甲乙。".encode() * 50_000), (TEXT, *any_failure)),
        "long-title": Case(answer(f"<title>{'题' * 100_000}</title>".encode() + GOOD), (TEXT, *any_failure)),
        "nul-bytes": Case(answer(GOOD.replace(b"<p>", b"<p>\0\0")), (TEXT, *any_failure)),
        "odd-surrogates": Case(answer("候鸟".encode("utf-16-le") + b"\x00\xd8" * 500), any_failure),
        "unasked-304": Case(raw(b"HTTP/1.1 304 Not Modified\r\n\r\n"), ("http-304",)),
        "no-content": Case(raw(b"HTTP/1.1 204 No Content\r\n\r\n"), ("empty",)),
        "partial-content": Case(answer(status=206), (TEXT,)),
        "login-wall": Case(answer(b"no", 401, WWW_Authenticate="Basic realm=x"), ("http-401",)),
        "busy-till-never": Case(answer(b"no", 503, Retry_After="when pigs fly"), ("http-503",)),
        **{
            f"status-{code}": Case(answer(b"no", code), (f"http-{code}",))
            for code in (400, 404, 410, 451, 500, 502)
        },
    }


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
import atexit, collections, json, os, resource, socket
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
        file.write(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
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
        self.port = self._free_port()
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
        tasks = [each for each in asyncio.all_tasks() if each is not asyncio.current_task()]
        for each in tasks:
            each.cancel()
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

    @staticmethod
    def _free_port():
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]


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
