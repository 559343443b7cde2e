"""Reads robots.txt once for each site and applies it to every request, also to concurrent ones.

In Scrapy 2.19 only the first of several waiting requests sees the rules: the other requests share its
Deferred, whose result is gone after the first await, and pass unchecked. Here they share a task.

Without a file (4xx), everything is allowed. If the file cannot be fetched (5xx, 429, no connection), nothing
is allowed (RFC 9309, 2.3.1.4): the request is repeated twice after a pause, then the pages of the site fail,
and after ten minutes it is repeated. If the name is unknown, the connection is refused or no proxy works,
that is the reason of the pages.

Only the first 500 KiB of a file are read (RFC 9309, 2.5), and only a few group names that may match the
crawler, because the parser multiplies names by rules.
"""

import asyncio
import time
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest

from crawler.failures import HostileResponse, RobotsUnreachable, failure_reason
from crawler.job import job_of
from crawler.reasons import ROBOTS_UNREACHABLE
from system.errors import PindnaError

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser

_SERVER_ERROR = 500
_TOO_MANY_REQUESTS = 429
_CLIENT_ERROR = 400
_PAUSES_S = (5.0, 20.0)  # pauses before the file is requested again, each time with the usual retries
_UNREACHABLE_S = 600.0  # time for which a site counts as unreachable
_NO_SERVER = frozenset({"dns", "refused", "proxy"})
MAX_BYTES = 500 * 1024
_MAX_NAMES = 20
_MAX_SITEMAPS = 20
_NAMES = (b"user-agent", b"useragent", b"user agent")
_OTHER_GROUP = b"User-agent: nobody.invalid"


class SharedRobotsMiddleware(RobotsTxtMiddleware):
    """Scrapy's robots.txt middleware with rules shared by concurrent requests."""

    def __init__(self, crawler: "Crawler") -> None:
        super().__init__(crawler)
        self._tasks: dict[str, asyncio.Task[RobotParser | None]] = {}
        self._unreachable: dict[str, tuple[str, float]] = {}  # site → (reason, time of the next request)
        self._own_error: PindnaError | None = None

    async def robot_parser(self, request: "Request") -> "RobotParser | None":
        """Return the rules of a request's site; None without rules.

        Raises:
            RobotsUnreachable: the file cannot be fetched for now.
            PindnaError: our configuration is wrong, for example a secret is not set.
        """
        site = urlsplit(request.url).netloc
        if site in self._unreachable and time.monotonic() > self._unreachable[site][1]:
            del self._unreachable[site], self._tasks[site]
        if site not in self._tasks:
            self._tasks[site] = asyncio.ensure_future(self._fetch_rules(request, site))
        parser = await asyncio.shield(self._tasks[site])
        if self._own_error is not None:
            raise self._own_error
        if site in self._unreachable:
            raise RobotsUnreachable(self._unreachable[site][0])
        return parser

    async def _fetch_rules(self, request: "Request", site: str) -> "RobotParser | None":
        """Request the file; repeat while the site is unreachable."""
        parser = await self._robots_parser_for(request, site)
        for pause_s in _PAUSES_S:
            if self._unreachable.get(site, ("", 0.0))[0] != ROBOTS_UNREACHABLE:
                break
            await asyncio.sleep(pause_s)
            parser = await self._robots_parser_for(request, site)
        return parser

    async def _robots_parser_for(self, request: "Request", site: str) -> "RobotParser | None":
        self._unreachable.pop(site, None)
        self._parsers.pop(site, None)
        return await super().robot_parser(request)

    async def _parse_robots(self, response: "Response", netloc: str, request: "Request") -> None:
        if response.status >= _SERVER_ERROR or response.status == _TOO_MANY_REQUESTS:
            raise RobotsUnreachable
        is_file = response.status < _CLIENT_ERROR
        body = limit_robots(response.body, self._name_of(request)) if is_file else b""
        if is_file:
            job_of(self.crawler).robots_sitemaps[netloc] = tuple(_sitemaps_in(body))
        await super()._parse_robots(response.replace(body=body), netloc, request)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        if isinstance(exc, PindnaError):
            self._own_error = exc
        elif isinstance(exc, (HostileResponse, RobotsUnreachable)) or not isinstance(exc, IgnoreRequest):
            reason = failure_reason(exc)
            reason = reason if reason in _NO_SERVER else ROBOTS_UNREACHABLE
            self._unreachable[netloc] = (reason, time.monotonic() + _UNREACHABLE_S)
        super()._robots_error(exc, netloc)

    def _name_of(self, request: "Request") -> bytes:
        name = request.headers.get("User-Agent") or b""
        return b" ".join((name, self._default_useragent.encode())).lower()


def _sitemaps_in(body: bytes) -> list[str]:
    """Return the first addresses of sitemaps that a robots.txt names."""
    lines = (line.decode("utf-8", "replace").partition(":") for line in body.splitlines())
    values = (
        value.partition("#")[0].strip() for name, _, value in lines if name.strip().lower() == "sitemap"
    )
    return list(islice(filter(None, values), _MAX_SITEMAPS))


def limit_robots(body: bytes, name: bytes) -> bytes:
    """Return the part of a robots.txt that is read.

    Args:
        body: of the response.
        name: our own names, in lower case.
    """
    ours: set[bytes] = set()
    return b"\n".join(_kept_line(line, name, ours) for line in body[:MAX_BYTES].splitlines())


def _kept_line(line: bytes, name: bytes, ours: set[bytes]) -> bytes:
    """Return a line of a robots.txt; replace a group name that cannot match our names."""
    if not line.strip().lower().startswith(_NAMES):
        return line
    agent = line.partition(b"#")[0].partition(b":")[2].replace(b"*", b"").strip().lower()
    if agent in name and (agent in ours or len(ours) < _MAX_NAMES):
        ours.add(agent)
        return line
    return _OTHER_GROUP
