"""Local HTTP servers for the sample sites on 127.0.0.1, with one port for each site.

A page's identity contains its address. The caller stores ``RunningSites.ports`` and passes it to a later run,
which then finds the same pages. Otherwise each site takes its preferred port, or a free one.
"""

import errno
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import ClassVar, Self
from urllib.parse import urlsplit

from deploy.demo.layout import SiteName
from deploy.demo.rendering import Resource, missing, render_site
from system.errors import PindnaError
from system.exit_status import ExitStatus

PREFERRED_PORTS: Mapping[SiteName, int] = {"portal": 8801, "novels": 8802, "licensed": 8803, "blog": 8804}
_HOST = "127.0.0.1"
_POLL_S = 0.05


class SitePortTaken(PindnaError):
    """The port that a sample site used before is taken. Data: ``port``, ``site``, ``problem``."""

    template = (
        "Port {port}, which the sample site “{site}” had in an earlier run, cannot be used ({problem}). "
        "Free it, or choose another --data-dir."
    )
    exit_status = ExitStatus.DOWN


class _SiteHandler(BaseHTTPRequestHandler):
    """Serves the resources of one site; each server has its own subclass."""

    resources: ClassVar[Mapping[str, Resource]]
    otherwise: ClassVar[Resource]
    validates: ClassVar[bool]
    server_version = "nginx"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer with the resource, with 304 if the client has it already, or with 404."""
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        """Answer with the headers only."""
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        resource = self.resources.get(self.path.partition("?")[0])
        if resource is None:
            self._send(HTTPStatus.NOT_FOUND, self.otherwise, with_body=with_body)
        elif self.validates and self.headers["If-None-Match"] == resource.etag:
            self._send(HTTPStatus.NOT_MODIFIED, resource, with_body=False)
        else:
            self._send(HTTPStatus.OK, resource, with_body=with_body)

    def _send(self, status: HTTPStatus, resource: Resource, *, with_body: bool) -> None:
        self.send_response(status)
        if status is HTTPStatus.OK and self.validates:
            self.send_header("ETag", resource.etag)
        if status is not HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Type", resource.content_type)
            self.send_header("Content-Length", str(len(resource.body)))
        self.end_headers()
        if with_body:
            self.wfile.write(resource.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Print nothing, because the demo prints only the output of the scan."""


@dataclass(frozen=True, slots=True)
class RunningSites:
    """The running servers of the sample sites; a context manager that stops them."""

    servers: Mapping[SiteName, ThreadingHTTPServer]

    @property
    def ports(self) -> dict[SiteName, int]:
        """The port of each site, as an argument for the next :func:`start_sites`."""
        return {site: server.server_port for site, server in self.servers.items()}

    @property
    def base_urls(self) -> dict[SiteName, str]:
        """The address of each site, without a final slash."""
        return {site: f"http://{_HOST}:{port}" for site, port in self.ports.items()}

    def take_down(self, urls: Iterable[str]) -> None:
        """Answer 404 at these addresses from now on, like a site that removed its pages."""
        handlers = {self.base_urls[site]: server.RequestHandlerClass for site, server in self.servers.items()}
        for url in urls:
            parts = urlsplit(url)
            handler = handlers[f"{parts.scheme}://{parts.netloc}"]
            if isinstance(handler, type) and issubclass(handler, _SiteHandler):
                handler.resources = {
                    path: resource for path, resource in handler.resources.items() if path != parts.path
                }

    def stop(self) -> None:
        """Stop serving and free the ports."""
        for server in self.servers.values():
            server.shutdown()
            server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def start_sites(*, ports: Mapping[SiteName, int] | None = None) -> RunningSites:
    """Serve every sample site in threads of this process.

    Args:
        ports: the ports of an earlier run, each of which must be had again; None: preferred or free ones.

    Raises:
        SitePortTaken: one of ``ports`` is in use or not allowed.
    """
    servers: dict[SiteName, ThreadingHTTPServer] = {}
    try:
        for site, preferred in PREFERRED_PORTS.items():
            handler = _handler(site)
            if ports is None:
                servers[site] = _bind_somewhere(handler, preferred)
            else:
                servers[site] = _bind_again(handler, site, ports.get(site, 0))
    except PindnaError:
        for server in servers.values():
            server.server_close()
        raise
    for site, server in servers.items():
        threading.Thread(
            target=server.serve_forever, args=(_POLL_S,), name=f"site-{site}", daemon=True
        ).start()
    return RunningSites(servers)


def _handler(site: SiteName) -> type[_SiteHandler]:
    """Return the handler class of a site. The novel site is old, so it sends no validators."""
    members = {
        "resources": render_site(site),
        "otherwise": missing(site),
        "validates": site != "novels",
    }
    return type(f"{site.title()}Handler", (_SiteHandler,), members)


def _bind_somewhere(handler: type[_SiteHandler], preferred: int) -> ThreadingHTTPServer:
    try:
        return ThreadingHTTPServer((_HOST, preferred), handler)
    except OSError as error:
        if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
            raise
        return ThreadingHTTPServer((_HOST, 0), handler)


def _bind_again(handler: type[_SiteHandler], site: SiteName, port: int) -> ThreadingHTTPServer:
    try:
        return ThreadingHTTPServer((_HOST, port), handler)
    except OSError as error:
        raise SitePortTaken(port=port, site=site, problem=error.strerror) from error
