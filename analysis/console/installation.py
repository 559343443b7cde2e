"""The services and settings that the whole console shares; opened once per process."""

from dataclasses import dataclass, field
from datetime import tzinfo
from functools import cached_property
from urllib.parse import urlsplit

from analysis.accounts.otp_keys import OneTimeKeys
from analysis.accounts.signing_in import SignInService
from analysis.console.recent_filters import RecentFilters
from analysis.console.trial_pages import TrialPages
from analysis.health.services import Workers
from analysis.queries.recent import RecentFigures
from storage.collections.stores import Stores
from storage.records import zone_of
from storage.servers.redis_client import open_redis
from storage.servers.throttle import Throttle
from storage.settings.results import LOOPBACK_NAMES, ServerSettings
from system.errors import PindnaError
from tracker.runtime import Runtime


@dataclass
class Outage:
    """The reason why the console cannot work at present; None while the services answer."""

    problem: PindnaError | None = None


@dataclass(frozen=True)
class Installation:
    """The services, settings and sign-in service of one `pindna serve`.

    Args:
        runtime: settings and open stores.
        outage: shown on every page while it lasts.
    """

    runtime: Runtime
    outage: Outage = field(default_factory=Outage)

    @property
    def stores(self) -> Stores:
        """The database."""
        return self.runtime.stores

    @property
    def settings(self) -> ServerSettings:
        """The server's settings."""
        return self.runtime.settings.analysis.server

    @property
    def zone(self) -> tzinfo:
        """The time zone in which the console shows times."""
        return zone_of(self.runtime.settings.tracker.timezone)

    @cached_property
    def throttle(self) -> Throttle:
        """The rate limits of requests."""
        return Throttle(open_redis(self.runtime.settings.storage))

    @cached_property
    def trial_pages(self) -> TrialPages:
        """The pages fetched by trials of sources; each is visible to the user who ran the trial."""
        return TrialPages()

    @cached_property
    def recent_filters(self) -> RecentFilters:
        """The last filters of each user in each list."""
        return RecentFilters()

    @cached_property
    def workers(self) -> Workers:
        """The names of the workers that answer."""
        return Workers(self.runtime.queue)

    @cached_property
    def door(self) -> SignInService:
        """The service that signs users in."""
        return SignInService(self.stores, self.throttle, self.settings, self.one_time_keys)

    @cached_property
    def one_time_keys(self) -> OneTimeKeys:
        """The keys that encrypt the secrets of one-time passwords."""
        return OneTimeKeys.of(self.runtime.settings, self.stores)

    @cached_property
    def figures(self) -> RecentFigures:
        """The figures of the statistics page."""
        return RecentFigures(self.zone)

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach the console by TLS, which this server or the proxy may provide."""
        return self.settings.certificate is not None or self.settings.public_url.startswith("https://")

    @property
    def cookie(self) -> str:
        """Name of the session's cookie; browsers restrict ``__Host-`` cookies to TLS and to this host."""
        return "__Host-pindna" if self.is_secure else "pindna"

    @cached_property
    def host_names(self) -> frozenset[str]:
        """Names of this server. Requests to other names are refused (DNS rebinding)."""
        public = urlsplit(self.settings.public_url).hostname
        names = {public} if public else set()
        if self.settings.host in LOOPBACK_NAMES:
            names |= LOOPBACK_NAMES
        return frozenset(names)
