"""A news site that changes from day to day, for :mod:`support.faults.soak`.

Each day brings six articles: one copies a passage, one has another text every day, one vanishes after
three days, three stay as they are. The front page names those of the last ten days, on the first one, too.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_ARTICLES = 6  # a day
_LISTED_DAYS = 10
_VANISHES_AFTER = 3  # days
_COPY, _CHANGING, _VANISHING = range(3)
_SENTENCES = (
    "早班渡轮比平时晚了十几分钟，码头上的人却不着急",
    "修船的老师傅把工具一件件摆开，又一件件收好",
    "镇上的广播站每到这个时候就播一段地方戏",
    "对岸新栽的柳树还没有发芽，鸟已经先来了",
    "记账的姑娘把昨天的单子又核对了一遍",
)


class Site:
    """The site.

    Attributes:
        day: the one that it shows.
        url: its front page, once it is served.
    """

    def __init__(self, passages: Sequence[str]) -> None:
        self.day = 1
        self.url = ""
        self._passages = passages

    def page(self, path: str) -> str:
        """Return what an address shows today; empty: it is not there."""
        if path == "/":
            return self._front()
        day, _, number = path.strip("/").removesuffix(".html").partition("-")
        if not (day.isdigit() and number.isdigit() and int(day) <= self.day + _LISTED_DAYS):
            return ""
        return self._article(int(day), int(number))

    def _front(self) -> str:
        links = "".join(
            f'<li><a href="/{day}-{number}.html">{day}日要闻之{number}：{_SENTENCES[day % 5]}</a></li>'
            for day in range(self.day + _LISTED_DAYS, self.day, -1)
            for number in range(_ARTICLES)
        )
        head = "<html><head><meta charset=utf-8><title>要闻</title></head><body><h1>要闻</h1>"
        return f"{head}<ul>{links}</ul></body></html>"

    def _article(self, day: int, number: int) -> str:
        if number == _VANISHING and self.day + _LISTED_DAYS - day > _VANISHES_AFTER:
            return ""
        if number == _COPY:
            paragraphs = self._passages[day % len(self._passages)].split("\n")
        else:
            edition = self.day if number == _CHANGING else day
            paragraphs = [
                f"{day}日第{number}条第{line}段（{edition}日稿）：{_SENTENCES[(day + line) % 5]}，"
                f"编号{day * 1000 + number * 100 + line}的记录写到这里，{_SENTENCES[(day * 3 + line) % 5]}。"
                for line in range(12)
            ]
        text = "".join(f"<p>{line}</p>" for line in paragraphs)
        title = f"{day}日要闻之{number}"
        head = f"<html><head><meta charset=utf-8><title>{title}</title></head>"
        return f"{head}<body><article><h1>{title}</h1>{text}</article></body></html>"


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = site.page(self.path).encode()
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Keep quiet."""

    return Handler


@contextmanager
def running_site(passages: Sequence[str]) -> Iterator[Site]:
    """Serve the site for the duration of the block."""
    site = Site(passages)
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(site)) as server:
        site.url = f"http://127.0.0.1:{server.server_port}/"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield site
        finally:
            server.shutdown()
