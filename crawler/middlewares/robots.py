"""robots.txt, read once for each site and obeyed by every request, also by those that wait for it together.

Scrapy 2.19 lets only the first of several waiting requests see the file: the others share its Deferred, whose
result is gone once it was awaited, and pass as if there were no rules. So here they share a task.

Where the file cannot be had because the site is in trouble (status 5xx, 429), nothing is allowed (RFC 9309,
2.3.1.4); where there is none (4xx), everything is.
"""

import asyncio
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser

_FAILED: Final = 500
_BUSY: Final = 429
_MISSING: Final = 400
_NOTHING: Final = b"User-agent: *\nDisallow: /\n"


class SharedRobotsMiddleware(RobotsTxtMiddleware):
    """Scrapy's rules, shared."""

    def __init__(self, crawler: "Crawler") -> None:
        super().__init__(crawler)
        self._reading: dict[str, asyncio.Task[RobotParser | None]] = {}

    async def robot_parser(self, request: "Request") -> "RobotParser | None":
        """Return the rules of a request's site, None when it has none."""
        site = urlsplit(request.url).netloc
        if site not in self._reading:
            self._reading[site] = asyncio.ensure_future(super().robot_parser(request))
        return await asyncio.shield(self._reading[site])

    async def _parse_robots(self, response: "Response", netloc: str, request: "Request") -> None:
        if response.status >= _FAILED or response.status == _BUSY:
            response = response.replace(body=_NOTHING)
        elif response.status >= _MISSING:
            response = response.replace(body=b"")
        await super()._parse_robots(response, netloc, request)
