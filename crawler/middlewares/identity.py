"""Sends requests through the proxies of a source and with its header sets, one after another.

The headers and cookies are for the source's own sites (:mod:`crawler.download.own_sites`). A request to
another site has the crawler's default headers and a separate cookie jar.

An HTTP proxy resolves names itself, unseen by us. So the name is looked up here first, and refused if its
address is private. A SOCKS proxy receives the checked address, see ``crawler.download.forwarding``.
"""

import logging
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.exceptions import CannotResolveHostError, DownloadConnectionRefusedError, IgnoreRequest
from scrapy.utils.defer import maybe_deferred_to_future

from crawler.addresses import literal_address
from crawler.download.forwarding.socks import SocksProxy, is_socks, socks_proxy
from crawler.download.own_sites import OwnSites, own_sites_of
from crawler.download.proxies import Identities, ProxyIdentity, expand_variables
from crawler.failures import LoginToOtherSite, NoProxyAvailable, ProxyDeniesLogin
from crawler.job import job_of
from crawler.meta import IDENTITY, LOGIN, SEARCH, SOCKS
from system.errors import PindnaError
from system.urls import address_problem

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_ELSEWHERE = "elsewhere-{}"  # name of the cookie jar for sites that do not belong to the source
_PROXY_STATUSES = frozenset({403, 407, 429, 502, 503, 504})
_SITE_ERRORS = (CannotResolveHostError, DownloadConnectionRefusedError)

logger = logging.getLogger(__name__)


class BadProxy(PindnaError):
    """The address of a proxy cannot be used.

    Attributes:
        source, problem: the source, and what is wrong with the address.
    """

    template = "Source {source} has an unusable proxy: {problem}. Correct it in access.proxies."


class ProxyDeniesAccess(PindnaError):
    """A SOCKS proxy does not accept our login.

    Attributes:
        source, proxy: the source, and the address of the proxy without secrets.
    """

    template = (
        "Proxy {proxy} of source {source} rejected the user name and password, or requires them. "
        "Correct them in access.proxies."
    )


class IdentityMiddleware:
    """Chooses an identity for each request, and records whether it works."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._opened: Identities | None = None
        self._socks: dict[int, SocksProxy] = {}
        self._sites = OwnSites(frozenset())
        self._names: set[str] = set()  # the names of all headers in any header set
        self._defaults = {
            **crawler.settings.getdict("DEFAULT_REQUEST_HEADERS"),
            "User-Agent": crawler.settings["USER_AGENT"],
        }

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "IdentityMiddleware":
        """Build the middleware; the source is known only once the spider is."""
        return cls(crawler)

    @property
    def _load_identities(self) -> Identities:
        if self._opened is None:
            source = job_of(self._crawler).source
            proxies = [expand_variables(proxy, source=source.name) for proxy in source.proxies]
            sets = [
                {name: expand_variables(value, source=source.name) for name, value in headers.items()}
                for headers in source.header_sets
            ]
            self._socks = _socks_of(proxies, source=source.name)
            self._sites = own_sites_of(source)
            self._names = {name for headers in sets for name in headers}
            self._opened = Identities(proxies, sets)
        return self._opened

    @property
    def _has_login(self) -> bool:
        """Return whether all proxies share one session."""
        return job_of(self._crawler).source.login is not None

    async def process_request(self, request: "Request") -> None:
        """Set proxy, headers and cookie jar.

        Raises:
            NoProxyAvailable: every proxy is suspended; a crawl never falls back to its own address.
            CannotResolveHostError: the name is unknown, or its address is private.
            ProxyDeniesAccess: no proxy accepts our user name and password.
            LoginToOtherSite: a redirect would send the login to a site that is not the source's own.
        """
        request.meta.pop(IDENTITY, None)
        request.meta.pop(SOCKS, None)
        identities = self._load_identities
        if request.meta.get(LOGIN) and request.body and not self._sites.has(request.url):
            raise LoginToOtherSite("login")
        if request.meta.get(SEARCH):
            request.meta["proxy"] = None
            self._apply_identity(request, identities.first)
            return
        chosen = identities.next(time.monotonic())
        if identities.are_barred:
            raise self._access_denied(next(iter(self._socks)))
        if chosen is None:
            raise NoProxyAvailable("proxy")
        if chosen.proxy is not None:
            await self._look_up(urlsplit(request.url).hostname or "")
        request.meta[IDENTITY] = chosen.number
        self._apply_identity(request, chosen)
        if chosen.number in self._socks:
            request.meta["proxy"], request.meta[SOCKS] = None, self._socks[chosen.number]
        elif chosen.proxy is not None:
            request.meta["proxy"] = chosen.proxy

    def _apply_identity(self, request: "Request", chosen: ProxyIdentity) -> None:
        """Set headers and cookie jar; replace those of an earlier redirect."""
        is_own = self._sites.has(request.url)
        jar = 0 if self._has_login else chosen.number
        request.meta["cookiejar"] = jar if is_own else _ELSEWHERE.format(jar)
        for name in self._names:
            request.headers.pop(name, None)
        ours = {name: value for name, value in self._defaults.items() if name not in request.headers}
        for name, value in {**ours, **(chosen.headers if is_own else {})}.items():
            request.headers[name] = value

    def process_response(self, request: "Request", response: "Response") -> "Response":
        """Record that a proxy works, or that it is refused."""
        number = request.meta.get(IDENTITY)
        if number is not None:
            if response.status in _PROXY_STATUSES:
                self._load_identities.record_failure(number, time.monotonic())
            else:
                self._load_identities.record_success(number)
        return response

    def process_exception(self, request: "Request", exception: Exception) -> None:
        """Record that a proxy does not answer.

        Raises:
            ProxyDeniesAccess: no proxy accepts our user name and password.
        """
        number = request.meta.get(IDENTITY)
        if number is None or isinstance(
            exception, (PindnaError, IgnoreRequest)
        ):  # pindna refused the request, not the proxy
            return
        if isinstance(exception, ProxyDeniesLogin):
            self._exclude_proxy(number)
        elif number not in self._socks or not isinstance(exception, _SITE_ERRORS):
            self._load_identities.record_failure(number, time.monotonic())

    def _exclude_proxy(self, number: int) -> None:
        """Stop using a proxy, because it would get the same wrong password again."""
        was_barred = self._load_identities.is_barred(number)
        self._load_identities.bar(number)
        if self._load_identities.are_barred:
            raise self._access_denied(number)
        if not was_barred:
            logger.warning("%s", self._access_denied(number))

    def _access_denied(self, number: int) -> ProxyDeniesAccess:
        return ProxyDeniesAccess(
            source=job_of(self._crawler).source.name, proxy=self._socks[number].redacted_url
        )

    async def _look_up(self, host: str) -> None:
        from twisted.internet import reactor  # noqa: PLC0415 - installed by then

        resolver: Any = reactor

        if literal_address(host) is not None:  # AddressMiddleware has checked this address
            return
        try:
            await maybe_deferred_to_future(resolver.resolve(host))
        except OSError as error:
            raise CannotResolveHostError(host) from error


def _socks_of(proxies: list[str], *, source: str) -> dict[int, SocksProxy]:
    """Return the SOCKS proxies by their identity's number.

    Raises:
        BadProxy: an address is invalid after its variables were expanded.
    """
    for url in proxies:
        if not is_socks(url) and (problem := address_problem(url)):
            raise BadProxy(source=source, problem=problem)
    try:
        return {number: socks_proxy(url) for number, url in enumerate(proxies) if is_socks(url)}
    except ValueError as error:
        raise BadProxy(source=source, problem=error) from error
