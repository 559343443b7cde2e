"""A novel site of any size, served as fast as one process can: what crawls are measured on.

``python crawl_site.py CHAPTERS [DELAY_MS]`` prints its address and serves until it is killed. The
catalogue is ``/book/1/``, over pages of 500 chapters; ``/timing`` tells how many chapters were asked for
since it was asked last, and when the first and the last of them; ``/log`` which ones, each with its beginning
and its end.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_ON_A_PAGE = 500
_SENTENCES = (
    "渡口的灯在雨夜里亮着",
    "老船工把竹篙往石上一点",
    "对岸有人唤了三声",
    "雾从河面上慢慢升起来",
    "他把信折好又收进铁皮箱子",
)


class Site:
    """The pages of the site, made when they are asked for."""

    def __init__(self, chapters: int, delay_s: float) -> None:
        self._chapters = chapters
        self._delay_s = delay_s
        self._times: list[float] = []
        self._log: list[tuple[str, float, float]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer requests on one connection until it is closed."""
        try:
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                path, began = request.split(b" ", 2)[1].decode("latin-1"), time.monotonic()
                body = self._page(path)
                if self._delay_s:
                    await asyncio.sleep(self._delay_s)
                if path.endswith(".html"):
                    self._log.append((path, began, time.monotonic()))
                status = b"200 OK" if body else b"404 Not Found"
                head = b"HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
                writer.write(head % (status, len(body)) + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            writer.close()

    def _page(self, path: str) -> bytes:
        if path == "/timing":
            times, self._times = self._times, []
            return json.dumps([len(times), *times[:1], *times[-1:]]).encode()
        if path == "/log":
            log, self._log = self._log, []
            return json.dumps(log).encode()
        if not path.startswith("/book/1/"):
            return b""
        name = path.removeprefix("/book/1/").removesuffix(".html")
        if name.isdigit():
            self._times.append(time.monotonic())
            return chapter(int(name)).encode()
        return self._catalogue(int(name.removeprefix("p")) if name else 1).encode()

    def _catalogue(self, page: int) -> str:
        first, last = (page - 1) * _ON_A_PAGE + 1, min(page * _ON_A_PAGE, self._chapters)
        links = "".join(
            f'<li><a href="/book/1/{n}.html">第{n}章 渡口</a></li>' for n in range(first, last + 1)
        )
        further = f'<a href="/book/1/p{page + 1}.html">下一页</a>' if last < self._chapters else ""
        head = "<html><head><title>青灯渡</title></head><body><h1>青灯渡</h1>"
        return f"{head}<ul>{links}</ul>{further}</body></html>"


def chapter(number: int) -> str:
    """Return the page of a chapter; its text is its own."""
    lines = "".join(
        f"<p>这是第{number}章的第{line}段，"
        + "，".join(_SENTENCES[(number + line + k) % 5] for k in range(4))
        + "。</p>"
        for line in range(30)
    )
    menu = "".join(f'<a href="/sort/{n}/">分类{n}</a>' for n in range(20))
    return (
        f"<html><head><title>第{number}章 渡口_青灯渡</title></head><body><div class=nav>{menu}</div>"
        f"<h1>第{number}章 渡口</h1><div id=content>{lines}</div><div class=foot>{menu}</div></body></html>"
    )


@contextmanager
def crawl_site(chapters: int, *, delay_ms: int = 0) -> Iterator[str]:
    """Serve a site in a process of its own for the duration of the block; yields its address."""
    command = [sys.executable, __file__, str(chapters), str(delay_ms)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield (process.stdout.readline() if process.stdout else "").strip()
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


async def _main(chapters: int, delay_ms: int) -> None:
    site = Site(chapters, delay_ms / 1000)
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)  # noqa: T201 - to the process that started it
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
