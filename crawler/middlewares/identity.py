"""Sends requests out through the source's proxies and with its sets of headers, in turn.

A proxy looks names up by itself, where the guard cannot see what they lead to; so the name of a request that
goes through one is looked up here first, and refused when it is an inner one.
"""

import time
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from scrapy.exceptions import CannotResolveHostError
from scrapy.utils.defer import maybe_deferred_to_future

from crawler.addresses import literal_address
from crawler.failures import NoProxyLeft
from crawler.middlewares.pace import UNPACED
from crawler.proxies import Identities, filled
from storage.errors import PindnaError

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from crawler.job import Job

IDENTITY: Final = "pindna_identity"  # meta: number of the identity
_REFUSED: Final = frozenset({403, 407, 429, 502, 503, 504})


class IdentityMiddleware:
    """Chooses an identity for each request and learns from what comes of it."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._made: Identities | None = None

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "IdentityMiddleware":
        """Build the middleware; the source is known only once the spider is."""
        return cls(crawler)

    @property
    def _identities(self) -> Identities:
        if self._made is None:
            job: Job = self._crawler.spider.job  # type: ignore[union-attr]
            source = job.source
            proxies = [filled(each, source=source.name) for each in source.proxies]
            sets = [
                {name: filled(value, source=source.name) for name, value in each.items()}
                for each in source.header_sets
            ]
            self._made = Identities(proxies, sets)
        return self._made

    @property
    def _has_login(self) -> bool:
        """Tell whether one session goes out through all proxies."""
        job: Job = self._crawler.spider.job  # type: ignore[union-attr]
        return job.source.login is not None

    async def process_request(self, request: "Request") -> None:
        """Set proxy, headers and cookie jar.

        Raises:
            NoProxyLeft: every proxy is set aside; a crawl does not fall back on its own address.
            CannotResolveHostError: the name is unknown, or an inner one.
        """
        if request.meta.get(UNPACED):
            request.meta["proxy"] = None
            return
        identities = self._identities
        chosen = identities.next(time.monotonic())
        if chosen is None:
            raise NoProxyLeft("proxy")
        request.meta[IDENTITY] = chosen.number
        request.meta["cookiejar"] = 0 if self._has_login else chosen.number
        for name, value in chosen.headers.items():
            request.headers[name] = value
        if chosen.proxy is not None:
            await self._look_up(urlsplit(request.url).hostname or "")
            request.meta["proxy"] = chosen.proxy

    def process_response(self, request: "Request", response: "Response") -> "Response":
        """Learn that a proxy works, or that it is refused."""
        number = request.meta.get(IDENTITY)
        if number is not None:
            if response.status in _REFUSED:
                self._identities.failed(number, time.monotonic())
            else:
                self._identities.worked(number)
        return response

    def process_exception(self, request: "Request", exception: Exception) -> None:
        """Learn that a proxy does not answer."""
        number = request.meta.get(IDENTITY)
        if number is not None and not isinstance(exception, PindnaError):
            self._identities.failed(number, time.monotonic())

    async def _look_up(self, host: str) -> None:
        from twisted.internet import reactor  # noqa: PLC0415 - installed by then

        if literal_address(host) is not None:  # the guard judged it
            return
        try:
            await maybe_deferred_to_future(reactor.resolve(host))  # type: ignore[arg-type]
        except OSError as error:
            raise CannotResolveHostError(host) from error
