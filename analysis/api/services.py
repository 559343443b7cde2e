"""What the API works with, and who asks: a token in each request, and how often it may ask."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from analysis.accounts.permissions import Identity
from analysis.accounts.signing_in import Visitor
from analysis.accounts.tokens import identity_of_token
from analysis.api.problems import NotSignedIn
from storage.collections.stores import Stores
from storage.servers.throttle import Limit, Throttle
from storage.settings import TrackerSettings
from tracker.runtime import Runtime

_MINUTE_S = 60
_REFUSED = Limit("api-refused", times=60, period_s=_MINUTE_S)  # requests without a good token, of one network
_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="A token of `pindna token add`; it may do what its scopes say, "
    "and never more than its account.",
)


@dataclass(frozen=True, slots=True)
class Services:
    """What the API works with.

    Args:
        runtime: settings and open stores.
        throttle: counts requests.
    """

    runtime: Runtime
    throttle: Throttle

    @property
    def stores(self) -> Stores:
        """The database."""
        return self.runtime.stores

    @property
    def tracker(self) -> TrackerSettings:
        """When the daily scan is, and how pages are compared."""
        return self.runtime.settings.tracker


def get_services(request: Request) -> Services:
    """Return what the API works with."""
    services: Services = request.app.state.services
    return services


def authenticate(
    request: Request,
    services: Annotated[Services, Depends(get_services)],
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Identity:
    """Return whose token a request bears.

    Raises:
        NotSignedIn: it bears none that can be used.
        TooOften: it was used too often within the last minute.
    """
    secret = bearer.credentials if bearer else ""
    return admitted(identity_of_token(services.stores, secret) if secret else None, request, services)


def admitted(identity: Identity | None, request: Request, services: Services) -> Identity:
    """Return who asks once it is counted that he does.

    Args:
        identity: None: the request bears no token that can be used.
        request: the request.
        services: what counts it.

    Raises:
        NotSignedIn: no permitted caller.
        TooOften: it was asked too often within the last minute.
    """
    if identity is None:
        address = request.client.host if request.client else ""
        services.throttle.count(_REFUSED, Visitor(address).network)
        raise NotSignedIn
    per_minute = services.runtime.settings.analysis.server.requests_per_minute
    services.throttle.count(Limit("api", times=per_minute, period_s=_MINUTE_S), identity.token)
    return identity


CallerIdentity = Annotated[Identity, Depends(authenticate)]
ApiServices = Annotated[Services, Depends(get_services)]
