"""What a web site that means harm answers: raw bytes, so that it can break every rule of HTTP.

``cases`` are its paths: each with what it sends and the reasons under which a crawl may file it; ``TEXT``
means that the page is read.
"""

import asyncio
import gzip
import io
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache

import brotli

from storage.backup.archive import zstd

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


def packed_answer(encoding, data):
    return answer(data, Content_Encoding=encoding)


@cache
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


def in_chunks(data):
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
        "bomb-gzip": Case(packed_answer("gzip", gzip_bomb()), ("too-large",)),
        "bomb-x-gzip": Case(packed_answer("x-gzip", gzip_bomb()), ("too-large",)),
        "bomb-deflate": Case(packed_answer("deflate", deflate_bomb()), ("too-large",)),
        "bomb-brotli": Case(packed_answer("br", brotli_bomb()), ("too-large",)),
        "bomb-zstd": Case(packed_answer("zstd", zstd_bomb()), ("too-large",)),
        "bomb-two-layers": Case(packed_answer("gzip, gzip", gzip_bomb(layers=2)), ("too-large",)),
        "bomb-many-layers": Case(packed_answer(", ".join(["gzip"] * 50), gzip_bomb(1)), ("hostile",)),
        "bomb-laughs": Case(answer(LAUGHS, Content_Type="application/xhtml+xml"), (TEXT, *any_failure)),
        # bodies
        "endless-body": Case(forever(head() + b"\r\n", b"x" * 65536), ("too-large",)),
        "endless-chunks": Case(
            forever(in_chunks(b""), b"10000\r\n" + b"x" * 65536 + b"\r\n"), ("too-large",)
        ),
        "says-ten-gigabytes": Case(raw(head(Content_Length=10**10) + b"\r\nx"), ("too-large",)),
        "says-more-than-it-sends": Case(
            raw(head(Content_Length=5000, Connection="close") + b"\r\nx"), ("other",)
        ),
        "dripping-body": Case(forever(head(Content_Length=100000) + b"\r\n", b"x", 0.3), ("timeout",)),
        "dripping-chunks": Case(forever(in_chunks(b""), b"1\r\nx\r\n", 0.3), ("timeout",)),
        "dripping-headers": Case(forever(b"HTTP/1.1 200 OK\r\nX: ", b"x", 0.3), ("timeout",)),
        "endless-headers": Case(
            forever(b"HTTP/1.1 200 OK\r\n", b"X-Flood: " + b"y" * 999 + b"\r\n"), ("other",)
        ),
        "endless-header-line": Case(forever(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 65536), ("other", "timeout")),
        "endless-folded-header": Case(forever(b"HTTP/1.1 200 OK\r\nX: y\r\n", b" more\r\n" * 99), ("other",)),
        "endless-continue": Case(forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), ("other", "timeout")),
        "huge-chunk-size": Case(raw(in_chunks(b"f" * 40 + b"\r\nx")), ("other", "timeout", "too-large")),
        "bad-chunk-size": Case(raw(in_chunks(b"zz\r\nx\r\n0\r\n\r\n")), ("other", "timeout")),
        "negative-length": Case(raw(head(Content_Length=-5) + b"\r\nx"), ("other", "timeout", "empty")),
        "two-lengths": Case(
            raw(head(Content_Length=5) + b"Content-Length: 9\r\n\r\nxxxxx"), ("other", "timeout", "empty")
        ),
        "corrupt-gzip": Case(packed_answer("gzip", b"\x1f\x8b\x08\0" + b"\xff" * 400), ("other", "empty")),
        "cut-gzip": Case(packed_answer("gzip", gzip.compress(GOOD)[:-30]), ("incomplete",)),
        "cut-brotli": Case(packed_answer("br", brotli.compress(GOOD)[:-30]), ("incomplete",)),
        "lying-gzip": Case(packed_answer("gzip", GOOD), ("other", "empty")),
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
