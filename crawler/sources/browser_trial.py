"""Tests whether pages can be rendered: loads a test page with the browser, proxy and readers of a crawl.

The version number of a browser does not show whether its switches and the forward proxy work. A script
creates the text of the test page, so the page has no text without a working browser.
"""

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from crawler.sources.probe import ProbeFailed, probe
from storage.records import Source

_TRIAL_S = 60.0
_VERSION_S = 10.0
_SENTENCE = "候鸟从北方的湿地启程，沿着河谷一路向南，护林员在瞭望塔上记下它们经过的时间和数目。"
_PARAGRAPHS = 8
_PAGE = f"""<!doctype html><html lang="zh"><head><meta charset="utf-8"><title>试</title></head><body>
<article id="text"></article><script>
for (let n = 1; n <= {_PARAGRAPHS}; n++) {{
  const paragraph = document.createElement("p");
  paragraph.textContent = n + {json.dumps(_SENTENCE)};
  document.getElementById("text").append(paragraph);
}}
</script></body></html>""".encode()


class _Handler(BaseHTTPRequestHandler):
    """Answers every path except robots.txt with the page."""

    def do_GET(self) -> None:
        body = b"" if self.path == "/robots.txt" else _PAGE
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def rendering_problem() -> str:
    """Render a test page; return why that failed, or an empty text. Takes some seconds."""
    with _page_served() as address:
        source = Source(
            name="browser-trial",
            kind="urls",
            start_urls=(f"http://{address}/page.html",),
            delay_s=0.0,
            render=True,
        )
        environment = {"PINDNA_CRAWLER__ALLOW_INNER": json.dumps([address]), "PINDNA_CRAWLER__RETRIES": "0"}
        try:
            steps = list(probe(source, texts=1, environment=environment, timeout_s=_TRIAL_S))
        except ProbeFailed as failure:
            return str(failure.data["problem"])
    reason = next((step.reason for step in steps if step.reason), "")
    if reason or any(step.rendered and step.characters for step in steps):
        return reason
    return "empty"


def browser_version(path: Path) -> str:
    """Return the version that a browser reports; empty if it fails."""
    try:
        process = subprocess.run([path, "--version"], capture_output=True, timeout=_VERSION_S, check=False)  # noqa: S603 - the configured browser
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return process.stdout.decode("utf-8", "replace").partition(" built on ")[0].strip()


@contextmanager
def _page_served() -> Iterator[str]:
    """Serve the page during the block; yield ``host:port``."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
