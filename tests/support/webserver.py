"""A small web server whose pages a test may change while it runs, and which remembers what it was asked."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


def article(title, *, seed=0, links="", head="", count=8):
    """A page with a text of its own for each title and seed."""
    paragraphs = "".join(
        f"<p>{title}的第{number}段：编号{seed * 100 + number}的候鸟从北方的湿地启程，沿着河谷一路向南，"
        f"护林员在瞭望塔上记下它们经过的时间和数目，傍晚又把本子收进抽屉。</p>"
        for number in range(1, count + 1)
    )
    return (
        f"<html><head><meta charset=utf-8><title>{title}</title>{head}</head><body><article><h1>{title}</h1>"
        f"{paragraphs}</article><nav>{links}</nav></body></html>"
    )


def anchors(*targets):
    return "".join(f'<p><a href="{target}">{label}</a></p>' for target, label in targets)


class Reply:
    """What a path answers: a body, or as many chunks as a function yields."""

    def __init__(self, body="", *, status=200, kind="text/html; charset=utf-8", chunks=None, **headers):
        self.chunks = chunks
        self.body = body if isinstance(body, bytes) else body.encode()
        self.status, self.headers = status, {"Content-Type": kind, **headers}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def flush_headers(self):
        """Note both header blocks, as they came and as they are sent."""
        fields = (f"{name}: {value}" for name, value in self.headers.items())
        came = "\r\n".join([self.requestline, *fields]).encode("latin-1")
        self.server.site.exchanges.append((came, b"".join(self._headers_buffer).strip()))
        super().flush_headers()

    def do_GET(self):
        self._reply(b"")

    def do_POST(self):
        self._reply(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _reply(self, sent):
        site = self.server.site
        path = self.path if self.path in site.pages else urlsplit(self.path).path
        site.asked.append((self.path, dict(self.headers), sent))
        page = site.pages.get(path, site.default)
        page = page(self.path, self.headers, sent) if callable(page) else page
        page = page if isinstance(page, Reply) else Reply(page)
        if "ETag" in page.headers and self.headers.get("If-None-Match") == page.headers["ETag"]:
            page = Reply(status=304, ETag=page.headers["ETag"])
        self.send_response(page.status)
        for name, value in page.headers.items():
            self.send_header(name.replace("_", "-"), value)
        if page.chunks is not None:  # as many as the client takes
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            for chunk in page.chunks():
                self.wfile.write(chunk)
            return
        self.send_header("Content-Length", str(len(page.body)))
        self.end_headers()
        self.wfile.write(page.body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A client that hangs up is no matter here."""


class WebSite:
    """A site on loopback.

    Attributes:
        pages: path → text, :class:`Reply`, or a function of (path, headers, body) that gives one.
        asked: (path, headers, body) of every request.
        exchanges: header blocks of every request and of its answer.
    """

    def __init__(self, pages=None, address="127.0.0.1"):
        self.pages = dict(pages or {})
        self.default = Reply("nothing here", status=404)
        self.asked = []
        self.exchanges = []
        self.server = _Server((address, 0), _Handler)
        self.server.site = self
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.url = f"http://{address}:{self.server.server_port}"

    def paths(self):
        """What was asked for since the last call, robots.txt aside."""
        found = [path for path, *_ in self.asked if path != "/robots.txt"]
        self.asked.clear()
        return found

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@contextmanager
def web_site(pages=None, **options):
    site = WebSite(pages, **options)
    try:
        yield site
    finally:
        site.close()
